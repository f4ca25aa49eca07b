import type { Browser, Page } from 'playwright-core';
import { encodeFunctionData, erc20Abi } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { deployment } from '../../../demo/dapp/abi.js';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { Address, Hash, Hex, Wallet } from '../../../src/index.js';
import { launchChromium } from '../../support/chromium.js';
import { alice, bob, clientOf, sign } from '../../support/local-client.js';
import { openShadows } from '../../support/open-shadows.js';
import { type Served, servePage } from '../../support/serve.js';
import { until } from '../../support/until.js';

/** A person sees in the panel what came in: over HTTP from a real EVM, with a real IndexedDB, across reloads. */

const password = 'correct horse';
/** The account of key 1. */
const account: Address = '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf';
const coin = 10n ** 18n;

let served: Served;
let browser: Browser;
let local: LocalService;
let page: Page;
let nonces: Map<Address, number>;

beforeAll(async () => {
  const html =
    '<!doctype html><title>Received</title><link rel="icon" href="data:,"><script type="module" src="/test/e2e/browser/panel-page.ts"></script>';
  [served, browser] = await Promise.all([servePage({ html }), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await served?.stop();
});
beforeEach(async () => {
  local = await createLocalService({ chainId: 31, mining: 'manual' });
  nonces = new Map();
  for (const { address } of [alice, bob]) await local.controls.faucet(address, 10n * coin);
  await local.controls.mine(20);
  page = await browser.newPage({ reducedMotion: 'reduce' });
  await openShadows(page);
  await openPage();
  await inWallet((wallet, secret) =>
    wallet.importPrivateKey(`0x${'1'.padStart(64, '0')}`, { password: secret }),
  );
});
afterEach(async () => {
  await page.close();
  await local.close();
});

async function openPage() {
  await page.goto(`${served.url}/?service=${encodeURIComponent(local.url)}`);
  await page.waitForFunction(() => 'wallet' in window);
}
const inWallet = (run: (wallet: Wallet, password: string) => unknown) =>
  page.evaluate(`(${run})(window.wallet, ${JSON.stringify(password)})`);
const shows = (text: string | RegExp) => page.getByText(text).first().waitFor();
const names = () => page.locator('.row .name').allInnerTexts();

/** Sends a transaction of another wallet, and mines it. */
async function play(wish: { to?: Hex | null; value?: bigint; data?: Hex }, signer = alice): Promise<Hash> {
  const nonce = nonces.get(signer.address) ?? 0;
  nonces.set(signer.address, nonce + 1);
  const gas = wish.data ? 1_500_000n : 21_000n;
  const hash = await clientOf(local).call(
    'eth_sendRawTransaction',
    await sign({ ...wish, gas, nonce, chainId: 31 }, signer),
  );
  await local.controls.mine();
  return hash;
}

/** Opens the activity in a page that has just loaded, until it has these lines. */
const activityHas = (...lines: readonly (string | RegExp)[]) =>
  until(async () => {
    await openPage();
    await inWallet((wallet) => void wallet.open('activity'));
    await shows(/^Shows what came in since/);
    const found = await names();
    return found.length === lines.length && lines.every((line, at) => found[at]?.match(line));
  });

test('payments stand in the activity from the visit after which they came, and lies stand apart', async () => {
  await activityHas();
  await play({ to: account, value: (coin * 3n) / 10n });
  const created = await clientOf(local).call(
    'eth_getTransactionReceipt',
    await play({ to: null, value: 0n, data: deployment(1_000n) as Hex }),
  );
  const token = created.contractAddress as Address;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [account, 7n] });
  await play({ to: token, value: 0n, data });
  await activityHas('Received 0.3 tRBTC');
  await shows('Arriving');
  expect(await page.getByText('Payments that may be meant to deceive: 1').count()).toBe(1);

  await page.locator('.row').first().click();
  await shows('Block');
  const parties = (await page.locator('.address').allTextContents()).map((text) =>
    text.replace(/\s/g, '').toLowerCase(),
  );
  expect(parties.join()).toContain(alice.address.toLowerCase());

  await play({ to: account, value: coin / 10n }, bob);
  await local.controls.mine(20);
  await activityHas('Received 0.1 tRBTC', 'Received 0.3 tRBTC');
  expect(await page.getByText('Arriving').count()).toBe(0);
});

test('a payment that a reorganisation took is gone, and one that it has moved stays once', async () => {
  await activityHas();
  await play({ to: account, value: coin / 10n });
  await local.controls.mine();
  await play({ to: account, value: coin / 5n }, bob);
  await activityHas('Received 0.2 tRBTC', 'Received 0.1 tRBTC');
  await local.controls.reorg(1, { transactions: 'dropped' });
  await local.controls.reorg(3);
  await activityHas('Received 0.1 tRBTC');
});
