import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPage, type Page, type Said } from './page.js';

/** A question: what is asked, what each dialect of the service answers, and what a page sees of either. */
export interface Row {
  /** Of docs/notes/node.md#the-node. */
  readonly section: string;
  readonly what: string;
  readonly ask: Question;
  /** What is asked of the service directly, where the wallet asks otherwise. */
  readonly wire?: Question;
  readonly seed: Expected;
  readonly node: Expected;
  /** The same in both. */
  readonly page: Expected;
}

type Asked = readonly [method: string, ...params: unknown[]];
type Question = Asked | ((page: Page) => Asked | Promise<Asked>);
type Expected = object | ((page: Page) => unknown);

const questionOf = async (question: Question, page: Page): Promise<Asked> =>
  typeof question === 'function' ? question(page) : question;

const expectedOf = (expected: Expected, page: Page): unknown =>
  typeof expected === 'function' ? expected(page) : expected;

export const gives = (result: unknown): object => ({ result });

/** An error by its code, the start or a pattern of its message, and whatever else is said of it. */
export const refuses = (code: number, message?: string | RegExp, rest: object = {}): object =>
  expect.objectContaining({
    code,
    ...(message !== undefined && { message: expect.stringMatching(message) }),
    ...rest,
  });

/** Runs every row in both dialects. */
export function rowsHold(rows: readonly Row[], options: openPage.Options = {}): void {
  inBothDialects(options, (page) => {
    const titled = rows.map((row) => [`${row.section} ${row.what}`, row] as const);
    test.each(titled)('%s', async (_, { ask, wire = ask, seed, node, page: seen }) => {
      const here = page();
      const said: Said = await here.wire(...(await questionOf(wire, here)));
      expect(said).toEqual(expectedOf(here.dialect === 'seed' ? seed : node, here));
      expect(await here.ask(...(await questionOf(ask, here)))).toEqual(expectedOf(seen, here));
    });
  });
}

/** For what takes more than one question. */
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
