import { beforeAll, describe, expect, test } from 'vitest';
import { createLedger, type Ledger } from '../../../src/permissions/ledger.js';
import { settledMark } from '../../../src/permissions/settlement.js';
import { toQuantity } from '../../../src/rpc/hex.js';
import type { Hash, Hex } from '../../../src/rpc/schema.js';
import type { JournalEntry, LedgerMark } from '../../../src/transactions/journal-entry.js';
import { fc } from '../../support/property.js';

const key = Uint8Array.from({ length: 32 }, (_, at) => at);
const permission: Hash = `0x${'ab'.repeat(32)}`;
const entry = {
  ...{ chainId: 31, from: `0x${'11'.repeat(20)}`, nonce: '0x7', hash: `0x${'cd'.repeat(32)}` },
} as unknown as JournalEntry;
const terms = { permission, period: 3, amount: 50n, fees: 6n };
const unsettled = { nonce: 7n, ...terms, at: null, isSeen: false };
const cost = { amount: 20n, fees: 2n, at: 1_700_000_000 };

let ledger: Ledger;
let marked: JournalEntry & { readonly ledger: LedgerMark };
let settled: JournalEntry & { readonly ledger: LedgerMark };
beforeAll(async () => {
  ledger = await createLedger(key);
  marked = { ...entry, ledger: await ledger.mark(entry, terms) };
  settled = { ...marked, ledger: await settledMark(ledger, marked, cost) };
});

/** Another ledger of the key, which has verified nothing. */
const fresh = async () => createLedger(key);
const forge = (changed: object) =>
  ({ ...settled, ledger: { ...settled.ledger, ...changed } }) as unknown as JournalEntry;

