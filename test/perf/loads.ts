import type { Browser, BrowserContext, Page } from 'playwright-core';
import { parseEther } from 'viem';
import { createLocalService, type LocalService } from '../../packages/kit/src/local/index.js';
import type { RecordedTransaction } from '../../src/index.js';
import type { Address } from '../../src/rpc/schema.js';
import { type Built, type Bundle, pageCode } from '../support/built.js';
import { openDialog } from '../support/dialog-driver.js';
import { until } from '../support/until.js';
import { brotliSize } from './brotli.js';
import { order } from './order.js';
import { call, serveBundle } from './page.js';
import { atMost, kilobytes, type Row } from './row.js';

/**
 * One step of a page's trace. A person with one account comes back to a page bundled by Vite; Chromium's requests are counted.
 * Three pages are traced: one whose approver approves everything, one that only listens, and one whose wallet is locked and asks by
 * its dialog.
 */
export interface Load {
  readonly step: Step;
  /** Bytes after brotli that this step adds. */
  readonly added: number;
  /** Bytes after brotli of the page so far, its own code included. */
  readonly sum: number;
  /** The files that it adds. */
  readonly files: readonly string[];
}

export type Step = keyof typeof aims;

/** The design's aims, kB: for the sum of a page, or for the bytes that a step adds. */
const aims = {
  'accounts known': { sum: 8 },
  'two seconds later': { sum: 8 },
  'first read': { sum: 29 },
  'logs of a short range': {},
  'first error': {},
  unlocked: { added: 20 },
  'message signed': { sum: 63 },
  'payment mined': { sum: 98 },
  'typed data signed': { added: 8 },
  panel: { added: 41 },
  'new heads': { added: 22 },
  'question of a locked wallet': { sum: 83 },
} as const satisfies Readonly<Record<string, { readonly sum?: number; readonly added?: number }>>;

const privateKey = `0x${'46'.repeat(32)}`;
const password = 'correct horse battery';
const friend = `0x${'aa'.repeat(20)}`;
/** A page is at rest when it has asked for no file so long, milliseconds. What it loads when idle comes within it. */
const rest = 700;

/** The part that reads failures loads with the first of them, or by a timer: it belongs to no step before that one. */
const readsFailures = (file: string): boolean => file.includes('diagnose');

/** Opens pages of one bundle and notes what each has loaded. */
interface Tracer {
  open(query?: string): Promise<Traced>;
  stop(): Promise<void>;
}

/** A host of another machine: the wallet treats a node on this one otherwise, and loads other parts. */
const node = 'https://node.example/rpc';

interface Traced {
  readonly page: Page;
  /** Waits until the page is at rest. What it has loaded until then belongs to no step. */
  settle(): Promise<void>;
  /** Waits until the page is at rest, and notes what it has loaded since the last step. */
  note(step: Step): Promise<void>;
  close(): Promise<void>;
}

async function createTracer(
  context: BrowserContext,
  bundle: Bundle,
  service: LocalService,
  loads: Load[],
): Promise<Tracer> {
  const site = await serveBundle(bundle);
  await context.route(`${node}**`, async (route) => {
    const response = await route.fetch({ url: service.url });
    await route.fulfill({ response, headers: { ...response.headers(), 'access-control-allow-origin': '*' } });
  });
  return {
    async open(query = '') {
      const page = await context.newPage();
      const loaded = new Map<string, number>();
      let last = Date.now();
      page.on('request', (request) => {
        const name = new URL(request.url()).pathname.slice(1);
        const file = bundle.get(name);
        if (!file || !name.endsWith('.js')) return;
        last = Date.now();
        loaded.set(name, brotliSize(file.body));
      });
      await page.goto(`${site.url}/?url=${encodeURIComponent(node)}${query}`);
      await page.waitForFunction(() => 'bench' in globalThis);
      const noted = new Set<string>();
      let hasFailed = false;
      const settle = async () => {
        last = Date.now();
        await until(() => Date.now() - last > rest, { interval: 50 });
        // A busy machine: the page has not come to all of its work.
        await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
        await until(() => Date.now() - last > rest, { interval: 50 });
        const isDue = (file: string) => !noted.has(file) && (hasFailed || !readsFailures(file));
        const files = [...loaded.keys()].filter(isDue);
        for (const file of files) noted.add(file);
        return files;
      };
      const sizeOf = (files: Iterable<string>) =>
        [...files].reduce((sum, file) => sum + (loaded.get(file) as number), 0);
      return {
        page,
        async settle() {
          await settle();
        },
        async note(step) {
          hasFailed ||= step === 'first error';
          const files = await settle();
          loads.push({ step, files, added: sizeOf(files), sum: sizeOf(noted) });
        },
        close: () => page.close(),
      };
    },
    stop: site.stop,
  };
}

