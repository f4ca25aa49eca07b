import { beforeAll, describe, expect, test } from 'vitest';
import type { VaultRecord } from '../../../../src/keyring/vault/record.js';
import { createVaultSlots, type LoadedVault } from '../../../../src/keyring/vault/slots.js';
import { resealVault, sealVault } from '../../../../src/keyring/vault/vault.js';
import { createMemoryStorage } from '../../../../src/storage/memory.js';
import { createMemoryTraces } from '../traces.js';

const kdf = { name: 'scrypt', N: 2, r: 8, p: 1 } as const;
const contents = { mnemonics: [], accounts: [] };
/** Generations 1 to 5 of one vault, and the first of another. */
const records: VaultRecord[] = [];
let stranger: VaultRecord;
const gen = (n: number) => records[n - 1] as VaultRecord;

beforeAll(async () => {
  const header = { vaultId: 'ours', gen: 1, createdAt: 0 };
  let vault = await sealVault(contents, ['x'], header, kdf);
  for (let i = 0; i < 5; i++) {
    records.push(vault.record);
    vault = await resealVault(vault, contents);
  }
  stranger = (await sealVault(contents, ['x'], { ...header, vaultId: 'theirs' }, kdf)).record;
});

function setup() {
  const storage = createMemoryStorage();
  const traces = createMemoryTraces();
  const slots = createVaultSlots(storage, traces);
  const write = async (count: number) => {
    let loaded = await slots.load();
    for (let n = 1; n <= count; n++) loaded = await slots.commit(gen(n), loaded);
    return loaded;
  };
  const set = (key: string, value: unknown) => storage.update('vault', key, () => value);
  const flip = (key: string) =>
    storage.update('vault', key, (record) => ({ ...(record as VaultRecord), createdAt: 1 }));
  const found = async () => {
    const loaded = await slots.load();
    return loaded.kind === 'record' ? loaded.record.gen : loaded.kind;
  };
  return { storage, traces, slots, write, set, flip, found };
}
const slotOf = ({ slot }: LoadedVault) => slot;

