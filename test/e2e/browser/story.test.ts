import type { Browser, Page } from 'playwright-core';
import { recoverMessageAddress, recoverTypedDataAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { order } from '../../../demo/dapp/signing.js';
import { createLocalService, type LocalService } from '../../../src/local/index.js';
import { launchChromium } from '../../support/chromium.js';
import { type Demo, startDemo } from '../../support/demo.js';
import { openDialog } from '../../support/dialog-driver.js';

const password = 'a password nobody else has';

let demo: Demo;
let browser: Browser;
let page: Page;
let account: string;
const complaints: string[] = [];
const said: string[] = [];

beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo(), launchChromium()]);
  page = await browser.newPage();
  page.setDefaultTimeout(15_000);
  page.on('console', (message) => {
    said.push(message.text());
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(demo.url);
});

afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

/** Asks the demo's own service, past the wallet. */
async function ask(method: string, ...params: unknown[]): Promise<unknown> {
  const url = await page.evaluate<string>(
    `import('/@id/__x00__virtual:local-service').then(({ local }) => local.url)`,
  );
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return ((await response.json()) as { result: unknown }).result;
}

/** The result line of a card, once it says how the action ended; and the hex that it ends with. */
async function outcome(id: string, state: 'good' | 'bad'): Promise<{ text: string; hex: string }> {
  const line = page.locator(`#${id}[data-state=${state}]`);
  await line.waitFor();
  const hex = await line
    .locator('code')
    .getAttribute('title', { timeout: 100 })
    .catch(() => null);
  return { text: (await line.textContent()) ?? '', hex: hex ?? '' };
}

async function approve(kind: string, button: string): Promise<string> {
  const dialog = await openDialog(page, { kind });
  const text = await dialog.text();
  await dialog.click(button);
  await dialog.closed();
  return text;
}

const text = async (selector: string) => (await page.locator(selector).textContent()) ?? '';
const shows = (selector: string, part: string | RegExp) =>
  page.locator(selector).filter({ hasText: part }).waitFor();

