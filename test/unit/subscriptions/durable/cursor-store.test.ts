import { expect, test } from 'vitest';
import type { Log } from '../../../../src/rpc/schema.js';
import { createMemoryStorage } from '../../../../src/storage/memory.js';
import type { Storage } from '../../../../src/storage/storage.js';
import { createCursorStore, type Progress } from '../../../../src/subscriptions/durable/cursor-store.js';
import { createFakeClock } from '../../../support/fake-clock.js';
import { fc } from '../../../support/property.js';
import { word } from '../../../support/simulated-chain.js';

const day = 86_400_000;

function setUp(storage: Storage = createMemoryStorage()) {
  const time = createFakeClock();
  const open = (origin = 'https://dapp.example') =>
    createCursorStore({ storage, origin, chainId: 30, clock: time.clock });
  const cursors = async (origin = 'https://dapp.example') =>
    (await storage.all('cursor', `${origin} `)).filter((each) => Object.hasOwn(Object(each), 'revision'));
  /** Stores cursors as an older build did, the newest first. */
  const fill = (count: number, mark = '', origin = 'https://dapp.example') =>
    storage.put(
      'cursor',
      Array.from({ length: count }, (_, i) => {
        const key = `${origin} 30 ${mark}${i}`;
        return [key, { ...at(i), key, subscription: 'x', revision: `old ${i}`, savedAt: 1_000_000 - i }];
      }),
    );
  return { storage, time, open, cursors, fill };
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

test('a saved position is there for the next page', async () => {
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

test('a cursor that was unused for 30 days is dropped with the next use of another, and its name reports the loss once', async () => {
  const { time, open, cursors } = setUp();
  await open().open('old', 'x').save(at(1));
  await time.advance(29 * day);
  expect(height(await open().open('old', 'x').load())).toBe(1);
  await open().open('young', 'x').save(at(2));
  await time.advance(2 * day);
  const old = open().open('old', 'x');
  expect(await old.load()).toBe(null);
  expect(await cursors()).toHaveLength(1);
  expect([await old.takeLoss(), await old.takeLoss()]).toEqual([true, false]);
  expect(height(await open().open('young', 'x').load())).toBe(2);
});

test('each origin keeps its newest 256 cursors, and a dropped name reports its loss once', async () => {
  const { time, open, cursors } = setUp();
  const store = open();
  for (let i = 0; i < 300; i++) {
    await store.open(`${i}`, 'x').save(at(i));
    await time.advance(1);
  }
  expect(await cursors()).toHaveLength(256);
  expect(height(await open().open('44', 'x').load())).toBe(44);
  const dropped = open().open('43', 'x');
  expect(await dropped.load()).toBe(null);
  expect([await dropped.takeLoss(), await dropped.takeLoss()]).toEqual([true, false]);
  expect(await open().open('new', 'x').takeLoss()).toBe(false);
});

test('the cursors of one origin never drop those of another, whatever their number, size and order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(2), fc.nat(400), fc.nat(40)), { minLength: 1, maxLength: 60 }),
      async (steps) => {
        const { time, open } = setUp();
        const stores = [0, 1, 2].map((each) => open(`https://${each}.example`));
        const alone = [0, 1, 2].map(() => new Map<string, number>());
        for (const [who, from, count] of steps)
          for (let i = from; i < from + count; i++) {
            await stores[who]?.open(`${i}`, 'x').save(at(i));
            alone[who]?.delete(`${i}`);
            alone[who]?.set(`${i}`, i);
            await time.advance(1);
          }
        for (const [who, names] of alone.entries())
          for (const [at, [name, expected]] of [...names].reverse().entries()) {
            const cursor = open(`https://${who}.example`).open(name, 'x');
            const loaded = await cursor.load();
            expect([height(loaded), await cursor.takeLoss()]).toEqual(
              at < 256 ? [expected, false] : [Number.NaN, true],
            );
          }
      },
    ),
    { seed: 63, numRuns: 15 },
  );
});

test('the cursors that an older build stored beyond the limit are dropped with the first use, and report it', async () => {
  const { open, cursors, fill } = setUp();
  await fill(300);
  await fill(300, '', 'https://b.example');
  expect(height(await open().open('3', 'x').load())).toBe(3);
  await open().open('new', 'x').save(at(1));
  expect(await cursors()).toHaveLength(256);
  expect(await cursors('https://b.example')).toHaveLength(300);
  expect(await open().open('299', 'x').takeLoss()).toBe(true);
});

test('beyond 32 MiB an origin loses its oldest cursors, and the newest is kept at any size', async () => {
  const { time, open, cursors } = setUp();
  const large = 'x'.repeat(2 ** 24);
  const store = open();
  await open('https://b.example').open('other', 'x').save(at(1));
  for (let i = 0; i < 4; i++) {
    await time.advance(1);
    await store.open(`${i}`, large).save(at(i));
  }
  expect((await cursors()).length).toBe(1);
  expect(await open().open('0', large).takeLoss()).toBe(true);
  expect(await cursors('https://b.example')).toHaveLength(1);
});

test('no lost name starts silently, however many were lost, and random names cost no new name a report', async () => {
  for (const mark of ['', '~']) {
    const { open, fill } = setUp();
    await fill(1_400, mark);
    await open().open('other', 'x').save(at(1));
    for (const name of ['1399', '1000', '255']) {
      const cursor = open().open(mark + name, 'x');
      expect(await cursor.load()).toBe(null);
      const isRecorded = mark === '' || name !== '1399';
      expect([name, await cursor.takeLoss(), await cursor.takeLoss()]).toEqual([name, isRecorded, false]);
    }
    expect(await open().open('new', 'x').takeLoss()).toBe(mark === '');
  }
});

test('a value of another build, or an invalid one, counts as missing and is replaced', async () => {
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
