import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Wallet, WalletEvent } from '../../../src/index.js';
import { readBlocks } from '../../support/docs/blocks.js';

/** The recipe of docs/guides/telemetry.md, with an endpoint that may be down and a page that may be left. */
let folder: string;
let emit: (count: number) => void;
let leave: () => void;
let stop: () => void;
/** How many events each request had. */
let posted: number[];
let beacons: number[];
let isUp: boolean;
let takesBeacons: boolean;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  [posted, beacons, isUp, takesBeacons] = [[], [], true, true];
  const count = (body: string) => (JSON.parse(body) as unknown[]).length;
  vi.stubGlobal('fetch', async (_: string, { body }: { readonly body: string }) => {
    posted.push(count(body));
    if (!isUp) throw new TypeError('Failed to fetch');
    return { ok: true };
  });
  vi.stubGlobal('navigator', {
    sendBeacon: (_: string, body: string) => beacons.push(count(body)) && takesBeacons,
  });
  vi.stubGlobal('addEventListener', (_: string, listener: () => void) => {
    leave = listener;
  });
  vi.stubGlobal('removeEventListener', () => {});

  const recipe = readBlocks('docs/guides/telemetry.md').find(({ code }) => code.includes('sendTelemetry'));
  await mkdir('.cache', { recursive: true });
  folder = await mkdtemp(resolve('.cache/docs-telemetry-'));
  const file = join(folder, 'recipe.ts');
  await writeFile(file, recipe?.code ?? '');
  const { sendTelemetry } = (await import(/* @vite-ignore */ file)) as {
    sendTelemetry(wallet: Pick<Wallet, 'observe'>, url: string): () => void;
  };
  let listener: (event: WalletEvent) => void = () => {};
  stop = sendTelemetry(
    {
      observe(given) {
        listener = given;
        return () => {};
      },
    },
    'https://telemetry.example',
  );
  emit = (times) => {
    for (let at = 0; at < times; at++) listener({ kind: 'leader', at, chainId: 31, leads: true });
  };
});
afterEach(async () => {
  stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  await rm(folder, { recursive: true });
});

const tenSeconds = () => vi.advanceTimersByTimeAsync(10_000);

test('events that an endpoint did not take are sent again, the newest 500 at most', async () => {
  isUp = false;
  emit(3);
  await tenSeconds();
  emit(2);
  await tenSeconds();
  emit(600);
  await tenSeconds();
  isUp = true;
  emit(1);
  await tenSeconds();
  await tenSeconds();
  expect(posted).toEqual([3, 5, 500, 500]);
});

test('the rest is sent when the page is left, and kept where the browser refuses it', async () => {
  takesBeacons = false;
  emit(4);
  leave();
  takesBeacons = true;
  emit(1);
  leave();
  leave();
  expect(beacons).toEqual([4, 5]);
});
