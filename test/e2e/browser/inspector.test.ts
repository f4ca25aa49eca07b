import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { launchChromium } from '../../support/chromium.js';
import { type Demo, startDemo } from '../../support/demo.js';
import { openShadows } from '../../support/open-shadows.js';

/** The inspector of the demo, in two tabs with one wallet, over a service whose own record of requests is compared. */

const patience = { timeout: 30_000 };

let demo: Demo;
let browser: Browser;
let context: BrowserContext;
let service: LocalService;
let tabs: readonly Page[];
const complaints: string[] = [];

beforeAll(async () => {
  [demo, browser, service] = await Promise.all([
    startDemo(),
    launchChromium(),
    createLocalService({ mining: 'manual' }),
  ]);
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(30_000);
  // The demo keeps a service of the person's own there.
  const chosen = JSON.stringify({ url: service.url, chainId: service.chainId });
  await context.addInitScript((value) => localStorage.setItem('graft-demo:service', value), chosen);
  tabs = [await open(), await open()];
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([demo?.stop(), service?.close()]);
});

async function open(): Promise<Page> {
  const page = await context.newPage();
  await openShadows(page);
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(demo.url);
  await page.locator('#inspector-box > summary').click();
  await inspectorOf(page).getByText('eth_getBlockByNumber').first().waitFor();
  return page;
}

const inspectorOf = (page: Page) => page.getByRole('region', { name: 'Wallet inspector' });

/** The rows of a table of the inspector, as its cells by the names of its columns. */
async function rowsOf(page: Page, caption: string): Promise<readonly Record<string, string>[]> {
  const table = inspectorOf(page).getByRole('region', { name: caption }).locator('table');
  if ((await table.count()) === 0) return [];
  const lines = await table.evaluate((element) =>
    Array.from((element as HTMLTableElement).rows, (row) =>
      Array.from(row.cells, (cell) => cell.textContent ?? ''),
    ),
  );
  const [names = [], ...rows] = lines;
  return rows.map((cells) => Object.fromEntries(cells.map((cell, column) => [names[column], cell])));
}

async function figure(page: Page, name: string): Promise<number> {
  const shown = inspectorOf(page).locator('.figures > div', { hasText: name }).locator('dd');
  return Number(await shown.textContent());
}

/** Calls sent, by method, of all tabs; and HTTP requests. */
async function shown(): Promise<{ calls: Record<string, number>; http: number }> {
  const calls: Record<string, number> = {};
  let http = 0;
  for (const page of tabs) {
    for (const { Method = '', Sent } of await rowsOf(page, 'By method'))
      if (Number(Sent) > 0) calls[Method] = (calls[Method] ?? 0) + Number(Sent);
    http += await figure(page, 'HTTP requests');
  }
  return { calls, http };
}

const received = () => ({
  calls: Object.fromEntries(service.requests.map(({ method }) => [method, service.requests.count(method)])),
  http: service.requests.http,
});

describe('two tabs', () => {
  test('one leads, and what it answers is shown as such in the other', async () => {
    await service.controls.mine(2);
    const roles = () =>
      Promise.all(tabs.map((page) => inspectorOf(page).locator('.chip').first().textContent()));
    await expect
      .poll(async () => (await roles()).sort(), patience)
      .toEqual(['follows another tab', 'leads the tabs']);
    const leading = (await roles()).indexOf('leads the tabs');
    const [leader, follower] = [tabs[leading], tabs[1 - leading]] as [Page, Page];
    const ofHead = async (page: Page) =>
      (await rowsOf(page, 'By method')).find(({ Method }) => Method === 'eth_getBlockByNumber');
    await expect.poll(async () => Number((await ofHead(follower))?.Tab), patience).toBeGreaterThan(1);
    expect(Number((await ofHead(leader))?.Tab)).toBe(0);
    await expect.poll(async () => Number((await ofHead(leader))?.['For tabs']), patience).toBeGreaterThan(0);
    expect(Number((await ofHead(follower))?.['For tabs'])).toBe(0);
    await inspectorOf(leader)
      .getByText(/this tab: cost \d+, [1-9]\d* requests answered for other tabs/)
      .waitFor();
    await inspectorOf(leader)
      .getByText(/this tab has answered [1-9]\d* for other tabs/)
      .waitFor();
  });

  test('the inspectors count what the service has counted', async () => {
    await expect.poll(() => service.requests.http, patience).toBeGreaterThan(10);
    // Both sides go on counting: what has arrived may not have been answered yet.
    await expect
      .poll(async () => {
        const before = received();
        const counted = await shown();
        return { same: JSON.stringify(sorted(counted)) === JSON.stringify(sorted(before)), counted, before };
      }, patience)
      .toMatchObject({ same: true });
  });

  test('a subscription shows the block up to which it has delivered', async () => {
    await service.controls.mine(1);
    const height = await head();
    for (const page of tabs)
      await expect
        .poll(async () => (await rowsOf(page, 'Subscriptions')).map((row) => row['At block']), patience)
        .toContain(String(height));
  });
});

const sorted = ({ calls, http }: ReturnType<typeof received>) => [Object.entries(calls).sort(), http];

async function head(): Promise<number> {
  const response = await fetch(service.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }),
  });
  return Number(((await response.json()) as { result: string }).result);
}

describe('the panel', () => {
  test('lists requests that match the filter, by keyboard alone', async () => {
    const [page] = tabs as [Page];
    await inspectorOf(page).getByLabel('Filter by method').focus();
    await page.keyboard.type('SUBSCRIBE');
    const listed = async () =>
      new Set((await rowsOf(page, 'Latest page requests')).map(({ Method }) => Method));
    await expect.poll(listed).toEqual(new Set(['eth_subscribe']));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.press('Delete');
    await expect.poll(async () => (await listed()).size).toBeGreaterThan(1);
  });

  test('has no fault of accessibility, in light or dark colours', async () => {
    const [page] = tabs as [Page];
    await page.evaluate(readFileSync('node_modules/axe-core/axe.min.js', 'utf8'));
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const { violations } = await page.evaluate<AxeResults>(`axe.run('[data-graft=inspector]')`);
      expect(violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))).toEqual([]);
    }
  });

  test('breaks no rule of the page’s Content-Security-Policy, and reports no error', () => {
    expect(complaints).toEqual([]);
  });
});
