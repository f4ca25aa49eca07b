import type { Browser, Page } from 'playwright-core';
import { type Built, pageCode } from '../support/built.js';
import { order } from './order.js';
import { call, serveBundle } from './page.js';
import { atLeast, type Extent, type Row, times } from './row.js';
import { interleave, median, ratio } from './sample.js';

const privateKey = `0x${'46'.repeat(32)}`;
const password = 'correct horse battery';
const message = '0x68656c6c6f';
const typedData = JSON.stringify(order);

/**
 * Signatures per second in a page, one after another: ours through the provider, with a question that is answered at once, and
 * a key that is decrypted for each; viem's from an account that holds the key.
 */
export async function measureSignatures(built: Built, browser: Browser, { short }: Extent): Promise<Row[]> {
  const rounds = short ? 3 : 9;
  const wallet = await serveBundle(await built.bundle(pageCode('loads'), { html: true }));
  const viem = await serveBundle(await built.bundle(pageCode('viem-signer'), { html: true }));
  const context = await browser.newContext();
  const open = async (url: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(url);
    await page.waitForFunction(() => 'bench' in globalThis);
    return page;
  };
  try {
    const ours = await open(`${wallet.url}/?url=http://127.0.0.1:9/key`);
    await call(ours, 'bench.importPrivateKey', privateKey, { password });
    const [from] = await call<string[]>(ours, 'bench.provider.request', { method: 'eth_requestAccounts' });
    const theirs = await open(viem.url);
    const rows: Row[] = [];
    for (const [name, path, value, request] of [
      ['`personal_sign`', 'message', message, { method: 'personal_sign', params: [message, from] }],
      [
        '`eth_signTypedData_v4`',
        'typedData',
        typedData,
        { method: 'eth_signTypedData_v4', params: [from, typedData] },
      ],
    ] as const) {
      const rates = await interleave(rounds, {
        ours: () => ours.evaluate(rateOfRequests, request),
        viem: () => theirs.evaluate(rateOfAccount, [path, value] as const),
      });
      const share = ratio(rates.ours, rates.viem);
      rows.push({
        what: `Signatures through the provider: ${name}`,
        ours: `${median(rates.ours).toFixed(0)}/s`,
        peers: `viem ${median(rates.viem).toFixed(0)}/s`,
        ratio: `${times(share)} viem`,
        aim: atLeast(share, 0.8, '≥ 0.8× viem'),
      });
    }
    return rows;
  } finally {
    await context.close();
    await wallet.stop();
    await viem.stop();
  }
}

async function rateOfRequests(request: object): Promise<number> {
  const { bench } = globalThis as unknown as {
    bench: { provider: { request(request: object): Promise<unknown> } };
  };
  for (let i = 0; i < 20; i++) await bench.provider.request(request);
  const start = performance.now();
  for (let i = 0; i < 200; i++) await bench.provider.request(request);
  return 200_000 / (performance.now() - start);
}

async function rateOfAccount([path, value]: readonly ['message' | 'typedData', string]): Promise<number> {
  const { bench } = globalThis as unknown as {
    bench: Record<'message' | 'typedData', (value: string) => Promise<unknown>>;
  };
  for (let i = 0; i < 20; i++) await bench[path](value);
  const start = performance.now();
  for (let i = 0; i < 200; i++) await bench[path](value);
  return 200_000 / (performance.now() - start);
}
