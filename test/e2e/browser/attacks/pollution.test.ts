import type { Browser, BrowserContext, Page, Route } from 'playwright-core';
import { getAddress, type Hex, recoverMessageAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../../support/chromium.js';
import { type Served, servePage } from '../../../support/serve.js';
import type { PollutionPage, Transcript } from './pollution-page.js';
import { answer, type Entry, pollute, rounds } from './pollution-tables.js';

/**
 * `Object.prototype` polluted in a real browser, before the wallet loads and after: everything that a dapp asks for must
 * end as on a clean page, in what the person was asked, what was signed, what was sent to the service and what is
 * remembered. All names are polluted at once; where that makes a difference, the failure says which name does.
 */

let served: Served;
let browser: Browser;
let context: BrowserContext;
let sent: string[];
let expected: Run;

const account = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';

type Run = Transcript & { readonly sent: readonly string[] };

beforeAll(async () => {
  [served, browser] = await Promise.all([
    servePage({
      html: '<!doctype html><title>Polluted</title><link rel="icon" href="data:,"><script type="module" src="/test/e2e/browser/attacks/pollution-page.ts"></script>',
    }),
    launchChromium(),
  ]);
  context = await browser.newContext();
  context.setDefaultTimeout(30_000);
  await context.route('**/rpc*/k3y', serve);
  const page = await open();
  await page.evaluate(() => (window as unknown as { page: PollutionPage }).page.furnish());
  expected = await run(page);
  await page.close();
});

afterAll(async () => {
  await browser?.close();
  await served?.stop();
});

/** How often the wallet looks whether anything was mined depends on the time. */
const looks = /^eth_(blockNumber|getBlockBy|getTransactionReceipt|getTransactionByHash|getTransactionCount)/;

async function serve(route: Route): Promise<void> {
  const request = route.request();
  const { id, method, params } = request.postDataJSON();
  const { pathname } = new URL(request.url());
  const type = request.headers()['content-type'];
  if (!looks.test(method)) sent.push(JSON.stringify([pathname, request.method(), type, method, params]));
  const chainId = { '/rpc30/k3y': 30, '/rpc33/k3y': 33 }[pathname] ?? 31;
  const reply = { jsonrpc: '2.0', id, ...answer(chainId, method, params) };
  // A page that was closed meanwhile wants no reply.
  await route.fulfill({ json: reply }).catch(() => {});
}

async function open(before?: string): Promise<Page> {
  const page = await context.newPage();
  if (before !== undefined) await page.addInitScript(before);
  // Once it has loaded, its module has run. (What waits for a page in the driver runs in the polluted page, and fails.)
  await page.goto(served.url);
  return page;
}

async function run(page: Page): Promise<Run> {
  sent = [];
  const transcript = await page.evaluate(() => (window as unknown as { page: PollutionPage }).page.run());
  return { ...JSON.parse(transcript), sent: [...new Set(sent)].sort() };
}

/**
 * Bundlers define what a module exports by `Object.defineProperty` and a literal with a getter, which these two make
 * invalid: no bundled page loads at all.
 */
const loads = ([name]: Entry) => name !== 'value' && name !== 'writable';

type Moment = 'before the wallet loads' | 'after the wallet has loaded';

/** What is otherwise than on the clean page when all these are polluted, `null` when nothing is. */
async function differenceUnder(entries: readonly Entry[], moment: Moment): Promise<string | null> {
  const page = await open(moment === 'before the wallet loads' ? pollute(entries) : undefined);
  try {
    if (moment === 'after the wallet has loaded') await page.evaluate(pollute(entries));
    const seen = await Promise.race([run(page), late()]);
    return JSON.stringify(seen) === JSON.stringify(expected) ? null : difference(expected, seen);
  } catch (error) {
    return (error as Error).message.slice(0, 200);
  } finally {
    await page.close();
  }
}

const late = () =>
  new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('It never ended.')), 10_000).unref();
  });

/** The names that make a difference, with the difference; both halves together where neither does alone. */
async function culprits(entries: readonly Entry[], moment: Moment): Promise<readonly string[]> {
  const changed = await differenceUnder(entries, moment);
  if (changed === null) return [];
  if (entries.length === 1) return [`${entries[0]?.join(' = ')}: ${changed}`];
  const middle = entries.length >> 1;
  const found = [
    ...(await culprits(entries.slice(0, middle), moment)),
    ...(await culprits(entries.slice(middle), moment)),
  ];
  return found.length > 0 ? found : [`${entries.map(([name]) => name).join(' with ')}: ${changed}`];
}

