import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestChain } from '../../../../packages/kit/src/playwright/chain.js';
import type { TestWallet } from '../../../../packages/kit/src/playwright/install-wallet.js';
import type { Address } from '../../../../src/rpc/schema.js';
import { launchChromium, launchPlainChromium } from '../../../support/chromium.js';
import { type Served, servePage } from '../../../support/serve.js';
import { buildTestKit, type TestKit } from '../../../support/test-kit.js';

/** Dapps that reach their wallet over the bridge: the kit serves the wallet's site, and answers in its windows. */

const html = `<!doctype html><title>Dapp</title><link rel="icon" href="data:,"><body>
  <script>hadEthereum = typeof ethereum; announced = 0; addEventListener('eip6963:announceProvider', () => announced++)</script>
  <script type="module" src="/test/e2e/browser/playwright/bridge-page.ts"></script>`;

const payee = '0x0c54fccd2e384b4bb6f2e405bf5cbc15a017aafb';

let kit: TestKit;
let stopKit: () => Promise<void>;
let chain: TestChain;
let browser: Browser;
let served: Served;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  [{ kit, stop: stopKit }, browser, served] = await Promise.all([
    buildTestKit(),
    launchChromium(),
    servePage({ html }),
  ]);
  chain = await kit.startChain();
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([chain?.close(), served?.stop(), stopKit?.()]);
});
beforeEach(async () => {
  context = await browser.newContext();
  page = await context.newPage();
});
afterEach(() => context.close());

interface Place {
  /** The origins of the dapp and of the wallet. */
  readonly dapp: string;
  readonly bridge: string;
}

const onPort = (host: string) => `http://${host}:${new URL(served.url).port}`;
const places: readonly [string, () => Place][] = [
  ['on another site than the wallet', () => ({ dapp: served.url, bridge: 'https://wallet.example.com' })],
  [
    'on the site of the wallet',
    () => ({ dapp: onPort('app.site.localhost'), bridge: onPort('wallet.site.localhost') }),
  ],
];
const [[, elsewhere]] = places as [(typeof places)[number]];

type Options = Omit<Parameters<TestKit['installWallet']>[1], 'chain' | 'bridge'>;

/** Opens the dapp with a wallet whose accounts have coins. */
async function open({ dapp, bridge }: Place, options: Options = {}, hash = ''): Promise<TestWallet> {
  await chain.reset();
  const wallet = await kit.installWallet(page, { chain, bridge, ...options });
  for (const address of wallet.accounts) await chain.fund(address);
  await page.goto(`${dapp}/?wallet=${bridge}${hash}`);
  return wallet;
}

const click = (name: string) => page.getByRole('button', { name, exact: true }).click();
const outcome = async () => JSON.parse((await page.locator('output').textContent()) || 'null');
const pages = () => context.pages().length;
/** A window stays open for a second after its last answer. */
const soon = { timeout: 30_000 };