describe('a mark', () => {
  test('is read as it was made, by this ledger and by another one of the key', async () => {
    for (const each of [ledger, await fresh()]) {
      expect(await each.read(marked)).toEqual(unsettled);
      expect(await each.read(settled)).toEqual({ ...unsettled, ...cost });
    }
  });

  test('is of its key', async () => {
    const other = await createLedger(key.map((byte) => byte ^ 1));
    expect(await other.read(marked)).toBe(null);
  });

  test('keeps its key when the caller wipes it', async () => {
    const lent = Uint8Array.from(key);
    const made = await createLedger(lent);
    lent.fill(0);
    expect(await made.read(marked)).not.toBe(null);
  });

  test.each<[string, object]>([
    ['chain', { chainId: 30 }],
    ['account', { from: `0x${'12'.repeat(20)}` }],
    ['nonce', { nonce: '0x8' }],
    ['transaction', { hash: `0x${'ce'.repeat(32)}` }],
  ])('is of no other %s', async (_name, change) => {
    for (const each of [ledger, await fresh()]) expect(await each.read({ ...settled, ...change })).toBe(null);
  });

  test.each<[string, object]>([
    ['another permission', { permission: `0x${'ac'.repeat(32)}` }],
    ['no permission', { permission: null }],
    ['a permission in a list', { permission: [permission] }],
    ['an object that reads as the permission', { permission: { toString: () => permission } }],
    ['another period', { period: 2 }],
    ['the period as a text', { period: '3' }],
    ['the period in a list', { period: [3] }],
    ['a lower amount', { amount: '0x1' }],
    ['the amount in a list', { amount: ['0x32'] }],
    ['the amount with zeros', { amount: '0x032' }],
    ['lower fees', { fees: '0x0' }],
    ['amount and fees swapped', { amount: '0x6', fees: '0x32' }],
    ['no code', { mac: undefined }],
    ['a short code', { mac: '0x' }],
    ['a code that is no text', { mac: 1 }],
  ])('with %s is wrong', async (_name, change) => {
    for (const each of [ledger, await fresh()]) expect(await each.read(forge(change))).toBe(null);
  });

  test.each<[string, object]>([
    ['a lower amount', { amount: '0x0' }],
    ['lower fees', { fees: '0x0' }],
    ['another time', { at: 1 }],
    ['the time as a text', { at: '1700000000' }],
    ['the amount in a list', { amount: ['0x14'] }],
    ['another code', { mac: `0x${'00'.repeat(32)}` }],
  ])('is not settled with %s', async (_name, change) => {
    const altered = forge({ settled: { ...settled.ledger.settled, ...change } });
    for (const each of [ledger, await fresh()]) expect(await each.read(altered)).toEqual(unsettled);
  });

  test('is read from the text that its code is over, not from an object that is written as the same text', async () => {
    // A structured clone keeps these.
    const boxed = {
      ...entry,
      ...{ nonce: Object('0x7'), hash: Object(entry.hash) },
      ledger: {
        ...settled.ledger,
        ...{ permission: Object(permission), period: Object(3), amount: Object('0x32'), fees: Object('0x6') },
        settled: {
          ...settled.ledger.settled,
          amount: Object('0x14'),
          fees: Object('0x2'),
          at: Object(cost.at),
        },
      },
    } as unknown as JournalEntry;
    for (const each of [ledger, await fresh()]) {
      expect(await each.read(boxed)).toEqual({ ...unsettled, ...cost });
      const { settled: _, ...unsettledMark } = boxed.ledger as LedgerMark;
      expect(await each.read({ ...boxed, ledger: unsettledMark })).toEqual(unsettled);
    }
    const person = await ledger.mark(entry, { permission: null, period: 0, amount: 0n, fees: 0n });
    const missing = { ...entry, ledger: { ...person, permission: Number.NaN } } as unknown as JournalEntry;
    expect(await ledger.read(missing)).toMatchObject({ permission: null });
  });

  test('is not settled by the settlement of another transaction, nor by its own code', async () => {
    const other = { ...entry, hash: `0x${'ce'.repeat(32)}` } as JournalEntry;
    const of = { ...other, ledger: await ledger.mark(other, terms) };
    const { settled: theirs } = await settledMark(ledger, of, { amount: 0n, fees: 0n, at: cost.at });
    expect(await ledger.read(forge({ settled: theirs }))).toEqual(unsettled);
    const own = { ...settled.ledger.settled, mac: settled.ledger.mac };
    expect(await ledger.read(forge({ settled: own }))).toEqual(unsettled);
    expect(await ledger.read(forge({ mac: settled.ledger.settled?.mac }))).toBe(null);
  });

  test('by a person is no mark of a permission with an empty name', async () => {
    const person = await ledger.mark(entry, { permission: null, period: 0, amount: 0n, fees: 0n });
    expect(await ledger.read({ ...entry, ledger: person })).toMatchObject({ permission: null });
    for (const forged of ['', [], [null], undefined as unknown, 'null'].slice(0, 3))
      expect(await ledger.read({ ...entry, ledger: { ...person, permission: forged } } as JournalEntry)).toBe(
        null,
      );
  });

  test.each([undefined, null, 0, '', 'a text', [], {}])('is missing where it is %j', async (given) => {
    expect(await ledger.read({ ...entry, ledger: given as unknown as LedgerMark })).toBe(null);
  });

  test('with any other member is wrong, whatever has been read before', async () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.bigInt({ min: 0n, max: 60n }).map(toQuantity),
      fc.nat(5),
      fc.constantFrom<unknown>(permission, [permission], null),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<keyof LedgerMark>('permission', 'period', 'amount', 'fees', 'mac'),
        value,
        async (name, changed) => {
          fc.pre(JSON.stringify(changed) !== JSON.stringify(settled.ledger[name]));
          for (const each of [ledger, await fresh()])
            expect(await each.read(forge({ [name]: changed }))).toBe(null);
        },
      ),
    );
  });

  test('with any other digit is wrong', async () => {
    const { mac } = marked.ledger;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 65 }), fc.integer({ min: 1, max: 15 }), async (at, by) => {
        const digit = (Number.parseInt(mac.charAt(at), 16) ^ by).toString(16);
        const changed = `${mac.slice(0, at)}${digit}${mac.slice(at + 1)}` as Hex;
        expect(await ledger.read({ ...marked, ledger: { ...marked.ledger, mac: changed } })).toBe(null);
      }),
    );
  });
});
