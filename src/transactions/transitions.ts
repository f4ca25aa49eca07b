import type { Hash, Hex, Receipt } from '../rpc/schema.js';
import { isMined, isOpen, type JournalEntry } from './journal-entry.js';

/**
 * A state transition of an entry. Returns the entry after it, or `null` if the transition no longer applies because
 * another one came first.
 */
export type Transition = (current: JournalEntry) => JournalEntry | null;

export const accepted: Transition = (current) =>
  current.state === 'signed' ? { ...current, state: 'sent' } : null;

/** A node will accept it later: restarts the ten minutes of {@link holdOf}. */
export const deferred =
  (at: number): Transition =>
  (current) =>
    isOpen(current) ? { ...current, deferredAt: at } : null;

/** A broadcast had no conclusive reply. */
export const uncertain: Transition = (current) =>
  isOpen(current) && !current.maybeSent ? { ...current, maybeSent: true } : null;

/** The outcome that a receipt shows. */
export interface Inclusion {
  readonly state: 'mined' | 'reverted';
  readonly blockNumber: Hex;
  readonly blockHash: Hash;
  readonly fee?: Hex;
  readonly reason?: string;
}

/** @param at when the receipt was read, milliseconds since 1970 */
export const included =
  (inclusion: Inclusion, at: number): Transition =>
  (current) => {
    const { held: _held, reason: _reason, replacedBy: _replacedBy, ...rest } = current;
    const isCorrection = !isOpen(current) && !isMined(current);
    return { ...rest, ...inclusion, ...(isCorrection && { correctedAt: at }) };
  };

/**
 * Another transaction has used the nonce. For a refused or abandoned entry this proves that it was not mined.
 *
 * @param by the other transaction and its block, if known
 */
export const replaced =
  (by?: Replacement): Transition =>
  (current) => {
    if (isMined(current) || (!isOpen(current) && !by)) return null;
    const block = by && { blockNumber: by.blockNumber, blockHash: by.blockHash, replacedBy: by.hash };
    return { ...current, ...(isOpen(current) && { state: 'replaced' as const }), ...block };
  };

/** A mined transaction with the nonce of another one. */
export type Replacement = Pick<Receipt, 'blockNumber' | 'blockHash'> & { readonly hash: Hash };

/**
 * The node's rules forbid it. If a node may have it, a refusal counts only when `proven`, since another node's mempool
 * may still have the bytes.
 */
export const refused =
  (reason: string, proven = false): Transition =>
  (current) =>
    isOpen(current) && (proven || (current.state === 'signed' && !current.maybeSent))
      ? { ...current, state: 'refused', reason }
      : null;

export const abandoned: Transition = (current) =>
  current.state === 'signed' ? { ...current, state: 'abandoned' } : null;

/** A page submits the bytes of a refused entry again. */
export const renewed =
  (at: number): Transition =>
  ({ reason: _reason, ...current }) =>
    current.state === 'refused' ? { ...current, state: 'signed', deferredAt: at } : null;

export const held =
  (why: 'other-chain' | 'damaged'): Transition =>
  (current) =>
    isOpen(current) && current.held !== why ? { ...current, held: why } : null;

export const released: Transition = (current) => {
  const { held: hold, ...rest } = current;
  return hold === undefined ? null : rest;
};

/** Its block has left the chain, so it has no outcome any more. */
export const reopened =
  (blockHash: Hash): Transition =>
  (current) => {
    if (current.blockHash !== blockHash) return null;
    const {
      blockHash: _hash,
      blockNumber: _number,
      fee: _fee,
      reason: _reason,
      replacedBy: _by,
      ...rest
    } = current;
    if (isMined(current)) return { ...rest, state: 'sent' };
    if (current.state === 'replaced') return { ...rest, state: 'signed', maybeSent: true };
    return { ...rest, ...(current.reason !== undefined && { reason: current.reason }) };
  };
