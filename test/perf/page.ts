import { brotliCompressSync, constants } from 'node:zlib';
import type { Browser, CDPSession, Page } from 'playwright-core';
import type { Bundle } from '../support/built.js';
import { type HttpServer, startServer } from '../support/http-server.js';

/** Files in memory on 127.0.0.1, compressed with brotli as a host does. `/` is `index.html`, `/blank` empty. */
export function serveBundle(files: Bundle): Promise<HttpServer> {
  const compressed = new Map(
    [...files].map(([name, { body }]) => [
      `/${name}`,
      brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    ]),
  );
  const blank = brotliCompressSync('<!doctype html><title>blank</title>');
  return startServer((request, response) => {
    const asked = (request.url ?? '').split('?')[0];
    const path = asked === '/' ? '/index.html' : (asked ?? '');
    const body = path === '/blank' ? blank : compressed.get(path);
    if (!body) return response.writeHead(404).end();
    const type = path.endsWith('.js') ? 'text/javascript' : 'text/html';
    response.writeHead(200, {
      'content-type': `${type}; charset=utf-8`,
      'content-encoding': 'br',
      'cache-control': 'no-cache',
    });
    return response.end(body);
  });
}

/** A slow device on a slow network, as Lighthouse's: 4× CPU, 1.6 Mbit/s down, 750 kbit/s up, 150 ms. */
export async function slowDown(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: 1_600_000 / 8,
    uploadThroughput: 750_000 / 8,
  });
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  return session;
}

/** Runs `use` with a page of a context of its own: no cache, no storage but what `use` puts there. */
export async function withFreshPage<T>(browser: Browser, use: (page: Page) => Promise<T>): Promise<T> {
  const context = await browser.newContext();
  try {
    return await use(await context.newPage());
  } finally {
    await context.close();
  }
}

/** Calls a function that the page has as a global, such as `bench.unlock`. */
export const call = <T>(page: Page, path: string, ...args: readonly unknown[]): Promise<T> =>
  page.evaluate(
    ([names, values]) => {
      const [name = '', ...members] = [...names].reverse();
      let holder: unknown = globalThis;
      for (const member of members.reverse()) holder = (holder as Record<string, unknown>)[member];
      return (holder as Record<string, (...args: readonly unknown[]) => T>)[name]?.(...values) as T;
    },
    [path.split('.'), args] as const,
  );
