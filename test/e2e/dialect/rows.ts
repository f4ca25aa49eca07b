import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPage, type Page, type Reply } from './page.js';

/** A request, the reply of the service in each dialect, and the reply that a page gets from the wallet. */
export interface Row {
  /** The section of the notes that describes the behaviour. */
  readonly section: string;
  /** A sentence that states the behaviour. */
  readonly title: string;
  readonly ask: RowRequest;
  /** The request that is sent to the service directly, when it differs from `ask`. */
  readonly wire?: RowRequest;
  readonly seed: Expected;
  readonly node: Expected;
  /** The same in both dialects. */
  readonly page: Expected;
}

type Request = readonly [method: string, ...params: unknown[]];
type RowRequest = Request | ((page: Page) => Request | Promise<Request>);
type Expected = object | ((page: Page) => unknown);

const requestOf = async (request: RowRequest, page: Page): Promise<Request> =>
  typeof request === 'function' ? request(page) : request;

const expectedOf = (expected: Expected, page: Page): unknown =>
  typeof expected === 'function' ? expected(page) : expected;

export const returns = (result: unknown): object => ({ result });

/** An error with this code, a message that contains or matches `message`, and further fields. */
export const failsWith = (code: number, message?: string | RegExp, rest: object = {}): object =>
  expect.objectContaining({
    code,
    ...(message !== undefined && { message: expect.stringMatching(message) }),
    ...rest,
  });

/** Tests every row in both dialects. */
export function testRows(rows: readonly Row[], options: openPage.Options = {}): void {
  inBothDialects(options, (page) => {
    const titled = rows.map((row) => [`${row.title} (${row.section})`, row] as const);
    test.each(titled)('%s', async (_, { ask, wire = ask, seed, node, page: seen }) => {
      const here = page();
      const reply: Reply = await here.wire(...(await requestOf(wire, here)));
      expect(reply).toEqual(expectedOf(here.dialect === 'seed' ? seed : node, here));
      expect(await here.ask(...(await requestOf(ask, here)))).toEqual(expectedOf(seen, here));
    });
  });
}

/** Runs tests that need more than one request in both dialects. */
export function inBothDialects(
  options: openPage.Options | ((dialect: Page['dialect']) => openPage.Options),
  body: (page: () => Page) => void,
): void {
  describe.each(['seed', 'node'] as const)('%s', (dialect) => {
    let page: Page;
    beforeAll(async () => {
      page = await openPage(dialect, typeof options === 'function' ? options(dialect) : options);
    });
    afterAll(() => page?.close());
    body(() => page);
  });
}