describe('the whole story', () => {
  test('a wallet is created, and its words are shown once and must be repeated', async () => {
    await page.fill('#new-password', password);
    await page.fill('#repeat-password', 'another one');
    await page.click('#start-submit');
    await shows('#start-error', 'differ');
    await page.fill('#repeat-password', password);
    await page.click('#start-submit');
    await page.locator('#phrase-step').waitFor();
    const words = await page.locator('#phrase li').allInnerTexts();
    expect(words).toHaveLength(12);

    await page.click('#phrase-done');
    const wordOf = async (label: string) => words[Number((await text(label)).slice(5)) - 1] as string;
    await page.fill('#confirm-first', 'zoo');
    await page.fill('#confirm-second', 'zoo zoo');
    await page.click('#confirm-step button[type=submit]');
    await shows('#confirm-error', 'not the words');
    await page.fill('#confirm-first', await wordOf('#confirm-first-label'));
    await page.fill('#confirm-second', await wordOf('#confirm-second-label'));
    await page.click('#confirm-step button[type=submit]');
    await page.locator('#wallet-home').waitFor();
    await page.locator('#step-create[data-done]').waitFor();
    expect(await text('#lock-state')).toBe('Unlocked');

    const kept = await page.evaluate(() =>
      [
        document.documentElement.outerHTML,
        JSON.stringify({ ...localStorage, ...sessionStorage }),
        ...Array.from(
          document.querySelectorAll('input, textarea'),
          (field) => (field as HTMLInputElement).value,
        ),
      ].join('\n'),
    );
    // Three in a row, whatever stands between: one or two may be words of the page itself.
    expect(kept).not.toMatch(new RegExp(words.slice(3, 6).join('\\W+(?:\\w{1,4}\\W+)*')));
    expect(kept).not.toContain(password);
  });

  test('the faucet gives coins', async () => {
    await page.click('#faucet');
    await shows('#balance', /^10$/);
    await page.locator('#step-coins[data-done]').waitFor();
  });

  test('the dapp finds the wallet and connects', async () => {
    expect(await page.locator('#pay').isDisabled()).toBe(true);
    await page.click('.wallet-choice');
    expect(await approve('connect', 'Connect')).toContain('Account 1');
    await shows('#dapp-balance', '10 tRBTC');
    account = (await page.locator('#dapp-account').getAttribute('title')) as string;
    expect(account).toMatch(/^0x[\da-f]{40}$/);
    expect(await page.locator('#pay').isEnabled()).toBe(true);
    await page.locator('#step-connect[data-done]').waitFor();
    await shows('#site', new URL(demo.url).host);
  });

  test('a payment is signed in the page and mined by the service', async () => {
    const to = await page.inputValue('#pay-to');
    await page.click('#pay');
    expect(await approve('transaction', 'Send')).toContain('0.25 tRBTC');
    const { text: line, hex } = await outcome('pay-result', 'good');
    expect(line).toMatch(/Mined in block \d+/);
    expect(await ask('eth_getTransactionReceipt', hex)).toMatchObject({ from: account, to, status: '0x1' });
    expect(await ask('eth_getBalance', to, 'latest')).toBe(`0x${(25n * 10n ** 16n).toString(16)}`);
    await shows('#activity li:first-child', 'Sent 0.25 tRBTC');
    await shows('#activity li:first-child', 'Mined');
  });

  test('a token is deployed and used', async () => {
    await page.click('#deploy');
    expect(await approve('transaction', 'Confirm')).toContain('Deploy a contract');
    const { hex: token } = await outcome('token-result', 'good');
    expect(await ask('eth_getCode', token, 'latest')).toMatch(/^0x60/);
    await shows('#token-tag', '1,000 LEAF');

    await page.click('#transfer');
    expect(await approve('transaction', 'Send')).toContain('12.5 LEAF');
    await shows('#token-result[data-state=good]', /Mined in block/);
    await shows('#token-tag', '987.5 LEAF');
  });

  test('a transfer of too many tokens shows the revert reason of the contract', async () => {
    await page.click('#too-much');
    expect((await outcome('token-result', 'bad')).text).toBe('execution reverted: Leaf: balance too low (3)');
  });

  test('a message is signed, and the dapp recovers the signer', async () => {
    const message = await page.inputValue('#message');
    await page.click('#sign-message');
    expect(await approve('message', 'Sign')).toContain(message);
    const { text: line, hex } = await outcome('message-result', 'good');
    expect(line).toContain('it is yours');
    const signer = await recoverMessageAddress({ message, signature: hex as `0x${string}` });
    expect(signer.toLowerCase()).toBe(account);
  });

  test('typed data is signed', async () => {
    const iso = (await page.locator('#order-deadline').getAttribute('datetime')) as string;
    await page.click('#sign-typed');
    expect(await approve('typed-data', 'Sign')).toContain('Leaf Market');
    const { hex } = await outcome('typed-result', 'good');
    const typedData = order({ maker: account, chainId: 33, deadline: new Date(iso) });
    const signer = await recoverTypedDataAddress({
      ...(typedData as unknown as Parameters<typeof recoverTypedDataAddress>[0]),
      signature: hex as `0x${string}`,
    });
    expect(signer.toLowerCase()).toBe(account);
  });

  test('new blocks and token transfers arrive by themselves', async () => {
    await page.locator('#blocks li >> nth=2').waitFor();
    const numbers = (await page.locator('#blocks b').allInnerTexts()).map(Number);
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] as number) - index));
    await page.waitForFunction(
      (last) => Number(document.querySelector('#blocks b')?.textContent) > last,
      numbers[0] as number,
    );
    await shows('#transfers li', '12.5 LEAF');
  });

  test('after a reload the wallet is locked and the dapp still connected', async () => {
    await page.reload();
    await page.locator('#wallet-home').waitFor();
    expect(await text('#lock-state')).toBe('Locked');
    await shows('#balance', /^9\.7499/);
    expect(await page.locator('#dapp-account').getAttribute('title')).toBe(account);
    expect(await page.locator('#connect').isVisible()).toBe(false);
    await shows('#token-tag', '987.5 LEAF');
    await shows('#activity', /Sent tokens[\s\S]*Deployed a contract[\s\S]*Sent 0\.25 tRBTC/);
  });

  test('the next question unlocks it', async () => {
    await page.click('#transfer');
    const dialog = await openDialog(page, { kind: 'transaction' });
    await dialog.fill('Wallet password', 'not the password');
    await dialog.click('Send');
    await expect.poll(() => dialog.error(), { timeout: 15_000 }).not.toBe('');
    await dialog.fill('Wallet password', password);
    await dialog.click('Send');
    await dialog.closed();
    await shows('#lock-state', 'Unlocked');
    await shows('#token-result[data-state=good]', /Mined in block/);
    await shows('#token-tag', '975 LEAF');
    await shows('#transfers li', '12.5 LEAF');
  });

  test('a refusal is 4001, and nothing is sent', async () => {
    const count = await ask('eth_getTransactionCount', account, 'pending');
    await page.click('#pay');
    await approve('transaction', 'Reject');
    expect((await outcome('pay-result', 'bad')).text).toContain('(4001)');
    expect(await ask('eth_getTransactionCount', account, 'pending')).toBe(count);
  });

  test('a locked wallet refuses a wrong password and accepts the right one', async () => {
    await page.click('#lock');
    await shows('#lock-state', 'Locked');
    await page.fill('#unlock-password', 'not the password');
    await page.click('#unlock');
    await shows('#home-error', '(4100)');
    await page.fill('#unlock-password', password);
    await page.click('#unlock');
    await shows('#lock-state', 'Unlocked');
    expect(await text('#home-error')).toBe('');
  });

  test('a secret is shown for the password, then hidden again', async () => {
    await page.click('#export summary');
    await page.selectOption('#export-kind', 'private-key');
    await page.fill('#export-password', password);
    await page.click('#export-submit');
    await page.locator('#exported').waitFor();
    expect(await page.inputValue('#exported-secret')).toMatch(/^0x[\da-f]{64}$/);
    await page.click('#exported-hide');
    expect(await page.inputValue('#exported-secret')).toBe('');
  });

  test('disconnecting in the wallet disconnects the dapp', async () => {
    await page.click('#site-disconnect');
    await page.locator('#connect').waitFor();
    expect(await page.locator('#pay').isDisabled()).toBe(true);
  });

  test('nothing overflows on a narrow screen', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBe(390);
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  test('every control has an accessible name', async () => {
    const nameless = await page.evaluate(() =>
      Array.from(document.querySelectorAll<HTMLInputElement>('input, select, textarea, button'))
        .filter((control) => !control.labels?.length && !control.ariaLabel && !control.textContent?.trim())
        .filter((control) => control.checkVisibility())
        .map((control) => control.outerHTML),
    );
    expect(nameless).toEqual([]);
  });

  test('the page logs no error, and the console holds no secret', () => {
    expect(complaints).toEqual([]);
    expect(said.filter((line) => line.includes(password) || line.includes('local-key'))).toEqual([]);
  });
});

