import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../src/local/index.js';
import { launchChromium } from '../support/chromium.js';
import { openDialog } from '../support/dialog-driver.js';
import { type Served, servePage } from '../support/serve.js';
import type { Client, ClientsPage } from './clients-page.js';

const password = 'a password for the libraries';
const somebody = '0x5afe51de5afe51de5afe51de5afe51de5afe51de';
/** The mnemonic that anvil and hardhat publish, on Rootstock's test path. */
const mnemonic = 'test test test test test test test test test test test junk';

let service: LocalService;
let served: Served;
let browser: Browser;

beforeAll(async () => {
  [service, served, browser] = await Promise.all([
    createLocalService(),
    servePage({
      html: '<!doctype html><title>Libraries</title><script type="module" src="/test/browser/clients-page.ts"></script>',
      packages: ['viem', 'ethers'],
    }),
    launchChromium(),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([served?.stop(), service?.close()]);
});

async function openPage(): Promise<{ page: Page; account: string }> {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(15_000);
  await page.goto(`${served.url}/?service=${encodeURIComponent(service.url)}`);
  await page.waitForFunction(() => 'page' in window);
  const account = await page.evaluate(
    async ([words, secret]) => {
      const { wallet } = (window as unknown as { page: ClientsPage }).page;
      return (await wallet.importMnemonic(words as string, { password: secret as string })).address;
    },
    [mnemonic, password],
  );
  await service.controls.faucet(account, 10n ** 19n);
  return { page, account };
}

async function approve(page: Page, kind: string, button: string): Promise<void> {
  const dialog = await openDialog(page, { kind });
  await dialog.click(button);
  await dialog.closed();
}

describe.each(['viem', 'ethers'] as const)('%s', (library) => {
  let page: Page;
  let account: string;
  let token: string;

  beforeAll(async () => {
    ({ page, account } = await openPage());
  });
  afterAll(() => page?.context().close());

  /** Calls the library in the page. */
  const call = <K extends keyof Client>(method: K, ...args: Parameters<Client[K]>) =>
    page.evaluate(
      ([library, method, args]) => {
        const client = (window as unknown as { page: ClientsPage }).page[library as 'viem'];
        return (client[method as 'send'] as (...args: unknown[]) => unknown)(...(args as unknown[]));
      },
      [library, method, args] as const,
    ) as Promise<Awaited<ReturnType<Client[K]>>>;

  test('behavior: connect', async () => {
    const connecting = call('connect');
    await approve(page, 'connect', 'Connect');
    expect(await connecting).toBe(account);
  });

  test('behavior: send', async () => {
    const before = await page.evaluate(readBalance, somebody);
    const sending = call('send', somebody);
    await approve(page, 'transaction', 'Send');
    const { hash, status } = await sending;
    expect(hash).toMatch(/^0x[\da-f]{64}$/);
    expect(status).toBe('success');
    const after = await page.evaluate(readBalance, somebody);
    expect(BigInt(after) - BigInt(before)).toBe(5n * 10n ** 17n);
  });

  test('behavior: deploy', async () => {
    const deploying = call('deploy');
    await approve(page, 'transaction', 'Confirm');
    token = await deploying;
    expect(token).toMatch(/^0x[\da-fA-F]{40}$/);
  });

  test('behavior: read', async () => {
    expect(await call('balance', token, account)).toBe('1000000');
  });

  test('error: a revert, in the contract’s own words', async () => {
    expect(await call('revert', token, somebody)).toBe('Leaf: balance too low');
  });

  test('behavior: event', async () => {
    await call('watch', token);
    const transferring = call('transfer', token, somebody, 12_345);
    await approve(page, 'transaction', 'Send');
    expect(await transferring).toBe('success');
    await expect.poll(() => call('events'), { timeout: 15_000 }).toEqual([{ to: somebody, units: '12345' }]);
    expect(await call('balance', token, somebody)).toBe('12345');
  });

  test('error: a refusal reaches the caller as one', async () => {
    const sending = call('send', somebody).then(
      () => 'sent',
      (error) => String(error),
    );
    await approve(page, 'transaction', 'Reject');
    expect(await sending).toMatch(
      library === 'viem' ? /TransactionExecutionError: User rejected/ : /ACTION_REJECTED/,
    );
  });
});

const readBalance = (address: string): Promise<string> =>
  (window as unknown as { page: ClientsPage }).page.wallet.provider.request({
    method: 'eth_getBalance',
    params: [address as `0x${string}`, 'latest'],
  });
