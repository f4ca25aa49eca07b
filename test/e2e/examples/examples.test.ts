import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { formatEther, type Hex, recoverMessageAddress } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { type Built, buildPackage } from '../../support/built.js';
import { findChromium, launchChromium } from '../../support/chromium.js';
import { openDialog } from '../../support/dialog-driver.js';
import { answerDialog, copyExample, serveExample, setUpWallet, unlockWallet } from '../../support/example.js';
import { startServer } from '../../support/http-server.js';
import { clientOf } from '../../support/local-client.js';
import { projectRoot } from '../../support/packages.js';
import { type Served, serveFiles } from '../../support/serve.js';
import { until } from '../../support/until.js';

/** Each folder of `examples`, built as it says and driven as a person does, over the package as published. */

/** How often a game goes on after a reload, an unlock and a move. */
const reloads = Number(process.env.RELOADS ?? 0);
// A whole story each: a bundle, a wallet, and up to eight dialogs.
vi.setConfig({ testTimeout: 120_000 + reloads * 10_000 });

const password = 'a password for the examples';

let built: Built;
let browser: Browser;
let service: LocalService;
let served: Served | undefined;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  [built, browser, service] = await Promise.all([
    buildPackage(['library', 'adapters', 'scriptTag', 'local', 'testing', 'testPage']),
    launchChromium(),
    createLocalService({ chainId: 31 }),
  ]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await service?.close();
  await built?.stop();
});
afterEach(async () => {
  await page?.context().close();
  await served?.stop();
  served = undefined;
  expect(complaints.splice(0)).toEqual([]);
});

const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
};

async function open(at: Served, options: BrowserContextOptions = {}): Promise<void> {
  served = at;
  const context = await browser.newContext({ locale: 'en', ...options });
  page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  await page.goto(at.url);
}

const press = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();
const textOf = async (selector: string) => (await page.locator(selector).textContent()) ?? '';
/** The text of an element, once it matches. */
const shows = async (selector: string, pattern: RegExp): Promise<readonly string[]> => {
  const failure = async () =>
    `${selector} does not show ${pattern}, but "${await textOf(selector)}"; dialogs open: ${await openKinds()}`;
  return until(async () => (await textOf(selector)).match(pattern), {
    timeout: 30_000,
    interval: 40,
    failure,
  });
};
/** A phone scales down a page that is wider than its screen. */
const fitsPhone = async () =>
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(phone.viewport?.width);
/** Hosts of dialogs; the line of results asks nothing. */
const dialogHosts = '[data-graft]:not([data-graft=result])';
const dialogs = () => page.locator(dialogHosts).count();
const openKinds = () =>
  page
    .locator(dialogHosts)
    .evaluateAll((hosts) => hosts.map((host) => host.getAttribute('data-graft')).join() || 'none');
/** Counts the dialogs that open from now on, also those that close at once. */
const countDialogs = () =>
  page.evaluateHandle((hosts) => {
    const opened = { count: 0 };
    new MutationObserver((records) => {
      for (const { addedNodes } of records)
        for (const node of addedNodes) if (node instanceof Element && node.matches(hosts)) opened.count++;
    }).observe(document, { childList: true, subtree: true });
    return opened;
  }, dialogHosts);

