import { Bytes, encodeText, subtle } from '../keyring/builtins.js';
import { bytesToHex, hexToBytes, toQuantity } from '../rpc/hex.js';
import type { Json } from '../rpc/message.js';
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
      return { ...unsigned, mac: await seal(markTextOf(entry, unsigned)) };
    },
    async read(entry) {
      if (!entry.ledger) return null;
      const mark = own(entry.ledger);
      const { mined, settled } = mark;
      const text = markTextOf(entry, mark);
      if (!(await isSealed(text, mark.mac))) return null;
      // Only the text has been checked: an object that is stored may be written as the same text and compare as another value.
      const [permission, period, ...atMost] = membersOf(text);
      const settledText = settled && settledTextOf(entry, settled);
      const isSettled = settledText !== undefined && (await isSealed(settledText, settled?.mac));
      const [amount, fees, at = null] = isSettled ? membersOf(settledText) : atMost;
      return own<Accounted>({
        ...({ permission, period, at } as Pick<Accounted, 'permission' | 'period' | 'at'>),
        ...{ nonce: BigInt(entry.nonce), amount: BigInt(amount as Hex), fees: BigInt(fees as Hex) },
        isSeen: await isSealed(minedTextOf(entry), mined),
      });
    },
  };
}

/**
 * The text that a code is over: of an entry, whose bytes are named by their hash. JSON tells a text from a list that has it, and
 * `null` from nothing.
 */
const textOf = (kind: string, { chainId, from, nonce, hash }: Marked, ...members: readonly Json[]): string =>
  JSON.stringify([`graft/${kind}/1`, chainId, from, `${BigInt(nonce)}`, hash, ...members]);

/** The members of such a text that are not of the entry. */
const membersOf = (text: string): readonly Json[] => (JSON.parse(text) as Json[]).slice(5);

const markTextOf = (entry: Marked, { permission, period, amount, fees }: Omit<LedgerMark, 'mac'>): string =>
  textOf('ledger', entry, permission, period, amount, fees);

export const minedTextOf = (entry: Marked): string => textOf('mined', entry);

export const settledTextOf = (
  entry: Marked,
  { amount, fees, at }: Omit<NonNullable<LedgerMark['settled']>, 'mac'>,
): string => textOf('settled', entry, amount, fees, at);
