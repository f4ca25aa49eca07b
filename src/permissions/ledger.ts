import { Bytes, encodeText, subtle } from '../keyring/builtins.js';
import { bytesToHex, hexToBytes, toQuantity } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import type { Hex } from '../rpc/schema.js';
import type { JournalEntry, LedgerMark } from '../transactions/journal-entry.js';
import type { Accounted } from './accounting.js';

/**
 * Marks of journal entries. Each binds a transaction to the permission that it was signed under and to what it may cost, by a
 * key that is only in the vault: who writes the storage can delete a mark, and can make none.
 */
export interface Ledger {
  /** The mark of an entry that was signed under a permission, or by the person's answer (`permission` is `null`). */
  mark(entry: Marked, terms: Ledger.Terms): Promise<LedgerMark>;
  /** The entry's mark with its proven cost. */
  settle(entry: Marked & { readonly ledger: LedgerMark }, settled: Settled): Promise<LedgerMark>;
  /** The entry's mark, with that this page has seen it mined. */
  see(entry: Marked & { readonly ledger: LedgerMark }): Promise<LedgerMark>;
  /** Reads the entry's mark; `null` without a right one. */
  read(entry: Marked & Pick<JournalEntry, 'ledger'>): Promise<Accounted | null>;
  /** The code of a text, which names its kind. */
  seal(text: string): Promise<Hex>;
  isSealed(text: string, mac: unknown): Promise<boolean>;
}

type Marked = Pick<JournalEntry, 'chainId' | 'from' | 'nonce' | 'hash'>;
export declare namespace Ledger {
  type Terms = Pick<Accounted, 'permission' | 'period' | 'amount' | 'fees'>;
}

type Settled = NonNullable<Accounted['settled']>;
/** @param key 32 bytes, which are copied */
export async function createLedger(key: Uint8Array): Promise<Ledger> {
  const hmac = await subtle.importKey('raw', new Bytes(key), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);
  /** Texts with a right code, each under that code: entries of a page are read again and again. */
  const verified = new Map<string, string>();

  const isSealed = async (text: string, mac: unknown): Promise<boolean> => {
    if (typeof mac !== 'string' || !/^0x[\da-f]{64}$/.test(mac)) return false;
    if (verified.get(mac) === text) return true;
    const right = await subtle.verify('HMAC', hmac, new Bytes(hexToBytes(mac as Hex)), encodeText(text));
    if (right) verified.set(mac, text);
    return right;
  };

  const seal = async (text: string): Promise<Hex> => {
    const mac = bytesToHex(new Bytes(await subtle.sign('HMAC', hmac, encodeText(text))));
    verified.set(mac, text);
    return mac;
  };

  return {
    ...{ seal, isSealed },
    async mark(entry, { permission, period, amount, fees }) {
      const unsigned = { permission, period, amount: toQuantity(amount), fees: toQuantity(fees) };
      return { ...unsigned, mac: await seal(textOf(entry, unsigned)) };
    },
    async settle({ ledger, ...entry }, { amount, fees, at }) {
      const unsigned = { at, amount: toQuantity(amount), fees: toQuantity(fees) };
      return { ...ledger, settled: { ...unsigned, mac: await seal(settledTextOf(entry, unsigned)) } };
    },
    see: async ({ ledger, ...entry }) => ({ ...ledger, mined: await seal(minedTextOf(entry)) }),
    async read(entry) {
      if (!entry.ledger) return null;
      const { permission, period, amount, fees, mac, mined, settled } = own(entry.ledger);
      if (!(await isSealed(textOf(entry, { permission, period, amount, fees }), mac))) return null;
      const read = own<Accounted>({
        nonce: BigInt(entry.nonce),
        permission,
        period,
        amount: BigInt(amount),
        fees: BigInt(fees),
        ...(mined !== undefined && (await isSealed(minedTextOf(entry), mined)) && { isSeen: true }),
      });
      if (!settled || !(await isSealed(settledTextOf(entry, settled), settled.mac))) return read;
      const cost = { amount: BigInt(settled.amount), fees: BigInt(settled.fees) };
      return own({ ...read, settled: { ...cost, at: settled.at } });
    },
  };
}

/** The bytes of the transaction are named by their hash. JSON tells a text from a list that has it, and `null` from nothing. */
const textOf = (
  { chainId, from, nonce, hash }: Marked,
  { permission, period, amount, fees }: Omit<LedgerMark, 'mac' | 'settled'>,
): string =>
  JSON.stringify([
    'graft/ledger/1',
    chainId,
    from,
    `${BigInt(nonce)}`,
    hash,
    permission,
    period,
    amount,
    fees,
  ]);

const minedTextOf = ({ chainId, from, nonce, hash }: Marked): string =>
  JSON.stringify(['graft/mined/1', chainId, from, `${BigInt(nonce)}`, hash]);

const settledTextOf = (
  { chainId, from, nonce, hash }: Marked,
  { amount, fees, at }: Omit<NonNullable<LedgerMark['settled']>, 'mac'>,
): string => JSON.stringify(['graft/settled/1', chainId, from, `${BigInt(nonce)}`, hash, amount, fees, at]);