describe('Object.prototype', () => {
  test('unpolluted: the answers, signatures and refusals that the polluted runs are compared with', async () => {
    const { asked, outcomes, state, sent } = expected;
    const of = (method: string) => outcomes.flatMap(([each, outcome]) => (each === method ? [outcome] : []));
    const signature = expect.stringMatching(/^0x[0-9a-f]{130}$/);
    const hash = expect.stringMatching(/^0x[0-9a-f]{64}$/);

    expect(new Set(asked.map(({ origin }) => origin))).toEqual(new Set([served.url]));
    expect(asked.map(({ kind }) => kind)).toEqual([
      'connect',
      ...['message', 'message', 'typed-data', 'typed-data', 'typed-data', 'typed-data', 'typed-data'],
      ...['transaction', 'transaction', 'transaction', 'transaction', 'transaction', 'calls'],
      ...['watch-asset', 'switch-chain', 'switch-chain', 'add-chain', 'message', 'switch-chain'],
      ...['connect', 'connect'],
    ]);
    expect(of('eth_chainId')).toEqual(['0x1f', '0x1e']);
    expect(of('eth_accounts')).toEqual([[], [], []]);
    expect(of('eth_requestAccounts')).toEqual([[account]]);
    const signedIn = { signInWithEthereum: { message: expect.stringContaining('c0ffee1234'), signature } };
    expect(of('wallet_connect')).toEqual(
      [signedIn, {}, {}].map((capabilities) => ({ accounts: [{ address: account, capabilities }] })),
    );
    expect(of('wallet_disconnect')).toEqual([null]);
    expect(of('wallet_getPermissions')).toMatchObject([[{ invoker: served.url, date: 0 }]]);
    expect(of('personal_sign')).toEqual([
      signature,
      signature,
      expect.stringMatching('-32602.*bank.example'),
      signature,
    ]);
    expect(await recoverMessageAddress({ message: 'Hello', signature: of('personal_sign')[0] as Hex })).toBe(
      getAddress(account),
    );
    expect(of('eth_signTypedData_v4')).toEqual([signature, signature, signature, signature]);
    expect(of('eth_signTypedData_v1')).toEqual([signature]);
    expect(of('eth_sendTransaction')).toEqual([hash, hash, hash, hash, expect.stringMatching(/^4100 /)]);
    expect(of('eth_call')[1]).toBe('3 execution reverted');
    expect(of('eth_mining')).toEqual([expect.stringMatching(/^4200 /)]);
    expect(state).toMatchObject({ session: { chainId: 31, permissions: {} }, vault: 'unlocked' });
    expect(state.networks.map(({ chainId }) => chainId)).toEqual([31, 30, 33]);
    // Four transactions and two calls of a batch.
    expect(sent.filter((each) => each.includes('eth_sendRawTransaction'))).toHaveLength(6);
  });

  describe.each(['before the wallet loads', 'after the wallet has loaded'] as const)('%s', (moment) => {
    test.each(Object.entries(rounds))(
      'polluted with %s under every name, nothing changes',
      async (_, entries) => {
        const tried = moment === 'before the wallet loads' ? entries.filter(loads) : entries;
        expect(await culprits(tried, moment)).toEqual([]);
      },
      600_000,
    );
  });
});

test('a page variable named origin does not replace the origin', async () => {
  const page = await open('globalThis.origin = "https://bank.example"');
  expect(await page.evaluate(() => globalThis.origin)).toBe('https://bank.example');
  expect(await run(page)).toEqual(expected);
  await page.close();
});

/** The first place where two transcripts are not the same. */
function difference(one: unknown, other: unknown, path = ''): string {
  const isLeaf = [one, other].some((value) => typeof value !== 'object' || value === null);
  if (isLeaf)
    return `${path}: ${JSON.stringify(one)?.slice(0, 80)} → ${JSON.stringify(other)?.slice(0, 120)}`;
  const [left, right] = [one, other] as [Record<string, unknown>, Record<string, unknown>];
  for (const key of Object.keys({ ...left, ...right }))
    if (JSON.stringify(left[key]) !== JSON.stringify(right[key]))
      return difference(left[key], right[key], `${path}.${key}`);
  return path;
}