describe('a service that the person adds', () => {
  let other: LocalService;
  beforeAll(async () => {
    other = await createLocalService({ chainId: 31, apiKeys: ['own-secret-key'] });
  });
  afterAll(() => other?.close());

  test('a wrong one is refused with the reason and without its key', async () => {
    await page.click('#network-chip');
    await page.fill('#service-url', `${other.baseUrl}/wrong-key`);
    await page.selectOption('#service-chain', '31');
    await page.click('#settings-save');
    await shows('#settings-error', /\(-?\d+\)/);
    expect(await text('#settings-error')).not.toContain('wrong-key');
    await page.fill('#service-url', 'http://node.example/own-secret-key');
    await page.click('#settings-save');
    await shows('#settings-error', 'The URL must be');
  });

  test('it becomes another network, and dapp and wallet switch between the two', async () => {
    await page.fill('#service-url', other.url);
    await Promise.all([page.waitForEvent('framenavigated'), page.click('#settings-save')]);
    await shows('#network-name', 'Rootstock Testnet');
    expect(await page.content()).not.toContain('own-secret-key');

    await page.click('.wallet-choice');
    await approve('connect', 'Connect');
    await shows('#dapp-balance', /^0 tRBTC$/);
    await page.selectOption('#dapp-chain', '33');
    await approve('switch-chain', 'Switch');
    await shows('#network-name', 'Rootstock Local');
    await shows('#dapp-balance', /^9\.7499/);
    await shows('#token-tag', '975 LEAF');
    await page.selectOption('#network-select', '31');
    await shows('#dapp-balance', /^0 tRBTC$/);
    await shows('#token-tag', 'not deployed');
  });

  test('a network that the wallet does not know is 4902', async () => {
    await page.selectOption('#dapp-chain', '30');
    await shows('#dapp-error', '(4902)');
    expect(await page.inputValue('#dapp-chain')).toBe('31');
  });

  test('VITE_SERVICE_URL and VITE_CHAIN_ID replace the local service', async () => {
    process.env.VITE_SERVICE_URL = other.url;
    process.env.VITE_CHAIN_ID = '31';
    const second = await startDemo();
    const context = await browser.newContext();
    try {
      const tab = await context.newPage();
      await tab.goto(second.url);
      await tab.locator('#network-name', { hasText: 'Rootstock Testnet' }).waitFor();
      await tab.locator('#network-pulse[data-live=true]').waitFor();
      expect(await tab.locator('#network-select option').allTextContents()).toEqual(['Rootstock Testnet']);
    } finally {
      delete process.env.VITE_SERVICE_URL;
      delete process.env.VITE_CHAIN_ID;
      await context.close();
      await second.stop();
    }
  });

  test('it can be forgotten', async () => {
    await page.click('#network-chip');
    await Promise.all([page.waitForEvent('framenavigated'), page.click('#settings-remove')]);
    await shows('#network-name', 'Rootstock Local');
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('own-secret-key');
  });
});