describe.each(places)('a dapp %s', (_, place) => {
  test('connects, signs and pays, each in a window that closes by itself', async () => {
    const wallet = await open(place());
    await click('Connect');
    const asked = await wallet.approve({ kind: 'connect', origin: place().dapp });
    await expect.poll(outcome, soon).toEqual(wallet.accounts);
    expect(asked.locked).toBe(false);
    await expect.poll(pages, soon).toBe(1);
    await click('Sign');
    await wallet.approve({ kind: 'message', text: 'hello' });
    await expect.poll(outcome, soon).toMatch(/^0x[\da-f]{130}$/);
    await expect.poll(pages, soon).toBe(1);
    await click('Pay');
    await wallet.approve({ kind: 'transaction', to: payee, value: 5n });
    await expect.poll(outcome, soon).toMatch(/^0x[\da-f]{64}$/);
    await expect.poll(() => chain.request('eth_getBalance', [payee, 'latest']), soon).toBe('0x5');
    await wallet.expectNoQuestion();
    expect(pages()).toBe(1);
    expect(wallet.asked.map(({ kind }) => kind)).toEqual(['connect', 'message', 'transaction']);
  });

  test('gets 4001 where the test rejects', async () => {
    const wallet = await open(place(), { answers: [{ kind: 'connect', answer: 'reject' }] });
    await click('Connect');
    await expect.poll(outcome, soon).toBe(4001);
    await expect.poll(pages, soon).toBe(1);
    await wallet.expectNoQuestion();
    expect(wallet.asked.map(({ kind }) => kind)).toEqual(['connect']);
  });

  test('asks several questions in one window', async () => {
    const wallet = await open(place());
    let windows = 0;
    context.on('page', () => windows++);
    await click('Both');
    await wallet.approve({ kind: 'connect' });
    await wallet.approve({ kind: 'message', text: 'a' });
    await wallet.approve({ kind: 'message', text: 'b' });
    await expect.poll(outcome, soon).toHaveLength(2);
    expect(windows).toBe(1);
  });

  test('is asked nothing more only once its windows have closed', async () => {
    const wallet = await open(place());
    await click('Connect');
    const isWindow = (each: Page) => /\/(window|connect)\.html#/.test(each.url());
    await expect.poll(() => context.pages().some(isWindow), soon).toBe(true);
    await expect(wallet.expectNoQuestion()).rejects.toThrow(
      'Expected no question, but was asked { kind: "connect"',
    );
    await wallet.approve();
    await expect.poll(outcome, soon).toEqual(wallet.accounts);
    await wallet.expectNoQuestion();
    expect(pages()).toBe(1);
  });

  test('an action without a question ends with the requests in the frame and the windows', async () => {
    const wallet = await open(place());
    const connect = async () => {
      await click('Connect');
      await expect.poll(outcome, soon).toEqual(wallet.accounts);
    };
    await expect(wallet.expectNoQuestion(connect)).rejects.toThrow(
      'Expected no question, but was asked { kind: "connect"',
    );
    await wallet.approve({ kind: 'connect' });
    await wallet.expectNoQuestion(connect);
    expect(pages()).toBe(1);
  });

  test('keeps its permission over a reload', async () => {
    const wallet = await open(place(), { answers: [{ kind: 'connect', answer: 'approve' }] });
    await click('Connect');
    await expect.poll(outcome, soon).toEqual(wallet.accounts);
    await page.reload();
    await click('Accounts');
    await expect.poll(outcome, soon).toEqual(wallet.accounts);
    await click('Sign');
    await wallet.approve({ kind: 'message' });
    await expect.poll(outcome, soon).toMatch(/^0x[\da-f]{130}$/);
  });

  test('shares the accounts that the test chooses', async () => {
    const wallet = await open(place(), { accounts: 3 });
    const [, second, third] = wallet.accounts as [Address, Address, Address];
    await click('Connect');
    await wallet.approve({ kind: 'connect' }, { accounts: [second] });
    await expect.poll(outcome, soon).toEqual([second]);
    await click('Choose');
    await wallet.approve({ kind: 'connect' }, { accounts: [third] });
    await expect.poll(outcome, soon).not.toBeNull();
    await click('Accounts');
    await expect.poll(outcome, soon).toEqual([third]);
  });

  test('two pages that ask at once are answered one after the other', async () => {
    const wallet = await open(place(), { answers: [{ kind: 'connect', answer: 'approve' }] });
    await click('Connect');
    await expect.poll(outcome, soon).toEqual(wallet.accounts);
    const other = await context.newPage();
    await other.goto(page.url());
    await click('Sign');
    await wallet.nextQuestion({ kind: 'message' });
    await other.getByRole('button', { name: 'Sign' }).click();
    await wallet.approve({ kind: 'message' });
    await expect.poll(outcome, soon).toMatch(/^0x[\da-f]{130}$/);
    await wallet.approve({ kind: 'message' });
    await expect.poll(() => other.locator('output').textContent(), soon).toMatch(/^"0x[\da-f]{130}"$/);
  });

  test('a question of a page that was left is not open any more', async () => {
    const wallet = await open(place());
    await click('Connect');
    await wallet.nextQuestion({ kind: 'connect' });
    await page.reload();
    await expect.poll(pages, soon).toBe(1);
    await wallet.expectNoQuestion();
  });

  test('a window that is closed is a refusal, and its question is not open any more', async () => {
    const wallet = await open(place());
    await click('Connect');
    await wallet.nextQuestion({ kind: 'connect' });
    await (context.pages().at(-1) as Page).close();
    await expect.poll(outcome, soon).toBe(4001);
    await wallet.expectNoQuestion();
  });

  test('connects outside a click by the button that the kit clicks', async () => {
    const wallet = await open(place(), {}, '#Connect');
    await wallet.approve({ kind: 'connect' });
    await expect.poll(outcome, soon).toEqual(wallet.accounts);
  });

  test('is answered by clicks in the dialog of the window, which asks for the password after a lock', async () => {
    const wallet = await open(place(), { dialog: true, accounts: 2 });
    await click('Connect');
    await wallet.approve({ kind: 'connect' }, { accounts: [wallet.accounts[1] as Address] });
    await expect.poll(outcome, soon).toEqual([wallet.accounts[1]]);
    await click('Sign');
    await wallet.approve({ kind: 'message' });
    await expect.poll(outcome, soon).toMatch(/^0x[\da-f]{130}$/);
    await expect.poll(pages, soon).toBe(1);
    await click('Pay');
    await wallet.nextQuestion({ kind: 'transaction' });
    await expect.poll(() => wallet.dialog().textContent(), soon).toMatch(/0x0c54/i);
    await wallet.approve({ kind: 'transaction', value: 5n });
    await expect.poll(outcome, soon).toMatch(/^0x[\da-f]{64}$/);
    await wallet.call('lock');
    await click('Sign');
    expect((await wallet.nextQuestion({ kind: 'message' })).locked).toBe(true);
    await wallet.approve({ kind: 'message' });
    await expect.poll(outcome, soon).toMatch(/^0x[\da-f]{130}$/);
    await click('Sign');
    await wallet.reject({ kind: 'message' });
    await expect.poll(outcome, soon).toBe(4001);
  });

  test('a test may click in the dialog itself', async () => {
    const wallet = await open(place(), { dialog: true });
    expect(() => wallet.dialog()).toThrow('wallet.dialog() is there after wallet.nextQuestion()');
    await click('Connect');
    await wallet.nextQuestion();
    await wallet.dialog().getByRole('button', { name: 'Reject' }).click();
    await expect.poll(outcome, soon).toBe(4001);
    await wallet.expectNoQuestion();
  });
});

