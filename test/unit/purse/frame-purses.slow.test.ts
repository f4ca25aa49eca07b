import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { createQueue, type Queue } from '../../../src/async/mutex.js';
import type { Address } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { until } from '../../support/until.js';
import {
  createPartition,
  limit,
  openFrame,
  openWorld,
  type Partition,
  paymentsOf,
  quantity,
  type SiteFrame,
  shop,
  site,
  stranger,
  type World,
} from './support.js';

/** A frame without a wallet, which spends from the purse of its site. */

hastenKdfOfFile();

let local: LocalService;
let world: World;
let partition: Partition;
let frame: SiteFrame;
let purse: Address;
const frames: SiteFrame[] = [];

beforeEach(async () => {
  local = await createLocalService({ chainId: 31, dialect: 'node', mining: 'auto' });
  partition = createPartition();
  [world, frame] = await Promise.all([openWorld(local), openFrame(local, site, partition)]);
  frames.push(frame);
  const window = await world.window(site, frame);
  const [granted] = await window.request(paymentsOf(local, world.account));
  purse = granted?.from as Address;
});
afterEach(async () => {
  vi.unstubAllGlobals();
  world.close();
  for (const each of frames.splice(0)) each.close();
  await local.close();
});

const balance = (address: Address) => world.wallet.balance(address);
const ask = (method: string, ...params: unknown[]) =>
  frame.purses.answer({ method, params, signal: new AbortController().signal });

describe('a purse', () => {
  test.each([
    ['another recipient', { to: stranger }, 4100],
    ['a call', { data: '0x12345678' }, 4100],
    ['a contract creation', { to: undefined, data: '0x00' }, 4100],
    ['another chain', { chainId: '0x1e' }, 4901],
  ])('does not pay %s', async (_, over, code) => {
    await expect(frame.send(purse, 1n, over)).rejects.toMatchObject({ code });
    expect(await balance(purse)).toBe(limit);
  });

  test('pays no more than it holds, and says what is missing', async () => {
    await expect(frame.send(purse, limit)).rejects.toMatchObject({
      code: -32003,
      data: { shortfall: expect.any(String) },
    });
  });

  test.each(['personal_sign', 'eth_signTypedData_v4', 'eth_signTransaction', 'wallet_sendCalls'])(
    'does not answer %s',
    async (method) => {
      const params = method.endsWith('sign') ? ['0x00', purse] : [{ from: purse }];
      await expect(ask(method, ...params)).rejects.toMatchObject({ code: 4200 });
    },
  );

  test('leaves requests for other accounts to the window', async () => {
    expect(await ask('eth_sendTransaction', { from: world.account, to: purse, value: '0x1' })).toBe(null);
    expect(await ask('personal_sign', '0x00', world.account)).toBe(null);
    expect(await ask('eth_requestAccounts')).toBe(null);
  });

  test('signs nothing more once its term is over', async () => {
    const now = Date.now;
    Date.now = () => now() + 8 * 86_400_000;
    try {
      await expect(frame.send(purse, 1n)).rejects.toMatchObject({ code: 4100 });
    } finally {
      Date.now = now;
    }
  });

  test('is that of its site alone, although sites of one domain share the storage', async () => {
    const other = await openFrame(local, 'https://chat.game.example', partition);
    frames.push(other);
    expect(await other.purses.addresses()).toEqual([]);
    await expect(other.send(purse, 1n)).rejects.toThrow('no such purse');
  });
});

