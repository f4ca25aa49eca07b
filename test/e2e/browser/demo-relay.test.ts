import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { launchChromium } from '../../support/chromium.js';
import { type Demo, startDemo } from '../../support/demo.js';
import { answerDialog, setUpWallet } from '../../support/example.js';

/** The demo with a relay between its wallet and the local service: `GRAFT_RELAY=1 npm start`. */

let demo: Demo;
let browser: Browser;

beforeAll(async () => {
  vi.stubEnv('GRAFT_RELAY', '1');
  [demo, browser] = await Promise.all([startDemo(), launchChromium()]);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await browser?.close();
  await demo?.stop();
});

test('a wallet is created, gets coins and pays through the relay, which tells it of blocks; the page has no key', async () => {
  const page = await browser.newPage();
  const sockets: string[] = [];
  const posts: string[] = [];
  const complaints: string[] = [];
  page.on('websocket', (socket) => sockets.push(socket.url()));
  page.on('request', (request) => {
    if (request.postData()?.includes('jsonrpc')) posts.push(request.url());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(demo.url);

  await page.click('.wallet-choice');
  await setUpWallet(page, 'a password nobody else has');
  await answerDialog(page, 'connect', 'Connect');
  await page.click('#faucet');
  await page.locator('#dapp-balance', { hasText: '10 tRBTC' }).waitFor();
  await page.click('#pay');
  await answerDialog(page, 'transaction', 'Send');
  await page.locator('#pay-result[data-state=good]').waitFor();
  const height = page.locator('#network-chip .network-block b');
  const before = Number((await height.textContent())?.replace(/\D/g, ''));
  await expect
    .poll(async () => Number((await height.textContent())?.replace(/\D/g, '')))
    .toBeGreaterThan(before + 1);

  expect(sockets.filter((url) => url.endsWith('/33'))).toHaveLength(1);
  const [push = ''] = sockets.filter((url) => url.endsWith('/33'));
  expect(posts.length).toBeGreaterThan(0);
  expect(new Set(posts)).toEqual(new Set([push.replace('ws', 'http')]));
  expect(await page.content()).not.toContain('local-key');
  expect(complaints).toEqual([]);
});
