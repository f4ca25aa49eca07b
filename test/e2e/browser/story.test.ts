import type { Browser, Download, Page } from 'playwright-core';
import { recoverMessageAddress, recoverTypedDataAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { order } from '../../../demo/dapp/signing.js';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { launchChromium } from '../../support/chromium.js';
import { type Demo, startDemo } from '../../support/demo.js';
import { openDialog } from '../../support/dialog-driver.js';
import { openShadows } from '../../support/open-shadows.js';
import { until } from '../../support/until.js';

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
  await openShadows(page);
  page.setDefaultTimeout(30_000);
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
  const code = line.locator('code');
  const hex = (await code.count()) > 0 ? await code.getAttribute('title') : null;
  return { text: (await line.textContent()) ?? '', hex: hex ?? '' };
}

async function approve(kind: string, button: string): Promise<string> {
  const dialog = await openDialog(page, { kind });
  const text = await dialog.text();
  await dialog.click(button);
  await dialog.closed();
  return text;
}

const panel = () => page.locator('#panel .panel');
const button = (name: string | RegExp) =>
  panel()
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first();
/** A button of which a part is out of view ignores a press, so it is brought into view first. */
const press = async (name: string | RegExp): Promise<void> => {
  await button(name).evaluate((each) => each.scrollIntoView({ block: 'center', behavior: 'instant' }));
  await button(name).click();
};
/** Presses once more, as a person does, where a press had no effect: a button takes none while it moves. */
const pressUntil = (name: string, hasEffect: () => Promise<boolean>): Promise<boolean> =>
  until(
    async () => {
      if (await hasEffect()) return true;
      if (await button(name).isVisible()) await press(name).catch(() => {});
      return hasEffect();
    },
    { interval: 200 },
  );
const field = (label: string) => panel().getByLabel(label, { exact: true });
const panelShows = (part: string | RegExp) => panel().getByText(part).first().waitFor();
const text = async (selector: string) => (await page.locator(selector).textContent()) ?? '';
const shows = (selector: string, part: string | RegExp) =>
  page.locator(selector).filter({ hasText: part }).waitFor();

