import { expect, test } from 'vitest';
import type { Storage } from '../../../src/storage/storage.js';

/** What every implementation of the storage port must do. `create` opens an empty storage. */
export function storageContract(create: () => Storage): void {
  test('a record put is a record got', async () => {
    const storage = create();
    await storage.put('journal', [['a', { n: 1n, bytes: Uint8Array.of(1, 2) }]]);
    expect(await storage.get('journal', 'a')).toEqual({ n: 1n, bytes: Uint8Array.of(1, 2) });
    expect(await storage.get('journal', 'b')).toBeUndefined();
    expect(await storage.get('vault', 'a')).toBeUndefined();
  });

  test('all gives the values of one store in the order of their keys', async () => {
    const storage = create();
    await storage.put('journal', [
      ['b', 2],
      ['a', 1],
      ['é', 4],
      ['Z', 0],
      ['c', 3],
    ]);
    await storage.put('cursor', [['a', 'other']]);
    expect(await storage.all('journal')).toEqual([0, 1, 2, 3, 4]);
  });

  test('all with a prefix gives the values whose keys begin with it, and no others', async () => {
    const storage = create();
    await storage.put('journal', [
      ['31:0xb', 'other account'],
      ['31:0xa:2', 2],
      ['31:0xa:1', 1],
      ['310:0xa:1', 'other chain'],
      ['30:0xa:1', 'other chain'],
      ['31:0xa', 0],
    ]);
    expect(await storage.all('journal', '31:0xa')).toEqual([0, 1, 2]);
    expect(await storage.all('journal', '31:0xa:2')).toEqual([2]);
    expect(await storage.all('journal', '32:')).toEqual([]);
    expect(await storage.all('journal', '')).toHaveLength(6);
  });

  test('what is stored and read is a copy', async () => {
    const storage = create();
    const value = { list: [1] };
    await storage.put('cursor', [['a', value]]);
    value.list.push(2);
    const read = (await storage.get('cursor', 'a')) as typeof value;
    expect(read).toEqual({ list: [1] });
    read.list.push(3);
    expect(await storage.all('cursor')).toEqual([{ list: [1] }]);
    const written = await storage.update('cursor', 'a', () => ({ list: [5] }));
    (written as typeof value).list.push(6);
    expect(await storage.get('cursor', 'a')).toEqual({ list: [5] });
    await storage.put('cursor', [['b', { list: [1] }]]);
    await expect(
      storage.update('cursor', 'b', (current) => {
        (current as typeof value).list.push(9);
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    expect(await storage.get('cursor', 'b')).toEqual({ list: [1] });
    expect(await storage.all('cursor')).toEqual([{ list: [5] }, { list: [1] }]);
  });

  test('update gets the current value, resolves with the new one, and undefined deletes', async () => {
    const storage = create();
    const seen: unknown[] = [];
    const increment = (current: unknown) => {
      seen.push(current);
      return ((current as number | undefined) ?? 0) + 1;
    };
    expect(await storage.update('cursor', 'n', increment)).toBe(1);
    expect(await storage.update('cursor', 'n', increment)).toBe(2);
    expect(seen).toEqual([undefined, 1]);
    expect(await storage.update('cursor', 'n', () => undefined)).toBeUndefined();
    expect(await storage.get('cursor', 'n')).toBeUndefined();
    expect(await storage.all('cursor')).toEqual([]);
  });

  test('updates at once lose none', async () => {
    const storage = create();
    await Promise.all(
      Array.from({ length: 50 }, () =>
        storage.update('cursor', 'n', (current) => ((current as number | undefined) ?? 0) + 1),
      ),
    );
    expect(await storage.get('cursor', 'n')).toBe(50);
  });

  test('an update whose function throws rejects with that error and changes nothing', async () => {
    const storage = create();
    await storage.put('vault', [['a', 1]]);
    const failure = new Error('stale');
    await expect(
      storage.update('vault', 'a', () => {
        throw failure;
      }),
    ).rejects.toBe(failure);
    expect(await storage.get('vault', 'a')).toBe(1);
  });

  test('one record that cannot be stored leaves all of them out', async () => {
    const storage = create();
    await expect(
      storage.put('vault', [
        ['a', 1],
        ['b', () => {}],
      ]),
    ).rejects.toThrow();
    expect(await storage.all('vault')).toEqual([]);
    await expect(storage.update('vault', 'a', () => () => {})).rejects.toThrow();
    expect(await storage.all('vault')).toEqual([]);
  });

  test('clear deletes the records of one store, and puts others in their place in the same transaction', async () => {
    const storage = create();
    await storage.put('vault', [
      ['a', 1],
      ['b', 2],
    ]);
    await storage.put('journal', [['a', 3]]);
    await storage.clear('vault', [['c', { n: 1 }]]);
    expect([await storage.all('vault'), await storage.get('vault', 'a')]).toEqual([[{ n: 1 }], undefined]);
    expect(await storage.all('journal')).toEqual([3]);
    await storage.clear('vault');
    await storage.clear('cursor');
    expect(await storage.all('vault')).toEqual([]);
  });

  test('a clear whose records cannot be stored deletes nothing', async () => {
    const storage = create();
    await storage.put('vault', [['a', 1]]);
    await expect(storage.clear('vault', [['b', () => {}]])).rejects.toThrow();
    expect(await storage.all('vault')).toEqual([1]);
  });

  test('it can be used again after it was closed', async () => {
    const storage = create();
    await storage.put('vault', [['a', 1]]);
    storage.close();
    expect(await storage.get('vault', 'a')).toBe(1);
    storage.close();
  });
}