describe('createVaultSlots', () => {
  test('load returns nothing, then the last commit, which alternates between two slots', async () => {
    const { slots, write, found, storage } = setup();
    expect(await slots.load()).toMatchObject({ kind: 'empty', slot: null });
    const first = await write(1);
    expect(slotOf(first)).toBe('slot-a');
    const second = await slots.commit(gen(2), first);
    expect(slotOf(second)).toBe('slot-b');
    const third = await slots.commit(gen(3), await slots.load());
    expect(slotOf(third)).toBe('slot-a');
    expect(await slots.load()).toEqual(third);
    expect(await found()).toBe(3);
    expect(await storage.get('vault', 'slot-b')).toEqual(gen(2));
  });

  test('settling deletes the older record, and restores the sentinel and the second copy', async () => {
    const { slots, write, storage, traces, found } = setup();
    const loaded = await write(2);
    traces.clear();
    await slots.settle(loaded);
    expect(await storage.get('vault', 'slot-a')).toBeUndefined();
    expect(traces.sentinel()).toEqual({ vaultId: 'ours', gen: 2, v: 3 });
    expect(await traces.copy()).toEqual(gen(2));
    expect(await found()).toBe(2);
  });

  test('a damaged slot is replaced by its copy, else by the record before it, else it is missing', async () => {
    for (const damage of ['flip', 'delete'] as const) {
      const { slots, write, set, flip, found, traces } = setup();
      await write(3);
      await (damage === 'flip' ? flip('slot-a') : set('slot-a', undefined));
      const loaded = await slots.load();
      expect(loaded).toMatchObject({ kind: 'record', slot: null, record: { gen: 3 } });
      // And is stored again once it has opened.
      await slots.settle(loaded);
      expect(slotOf(await slots.load())).toBe('slot-b');
      expect(await found()).toBe(3);
      await set('slot-b', undefined);
      traces.lose('copy');
      if (damage === 'flip') await set('slot-a', undefined);
      expect(await found()).toBe('missing');
    }
    const { write, flip, found, traces } = setup();
    await write(3);
    await flip('slot-a');
    traces.lose('copy');
    expect(await found()).toBe(2);
  });

  test('a lost database is found again from the copy, or missed by the sentinel', async () => {
    const { write, storage, found, traces } = setup();
    await write(3);
    for (const key of ['slot-a', 'slot-b', 'pointer']) await storage.update('vault', key, () => undefined);
    expect(await found()).toBe(3);
    traces.lose('sentinel');
    expect(await found()).toBe(3);
    traces.lose('copy');
    expect(await found()).toBe('empty');
    traces.setSentinel({ vaultId: 'ours', gen: 3 });
    expect(await found()).toBe('missing');
  });

  test('a database that went back behind an ended write yields to the copy', async () => {
    const { write, storage, found, slots } = setup();
    await write(1);
    const before = await Promise.all(
      ['slot-a', 'slot-b', 'pointer'].map(async (key) => [key, await storage.get('vault', key)] as const),
    );
    await slots.commit(gen(2), await slots.load());
    for (const [key, value] of before) await storage.update('vault', key, () => value);
    expect(await found()).toBe(2);
    expect(slotOf(await slots.commit(gen(3), await slots.load()))).toBe('slot-b');
    expect(await found()).toBe(3);
  });

  test('a lost pointer is made up for by the sentinel, and a write that never ended stays unknown', async () => {
    const { write, set, found, storage, traces } = setup();
    await write(2);
    await set('pointer', undefined);
    traces.lose('copy');
    expect(await found()).toBe(2);
    await set('slot-a', gen(3));
    expect(await found()).toBe(2);
    await set('pointer', 'garbage');
    expect(await found()).toBe(2);
    // A first write that never ended: there is no vault yet, and creating one is free to begin.
    const fresh = setup();
    await fresh.set('slot-a', gen(1));
    expect(await fresh.found()).toBe('empty');
    await fresh.write(1);
    expect(await fresh.found()).toBe(1);
    expect(await storage.get('vault', 'pointer')).toBe('garbage');
  });

  test('a copy of another vault is ignored', async () => {
    const { write, set, found, traces } = setup();
    await write(1);
    await traces.setCopy(stranger);
    await set('slot-a', undefined);
    expect(await found()).toBe('missing');
  });

  test('a record of a newer version is neither read nor replaced', async () => {
    const newer = { ...gen(1), v: 4 };
    for (const place of ['pointed', 'copy', 'slot'] as const) {
      const { write, set, found, slots, traces } = setup();
      if (place !== 'slot') await write(1);
      if (place === 'pointed') await set('slot-a', newer);
      if (place === 'copy') {
        await set('slot-a', undefined);
        await traces.setCopy(newer);
      }
      if (place === 'slot') await set('slot-b', newer);
      expect([place, await found()]).toEqual([place, 'newer']);
      expect((await slots.load()).slot).toBeNull();
    }
  });

  test('a page that has not seen the last write cannot write over it', async () => {
    const { slots, write, found } = setup();
    const base = await write(1);
    await slots.commit(gen(2), base);
    await expect(slots.commit(gen(3), base)).rejects.toMatchObject({ code: -32002 });
    expect(await found()).toBe(2);
    const empty = { kind: 'empty', slot: null, pointer: undefined } as const;
    await expect(slots.commit(gen(1), empty)).rejects.toMatchObject({ code: -32002 });
    expect(await found()).toBe(2);
  });

  test('one of two pages at most succeeds that write at once without locks, and all is well', async () => {
    for (let delay = 0; delay < 14; delay++) {
      const { storage, traces, slots, write, found } = setup();
      const base = await write(1);
      const other = createVaultSlots(storage, traces);
      const attempts = await Promise.allSettled([
        slots.commit(gen(2), base),
        (async () => {
          for (let i = 0; i < delay; i++) await undefined;
          return other.commit({ ...gen(2), createdAt: 7 }, base);
        })(),
      ]);
      const done = attempts.filter((attempt) => attempt.status === 'fulfilled');
      expect(done.length).toBeLessThanOrEqual(1);
      const loaded = await slots.load();
      if (done[0] !== undefined) expect(loaded).toEqual(done[0].value);
      else expect(await found()).toBe(1);
    }
  });

  test('another page ends its write just before ours begins, or overwrites ours just before it counts', async () => {
    for (const [moment, result] of [
      ['slot-b', 7],
      ['pointer', 1],
    ] as const) {
      const { storage, traces, write, slots } = setup();
      const base = await write(1);
      const theirs = { ...gen(2), createdAt: 7 };
      let done = false;
      const late: typeof storage = {
        ...storage,
        async update(store, key, next) {
          if (key === moment && !done) {
            done = true;
            if (moment === 'slot-b') await slots.commit(theirs, base);
            else await storage.update('vault', 'slot-b', () => theirs);
          }
          return storage.update(store, key, next);
        },
      };
      await expect(createVaultSlots(late, traces).commit(gen(2), base)).rejects.toMatchObject({
        code: -32002,
      });
      traces.lose('copy');
      const loaded = await slots.load();
      expect(loaded.kind === 'record' && [loaded.record.gen, loaded.record.createdAt]).toEqual(
        result === 7 ? [2, 7] : [1, 0],
      );
    }
  });

  test('a storage that stores something other than it was given', async () => {
    const { storage, traces, write, found } = setup();
    const base = await write(1);
    const lying = createVaultSlots(
      {
        ...storage,
        update: (store, key, next) =>
          storage.update(store, key, (current) => {
            const value = next(current);
            return key.startsWith('slot') ? { ...(value as object), createdAt: 9 } : value;
          }),
      },
      traces,
    );
    await expect(lying.commit(gen(2), base)).rejects.toMatchObject({ code: -32002 });
    expect(await found()).toBe(1);
  });
});