describe('the whole story', () => {
  test('a wallet is created in the panel, and its words are shown once and must be repeated', async () => {
    await press('Create a wallet');
    await field('New password').fill(password);
    await field('Repeat the password').fill('another one');
    await press('Create the wallet');
    await panelShows('don’t match');
    await field('Repeat the password').fill(password);
    await press('Create the wallet');
    await panelShows('Write down these words');
    const words = await panel().locator('ol.phrase li').allInnerTexts();
    expect(words).toHaveLength(12);

    await press('I wrote them down');
    await panelShows('Type the words with these numbers.');
    const labels = await panel().locator('label').allInnerTexts();
    expect(labels).toHaveLength(3);
    for (const label of labels) await field(label).fill('zoo');
    await press('Check');
    await panelShows('is wrong. Check what you wrote down');
    for (const label of labels) await field(label).fill(words[Number(label.slice(5)) - 1] as string);
    await press('Check');
    await panelShows('Account 1');
    await page.locator('#step-create[data-done]').waitFor();
    await button('Lock').waitFor();

    const kept = await page.evaluate(() => {
      const root = document.querySelector('[data-graft=panel]')?.shadowRoot as ShadowRoot;
      return [
        document.documentElement.outerHTML,
        root.innerHTML,
        JSON.stringify({ ...localStorage, ...sessionStorage }),
        ...[document, root].flatMap((tree) =>
          Array.from(tree.querySelectorAll<HTMLInputElement>('input, textarea'), (input) => input.value),
        ),
      ].join('\n');
    });
    // Three in a row, whatever stands between: one or two may be words of the page itself.
    expect(kept).not.toMatch(new RegExp(words.slice(3, 6).join('\\W+(?:\\w{1,4}\\W+)*')));
    expect(kept).not.toContain(password);
  });

  test('the faucet gives coins', async () => {
    await page.click('#faucet');
    await panelShows(/^10 tRBTC$/);
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
    await press('Sites');
    await panelShows(new URL(demo.url).host);
    await press('Activity');
  });

  test('a payment is signed in the page and mined by the service', async () => {
    const to = await page.inputValue('#pay-to');
    await page.click('#pay');
    expect(await approve('transaction', 'Send')).toContain('0.25 tRBTC');
    const { text: line, hex } = await outcome('pay-result', 'good');
    expect(line).toMatch(/Mined in block \d+/);
    expect(await ask('eth_getTransactionReceipt', hex)).toMatchObject({ from: account, to, status: '0x1' });
    expect(await ask('eth_getBalance', to, 'latest')).toBe(`0x${(25n * 10n ** 16n).toString(16)}`);
    await panelShows(/^Sent 0.25 tRBTC/);
    await panelShows('Done');
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
    await panelShows(/^9\.7499\d+ tRBTC$/);
    await button('Unlock').waitFor();
    expect(await page.locator('#dapp-account').getAttribute('title')).toBe(account);
    expect(await page.locator('#connect').isVisible()).toBe(false);
    await shows('#token-tag', '987.5 LEAF');
    await press('Activity');
    await panelShows('Sent 0.25 tRBTC');
    const done = await panel().locator('.row .name').allInnerTexts();
    expect(done.map((line) => line.replace(/\(0x.*\)/, '(…)'))).toEqual([
      'Paid an unlisted token (…)',
      'Deployed a contract, received an unlisted token (…)',
      'Sent 0.25 tRBTC',
    ]);
    await press('Home');
  });

  test('the next question unlocks it', async () => {
    await page.click('#transfer');
    const dialog = await openDialog(page, { kind: 'transaction' });
    await dialog.fill('Wallet password', 'not the password');
    await dialog.click('Send');
    await expect.poll(() => dialog.error()).not.toBe('');
    await dialog.fill('Wallet password', password);
    await dialog.click('Send');
    await dialog.closed();
    await button('Lock').waitFor();
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
    await press('Lock');
    await press('Unlock');
    await field('Wallet password').fill('not the password');
    await press('Unlock');
    await panelShows('The password is wrong.');
    await field('Wallet password').fill(password);
    await press('Unlock');
    await button('Lock').waitFor();
  });

  test('a payment is made in the panel, to an address that the person types', async () => {
    await press('Send');
    await field('To').fill('0x5afe51de5afe51de5afe51de5afe51de5afe51de');
    await field('Amount').fill('0.5');
    await panelShows('Fast');
    await press('Review and send');
    expect(await approve('transaction', 'Send')).toContain('0.5 tRBTC');
    await panelShows('Sent 0.5 tRBTC');
    await panelShows('Done');
    await press('Home');
  });

  test('coins are received by a code and an address with its checksum', async () => {
    await press('Receive');
    await panel().locator('.qr').waitFor();
    expect((await panel().locator('.address').textContent())?.toLowerCase()).toBe(account);
    await press('Back');
  });

  test('a secret is shown for the password, then hidden again', async () => {
    await press('Accounts');
    await press('Details of Account 1');
    await press('Show the private key');
    await field('Wallet password').fill(password);
    await press('Show');
    const secret = (await panel().locator('.box').textContent()) ?? '';
    expect(secret).toMatch(/^0x[\da-f]{64}$/);
    await press('Hide');
    await expect.poll(() => panel().textContent()).not.toContain(secret);
  });

  test('a game asks once, and then no more', async () => {
    await page.click('#play');
    const asked = await approve('permission', 'Allow');
    expect(asked).toContain('0.01 tRBTC');
    expect(asked).toContain('Moves of a game');
    await shows('#play-result', 'Move 1');
    for (const move of ['Move 2', 'Move 3']) {
      await page.click('#play');
      // A dialog over the page would keep the next click from the button.
      await shows('#play-result', move);
    }
  });

  test('disconnecting in the wallet disconnects the dapp', async () => {
    await press('Sites');
    await pressUntil(`Disconnect ${new URL(demo.url).origin}`, () => page.locator('#connect').isVisible());
    expect(await page.locator('#pay').isDisabled()).toBe(true);
    await panelShows('No sites are connected.');
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
    await shows('#dapp-balance', /^9\.2469/);
    await shows('#token-tag', '975 LEAF');
    await press(/^Networks: /);
    await press('Use: Rootstock Testnet');
    await press('Home');
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
      await tab.click('#network-chip');
      expect(await tab.locator('#settings-networks b').allTextContents()).toEqual(['Rootstock Testnet']);
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

describe('a node that lies', () => {
  test('is contradicted, and the payment goes through another one', async () => {
    await shows('#verdict', /^Proven: /);
    await page.check('#lie');
    await shows('#dapp-balance', 'tRBTC');
    await page.click('#pay');
    // The page was loaded again, so that the wallet is locked.
    const dialog = await openDialog(page, { kind: 'transaction' });
    await dialog.fill('Wallet password', password);
    await dialog.click('Send');
    await dialog.closed();
    const { hex } = await outcome('pay-result', 'good');
    await shows(
      '#verdict',
      /^Contradicted: 127\.0\.0\.1:\d+ said what cannot be true\. The receipt is not that in the block\./,
    );
    expect(await ask('eth_getTransactionReceipt', hex)).toMatchObject({ status: '0x0' });
    await page.uncheck('#lie');
  });

  test('does not matter to a shop, which checks the proof of the payment without a network', async () => {
    const saved: Download[] = [];
    page.on('download', (download) => saved.push(download));
    await until(async () => {
      await page.click('#save-proof');
      return saved.length > 0;
    });
    const path = await saved[0]?.path();

    const context = await browser.newContext();
    const shop = await context.newPage();
    await shop.goto(`${demo.url}/shop.html`);
    await context.setOffline(true);
    const check = async (price: string) => {
      await shop.fill('#shop-amount', price);
      await shop.click('#shop-check');
    };
    const answer = (state: string) => shop.locator(`#shop-result[data-state=${state}]`);
    await shop.setInputFiles('#shop-file', String(path));
    await check('0.25');
    await answer('good').filter({ hasText: 'Proven: 0.25 was paid.' }).waitFor();
    expect(await answer('good').textContent()).toContain('Miners of Bitcoin have worked on block');
    await check('0.26');
    await answer('bad').filter({ hasText: 'Claimed: The transaction pays 250000000000000000' }).waitFor();
    await context.close();
  });
});
