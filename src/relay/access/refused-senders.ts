import { isProviderRpcError, type ProviderRpcError } from '../../rpc/errors.js';
import type { Address, Hash, Hex } from '../../rpc/schema.js';
import { type ParsedTransaction, parseSigned, type UnsignedTransaction } from '../../rpc/transaction.js';
import { alreadyKnown, isRefusal, reasonOf } from '../../service/errors/errors.js';
import type { Reason } from '../../service/errors/fault-table.js';
import { senderOf } from './sender.js';

/**
 * Accounts whose transaction the service has just refused. For a minute their further transactions get the same error
 * here. Excepted are those that correct the cause, and those that the service may already have: a person would pay again
 * for a transaction that was wrongly called refused.
 */
export interface RefusedSenders {
  /** The error of the service that this transaction gets without being sent. */
  find(raw: Hex): ProviderRpcError | undefined;
  /** The service has answered a transaction; without an error it was accepted. */
  answered(raw: Hex, error?: unknown): void;
}

interface Refused {
  readonly error: ProviderRpcError;
  readonly transaction: UnsignedTransaction;
  readonly until: number;
}

/** Milliseconds. */
const lifetime = 60_000;
/** Senders that are remembered, and transactions that were sent. */
const mostSenders = 1_000;
const mostSent = 4_000;

/** A number for each cause of a refusal: in a transaction that corrects the cause it is higher. */
const corrections: Partial<Record<Reason, (transaction: UnsignedTransaction) => bigint>> = {
  'nonce-too-low': ({ nonce }) => BigInt(nonce),
  'nonce-too-high': ({ nonce }) => -BigInt(nonce),
  'replacement-underpriced': ({ gasPrice }) => BigInt(gasPrice),
  underpriced: ({ gasPrice }) => BigInt(gasPrice),
  overpriced: ({ gasPrice }) => -BigInt(gasPrice),
  'gas-too-low': ({ gas }) => BigInt(gas),
  'gas-too-high': ({ gas }) => -BigInt(gas),
};

export function createRefusedSenders({ chainId, now }: createRefusedSenders.Options): RefusedSenders {
  const refused = new Map<Address, Refused>();
  /** Transactions that the service has been sent and has not refused. */
  const sent = new Map<Hash, true>();

  function read(raw: Hex): ParsedTransaction | undefined {
    try {
      return parseSigned(raw, chainId, 'params[0]', true);
    } catch {
      return undefined;
    }
  }

  return {
    find(raw) {
      // Recovering a sender takes milliseconds: only where one was refused.
      if (refused.size === 0) return undefined;
      const parsed = read(raw);
      const sender = parsed && !sent.has(parsed.hash) ? senderOf(parsed) : undefined;
      const entry = sender && refused.get(sender);
      if (!parsed || !entry) return undefined;
      if (entry.until <= now()) {
        refused.delete(sender);
        return undefined;
      }
      const measure = corrections[reasonOf(entry.error) as Reason];
      return measure && measure(parsed.transaction) > measure(entry.transaction) ? undefined : entry.error;
    },
    answered(raw, error) {
      const parsed = read(raw);
      if (!parsed) return;
      const isRefused = isProviderRpcError(error) && isRefusal(error) && !alreadyKnown(error);
      if (!isRefused) return keep(sent, parsed.hash, true, mostSent);
      sent.delete(parsed.hash);
      const sender = senderOf(parsed);
      const { transaction } = parsed;
      if (sender) keep(refused, sender, { error, transaction, until: now() + lifetime }, mostSenders);
    },
  };
}

function keep<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) if (map.size > most) map.delete(oldest);
}

export declare namespace createRefusedSenders {
  interface Options {
    readonly chainId: number;
    /** Milliseconds since 1970. */
    readonly now: () => number;
  }
}
