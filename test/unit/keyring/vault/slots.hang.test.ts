import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createVaultSlots } from '../../../../src/keyring/vault/slots.js';
import { createBrowserTraces } from '../../../../src/keyring/vault/traces.js';
import { resealVault, sealVault } from '../../../../src/keyring/vault/vault.js';
import { createMemoryStorage } from '../../../../src/storage/memory.js';

/** A vault whose second copy the browser neither writes nor reads nor refuses. */

beforeEach(() => {
  vi.stubGlobal('navigator', { storage: { getDirectory: () => new Promise(() => {}) } });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Milliseconds of the mocked clock; digests take turns of the event loop. */
async function timeOf(work: Promise<unknown>): Promise<number> {
  const started = Date.now();
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  work.then(end, end);
  while (!isDone) {
    for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve));
    if (!isDone && vi.getTimerCount() > 0) await vi.advanceTimersToNextTimerAsync();
  }
  return Date.now() - started;
}

const kdf = { name: 'scrypt', N: 2, r: 8, p: 1 } as const;
const contents = { mnemonics: [], accounts: [] };

test('it is created, opened and changed without it, and each page waits once', async () => {
  const vault = await sealVault(contents, ['x'], { vaultId: 'ours', gen: 1, createdAt: 0 }, kdf);
  const next = await resealVault(vault, contents);
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
  const storage = createMemoryStorage();
  const slots = createVaultSlots(storage, createBrowserTraces('a'));
  const created = slots.load().then((loaded) => slots.commit(vault.record, loaded));
  expect(await timeOf(created)).toBe(5_000);

  const page = createVaultSlots(storage, createBrowserTraces('a'));
  const opening = page.load().then((loaded) => page.settle(loaded));
  expect(await timeOf(opening)).toBe(5_000);
  const changing = page.load().then((loaded) => page.commit(next.record, loaded));
  expect(await timeOf(changing)).toBe(0);
  expect(await page.load()).toMatchObject({ kind: 'record', record: { gen: 2 } });

  // An old copy may be left, so these two do not go on without an answer.
  const erased = page.erase().catch((error: DOMException) => error.name);
  expect(await timeOf(erased)).toBe(5_000);
  expect(await erased).toBe('TimeoutError');
  expect(await page.load()).toMatchObject({ kind: 'record', record: { gen: 2 } });
  const replaced = page
    .load()
    .then((loaded) => page.replace(next.record, loaded))
    .catch((error: DOMException) => error.name);
  expect(await timeOf(replaced)).toBe(5_000);
  expect(await replaced).toBe('TimeoutError');
});