test('the page of a dapp holds nothing of the wallet, and no other origin gets one', async () => {
  await open(elsewhere());
  await click('Price');
  await expect.poll(outcome, soon).toMatch(/^0x/);
  expect(
    await page.evaluate(() => {
      const { hadEthereum, graftTest, ethereum } = window as never as Record<string, unknown>;
      return [hadEthereum, typeof graftTest, typeof ethereum];
    }),
  ).toEqual(['undefined', 'undefined', 'undefined']);
  expect(await page.evaluate(() => indexedDB.databases())).toEqual([]);
});

test('functions of the wallet are called, and its panel opens, in the page of its own', async () => {
  const place = places[1]?.[1]() as Place;
  const wallet = await open(place, { dialog: true });
  expect((await wallet.call('state')).accounts.map(({ address }) => address)).toEqual(wallet.accounts);
  const panel = await wallet.openPanel('receive');
  await expect.poll(() => panel.textContent(), soon).toContain('Receive');
  expect(new URL(panel.page().url()).origin).toBe(place.bridge);
  await wallet.call('addAccount');
  expect((await wallet.call('state')).accounts).toHaveLength(2);
  await click('Connect');
  expect(await wallet.approve({ kind: 'connect' })).toMatchObject({ accounts: [{}, {}] });
});