test('react-wagmi connects by setting a wallet up, signs, pays, reconnects after a reload, and disconnects', async () => {
  const folder = await copyExample('react-wagmi', built);
  await open(await serveExample(folder, { VITE_SERVICE_URL: service.url }), phone);

  await press('Connect Graft');
  await setUpWallet(page, password);
  await answerDialog(page, 'connect', 'Connect');
  const [account] = await shows('#account', /0x[\da-fA-F]{40}/);

  // The error is that of the last action.
  await press('Sign');
  await answerDialog(page, 'message', 'Reject');
  await shows('[role=alert]', /User rejected the request/);
  await press('Pay');
  await answerDialog(page, 'transaction', 'Close');
  await shows('[role=alert]', /insufficient funds/);
  await press('Sign');
  await answerDialog(page, 'message', 'Sign');
  const [signature] = await shows('#signature', /0x[\da-f]{130}/);
  expect(await recoverMessageAddress({ message: 'Hello from React', signature: signature as Hex })).toBe(
    account,
  );
  expect(await textOf('[role=alert]')).toBe('');

  // The balance follows the chain, without a reload.
  await shows('#balance', /^0 tRBTC$/);
  await service.controls.faucet(account as Hex, 10n ** 18n);
  await shows('#balance', /^1 tRBTC$/);
  await press('Pay');
  await answerDialog(page, 'transaction', 'Send');
  const [, hash] = await shows('#payment', /(0x[\da-f]{64}) success/);
  await shows('#balance', /^0\.9\d+ tRBTC$/);
  await fitsPhone();
  expect(await clientOf(service).call('eth_getTransactionByHash', hash)).toMatchObject({
    from: (account as string).toLowerCase(),
    type: '0x0',
  });

  await page.reload();
  await shows('#account', new RegExp(account as string));
  expect(await dialogs()).toBe(0);

  await press('Disconnect');
  await page.getByRole('button', { name: 'Connect Graft' }).waitFor();
  await page.reload();
  // One button: one connector.
  await page.getByRole('button', { name: 'Connect Graft' }).waitFor();
  await press('Connect Graft');
  await answerDialog(page, 'connect', 'Reject');
  await shows('[role=alert]', /User rejected the request/);
});

test('script-tag pays after a wallet was set up in its dialog', async () => {
  const folder = await copyExample('script-tag', built);
  const source = await readFile(join(folder, 'index.html'), 'utf8');
  const html = source.replace('https://public-node.testnet.rsk.co', service.url);
  expect(html).not.toBe(source);
  await open(await serveFiles(folder, { html }), phone);

  await press('Pay 0.0001 tRBTC to myself');
  await setUpWallet(page, password);
  const account = await page.evaluate<Hex>('graft.state().accounts[0].address');
  await service.controls.faucet(account);
  await answerDialog(page, 'connect', 'Connect');
  await answerDialog(page, 'transaction', 'Send');
  const [, hash] = await shows('#result', /sent (0x[\da-f]{64})/);
  await fitsPhone();
  const receipt = await until(() => clientOf(service).call('eth_getTransactionReceipt', hash));
  expect(receipt).toMatchObject({ from: account, to: account, status: '0x1' });
});

test('game loads no wallet until the score is signed, which takes one signature', async () => {
  const folder = await copyExample('game', built);
  await open(await serveExample(folder, { VITE_SERVICE_URL: service.url }), phone);
  const scripts = () =>
    page.evaluate(
      () => performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).length,
    );
  expect(await scripts()).toBe(1);

  for (let picked = 1; picked <= 5; picked++) {
    await page.locator('#orchard').click({ position: await page.evaluate(findApple) });
    await shows('#score', picked < 5 ? new RegExp(`^${picked} of 5$`) : /five apples in/);
  }
  expect(await scripts()).toBe(1);
  const message = await textOf('#score');
  await press('Sign my time');
  await setUpWallet(page, password);
  await answerDialog(page, 'connect', 'Connect');
  await answerDialog(page, 'message', 'Sign');
  const [, account, signature] = await shows('#score', /(0x[\da-f]{40}) (0x[\da-f]{130})$/);
  await fitsPhone();
  const signer = await recoverMessageAddress({ message, signature: signature as Hex });
  expect(signer.toLowerCase()).toBe(account);
});

