import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { defaultAbsolute, defaultIdle } from '../../../src/keyring/lock.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { clientOf } from '../../support/local-client.js';
import { limit, openPermittedSite, type PermittedSite, quantity, stranger } from './support.js';

/** A game that is played for hours, while a test sets the clocks of the page and of the chain forward. */

hastenKdfOfFile();

const minute = 60_000;
/** Milliseconds. */
const game = 40 * minute;
/** Moves of it. `MOVES=240` is one every ten seconds. */
const moves = Number(process.env.MOVES ?? 60);
/** Milliseconds between two moves. */
const pause = game / moves;

let page: EventTarget;
let local: LocalService;
let site: PermittedSite;

beforeEach(async () => {
  page = new EventTarget();
  for (const name of ['addEventListener', 'removeEventListener'] as const)
    vi.stubGlobal(name, page[name].bind(page));
  vi.useFakeTimers({ toFake: ['Date'] });
  local = await createLocalService({ chainId: 31, mining: 'auto' });
  site = await openPermittedSite(local);
});
afterEach(async () => {
  site.wallet.destroy();
  await local.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Sets both clocks forward. */
async function pass(milliseconds: number): Promise<void> {
  vi.setSystemTime(Date.now() + milliseconds);
  await clientOf(local).call('evm_increaseTime', quantity(BigInt(milliseconds / 1_000)));
}

/** Makes moves until this time (milliseconds since 1970). Resolves with how many. */
async function playUntil(end: number): Promise<number> {
  let made = 0;
  for (; Date.now() < end; made++) {
    await pass(pause);
    await site.pay(1n);
  }
  return made;
}

test('a game of 40 minutes asks once, and for no second password', async () => {
  const { call } = clientOf(local);
  const balance = async () => BigInt(await call('eth_getBalance', site.from, 'latest'));
  const before = await balance();
  site.asked();
  await site.request('wallet_requestExecutionPermissions', site.payments());
  expect(site.asked()).toEqual(['permission']);

  const start = Date.now();
  let made = await playUntil(start + defaultIdle + minute);
  // Any other question would ask for the password by now.
  expect(await site.wallet.vaultState()).toBe('locked');
  made += await playUntil(start + game);
  expect(site.asked()).toEqual([]);
  expect(made).toBe(moves);

  expect(Number(await call('eth_getTransactionCount', site.from, 'latest'))).toBe(moves);
  expect(await site.left()).toBe(limit - (before - (await balance())));
});

test('a game asks for the password again after eight hours, and after its page was left', async () => {
  await site.request('wallet_requestExecutionPermissions', site.payments());
  site.asked();
  await pass(defaultAbsolute - minute);
  await site.pay(1n);
  expect(site.asked()).toEqual([]);
  site.answer(() => false);
  await expect(site.pay(1n, stranger)).rejects.toMatchObject({ code: 4001 });
  expect(site.questions.at(-1)).toMatchObject({ kind: 'transaction', locked: true });
  site.answer(() => true);
  site.asked();

  await pass(minute);
  await site.pay(1n);
  expect(site.asked()).toEqual(['unlock']);
  await playUntil(Date.now() + 3 * pause);
  expect(site.asked()).toEqual([]);

  // The keys are those that stay after a while without a question.
  await pass(defaultIdle);
  await site.pay(1n);
  expect(site.asked()).toEqual([]);
  page.dispatchEvent(new Event('pagehide'));
  await site.pay(1n);
  expect(site.asked()).toEqual(['unlock']);
  await site.pay(1n);
  expect(site.asked()).toEqual([]);
});