const ask = (page: Page, method: string, ...params: readonly unknown[]): Promise<unknown> =>
  call(page, 'bench.provider.request', { method, params });

const entries = (page: Page) =>
  call(page, 'bench.transactions') as Promise<readonly Pick<RecordedTransaction, 'state'>[]>;

/** Traces every {@link Step}, in order. */
export async function traceLoads(built: Built, browser: Browser): Promise<readonly Load[]> {
  const loads: Load[] = [];
  const service = await createLocalService({ chainId: 31 });
  const context = await browser.newContext();
  const bundle = await built.bundle(pageCode('loads'), { html: true });
  const tracer = await createTracer(context, bundle, service, loads);
  try {
    const from = await createAccount(tracer, service);
    await traceUse(tracer, from);
    await traceHeads(tracer);
    await traceQuestion(tracer, from);
    return loads;
  } finally {
    // The pages go on asking until they are closed.
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
    await tracer.stop();
    await service.close();
  }
}

async function createAccount(tracer: Tracer, service: LocalService): Promise<Address> {
  const { page, close } = await tracer.open();
  await call(page, 'bench.importPrivateKey', privateKey, { password });
  await ask(page, 'eth_requestAccounts');
  const [from] = (await ask(page, 'eth_accounts')) as [Address];
  await service.controls.faucet(from, parseEther('1'));
  await close();
  return from;
}

async function traceUse(tracer: Tracer, from: Address): Promise<void> {
  const { page, note, close } = await tracer.open();
  await ask(page, 'eth_accounts');
  await note('accounts known');
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  await note('two seconds later');
  await ask(page, 'eth_blockNumber');
  await ask(page, 'eth_getBalance', from, 'latest');
  await ask(page, 'eth_call', { to: friend, data: '0x' }, 'latest');
  await note('first read');
  await ask(page, 'eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' });
  await note('logs of a short range');
  await ask(page, 'eth_call', { data: '0x60006000fd' }, 'latest').catch(() => {});
  await note('first error');
  await call(page, 'bench.unlock', password);
  await note('unlocked');
  await ask(page, 'personal_sign', '0x68656c6c6f', from);
  await note('message signed');
  const hash = await ask(page, 'eth_sendTransaction', { from, to: friend, value: '0x1' });
  await until(() => ask(page, 'eth_getTransactionReceipt', hash), { interval: 100 });
  // Else the next page has a transaction to follow.
  await until(async () => (await entries(page)).every(({ state }) => state === 'mined'), { interval: 100 });
  await note('payment mined');
  await ask(page, 'eth_signTypedData_v4', from, JSON.stringify(order));
  await note('typed data signed');
  // Its promise lasts until the panel is closed.
  call(page, 'bench.open').catch(() => {});
  await note('panel');
  await close();
}

async function traceHeads(tracer: Tracer): Promise<void> {
  const { page, settle, note, close } = await tracer.open();
  await ask(page, 'eth_blockNumber');
  await settle();
  await ask(page, 'eth_subscribe', 'newHeads');
  await note('new heads');
  await close();
}

async function traceQuestion(tracer: Tracer, from: Address): Promise<void> {
  const { page, note, close } = await tracer.open('&dialog');
  void ask(page, 'personal_sign', '0x68656c6c6f', from).catch(() => {});
  await openDialog(page);
  await note('question of a locked wallet');
  await close();
}

/** Rows with what each step loads. */
export async function measureLoads(built: Built, browser: Browser): Promise<Row[]> {
  const loads = await traceLoads(built, browser);
  return loads.map(({ step, added, sum, files }): Row => {
    const aim: { readonly sum?: number; readonly added?: number } = aims[step];
    const [value, limit, text] =
      aim.sum === undefined
        ? [added, aim.added, `adds ≤ ${aim.added} kB`]
        : [sum, aim.sum, `≤ ${aim.sum} kB`];
    return {
      what: `Loaded: ${step}`,
      ours: `${kilobytes(sum)} (${kilobytes(added)} in ${files.length} files)`,
      ...(limit !== undefined && { aim: atMost(value, limit * 1000, text) }),
    };
  });
}
