import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../../support/chromium.js';
import { projectRoot } from '../../../support/packages.js';
import { type Served, serveFiles } from '../../../support/serve.js';
import { buildTestKit, type TestKit } from '../../../support/test-kit.js';

/** MetaMask's test dapp as npm has it, unchanged. `test-dapp.ts` beside this folder drives all of it. */
const folder = join(projectRoot, 'node_modules/@metamask/test-dapp/dist');

let kit: TestKit;
let stopKit: () => Promise<void>;
let browser: Browser;
let dapp: Served;

beforeAll(async () => {
  const html = await readFile(join(folder, 'index.html'), 'utf8');
  [{ kit, stop: stopKit }, browser, dapp] = await Promise.all([
    buildTestKit(),
    launchChromium(),
    serveFiles(folder, { html }),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([dapp?.stop(), stopKit?.()]);
});

test("MetaMask's test dapp connects, pays and signs, in fifteen lines", async () => {
  const context = await browser.newContext();
  // Its fonts and statistics are elsewhere: nothing leaves this machine.
  await context.route(
    ({ hostname }) => hostname !== '127.0.0.1',
    (route) => route.abort(),
  );
  // The example begins here.
  const chain = await kit.startChain({ minimumGasPrice: 4_000_000_000n });
  const wallet = await kit.installWallet(context, { chain, isMetaMask: true });
  await chain.fund(wallet.accounts[0]!, 10n ** 20n);
  const page = await context.newPage();
  await page.goto(dapp.url);
  await page.click('#connectButton');
  await wallet.approve({ kind: 'connect' });
  await page.locator('#accounts', { hasText: wallet.accounts[0]! }).waitFor();
  await page.click('#sendButton');
  await wallet.approve({ kind: 'transaction', to: '0x0c54fccd2e384b4bb6f2e405bf5cbc15a017aafb', value: 0n });
  await page.click('#personalSign');
  await wallet.approve({ kind: 'message', text: /Example `personal_sign` message/ });
  await page.locator('#personalSignResult', { hasText: /^0x[\da-f]{130}$/ }).waitFor();
  await wallet.expectNoQuestion();
  // It ends here.
  expect(wallet.asked.map(({ kind }) => kind)).toEqual(['connect', 'transaction', 'message']);
  await context.close();
  await chain.close();
});
