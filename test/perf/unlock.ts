import type { Browser, Page } from 'playwright-core';
import { type Built, type Bundle, pageCode } from '../support/built.js';
import { call, serveBundle } from './page.js';
import { type Extent, milliseconds, type Row } from './row.js';
import { maximum, median } from './sample.js';

const privateKey = `0x${'46'.repeat(32)}`;
const password = 'correct horse battery';

interface Unlocked {
  readonly duration: number;
  /** The longest task of the page's thread, milliseconds; 0 where none was over 50. */
  readonly task: number;
  /** The longest delay of a timer of the page, milliseconds. */
  readonly late: number;
}

/** Unlocking with the default KDF: the time it takes, and how long it blocks the page's thread. */
export async function measureUnlock(built: Built, browser: Browser, { short }: Extent): Promise<Row[]> {
  const samples = short ? 1 : 7;
  const scripts = await built.scriptTag();
  const tag = '<script src="graft.js" data-chain-id="31" data-url="http://127.0.0.1:9/key"></script>';
  const forbidden = `<meta http-equiv="Content-Security-Policy" content="worker-src 'none'">`;
  const page = (head = '') => ({
    name: 'index.html',
    body: `<!doctype html>${head}<title>unlock</title>${tag}`,
  });
  const files = (...list: { name: string; body: string }[]): Bundle =>
    new Map(list.map((file) => [file.name, file]));
  const rows: Row[] = [];
  for (const [where, bundle, wallet] of [
    ['bundled, in a worker', await built.bundle(pageCode('wallet'), { html: true }), 'bench'],
    ['script tag, in a worker', files(page(), ...scripts), 'graft'],
    ['script tag where workers are forbidden, on the page', files(page(forbidden), ...scripts), 'graft'],
  ] as const) {
    const unlocked = await unlockOften(browser, bundle, wallet, samples);
    const duration = median(unlocked.map((each) => each.duration));
    const tasks = unlocked.map(({ task }) => task);
    const late = median(unlocked.map((each) => each.late));
    const task = maximum(tasks) === 0 ? 'no task over 50 ms' : `longest task ${milliseconds(maximum(tasks))}`;
    rows.push({
      what: `Unlock: ${where}`,
      ours: `${milliseconds(duration)}, ${task}, timers late by ${milliseconds(late)}`,
      aim: { text: '≤ 1 s, no task over 50 ms', met: duration <= 1_000 && median(tasks) === 0 },
    });
  }
  return rows;
}

async function unlockOften(
  browser: Browser,
  bundle: Bundle,
  wallet: 'bench' | 'graft',
  samples: number,
): Promise<Unlocked[]> {
  const served = await serveBundle(bundle);
  const context = await browser.newContext();
  try {
    const onPage = async <T>(use: (page: Page) => Promise<T>): Promise<T> => {
      const page = await context.newPage();
      await page.goto(served.url);
      const used = await use(page);
      await page.close();
      return used;
    };
    await onPage((page) =>
      wallet === 'bench'
        ? call(page, 'bench.create', privateKey, password)
        : call(page, 'graft.importPrivateKey', privateKey, { password }),
    );
    const unlocked: Unlocked[] = [];
    for (let i = 0; i < samples; i++) unlocked.push(await onPage((page) => unlock(page, wallet)));
    return unlocked;
  } finally {
    await context.close();
    await served.stop();
  }
}

/** Tasks as the browser reports them (those over 50 ms), and what a timer notices. */
function unlock(page: Page, wallet: 'bench' | 'graft'): Promise<Unlocked> {
  return page.evaluate(
    async ([name, secret]) => {
      // Work that the page load started has ended.
      await new Promise((resolve) => setTimeout(resolve, 300));
      let last = performance.now();
      let task = 0;
      let late = 0;
      const observer = new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) task = Math.max(task, duration);
      });
      observer.observe({ type: 'longtask' });
      const timer = setInterval(() => {
        const now = performance.now();
        late = Math.max(late, now - last - 5);
        last = now;
      }, 5);
      const start = performance.now();
      const target = (globalThis as unknown as Record<string, { unlock(password: string): Promise<void> }>)[
        name
      ];
      await target?.unlock(secret);
      const duration = performance.now() - start;
      // The observer is called after the task.
      await new Promise((resolve) => setTimeout(resolve, 50));
      clearInterval(timer);
      observer.disconnect();
      return { duration, task, late };
    },
    [wallet, password] as const,
  );
}
