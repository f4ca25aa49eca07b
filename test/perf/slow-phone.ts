import type { Browser, Page } from 'playwright-core';
import { createLocalService } from '../../packages/kit/src/local/index.js';
import { type Built, pageCode } from '../support/built.js';
import { openDialog } from '../support/dialog-driver.js';
import { call, serveBundle } from './page.js';
import { type Extent, milliseconds, type Row } from './row.js';
import { maximum, median } from './sample.js';

const privateKey = `0x${'46'.repeat(32)}`;
const password = 'correct horse battery';

/** The first opening of dialog and panel in a page whose CPU is at a quarter: the longest task of the page's thread. */
export async function measureSlowPhone(built: Built, browser: Browser, { short }: Extent): Promise<Row[]> {
  const samples = short ? 3 : 7;
  const service = await createLocalService({ chainId: 31 });
  const site = await serveBundle(await built.bundle(pageCode('loads'), { html: true }));
  const context = await browser.newContext();
  const open = async (query = ''): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`${site.url}/?url=${encodeURIComponent(service.url)}${query}`);
    await page.waitForFunction(() => 'bench' in globalThis);
    return page;
  };
  const acts: readonly [name: string, act: (page: Page) => Promise<void>][] = [
    [
      'the question of a locked wallet',
      async (page) => {
        const [from] = await call<string[]>(page, 'bench.provider.request', { method: 'eth_accounts' });
        const params = ['0x68656c6c6f', from];
        call(page, 'bench.provider.request', { method: 'personal_sign', params }).catch(() => {});
        await openDialog(page);
      },
    ],
    [
      'the panel',
      async (page) => {
        call(page, 'bench.open').catch(() => {});
        // Long enough for the balance and the tokens, too.
        await new Promise((resolve) => setTimeout(resolve, 4_000));
      },
    ],
  ];
  try {
    const first = await open();
    await call(first, 'bench.importPrivateKey', privateKey, { password });
    await call(first, 'bench.provider.request', { method: 'eth_requestAccounts' });
    await first.close();
    const rows: Row[] = [];
    for (const [name, act] of acts) {
      const tasks: number[] = [];
      for (let i = 0; i < samples; i++) {
        const page = await open('&dialog');
        const session = await context.newCDPSession(page);
        await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
        await page.evaluate(observe);
        await act(page);
        tasks.push(await page.evaluate(longest));
        await page.close();
      }
      const typical = median(tasks);
      rows.push({
        what: `First opening on a slow phone (CPU at a quarter): ${name}`,
        ours: maximum(tasks) === 0 ? 'no task over 50 ms' : `longest task ${milliseconds(typical)}`,
        aim: { text: 'no task over 50 ms', met: typical === 0 },
      });
    }
    return rows;
  } finally {
    await context.close();
    await site.stop();
    await service.close();
  }
}

/** Notes tasks over 50 ms: the browser reports no others. */
function observe(): void {
  const tasks: number[] = [];
  Object.assign(globalThis, { tasks });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration);
  }).observe({ type: 'longtask' });
}

async function longest(): Promise<number> {
  // Drawing goes on after the first frame, and the observer is called after the task.
  await new Promise((resolve) => setTimeout(resolve, 500));
  return Math.max(0, ...(globalThis as unknown as { tasks: number[] }).tasks);
}
