import type { Browser, Page } from 'playwright-core';
import { type Built, pageCode } from '../support/built.js';
import { call, serveBundle } from './page.js';
import { atMost, type Extent, milliseconds, type Row } from './row.js';
import { interleave, median, ratio } from './sample.js';

const privateKey = `0x${'46'.repeat(32)}` as const;
const password = 'correct horse battery';

/**
 * The first signature of a page: ours from the person's click to the signature, key decryption included, with
 * a dialog that was open for a while and with one answered at once; viem's from the key to the signature.
 */
export async function measureFirstSignature(
  built: Built,
  browser: Browser,
  { short }: Extent,
): Promise<Row[]> {
  const rounds = short ? 2 : 9;
  const wallet = await serveBundle(await built.bundle(pageCode('wallet'), { html: true }));
  const viem = await serveBundle(await built.bundle(pageCode('viem-account'), { html: true }));
  const context = await browser.newContext();
  const onPage = async <T>(url: string, use: (page: Page) => Promise<T>) => {
    const page = await context.newPage();
    await page.goto(url);
    try {
      return await use(page);
    } finally {
      await page.close();
    }
  };
  const ours = (reading: number) => () =>
    onPage(wallet.url, async (page) => {
      await call(page, 'bench.unlock', password);
      return call<number>(page, 'bench.sign', reading);
    });
  try {
    await onPage(wallet.url, (page) => call(page, 'bench.create', privateKey, password));
    const times = await interleave(rounds, {
      warm: ours(400),
      cold: ours(0),
      viem: () => onPage(viem.url, (page) => call<number>(page, 'bench', privateKey)),
    });
    const row = (what: string, values: readonly number[], limit?: number): Row => ({
      what: `First signature of a page: ${what}`,
      ours: milliseconds(median(values)),
      peers: `viem ${milliseconds(median(times.viem))}`,
      ratio: `${ratio(values, times.viem).toFixed(2)}× viem`,
      ...(limit && { aim: atMost(ratio(values, times.viem), limit, `≤ ${limit}× viem`) }),
    });
    return [row('confirmed after 0.4 s of reading', times.warm, 0.25), row('confirmed at once', times.cold)];
  } finally {
    await context.close();
    await wallet.stop();
    await viem.stop();
  }
}
