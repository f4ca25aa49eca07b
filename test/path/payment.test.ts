import type { Browser, Page } from 'playwright-core';
import { parseEther } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../packages/kit/src/local/index.js';
import { type Built, buildPackage } from '../support/built.js';
import { launchChromium } from '../support/chromium.js';
import { openDialog } from '../support/dialog-driver.js';
import { type HttpServer, startServer } from '../support/http-server.js';
import { until } from '../support/until.js';

/** The package as it is published, in a page, from nothing to a receipt: the one path in a browser of `npm test`. */

const password = 'a password nobody else has';
const somebody = `0x${'35'.repeat(20)}`;

let built: Built;
let browser: Browser;
let service: LocalService;
let server: HttpServer;
let page: Page;

beforeAll(async () => {
  [built, browser, service] = await Promise.all([
    buildPackage(['library']),
    launchChromium(),
    createLocalService(),
  ]);
  const files = await built.bundle(
    `import { createWallet } from 'graft-wallet';
     const wallet = createWallet({ networks: [{ chainId: 33, url: '${service.url}' }] });
     window.dapp = { request: wallet.provider.request };`,
    { html: true },
  );
  server = await startServer((request, response) => {
    const name = (request.url ?? '/').slice(1) || 'index.html';
    const file = files.get(name);
    const type = name.endsWith('.html') ? 'text/html' : 'text/javascript';
    response.writeHead(file ? 200 : 404, { 'content-type': type }).end(file?.body);
  });
  page = await browser.newPage();
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await service?.close();
  await built?.stop();
});

/** Asks as a dapp does. The answer is awaited apart, because a person is asked first. */
async function ask(method: string, ...params: readonly unknown[]): Promise<() => Promise<unknown>> {
  await page.evaluate(
    ([name, given]) => {
      const { dapp } = window as unknown as { dapp: { request(of: object): Promise<unknown> } };
      const settle = (outcome: object) => Object.assign(window, { outcome });
      settle({});
      dapp.request({ method: name, params: given }).then(
        (result) => settle({ result }),
        ({ code, message }) => settle({ result: `${code} ${message}` }),
      );
    },
    [method, params] as const,
  );
  return () =>
    until(() => page.evaluate(() => (window as { outcome?: { result?: unknown } }).outcome?.result));
}

test('a person creates a wallet, connects it to the page and pays, and the page has the receipt', async () => {
  await page.goto(server.url);
  await page.waitForFunction(() => 'dapp' in window);

  const connected = await ask('eth_requestAccounts');
  const setup = await openDialog(page, { kind: 'onboarding' });
  await setup.click('Create a wallet');
  await setup.fill('New password', password);
  await setup.fill('Repeat the password', password);
  await setup.click('Create the wallet');
  await setup.click('Later');
  await (await openDialog(page, { kind: 'connect' })).click('Connect');
  const [account] = (await connected()) as [`0x${string}`];
  expect(account).toMatch(/^0x[\da-f]{40}$/);

  await service.controls.faucet(account, parseEther('1'));
  const paid = await ask('eth_sendTransaction', {
    from: account,
    to: somebody,
    value: `0x${parseEther('0.25').toString(16)}`,
  });
  const question = await openDialog(page, { kind: 'transaction' });
  expect(await question.text()).toContain('0.25');
  await question.click('Send');
  const hash = await paid();

  const receipt = await until(async () => await (await ask('eth_getTransactionReceipt', hash))());
  expect(receipt).toMatchObject({ transactionHash: hash, from: account, to: somebody, status: '0x1' });
  const balance = await (await ask('eth_getBalance', somebody, 'latest'))();
  expect(BigInt(balance as string)).toBe(parseEther('0.25'));
});
