import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Wallet } from '../../../src/index.js';
import { type Built, buildPackage } from '../../support/built.js';
import { launchChromium } from '../../support/chromium.js';
import { openShadows } from '../../support/open-shadows.js';
import { type Served, serveFiles } from '../../support/serve.js';

/** A page with nothing but the script tag: its button, and the panel that opens from it. */

let built: Built;
let folder: string;
let browser: Browser;
let page: Page;
let served: Served;
let errors: string[];

beforeAll(async () => {
  built = await buildPackage();
  folder = await mkdtemp(join(tmpdir(), 'graft-script-tag-'));
  for (const name of ['graft.js', 'kdf-worker.js'])
    await writeFile(join(folder, name), await built.read(name));
  browser = await launchChromium();
});

afterEach(async () => {
  await page?.close();
  await served?.stop();
});

afterAll(async () => {
  await browser?.close();
  await built?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function open(attributes: string, place: 'head' | 'body' = 'body'): Promise<void> {
  const script = `<script src="/graft.js" data-chain-id="33" data-url="http://127.0.0.1:1/key" ${attributes}></script>`;
  const html = `<!doctype html><html lang="en"><head><title>A page</title><link rel="icon" href="data:,">
    ${place === 'head' ? script : ''}</head><body><p>Text</p>${place === 'body' ? script : ''}</body></html>`;
  served = await serveFiles(folder, { html });
  page = await browser.newPage({ viewport: { width: 400, height: 700 } });
  errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await openShadows(page);
  await page.goto(served.url);
}

const panel = () => page.locator('dialog section.panel');
const focused = () =>
  page.evaluate(() => {
    const host = document.activeElement;
    return [host?.getAttribute('data-graft'), host?.shadowRoot?.activeElement?.textContent];
  });

describe('data-button', () => {
  test.each(['head', 'body'] as const)(
    'shows a button that opens the panel (script in the %s)',
    async (place) => {
      await open('data-button', place);
      const button = page.getByRole('button', { name: 'Wallet' });
      const box = await button.boundingBox();
      expect(box && { right: box.x + box.width > 380, low: box.y + box.height > 670 }).toEqual({
        right: true,
        low: true,
      });
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);

      await button.focus();
      await page.keyboard.press('Enter');
      await panel().getByRole('button', { name: 'Create a wallet' }).waitFor();
      await page.keyboard.press('Escape');
      await panel().waitFor({ state: 'detached' });
      expect(await focused()).toEqual(['button', 'Wallet']);
      await button.click();
      await panel().waitFor();
      expect(errors).toEqual([]);
    },
  );

  test('stands at the other side, in the language and the colours of the script tag', async () => {
    await open('data-button="start" data-language="es" data-theme="dark"');
    const button = page.getByRole('button', { name: 'Billetera' });
    expect((await button.boundingBox())?.x).toBeLessThan(20);
    await button.click();
    await panel().getByRole('button', { name: 'Crear una billetera' }).waitFor();
    expect(await panel().getAttribute('lang')).toBe('es');
    const [red] = await panel().evaluate((element) =>
      (getComputedStyle(element.closest('dialog') as Element).backgroundColor.match(/\d+/g) ?? []).map(
        Number,
      ),
    );
    expect(red).toBeLessThan(60);
  });

  test('a page without it has no button, and graft.open() opens the panel in the same colours', async () => {
    await open('data-language="pt"');
    expect(await page.locator('[data-graft]').count()).toBe(0);
    await page.evaluate(() => void (window as unknown as { graft: Wallet }).graft.open());
    await panel().getByRole('button', { name: 'Criar uma carteira' }).waitFor();
  });

  test('another value is refused by name', async () => {
    await open('data-button="left"');
    expect(errors).toEqual(['graft.js: data-button is "left"; it may be none, end, start, ']);
  });
});