test('knights-tour asks once for a day of moves, and again when less is left than a move may cost', async () => {
  const folder = await copyExample('knights-tour', built);
  await open(await serveExample(folder, { VITE_SERVICE_URL: service.url }), phone);
  await press('Connect');
  await setUpWallet(page, password);
  await answerDialog(page, 'connect', 'Connect');
  const [account] = await shows('#account', /0x[\da-fA-F]{40}/);
  await service.controls.faucet(account as Hex, 10n ** 18n);
  await press('Play without questions');
  await answerDialog(page, 'transaction', 'Confirm');
  const agreement = await openDialog(page, { kind: 'permission' });
  expect(await agreement.text()).toContain('0.0002 tRBTC altogether');
  // Enough for a few moves.
  await agreement.click('Allow less');
  await agreement.fill('Limit', '0.00001');
  await agreement.click('Allow');
  await shows('#left', /^0\.00001 tRBTC are left/);

  // There and back again, since a square may be visited twice.
  const squares = ['c7', 'e6', 'c7', 'a8'];
  const opened = await countDialogs();
  let moves = 0;
  const hasMoved = async () => (await textOf('#status')).includes(`with ${moves + 1} moves`);
  for (; ; moves++) {
    await press(squares[moves % squares.length] as string);
    await until(async () => (await hasMoved()) || (await dialogs()) > 0, { interval: 40 });
    if (await dialogs()) break;
  }
  expect(moves).toBeGreaterThan(1);
  expect(await opened.evaluate(({ count }) => count)).toBe(1);
  await answerDialog(page, 'transaction', 'Reject');
  await shows('#status', /^You refused: the knight stays\.$/);
  await shows('#left', /^0\.00000\d+ tRBTC are left/);
  const { call } = clientOf(service);
  // Beside the moves, only the contract was deployed.
  expect(Number(await call('eth_getTransactionCount', account, 'latest'))).toBe(moves + 1);

  await press('End the permission');
  await shows('#left', /asks for each move/);
  await press('Play without questions');
  await answerDialog(page, 'permission', 'Allow');
  await shows('#left', /^0\.0002 tRBTC are left/);
  await page.reload();
  await shows('#status', new RegExp(`with ${moves} moves`));
  await fitsPhone();
  await press(squares[moves % squares.length] as string);
  expect(await (await openDialog(page, { kind: 'unlock' })).title()).toBe('Unlock your wallet');
  for (let left = reloads; left > 0; left--) {
    await unlockWallet(page, password);
    await shows('#status', new RegExp(`with ${++moves} moves`));
    await page.reload();
    await shows('#status', new RegExp(`with ${moves} moves`));
    await press(squares[moves % squares.length] as string);
  }
});

test('kiosk sells without a dialog what its operator has agreed to once, until one click ends it', async () => {
  const folder = await copyExample('kiosk', built);
  await open(await serveExample(folder, { VITE_SERVICE_URL: service.url }), phone);
  expect(await page.getByRole('button', { name: 'Espresso' }).isDisabled()).toBe(true);
  await press('Open the kiosk');
  await setUpWallet(page, password);
  await answerDialog(page, 'connect', 'Connect');
  const agreement = await openDialog(page, { kind: 'permission' });
  const roaster = '0x5afe51de5afe51de5afe51de5afe51de5afe51de';
  expect((await agreement.text()).toLowerCase()).toContain(roaster);
  await agreement.click('Allow');
  const [account] = await shows('#account', /0x[\da-f]{40}/);
  await service.controls.faucet(account as Hex, 10n ** 18n);

  const { call } = clientOf(service);
  const opened = await countDialogs();
  for (const item of ['Espresso', 'Cappuccino', 'Espresso']) {
    await press(item);
    const [, hash] = await shows('#status', new RegExp(`your ${item}. Paid with (0x[\\da-f]{64})$`));
    await until(() => call('eth_getTransactionReceipt', hash));
  }
  expect(BigInt(await call('eth_getBalance', roaster, 'latest'))).toBe(7n * 10n ** 13n);
  await shows('#left', /^0\.0009[12]\d+ tRBTC are left\.$/);
  await press('Close the kiosk');
  await shows('#left', /^The kiosk is closed\.$/);
  expect(await opened.evaluate(({ count }) => count)).toBe(0);
  expect(await page.getByRole('button', { name: 'Espresso' }).isDisabled()).toBe(true);
  await fitsPhone();
});

interface Suite {
  readonly specs?: readonly { readonly title: string; readonly ok: boolean }[];
  readonly suites?: readonly Suite[];
}

/** Of a report of Playwright: each test's title, and whether it passed. */
const outcomes = ({ specs = [], suites = [] }: Suite): (readonly [title: string, ok: boolean])[] => [
  ...specs.map(({ title, ok }) => [title, ok] as const),
  ...suites.flatMap(outcomes),
];