test('the limit of a period holds, also over a reload and for the same terms given again', async () => {
  const end = Math.floor(Date.now() / 1_000) + 604_800;
  const periodic = paymentsOf(local, world.account, undefined, {
    permission: {
      type: 'native-token-periodic',
      isAdjustmentAllowed: false,
      data: { periodAmount: quantity(limit), periodDuration: 86_400 },
    },
    rules: [
      { type: 'expiry', data: { timestamp: end } },
      { type: 'payee', data: { addresses: [shop] } },
    ],
  });
  const window = await world.window(site, frame);
  await window.request(periodic);
  expect(await balance(purse)).toBe(7n * limit);
  await frame.send(purse, limit / 2n);
  frame.close();
  const again = await openFrame(local, site, partition);
  frames.push(again);
  await expect(again.send(purse, limit / 2n)).rejects.toMatchObject({ code: -32005 });
  await again.send(purse, limit / 4n);
});

test('two tabs of a site use different nonces', async () => {
  const queues = new Map<string, Queue>();
  const request = (name: string, ...rest: unknown[]) => {
    const queue = queues.get(name) ?? createQueue();
    queues.set(name, queue);
    return queue(rest.at(-1) as () => unknown);
  };
  vi.stubGlobal('navigator', { locks: { request } });
  local.controls.setMining('manual');
  const other = await openFrame(local, site, partition);
  frames.push(other);
  const hashes = await Promise.all([frame, other, frame, other].map((each) => each.send(purse, 1_000n)));
  expect(new Set(hashes).size).toBe(4);
  await local.controls.mine();
  await until(async () => (await balance(shop)) === 4_000n);
});

describe('messages of a window', () => {
  const key = new Uint8Array(32).fill(1);
  const message = { t: 'purse', address: stranger, chainId: 31, terms: [], key };
  test.each([
    ['a key of another address', message],
    ['no key', { ...message, key: '0x01' }],
    ['a key out of range', { ...message, key: new Uint8Array(32) }],
    ['an address in another form', { ...message, address: '0x1' }],
    ['something else', { t: 'half' }],
  ])('with %s are ignored', async (_, given) => {
    await frame.purses.receive(given);
    expect(await frame.purses.addresses()).toEqual([purse]);
  });
});

test('nothing is signed while transactions that the frame does not know are open', async () => {
  local.controls.setMining('manual');
  await frame.send(purse, 1_000n);
  frame.close();
  // The browser has evicted the journal, and the next window gives the key again.
  const evicted = await openFrame(local);
  frames.push(evicted);
  await (await world.window(site, evicted)).give();
  await expect(evicted.send(purse, 1_000n)).rejects.toMatchObject({ code: -32002 });
  await local.controls.mine();
  await until(async () => (await balance(shop)) === 1_000n);
  await evicted.send(purse, 1_000n);
  await local.controls.mine();
  await until(async () => (await balance(shop)) === 2_000n);
});

test('a purse that is taken back while the frame spends is never overdrawn, and what is left is taken back', async () => {
  const before = await balance(world.account);
  const spending = Promise.allSettled([1, 2, 3].map((value) => frame.send(purse, BigInt(value))));
  const [outcomes] = await Promise.all([spending, world.wallet.takeBack(purse).catch(() => [])]);
  const window = await world.window(site, frame);
  await window.give();
  expect(await frame.purses.addresses()).toEqual([]);
  await expect(frame.send(purse, 1n)).rejects.toThrow('no such purse');
  await until(async () => {
    await world.wallet.takeBack(purse);
    await local.controls.mine();
    return (await balance(purse)) === 0n;
  });
  expect(outcomes).toHaveLength(3);
  expect((await balance(shop)) <= 6n && (await balance(world.account)) > before).toBe(true);
});

test('a damaged list in the storage of the frame hides its purses, and breaks nothing else', async () => {
  const apart = createPartition();
  await apart.keys.update('vault', site, () => [null, { address: shop }]);
  const damaged = await openFrame(local, site, apart);
  try {
    const { signal } = new AbortController();
    const other = { method: 'personal_sign', params: ['0x00', world.account], signal };
    expect(await damaged.purses.answer(other)).toBeNull();
    expect(await damaged.purses.addresses()).toEqual([]);
    await damaged.purses.receive({ t: 'purse-ended', address: shop });
  } finally {
    damaged.close();
  }
});
