import type { Browser, Page } from 'playwright-core';
import { parseEther } from 'viem';
import { createLocalService, type LocalService } from '../../packages/kit/src/local/index.js';
import type { RecordedTransaction } from '../../src/index.js';
import type { Address } from '../../src/rpc/schema.js';
import { type Built, pageCode } from '../support/built.js';
import { openShadows } from '../support/open-shadows.js';
import { until } from '../support/until.js';
import { call, serveBundle } from './page.js';
import { atMost, type Extent, milliseconds, type Row, times } from './row.js';
import { interleave, median, ratio } from './sample.js';

const password = 'correct horse battery';
const friend = `0x${'aa'.repeat(20)}`;

/** Acts of a person in a page of Chromium with its own IndexedDB and second copy. Each resolves with its milliseconds. */
interface Device {
  pay(): Promise<number>;
  unlock(): Promise<number>;
  list(): Promise<number>;
  /** Opens the list of transactions in the panel. */
  show(): Promise<number>;
  close(): Promise<void>;
}

/** The same acts where 10,000 transactions were signed, and where none was. */
export async function measureJournal(built: Built, browser: Browser, { short }: Extent): Promise<Row[]> {
  const rounds = short ? 7 : 11;
  const service = await createLocalService({ chainId: 31 });
  // The seeded entries are in the blocks before.
  await service.controls.mine(700);
  const site = await serveBundle(await built.bundle(pageCode('loads'), { html: true }));
  const device = (digits: string, entries: number) =>
    createDevice(browser, service, `${site.url}/?url=${encodeURIComponent(service.url)}`, digits, entries);
  const [none, some, many] = [await device('46', 0), await device('47', 50), await device('48', 10_000)];
  try {
    const measured = async (act: 'pay' | 'unlock' | 'list' | 'show', first: Device): Promise<Row> => {
      const taken = await interleave(rounds, { many: () => many[act](), first: () => first[act]() });
      const grown = ratio(taken.many, taken.first);
      const size = first === some ? 'as many as the view shows' : 'none';
      return {
        what: `10,000 transactions in the journal, over ${size}: ${names[act]}`,
        ours: `${milliseconds(median(taken.many))}, over ${milliseconds(median(taken.first))}`,
        ratio: times(grown),
        aim: atMost(grown, 1.2, '≤ 1.2×'),
      };
    };
    return [
      await measured('pay', none),
      await measured('unlock', none),
      await measured('list', some),
      await measured('show', some),
    ];
  } finally {
    for (const each of [none, some, many]) await each.close();
    await site.stop();
    await service.close();
  }
}

const names = {
  pay: 'a payment, to its hash',
  unlock: 'an unlock',
  list: '`transactions()`',
  show: 'opening the activity view',
};

async function createDevice(
  browser: Browser,
  service: LocalService,
  url: string,
  digits: string,
  entries: number,
): Promise<Device> {
  const context = await browser.newContext();
  const open = async (): Promise<Page> => {
    const page = await context.newPage();
    await openShadows(page);
    await page.goto(url);
    await page.waitForFunction(() => 'bench' in globalThis);
    return page;
  };
  const listed = (page: Page) => call<readonly RecordedTransaction[]>(page, 'bench.transactions');
  const request = (page: Page, method: string, ...params: readonly unknown[]) =>
    call<unknown>(page, 'bench.provider.request', { method, params });

  const first = await open();
  await call(first, 'bench.importPrivateKey', `0x${digits.repeat(32)}`, { password });
  const [from] = (await request(first, 'eth_requestAccounts')) as [Address];
  await service.controls.faucet(from, parseEther('1'));
  await first.evaluate(seed, { from, to: friend, entries, since: Date.now() });
  await first.close();
  const page = await open();
  await call(page, 'bench.unlock', password);
  const pay = async () => {
    const taken = await page.evaluate(paying, { from, to: friend });
    await until(async () => (await listed(page)).every(({ state }) => state === 'mined'));
    return taken;
  };
  // The first one causes the older ones to be archived.
  await pay();
  await until(async () => (await page.evaluate(count)) < 300);

  const onNewPage = async (use: (opened: Page) => Promise<number>) => {
    const opened = await open();
    const taken = await use(opened);
    await opened.close();
    return taken;
  };
  return {
    pay,
    unlock: () =>
      onNewPage((opened) =>
        opened.evaluate(async (secret) => {
          const { bench } = globalThis as unknown as { bench: { unlock(text: string): Promise<void> } };
          // Work that the page load started has ended.
          await new Promise((resolve) => setTimeout(resolve, 300));
          const start = performance.now();
          await bench.unlock(secret);
          return performance.now() - start;
        }, password),
      ),
    list: () => page.evaluate(listing),
    show: () => onNewPage((opened) => opened.evaluate(showing)),
    close: () => context.close(),
  };
}