test('a function that is called before a page is open is an error that says so', async () => {
  const { bridge } = elsewhere();
  const wallet = await kit.installWallet(page, { chain, bridge });
  await expect(wallet.call('state')).rejects.toThrow('No page has loaded the wallet yet');
});

test('no question within the time limit names the last requests of the page', async () => {
  const wallet = await open(elsewhere(), { timeout: 500 });
  await click('Price');
  await expect.poll(outcome, soon).toMatch(/^0x/);
  await click('Elsewhere');
  await expect.poll(outcome, soon).toBe(4100);
  await expect(wallet.approve()).rejects.toThrow(
    /No question was asked within 500 ms; .* The last requests of the page: .*eth_gasPrice.*eth_sendTransaction failed with 4100/,
  );
});

test('two people are two contexts', async () => {
  const { dapp, bridge } = elsewhere();
  const wallet = await open({ dapp, bridge });
  const theirs = await browser.newContext();
  const other = await kit.installWallet(theirs, {
    ...{ chain, bridge },
    accounts: [`0x${'7e57ab1e'.repeat(8)}`],
    answers: () => 'approve',
  });
  const their = await theirs.newPage();
  await their.goto(`${dapp}/?wallet=${bridge}`);
  await their.getByRole('button', { name: 'Connect' }).click();
  await expect.poll(() => their.locator('output').textContent(), soon).toBe(JSON.stringify(other.accounts));
  expect(wallet.asked).toEqual([]);
  await theirs.close();
});

test('a page under any Cross-Origin-Embedder-Policy and Content-Security-Policy with frame-src has the wallet', async () => {
  const { bridge } = elsewhere();
  const wallet = await kit.installWallet(context, { chain, bridge });
  await page.route(`${served.url}/?*`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({
      response,
      headers: {
        ...response.headers(),
        'cross-origin-embedder-policy': 'require-corp',
        'cross-origin-opener-policy': 'same-origin-allow-popups',
        'content-security-policy': `default-src 'none'; script-src 'self' 'unsafe-inline'; frame-src ${bridge}`,
      },
    });
  });
  await page.goto(`${served.url}/?wallet=${bridge}`);
  await click('Connect');
  await wallet.approve({ kind: 'connect' });
  await expect.poll(outcome, soon).toEqual(wallet.accounts);
});

test('in a browser with separate storage the vault is made in the storage of the wallet’s own windows', async () => {
  const plain = await launchPlainChromium();
  const [given] = plain.contexts() as [BrowserContext];
  const { dapp, bridge } = elsewhere();
  const wallet = await kit.installWallet(given, { chain, bridge });
  const opened = await given.newPage();
  await opened.goto(`${dapp}/?wallet=${bridge}`);
  await opened.getByRole('button', { name: 'Connect' }).click();
  await wallet.nextQuestion({ kind: 'connect' });
  const databases = () => indexedDB.databases().then((found) => found.length);
  const frame = opened.frames().find((each) => each.url() === `${bridge}/frame.html`);
  const asking = given.pages().find((each) => each.url() === `${bridge}/connect.html#frame`);
  expect([await frame?.evaluate(databases), await asking?.evaluate(databases)]).toEqual([0, 1]);
  await wallet.approve({ kind: 'connect' });
  await expect.poll(() => opened.locator('output').textContent(), soon).toBe(JSON.stringify(wallet.accounts));
  await opened.getByRole('button', { name: 'Sign' }).click();
  await wallet.approve({ kind: 'message' });
  await expect.poll(() => opened.locator('output').textContent(), soon).toMatch(/^"0x/);
  await plain.close();
});
