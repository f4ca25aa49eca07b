import { expect, test } from 'vitest';
import type { Log } from '../../../../src/rpc/schema.js';
import { createMemoryStorage } from '../../../../src/storage/memory.js';
import type { Storage } from '../../../../src/storage/storage.js';
import { createCursorStore, type Progress } from '../../../../src/subscriptions/durable/cursor-store.js';
import { createFakeClock } from '../../../support/fake-clock.js';
import { word } from '../../../support/simulated-chain.js';

const day = 86_400_000;

function setUp(storage: Storage = createMemoryStorage()) {
  const time = createFakeClock();
  const open = (origin = 'https://dapp.example') =>
    createCursorStore({ storage, origin, chainId: 30, clock: time.clock });
  return { storage, time, open };
}

const at = (height: number, delivering: readonly Log[] = []): Progress => ({
  links: [
    {
      number: `0x${height.toString(16)}`,
      hash: word(height),
      parentHash: word(height - 1),
      timestamp: '0x1',
    },
  ],
  deliveredBlocks: [],
  delivering,
});
const height = (progress: Progress | null) => Number(progress?.links[0]?.number ?? Number.NaN);

test('what was saved is there for the next page', async () => {
  const { open } = setUp();
  const cursor = open().open('a', 'x');
  expect(await cursor.load()).toBe(null);
  const log = { blockHash: word(7), data: '0x' } as unknown as Log;
  await cursor.save({ ...at(7, [log]), reached: { number: '0x9', hash: word(9) } });
  expect(await open().open('a', 'x').load()).toMatchObject({
    ...at(7, [log]),
    reached: { number: '0x9', hash: word(9) },
  });
});

test('name, subscription, origin', async () => {
  const { open } = setUp();
  await open().open('a', 'x').save(at(7));
  for (const cursor of [
    open().open('b', 'x'),
    open().open('a', 'y'),
    open('https://b.example').open('a', 'x'),
  ])
    expect(await cursor.load()).toBe(null);
});

test('the last to ask for something else under a name has it', async () => {
  const { open } = setUp();
  const [first, second] = [open().open('a', 'x'), open().open('a', 'y')];
  await first.save(at(100));
  await second.load();
  await second.save(at(5));
  await first.save(at(101));
  expect(height(await open().open('a', 'y').load())).toBe(5);
  await second.save(at(6));
  expect(height(await open().open('a', 'y').load())).toBe(6);
});

test('a page that lags does not set it back, the one that went ahead may go back with the chain', async () => {
  const { open } = setUp();
  const [ahead, behind] = [open().open('a', 'x'), open().open('a', 'x')];
  await behind.save(at(10));
  await ahead.load();
  await ahead.save(at(20));
  await behind.save(at(11));
  expect(height(await open().open('a', 'x').load())).toBe(20);
  await ahead.save(at(18));
  expect(height(await open().open('a', 'x').load())).toBe(18);
  await behind.save(at(19));
  expect(height(await open().open('a', 'x').load())).toBe(19);
});

test('writes happen in the order of the calls', async () => {
  const { storage, open } = setUp();
  const { update } = storage;
  let wait = 20;
  storage.update = async (...args) => {
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait -= 5;
    return update(...args);
  };
  const cursor = open().open('a', 'x');
  await Promise.all([1, 2, 3].map((each) => cursor.save(at(each))));
  expect(height(await open().open('a', 'x').load())).toBe(3);
});

test('forgotten, unless another page has gone on since', async () => {
  const { open } = setUp();
  const [one, other] = [open().open('a', 'x'), open().open('a', 'x')];
  await one.save(at(1));
  await other.load();
  await other.save(at(2));
  await one.forget();
  expect(height(await open().open('a', 'x').load())).toBe(2);
  await other.forget();
  expect(await open().open('a', 'x').load()).toBe(null);
});

test('of a month ago it is as good as none, and is removed with the next use of another', async () => {
  const { storage, time, open } = setUp();
  await open().open('old', 'x').save(at(1));
  await time.advance(29 * day);
  expect(height(await open().open('old', 'x').load())).toBe(1);
  await open().open('young', 'x').save(at(2));
  await time.advance(2 * day);
  expect(await open().open('old', 'x').load()).toBe(null);
  expect(await storage.all('cursor')).toHaveLength(1);
  expect(height(await open().open('young', 'x').load())).toBe(2);
});

test('the newest 256 are kept', async () => {
  const { storage, time, open } = setUp();
  for (let i = 0; i < 300; i++) {
    await open().open(`${i}`, 'x').save(at(i));
    await time.advance(1);
  }
  await open().open('299', 'x').load();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await storage.all('cursor')).toHaveLength(256);
  expect(height(await open().open('44', 'x').load())).toBe(44);
  expect(await open().open('43', 'x').load()).toBe(null);
});

test('what another build wrote there, or nobody, is as good as nothing, and is replaced', async () => {
  const { storage, open } = setUp();
  for (const value of [
    null,
    7,
    'x',
    {},
    { key: 'a', subscription: 'x' },
    { ...at(5), subscription: 'x', links: [] },
  ]) {
    await storage.put('cursor', [['https://dapp.example 30 a', value]]);
    const cursor = open().open('a', 'x');
    expect(await cursor.load()).toBe(null);
    await cursor.save(at(9));
    expect(height(await open().open('a', 'x').load())).toBe(9);
  }
});

test('a storage that fails rejects nothing, and what could not be written is there for this page', async () => {
  const memory = createMemoryStorage();
  let failing = true;
  const storage: Storage = {
    ...memory,
    update: async (...args) => {
      if (failing) throw new DOMException('full', 'QuotaExceededError');
      return memory.update(...args);
    },
  };
  const { open } = setUp(storage);
  const page = open();
  await page.open('a', 'x').save(at(3));
  expect(height(await page.open('a', 'x').load())).toBe(3);
  expect(await open().open('a', 'x').load()).toBe(null);
  await page.open('a', 'x').forget();
  expect(await page.open('a', 'x').load()).toBe(null);
  failing = false;
  await page.open('a', 'x').save(at(4));
  expect(height(await open().open('a', 'x').load())).toBe(4);
});
