import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Log, Wallet } from '../../../src/index.js';
import { bitcoinTransaction, events, hashOf } from '../../support/bridge-world.js';
import { launchChromium } from '../../support/chromium.js';
import { openDialog } from '../../support/dialog-driver.js';
import { playBridge } from '../../support/fake-bridge.js';
import { createFakeNode, type FakeNode } from '../../support/fake-node.js';
import { openShadows } from '../../support/open-shadows.js';
import { result } from '../../support/scripted-service.js';
import { type Served, servePage } from '../../support/serve.js';
import { until } from '../../support/until.js';

/** A person converts RBTC to bitcoin in the panel, and follows it there until it is paid. */

const password = 'correct horse';
/** The account of key 1. */
const account = '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf';
const bitcoinAddress = 'mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r';
const script = '0x76a914751e76e8199196d454941c45d1b3a323f1433bd688ac';
const wif = 'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA';

let served: Served;
let browser: Browser;
let node: FakeNode;
let logs: Log[];
let page: Page;

beforeAll(async () => {
  const html =
    '<!doctype html><title>Bitcoin</title><link rel="icon" href="data:,"><script type="module" src="/test/e2e/browser/panel-page.ts"></script>';
  [served, browser, node] = await Promise.all([servePage({ html }), launchChromium(), createFakeNode()]);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([served?.stop(), node?.stop()]);
});
beforeEach(async () => {
  node.reset();
  logs = playBridge(node);
  // The bridge's answer to what it estimates: the fee in satoshis.
  node.override('eth_call', result(`0x${12_000n.toString(16).padStart(64, '0')}`));
  page = await browser.newPage({ reducedMotion: 'reduce' });
  await openShadows(page);
  await page.goto(`${served.url}/?service=${encodeURIComponent(node.url)}`);
  await page.waitForFunction(() => 'wallet' in window);
  await inWallet((wallet, secret) =>
    wallet.importPrivateKey(`0x${'1'.padStart(64, '0')}`, { password: secret }),
  );
  await inWallet((wallet) => void wallet.open('accounts'));
});

const inWallet = (run: (wallet: Wallet, password: string) => unknown) =>
  page.evaluate(`(${run})(window.wallet, ${JSON.stringify(password)})`);
const press = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).first().click();
const shows = (text: string | RegExp) => page.getByText(text).first().waitFor();
const height = () => Number(node.chain.blocks.at(-1)?.number);

/** Leaves the account's Bitcoin side and comes back, which reads the bridge again, until it shows the text. */
const follows = (text: string) =>
  until(async () => {
    await press('Home');
    await press('Accounts');
    await press(/^Details of/);
    await press('Bitcoin');
    await page.locator('.item').first().waitFor();
    return (await page.getByText(text).count()) > 0;
  });

test('a payment to the bridge is agreed to by its fee and address, and followed until its bitcoin is paid', async () => {
  await press(/^Details of/);
  await press('Bitcoin');
  await shows('None from this browser yet.');
  await page.locator('.qr').waitFor();
  await press('Convert to bitcoin');

  await page.getByLabel('Amount').fill('0.001');
  await press('Review and send');
  await shows('The bridge’s minimum is 0.0025 tRBTC.');
  await page.getByLabel('Amount').fill('0.005');
  await shows('About 0.00488 tBTC or more');
  await press('Review and send');
  const dialog = await openDialog(page, { kind: 'transaction' });
  expect(await dialog.text()).toMatch(/0\.005 tRBTC[\s\S]*PowPeg bridge[\s\S]*About 0\.00012 tBTC or less/);
  expect((await dialog.text()).replace(/\s/g, '')).toContain(bitcoinAddress);
  await dialog.click('Send');
  await dialog.closed();
  await shows('It isn’t in a block yet.');

  const [hash] = [...node.chain.transactions.keys()] as [`0x${string}`];
  node.chain.mine({ transactions: [hash] });
  logs.push(events.received({ block: height(), transaction: hash }, account, bitcoinAddress, 500_000n));
  await follows('The bridge pays it with its next batch, usually within 3 hours.');

  const [transaction, topic] = [hashOf('updateCollections'), hashOf('the batch')];
  node.chain.mine();
  const batchBlock = height();
  logs.push(events.batch({ block: batchBlock, transaction }, topic, [hash]));
  await follows(`The bridge signs it from block ${batchBlock + 10} on, in about 5 minutes.`);

  for (let block = 0; block < 10; block += 1) node.chain.mine();
  logs.push(events.confirmed({ block: height(), transaction: hashOf('confirms') }, topic, batchBlock));
  await follows('The bridge is signing the Bitcoin transaction.');

  node.chain.mine();
  const { raw, id } = bitcoinTransaction([{ amount: 488_000n, script }]);
  logs.push(events.release({ block: height(), transaction: hashOf('signs') }, transaction, raw));
  await follows(id);
  await shows('0.00488 tBTC');
});

test('the key for Bitcoin wallets is shown for the password only, and taken away again', async () => {
  await press(/^Details of/);
  await press('Bitcoin');
  await press('Show the Bitcoin key');
  await page.getByLabel('Wallet password').fill('a wrong password');
  await press('Show');
  await shows('The password is wrong.');
  await page.getByLabel('Wallet password').fill(password);
  await press('Show');
  await shows(wif);
  await press('Hide');
  expect(await page.getByText(wif).count()).toBe(0);
});