/** Runs in the page: the centre of what is red on the canvas, as a player sees it. */
function findApple(): { x: number; y: number } {
  const canvas = document.querySelector('canvas') as HTMLCanvasElement;
  const { width, height } = canvas;
  // Read from a copy, so that the game's own canvas stays with the graphics card.
  const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  if (!copy) throw new Error('The browser draws nothing.');
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, width, height);
  const red: number[] = [];
  for (let at = 0; at < width * height; at++) if ((data[4 * at] as number) > 200) red.push(at);
  const middle = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return { x: middle(red.map((at) => at % width)), y: middle(red.map((at) => Math.floor(at / width))) };
}

test.each([
  ['viem', ['Connect']],
  ['ethers', ['Connect']],
  ['web3js', ['Connect']],
  ['web3-onboard', ['Connect', /Graft/]],
])('%s connects, reads a balance, signs and pays', async (name, buttons) => {
  const folder = await copyExample(name, built);
  await open(await serveExample(folder, { VITE_SERVICE_URL: service.url }));
  const { call } = clientOf(service);

  for (const button of buttons) await press(button);
  await setUpWallet(page, password);
  await answerDialog(page, 'connect', 'Connect');
  const [, account] = await shows('#account', /^(0x[\da-fA-F]{40}) has 0(?:\.0)? tRBTC$/);

  await press('Sign');
  await answerDialog(page, 'message', 'Sign');
  const [signature] = await shows('#signature', /0x[\da-f]{130}/);
  const message = `Hello from ${name.replace(/js$/, '.js')}`;
  const signer = await recoverMessageAddress({ message, signature: signature as Hex });
  expect(signer.toLowerCase()).toBe(account?.toLowerCase());

  await service.controls.faucet(account as Hex, 10n ** 18n);
  await press('Pay 0.0001 tRBTC to myself');
  await answerDialog(page, 'transaction', 'Send');
  const [, hash] = await shows('#payment', /(0x[\da-f]{64}) success/);
  const { gasUsed, effectiveGasPrice } = await call('eth_getTransactionReceipt', hash);
  const left = 10n ** 18n - BigInt(gasUsed) * BigInt(effectiveGasPrice);
  await shows('#account', new RegExp(`has ${formatEther(left)} tRBTC$`));
});

test("playwright-tests pass under Playwright's own runner", async () => {
  const folder = await copyExample('playwright-tests', built);
  const { path, environment } = await findChromium();
  const launchOptions = { executablePath: path, env: { ...process.env, ...environment } };
  await writeFile(
    join(folder, 'found.config.js'),
    `import config from './playwright.config.js';
     export default { ...config, use: { ...config.use, launchOptions: ${JSON.stringify(launchOptions)} } };`,
  );
  const free = await startServer(() => {});
  await free.stop();
  const { stdout } = await promisify(execFile)(
    'npm',
    ['test', '--silent', '--', '--config=found.config.js', '--reporter=json'],
    {
      cwd: folder,
      env: { ...process.env, NODE_OPTIONS: '', PORT: String(free.port) },
      timeout: 60_000,
    },
  ).catch((error: { stdout: string }) => error);
  expect(outcomes(JSON.parse(stdout))).toEqual([
    ['an apple is paid for once', true],
    ['who refuses to pay gets no apple', true],
    ['the price is shown before it is paid', true],
  ]);
});

test('the guide to client libraries names every example', async () => {
  const guide = await readFile(join(projectRoot, 'docs/guides/libraries.md'), 'utf8');
  const names = await readdir(join(projectRoot, 'examples'));
  expect(names.filter((name) => !guide.includes(`\`examples/${name}\``))).toEqual([]);
});

test('node-read-only prints what the chain says, and ends', async () => {
  const folder = await copyExample('node-read-only', built);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['index.js'], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: '', SERVICE_URL: service.url },
    timeout: 30_000,
  });
  expect(stdout).toMatch(
    /^block \d+, at least 59240000 wei per gas\nthe two-way peg holds \d+(\.\d+)? tRBTC\n$/,
  );
  expect(stderr).toBe('');
});
