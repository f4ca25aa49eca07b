import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { launchChromium } from '../../support/chromium.js';
import { buildDemo } from '../../support/demo.js';
import { openShadows } from '../../support/open-shadows.js';
import { type Served, serveFiles } from '../../support/serve.js';

/** The output of `npm run build demo`, on a static file server. */

let folder: string;
let served: Served;
let browser: Browser;
let service: LocalService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'graft-static-demo-'));
  [browser, service] = await Promise.all([
    launchChromium(),
    createLocalService({ chainId: 31 }),
    buildDemo(join(folder, 'some', 'folder')),
  ]);
  served = await serveFiles(folder);
});

afterAll(async () => {
  // The page goes on asking until it is closed.
  for (const page of browser?.contexts().flatMap((context) => context.pages()) ?? [])
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  await browser?.close();
  await served?.stop();
  await service?.close();
  await rm(folder, { recursive: true, force: true });
});

test('the static demo works from any folder, and contacts no other host than the public node', async () => {
  const page = await browser.newPage();
  await openShadows(page);
  const complaints: string[] = [];
  const asked = new Set<string>();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url())) asked.add(new URL('.', request.url()).href);
  });
  // The public node of the testnet, played by the local service.
  const publicNode = 'https://public-node.testnet.rsk.co/';
  await page.route(publicNode, async (route) => {
    const response = await route.fetch({ url: service.url });
    await route.fulfill({
      response,
      headers: { ...response.headers(), 'access-control-allow-origin': '*' },
    });
  });
  await page.goto(`${served.url}/some/folder/index.html`);

  const panel = page.locator('#panel .panel');
  const press = (name: string) => panel.getByRole('button', { name, exact: true }).click();
  await press('Create a wallet');
  for (const label of ['New password', 'Repeat the password'])
    await panel.getByLabel(label, { exact: true }).fill('a password nobody else has');
  await press('Create the wallet');
  await panel.locator('ol.phrase').waitFor();
  await press('Later');
  await panel.getByText('0 tRBTC', { exact: true }).first().waitFor();

  await page.click('.wallet-choice');
  await page.getByRole('dialog').getByRole('button', { name: 'Connect' }).click();
  await page.locator('#dapp-balance', { hasText: '0 tRBTC' }).waitFor();

  expect(complaints).toEqual([]);
  expect([...asked].sort()).toEqual([
    `${served.url}/some/folder/`,
    `${served.url}/some/folder/assets/`,
    publicNode,
  ]);
  // The page goes on asking until it is closed.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});