/** Writes entries as this wallet has journaled them since its first version. */
async function seed(of: { from: string; to: string; entries: number; since: number }): Promise<void> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const opening = indexedDB.open('graft:wallet');
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
  const transaction = database.transaction('journal', 'readwrite');
  // Another account signed them, so that the wallet's own nonces begin at zero.
  for (let i = 0; i < of.entries; i++) {
    const from = `0x${'ee'.repeat(20)}`;
    const digits = i.toString(16);
    const nonce = `0x${digits}`;
    const [hash, block] = [`0x${digits.padStart(64, '0')}`, `0x${digits.padStart(64, 'b')}`];
    const entry = {
      ...{ hash, raw: `0x${'5a'.repeat(110)}`, chainId: 31, from, to: of.to, nonce, value: '0x1' },
      ...{ data: '0x', gas: '0x5208', gasPrice: '0x3938700', origin: location.origin, state: 'mined' },
      ...{ createdAt: of.since - 3_600_000 - (of.entries - i) * 1_000, fee: '0x1' },
      ...{
        blockNumber: `0x${(1 + (i >> 4)).toString(16)}`,
        blockHash: block,
        anchor: { number: '0x1', hash: block },
      },
    };
    transaction.objectStore('journal').put(entry, `31:${from}:${nonce.padStart(18, ' ')}:${hash}`);
  }
  await new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onerror = reject;
  });
  database.close();
}

/** How many entries the journal has. */
async function count(): Promise<number> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const opening = indexedDB.open('graft:wallet');
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
  const counting = database.transaction('journal').objectStore('journal').count();
  await new Promise((resolve, reject) => {
    counting.onsuccess = resolve;
    counting.onerror = reject;
  });
  database.close();
  return counting.result;
}

async function paying(of: { from: string; to: string }): Promise<number> {
  const { bench } = globalThis as unknown as {
    bench: { provider: { request(request: object): Promise<unknown> } };
  };
  const start = performance.now();
  await bench.provider.request({ method: 'eth_sendTransaction', params: [{ ...of, value: '0x1' }] });
  return performance.now() - start;
}

async function listing(): Promise<number> {
  const { bench } = globalThis as unknown as { bench: { transactions(): Promise<unknown> } };
  const start = performance.now();
  for (let i = 0; i < 20; i++) await bench.transactions();
  return (performance.now() - start) / 20;
}

async function showing(): Promise<number> {
  const { bench } = globalThis as unknown as { bench: { open(view: string): Promise<void> } };
  // Work that the page load started has ended.
  await new Promise((resolve) => setTimeout(resolve, 300));
  const start = performance.now();
  void bench.open('activity').catch(() => {});
  for (let shown = 0; shown < 50; ) {
    // Frames stop where the page is not drawn.
    await new Promise((resolve) => setTimeout(resolve, 4));
    if (performance.now() - start > 30_000) throw new Error('The list is not shown.');
    for (const { shadowRoot } of document.querySelectorAll('*'))
      shown = Math.max(shown, shadowRoot?.querySelectorAll('ul.cards li').length ?? 0);
  }
  return performance.now() - start;
}
