import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { keccak256 } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchChromium } from '../../support/chromium.js';
import { readModules } from '../../support/modules.js';
import { type Served, servePage } from '../../support/serve.js';
import type { PollutionPage, Transcript } from './pollution-page.js';

/**
 * `Object.prototype` polluted in a real browser, before the wallet loads and after: everything that a dapp asks for must
 * end as on a clean page, in what the person was asked, what was signed, what was sent to the service and what is
 * remembered. Values are data, as a hole in a merging function of the page would write them, and where an option of ours
 * is a function, a function.
 */

let served: Served;
let browser: Browser;
let page: Page;
let sent: string[];

beforeAll(async () => {
  [served, browser] = await Promise.all([
    servePage({
      html: '<!doctype html><title>Polluted</title><link rel="icon" href="data:,"><script type="module" src="/test/browser/attacks/pollution-page.ts"></script>',
    }),
    launchChromium(),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await served?.stop();
});

beforeEach(async () => {
  const context = await browser.newContext();
  page = await context.newPage();
  page.setDefaultTimeout(20_000);
  sent = [];
  await page.route('**/rpc*/k3y', async (route) => {
    const request = route.request();
    const { id, method, params } = request.postDataJSON();
    const { pathname } = new URL(request.url());
    sent.push(
      JSON.stringify([pathname, request.method(), request.headers()['content-type'], method, params]),
    );
    const chainId = { '/rpc30/k3y': 30, '/rpc33/k3y': 33 }[pathname] ?? 31;
    await route.fulfill({ json: { jsonrpc: '2.0', id, result: answer(chainId, method, params) } });
  });
});

afterEach(() => page.context().close());

const open = async () => {
  await page.goto(served.url);
  await page.waitForFunction(() => 'page' in window);
};
const furnish = () => page.evaluate(() => (window as unknown as { page: PollutionPage }).page.furnish());
async function run(): Promise<Transcript & { readonly sent: readonly string[] }> {
  sent = [];
  const transcript = await page.evaluate(() => (window as unknown as { page: PollutionPage }).page.run());
  return { ...transcript, sent: [...new Set(sent)].sort() };
}

describe('Object.prototype', () => {
  test('polluted after the wallet has loaded, name by name: nothing changes', async () => {
    await open();
    await furnish();
    const expected = await run();
    expect(expected.sent.length).toBeGreaterThan(20);
    expect(expected.outcomes).toMatchInlineSnapshot();
    const changed: string[] = [];
    for (const name of names)
      for (const value of special[name] === undefined
        ? ['"polluted"', '7', '({})']
        : [words(name), '"polluted"']) {
        await page.evaluate(pollute([[name, value]]));
        const seen = await run().catch((error: Error) => error.message.slice(0, 200));
        await page.evaluate(clean([name]));
        if (JSON.stringify(seen) !== JSON.stringify(expected)) {
          changed.push(`${name} = ${value}: ${difference(expected, seen)}`);
          console.log(changed.at(-1));
        }
      }
    expect(changed).toEqual([]);
  }, 900_000);
});

function difference(expected: unknown, seen: unknown, path = ''): string {
  if (typeof expected !== 'object' || typeof seen !== 'object' || expected === null || seen === null)
    return `${path}: ${JSON.stringify(expected)?.slice(0, 80)} → ${JSON.stringify(seen)?.slice(0, 120)}`;
  for (const key of new Set([...Object.keys(expected), ...Object.keys(seen)])) {
    const [one, two] = [(expected as Record<string, unknown>)[key], (seen as Record<string, unknown>)[key]];
    if (JSON.stringify(one) !== JSON.stringify(two)) return difference(one, two, `${path}.${key}`);
  }
  return path;
}
