import 'fake-indexeddb/auto';
import { keccak256 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { createMutex } from '../../../src/async/mutex.js';
import type { Address, Hash, Hex } from '../../../src/rpc/schema.js';
import type { Service } from '../../../src/service/service.js';
import { createIdbStorage } from '../../../src/storage/idb.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import type { Storage } from '../../../src/storage/storage.js';
import type { Delivery } from '../../../src/transactions/delivery.js';
import { fillArchive, settledForGood } from '../../../src/transactions/fill-archive.js';
import { createJournal, included, type Journal } from '../../../src/transactions/journal.js';
import {
  isOpen,
  isUnproven,
  type JournalEntry,
  keyOf,
  newestFirst,
} from '../../../src/transactions/journal-entry.js';
import { chooseNonces, readAccountState } from '../../../src/transactions/nonces.js';
import { describeRecipient } from '../../../src/transactions/recipient.js';
import { createSubmit } from '../../../src/transactions/submit.js';
import { createRandom } from '../../support/random.js';

/**
 * A payment must not notice that older transactions are elsewhere. Random journals are compared with their halves: what a question
 * says, which nonce is chosen, what is listed. With ARCHIVE_JOURNALS=400 as a soak.
 */
const seeds = Array.from({ length: Number(process.env.ARCHIVE_JOURNALS ?? 3) }, (_, i) => i + 1);

const now = 1_800_000_000_000;
const day = 86_400_000;
const accounts = ['a1', 'b2'].map((digits): Address => `0x${digits.repeat(20)}`);
const origins = ['https://one.example', 'https://two.example'];
/** Pairs that look alike, and two of which have none that does. */
const recipients = ['5', '6', '7', '8'].flatMap((digit): Address[] => [
  `0xabc${digit}${'1'.repeat(32)}def${digit}`,
  `0xabc${digit}${'2'.repeat(32)}def${digit}`,
]);
const transferTo = (address: Address): Hex =>
  `0xa9059cbb${address.slice(2).padStart(64, '0')}${'5'.padStart(64, '0')}`;

/** Returns a random journal with rivals, refusals, corrections, equal times and open transactions. */
function randomJournal(seed: number): JournalEntry[] {
  const random = createRandom(seed);
  const under = (count: number) => Math.floor(random() * count);
  const oneOf = <T>(items: readonly T[]): T => items[under(items.length)] as T;
  const entries: JournalEntry[] = [];
  const hash = (): Hash => `0x${(entries.length + 1 + seed * 100_000).toString(16).padStart(64, '0')}`;
  const hashes = (text: number): Hash => `0x${text.toString(16).padStart(64, 'f')}`;
  for (const chainId of [30, 31])
    for (const from of accounts) {
      const count = under(4) === 0 ? under(5) : 40 + under(120);
      const step = oneOf([1_000, 60_000, (3 * day) / count]);
      for (let nonce = 0; nonce < count; nonce++) {
        const isLast = nonce >= count - 3;
        const createdAt = Math.floor(now - step * (count - nonce - 1) - under(1_000));
        const payee = oneOf(recipients.slice(0, 5));
        const isToken = under(3) === 0;
        const add = (change: Partial<JournalEntry>) => {
          const entry: JournalEntry = {
            ...{ hash: hash(), raw: '0x01', chainId, from, nonce: `0x${nonce.toString(16)}` },
            to: isToken ? `0x${'70'.repeat(20)}` : payee,
            data: isToken ? transferTo(payee) : '0x',
            ...{ value: '0x1', gas: '0x5208', gasPrice: '0x3938700' },
            ...{ origin: oneOf(origins), createdAt, state: 'signed' },
            ...change,
          };
          entries.push(entry);
          return entry;
        };
        const block = { blockNumber: `0x${(1_000 + nonce).toString(16)}` as Hex, blockHash: hashes(nonce) };
        if (isLast && under(2) === 0)
          add({ state: oneOf(['signed', 'sent']), ...(under(2) && { maybeSent: true }) });
        else if (under(25) === 0) {
          add({ state: 'replaced', ...block, replacedBy: hashes(1_000 + nonce) });
        } else {
          const rivals = under(10) === 0 ? 1 + under(3) : 0;
          for (let i = 0; i < rivals; i++) add({ state: oneOf(['refused', 'abandoned', 'replaced']) });
          const corrected = under(30) === 0 && { correctedAt: createdAt + under(2 * day) };
          if (under(40) === 0) add({ state: oneOf(['refused', 'abandoned', 'replaced']) });
          else add({ state: under(8) ? 'mined' : 'reverted', ...block, ...corrected });
        }
      }
    }
  return entries;
}

const put = (storage: Storage, entries: readonly JournalEntry[]) =>
  storage.put(
    'journal',
    entries.map((entry) => [keyOf(entry), entry]),
  );

let made = 0;
const kinds: readonly (readonly [string, () => Storage])[] = [
  ['memory', createMemoryStorage],
  ['IndexedDB', () => createIdbStorage({ name: `archive-${made++}` })],
];

const lock = createMutex(null);
const sorted = (entries: readonly JournalEntry[]) => [...entries].sort(newestFirst);

/** The state of an account as a question reads it, with the requests that this takes. */
async function stateOfJournal(
  journal: Journal,
  { chainId, from }: Pick<JournalEntry, 'chainId' | 'from'>,
  count: Hex = '0x12c',
) {
  const asked: unknown[] = [];
  const service = {
    network: { chainId },
    async request(method: string, params: unknown) {
      asked.push([method, params]);
      return count;
    },
  } as unknown as Service;
  const delivery = {
    async check(entry: JournalEntry) {
      asked.push(entry.hash);
      return entry;
    },
    resolve: async (entry: JournalEntry) => ({ entry, isFound: false }),
  } as unknown as Delivery;
  const counts = { latest: count, pending: count, at: now };
  const { unclear, corrected, ...state } = await readAccountState({
    ...{ journal, delivery, service, chainId, from, counts },
  });
  const { nonces, ...rest } = chooseNonces(3, state.counts, state.entries);
  return {
    ...{ nonces, rest, counts: state.counts, asked: asked.sort() },
    ...{ unclear: sorted(unclear), corrected: sorted(corrected) },
  };
}

/** The same for a journal without an archive. */
async function stateOf(entries: readonly JournalEntry[], chainId: number, from: Address, count: Hex) {
  const storage = createMemoryStorage();
  const journal = createJournal(storage);
  const entriesOf = async () => entries.filter((entry) => entry.chainId === chainId && entry.from === from);
  return stateOfJournal({ ...journal, entriesOf }, { chainId, from }, count);
}

describe.each(seeds)('journal %i', (seed) => {
  const all = randomJournal(seed);
  const gone = new Set(settledForGood(all, now).flat());
  const left = all.filter((entry) => !gone.has(entry));

  test('nothing leaves it that a block or a person may still change', () => {
    const heightOf = ({ blockNumber }: JournalEntry) => Number(blockNumber ?? 0);
    for (const entry of gone) {
      const top = Math.max(...all.filter(({ chainId }) => chainId === entry.chainId).map(heightOf));
      expect(heightOf(entry)).toBeLessThanOrEqual(top - 12);
      const rivals = all.filter(
        (each) => each.chainId === entry.chainId && each.from === entry.from && each.nonce === entry.nonce,
      );
      expect(rivals.every((each) => gone.has(each))).toBe(true);
      expect(isOpen(entry) || now - entry.createdAt < 600_000).toBe(false);
      expect(isUnproven(entry, now) && !rivals.some(({ state }) => /mined|reverted/.test(state))).toBe(false);
    }
  });

  test('about a hundred of each chain stay', () => {
    const settled = left.filter((entry) => !isOpen(entry) && now - entry.createdAt > day);
    const unproven = (entry: JournalEntry) => /refused|abandoned|replaced/.test(entry.state);
    expect(settled.filter((entry) => !unproven(entry)).length).toBeLessThan(230);
  });

  test('the next payment has the nonce, the warnings and the requests that it had', async () => {
    for (const chainId of [30, 31])
      for (const from of accounts) {
        const used = all.filter(
          (entry) => entry.chainId === chainId && entry.from === from && entry.blockHash,
        );
        const count: Hex = `0x${used.reduce((max, { nonce }) => Math.max(max, Number(nonce) + 1), 0).toString(16)}`;
        expect(await stateOf(left, chainId, from, count)).toEqual(await stateOf(all, chainId, from, count));
      }
  });

  test('recipients are known, and resemble each other, as before; each transaction is found; lists are the same', async () => {
    const storage = createMemoryStorage();
    await put(storage, all);
    await fillArchive(storage, lock, now);
    const journal = createJournal(storage, { now: () => now });
    const entries = await journal.entries();
    expect(sorted(entries)).toEqual(sorted(left));
    for (const address of recipients) {
      const archived = await journal.parties(address);
      for (const chainId of [30, 31]) {
        const facts = { chainId, ownAddresses: accounts, contacts: [] };
        expect(describeRecipient(address, { ...facts, entries, archived })).toEqual(
          describeRecipient(address, { ...facts, entries: all, archived: [] }),
        );
      }
    }
    for (const entry of all) expect(await journal.find(entry.hash)).toEqual(entry);
    expect(await journal.find(`0x${'9'.repeat(64)}`)).toBeUndefined();
    for (const limit of [1, 49, 50, 51, 120, undefined])
      for (const chainId of [30, undefined])
        expect(await journal.newest(chainId, limit)).toEqual(
          sorted(all.filter((each) => chainId === undefined || each.chainId === chainId))
            .slice(0, limit)
            .reverse(),
        );
  });
});

/** A storage whose writes end at one of them, just before it or right after. */
function endingAt(storage: Storage, at: number, isAfter: boolean): Storage {
  let writes = 0;
  const write = async <T>(run: () => Promise<T>): Promise<T> => {
    const isEnd = writes++ === at;
    if (writes > at + 1 || (isEnd && !isAfter)) throw new Error('the power failed');
    const result = await run();
    if (isEnd) throw new Error('the power failed');
    return result;
  };
  return {
    ...storage,
    put: (...args) => write(() => storage.put(...args)),
    remove: (...args) => write(() => storage.remove(...args)),
    update: (...args) => write(() => storage.update(...args)),
    clear: (...args) => write(() => storage.clear(...args)),
  };
}

describe.each(kinds)('in %s', (_name, create) => {
  test('the power may fail at each write: nothing is lost, and the next page goes on', async () => {
    const all = randomJournal(10);
    const open = sorted(all.filter(isOpen));
    const gone = settledForGood(all, now).flat();
    const left = sorted(all.filter((entry) => !gone.includes(entry)));
    expect(gone.length).toBeGreaterThan(200);
    for (let at = 0; at < 12; at++)
      for (const isAfter of [false, true]) {
        const storage = create();
        await put(storage, all);
        const run = fillArchive(endingAt(storage, at, isAfter), lock, now);
        const hasEnded = await run.then(
          () => true,
          () => false,
        );
        const journal = createJournal(storage, { now: () => now });
        expect(sorted(await journal.newest())).toEqual(sorted(all));
        expect(sorted((await journal.entries()).filter(isOpen))).toEqual(open);
        await fillArchive(storage, lock, now);
        expect(sorted(await journal.newest())).toEqual(sorted(all));
        expect(sorted((await storage.all('journal')) as JournalEntry[])).toEqual(left);
        storage.close();
        if (hasEnded) return;
      }
    expect.unreachable('It writes less often.');
  });

  test('an entry that changes while it is moved stays, as it has become', async () => {
    const all = randomJournal(10);
    const moved = settledForGood(all, now).flat()[0] as JournalEntry;
    const storage = create();
    await put(storage, all);
    const journal = createJournal(storage, { now: () => now });
    const mined = { state: 'mined', blockNumber: '0x9', blockHash: `0x${'cc'.repeat(32)}` } as const;
    await fillArchive(
      {
        ...storage,
        async put(store, records) {
          await storage.put(store, records);
          await journal.change(moved, included(mined, now));
        },
      },
      lock,
      now,
    );
    expect(await storage.get('journal', keyOf(moved))).toMatchObject(mined);
    expect((await journal.newest()).filter(({ hash }) => hash === moved.hash)).toMatchObject([mined]);
    await fillArchive(storage, lock, now);
    expect(await journal.find(moved.hash)).toMatchObject(mined);
    expect(await journal.newest()).toHaveLength(all.length);
  });

  test('an erasure leaves nothing, whatever another tab moves meanwhile', async () => {
    const storage = create();
    await put(storage, randomJournal(10));
    const file = {
      text: '[]',
      read: async () => null,
      write: async () => {},
      async remove() {
        file.text = '';
      },
    };
    const journal = createJournal(storage, { copy: file, now: () => now });
    // Reads more than it keeps, so that it moves them.
    await journal.entries();
    await journal.erase();
    expect([await storage.all('journal'), await storage.all('archive'), file.text]).toEqual([[], [], '']);
    await journal.record(...randomJournal(10).slice(0, 3));
    expect(await journal.newest()).toHaveLength(3);
  });

  test('an erasure that comes between two steps ends the moving, and leaves nothing', async () => {
    const storage = create();
    await put(storage, many(2_000));
    const journal = createJournal(storage, { now: () => now });
    let steps = 0;
    const shared = createMutex(null);
    await fillArchive(
      storage,
      async (task) => {
        if (++steps === 4) await journal.erase();
        return shared(task);
      },
      now,
    );
    expect(steps).toBeGreaterThan(4);
    expect([await storage.all('journal'), await storage.all('archive')]).toEqual([[], []]);
  });

  test('rivals are moved in one step, so that none is left without what proves it', async () => {
    const all = many(600).flatMap((entry, i) => [
      entry,
      {
        ...entry,
        hash: `0x${(100_000 + i).toString(16).padStart(64, '0')}` as const,
        state: 'refused' as const,
      },
    ]);
    for (const at of [0, 1, 2]) {
      const storage = create();
      await put(storage, all);
      await fillArchive(endingAt(storage, 2 * at + 1, true), lock, now).catch(() => {});
      const left = new Map<Hex, number>();
      for (const { nonce } of (await storage.all('journal')) as JournalEntry[])
        left.set(nonce, (left.get(nonce) ?? 0) + 1);
      expect(new Set(left.values())).toEqual(new Set([2]));
    }
  });

  test('all of them are listed, however large the limit', async () => {
    const storage = create();
    await put(storage, randomJournal(10));
    await fillArchive(storage, lock, now);
    const journal = createJournal(storage, { now: () => now });
    expect(await journal.newest(undefined, Number.MAX_SAFE_INTEGER)).toHaveLength(randomJournal(10).length);
  });

  test('an archived rival proves what became of other bytes with its nonce', async () => {
    const storage = create();
    await put(storage, many(300));
    await fillArchive(storage, lock, now);
    const journal = createJournal(storage, { now: () => now });
    const [used] = many(1) as [JournalEntry];
    const other: JournalEntry = { ...used, hash: `0x${'7'.repeat(64)}`, state: 'refused', createdAt: now };
    expect(await journal.archivedRivals(other)).toEqual([used.hash]);
    expect(await journal.archivedRivals({ ...other, nonce: '0xfffe' })).toEqual([]);
    expect(await journal.archivedRivals(used)).toEqual([]);
    await journal.record(other);
    expect((await stateOfJournal(journal, other)).unclear).toEqual([]);
  });

  test('a refused transaction whose nonce is used for good is not submitted again', async () => {
    const account = privateKeyToAccount(`0x${'46'.repeat(32)}`);
    const from = account.address.toLowerCase() as Address;
    const raw = await account.signTransaction({
      ...{ type: 'legacy', chainId: 31, nonce: 0, to: recipients[0] as Address, value: 1n },
      ...{ gas: 21_000n, gasPrice: 60_000_000n },
    });
    const mined = many(300).map((entry) => ({ ...entry, from }));
    const [rival] = mined as [JournalEntry];
    const again: JournalEntry = { ...rival, raw, hash: keccak256(raw), state: 'refused' };
    const storage = create();
    await put(storage, [...mined, again]);
    await fillArchive(storage, lock, now);
    const journal = createJournal(storage, { now: () => now });
    const submit = createSubmit({
      ...{ journal, wake: () => {}, now: () => now },
      delivery: undefined as never,
      broadcast: undefined as never,
    });
    const service = { network: { chainId: 31 } } as Service;
    await expect(
      submit(raw, { origin: origins[0] as string, service, ownAddresses: [from], path: 'params[0]' }),
    ).rejects.toMatchObject({ code: -32003, message: expect.stringContaining('nonce too low') });
    expect(await journal.find(again.hash)).toEqual(again);
  });

  test('10,000 transactions: a payment reads as much as after 100 of them', async () => {
    const records = async (count: number) => {
      const storage = create();
      await put(storage, many(count));
      let read = 0;
      const counting: Storage = {
        ...storage,
        async all(...args) {
          const found = await storage.all(...args);
          read += found.length;
          return found;
        },
      };
      await fillArchive(storage, lock, now);
      const journal = createJournal(counting, { now: () => now });
      await journal.entries();
      await journal.entriesOf(31, accounts[0] as Address);
      await journal.parties(recipients[0] as Address);
      await journal.record({ ...(many(1)[0] as JournalEntry), nonce: '0xffff', hash: `0x${'3'.repeat(64)}` });
      await journal.newest(31, 50);
      return read;
    };
    const few = await records(100);
    expect(await records(2_000)).toBeLessThanOrEqual(few);
    if (seeds.length > 100) expect(await records(10_000)).toBeLessThanOrEqual(few);
  }, 60_000);
});

/** Payments of one account, one minute apart, all mined. */
const many = (count: number): JournalEntry[] =>
  Array.from({ length: count }, (_, i) => ({
    ...{
      hash: `0x${i.toString(16).padStart(64, '0')}`,
      raw: '0x01',
      chainId: 31,
      from: accounts[0] as Address,
    },
    ...{
      to: recipients[0] as Address,
      nonce: `0x${i.toString(16)}`,
      value: '0x1',
      data: '0x',
      gas: '0x5208',
    },
    ...{
      gasPrice: '0x1',
      origin: origins[0] as string,
      createdAt: now - (count - i) * 60_000,
      state: 'mined',
    },
    ...{ blockNumber: `0x${i.toString(16)}`, blockHash: `0x${'bb'.repeat(32)}` },
  }));

describe('deletion', () => {
  const settled = (count: number, change: Partial<JournalEntry> = {}) =>
    many(count).map((entry, i) => ({ ...entry, createdAt: now - 5 * day + i, ...change }));
  const filled = async (entries: readonly JournalEntry[]) => {
    const storage = createMemoryStorage();
    await put(storage, entries);
    await fillArchive(storage, lock, now);
    return createJournal(storage, { now: () => now });
  };

  test('a thousand settled transactions of a chain are kept, and all open ones; older ones go once they are a day old', async () => {
    const [first, last] = [settled(1_400)[0], settled(1_400)[1_399]] as [JournalEntry, JournalEntry];
    const open: JournalEntry = {
      ...first,
      hash: `0x${'1'.repeat(64)}`,
      nonce: '0x7d0',
      state: 'sent',
      createdAt: 1,
    };
    const other: JournalEntry = { ...first, chainId: 30, hash: `0x${'2'.repeat(64)}` };
    const journal = await filled([...settled(1_400), open, other]);
    const left = await journal.newest(31);
    expect(left.filter(({ state }) => state === 'mined').length).toBeGreaterThanOrEqual(1_000);
    expect(left.filter(({ state }) => state === 'mined').length).toBeLessThanOrEqual(1_100);
    expect(left).toEqual(expect.arrayContaining([open, last]));
    expect(await journal.find(first.hash)).toBeUndefined();
    expect(await journal.find(other.hash)).toEqual(other);
    const young = await filled(settled(1_400, { createdAt: now - day / 2 }));
    expect(await young.newest()).toHaveLength(1_400);
  });

  test('the settled transactions of one origin delete none of another', async () => {
    const hostile = 'https://hostile.example';
    const entries = settled(1_400).map((each, i) => (i < 20 ? each : { ...each, origin: hostile }));
    const left = await (await filled(entries)).newest();
    expect(left.length).toBeLessThan(1_200);
    expect(left.filter(({ origin }) => origin !== hostile)).toHaveLength(20);
  });

  test('refusals without an outcome are kept as often', async () => {
    const journal = await filled(
      settled(1_400, { state: 'refused', blockNumber: undefined as never, blockHash: undefined as never }),
    );
    expect(await journal.entries()).toHaveLength(1_000);
  });
});
