import type { Browser, Page } from 'playwright-core';
import { type Abi, encodeFunctionData, parseAbi } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { deployment } from '../../../demo/dapp/abi.js';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { Address, Hex, Wallet } from '../../../src/index.js';
import { launchChromium } from '../../support/chromium.js';
import { openDialog } from '../../support/dialog-driver.js';
import { alice, clientOf, creationOf, sign } from '../../support/local-client.js';
import { openShadows } from '../../support/open-shadows.js';
import { type Served, servePage } from '../../support/serve.js';
import { until } from '../../support/until.js';

/** A person reads what the file of a contract (ERC-7730) says of a call: a real token and contract, a real vault, over HTTP. */

const account: Address = '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf';
const carol = alice.address.toLowerCase() as Address;
const coin = 10n ** 18n;
const signature = 'deposit(address token,uint256 amount,address receiver,uint256 until,bytes note)';

let served: Served;
let browser: Browser;
let local: LocalService;
let page: Page;
let token: Hex;
let vault: Hex;

beforeAll(async () => {
  const html =
    '<!doctype html><title>Vault</title><link rel="icon" href="data:,"><script type="module" src="/test/e2e/browser/panel-page.ts"></script>';
  [served, browser] = await Promise.all([servePage({ html }), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await served?.stop();
});
beforeEach(async () => {
  local = await createLocalService({ chainId: 31 });
  for (const each of [account, carol]) await local.controls.faucet(each, 10n * coin);
  const { call } = clientOf(local);
  const deploy = async (nonce: number, data: Hex): Promise<Hex> => {
    const raw = await sign({ to: null, value: 0n, data, gas: 2_000_000n, chainId: 31, nonce });
    return (await mined(await call('eth_sendRawTransaction', raw))).contractAddress;
  };
  token = await deploy(0, deployment(1_000n * coin) as Hex);
  // It takes every call.
  vault = await deploy(1, creationOf('00'));
  page = await browser.newPage({ reducedMotion: 'reduce' });
  await openShadows(page);
});
afterEach(async () => {
  await page.close();
  await local.close();
});

const mined = (hash: Hex) => until(() => clientOf(local).call('eth_getTransactionReceipt', hash));

const field = (path: string, label: string, format: string, params = {}) => ({ path, label, format, params });

/** The file of the vault, for one chain. */
const fileFor = (chainId: number) => ({
  $schema: 'https://eips.ethereum.org/assets/eip-7730/erc7730-v2.schema.json',
  context: { contract: { deployments: [{ chainId, address: vault }] } },
  metadata: { owner: 'Example', contractName: 'Vault' },
  display: {
    formats: {
      [signature]: {
        intent: 'Lock <b>tokens</b>',
        fields: [
          field('amount', 'Amount', 'tokenAmount', { tokenPath: 'token' }),
          field('receiver', 'For', 'addressName'),
          field('until', 'Locked until', 'date', { encoding: 'timestamp' }),
        ],
      },
    },
  },
});

/** Opens the page with a file, and deposits 1.5 tokens for Carol. */
async function deposit(file: object): Promise<void> {
  const query = new URLSearchParams({ service: local.url, descriptors: JSON.stringify([file]) });
  await page.goto(`${served.url}/?${query}`);
  await page.waitForFunction(() => 'wallet' in window);
  const data = encodeFunctionData({
    abi: parseAbi([`function ${signature}`] as never) as Abi,
    args: [token, (3n * coin) / 2n, carol, 1_793_638_800n, '0xc0ffee'],
  });
  await page.evaluate(
    async ([from, to, input, friend]) => {
      const { wallet } = window as unknown as { wallet: Wallet };
      if (wallet.state().accounts.length === 0)
        await wallet.importPrivateKey(`0x${'1'.padStart(64, '0')}`, { password: 'correct horse' });
      await wallet.saveContact(friend, 'Carol');
      Object.assign(window, { sent: wallet.send({ from, to, data: input }) });
    },
    [account, vault, data, carol] as const,
  );
}

test('the dialog says what a call is for, with the token, the name of who gets it, and what the file leaves out', async () => {
  await deposit(fileFor(31));
  const question = await openDialog(page, { kind: 'transaction' });
  const text = await question.text();
  for (const part of ['Lock <b>tokens</b>', 'As Example describes it', '1.5 LEAF', 'Carol', 'Vault', '2026'])
    expect(text).toContain(part);
  expect(await question.evaluate((dialog) => dialog.querySelector('.explained b'))).toBeNull();
  const explained = await question.evaluate((dialog) => dialog.querySelector('.explained')?.textContent);
  expect(explained).toMatch(/Not explained.*note.*bytes.*0xc0ffee/s);
  expect(explained).not.toContain('uint256');
  expect(text).not.toContain('The wallet can’t tell');
  await question.click('Confirm');
  const hash = await page.evaluate(() => (window as unknown as { sent: Promise<Hex> }).sent);
  const receipt = await mined(hash);
  expect([receipt.to, receipt.status]).toEqual([vault, '0x1']);
});

test('the file of another chain explains nothing, and the call has the caution of an unknown one', async () => {
  await deposit(fileFor(30));
  const question = await openDialog(page, { kind: 'transaction' });
  expect(await question.evaluate((dialog) => dialog.querySelector('.explained'))).toBeNull();
  expect(await question.evaluate((dialog) => dialog.querySelector('[data-severity=caution]'))).not.toBeNull();
  await question.click('Reject');
});
