import type { Address } from '../../../../src/rpc/schema.js';
import type { SignedTransaction } from './decode.js';

export interface QuotaRequest {
  readonly transaction: SignedTransaction;
  /** The pending transaction with the same nonce, which this one would replace. */
  readonly replaced: SignedTransaction | undefined;
  /** The first nonce after the sender's pending transactions. */
  readonly nextNonce: bigint;
  readonly blockGasLimit: bigint;
  /** Whether the recipient has code. A recipient without code gets an entry too. */
  readonly toContract: boolean;
}

/** Virtual gas that an account gains per second, as a fraction of the block gas limit. */
const refillPerSecond = 0.9;
/** The maximum balance, in seconds of refill. */
const maxSeconds = 2000;

export interface Entry {
  timestamp: number;
  availableVirtualGas: number;
}

export type AccountQuota = ReturnType<typeof createAccountQuota>;

/**
 * The node's rate limit for one sender. Each account has a balance of virtual gas that refills over time; a transaction
 * that becomes pending is charged against it. The constants are the node's own.
 */
export function createAccountQuota(now: () => number) {
  const entries = new Map<Address, Entry>();

  /** Refills an account's entry up to now. A new entry is full for a sender with earlier transactions, else one second's worth. */
  function refresh(address: Address, perSecond: number, isKnownSender: boolean): Entry {
    const max = perSecond * maxSeconds;
    const timestamp = now();
    const entry = entries.get(address) ?? { timestamp, availableVirtualGas: isKnownSender ? max : perSecond };
    const gained = ((timestamp - entry.timestamp) / 1000) * perSecond;
    entry.availableVirtualGas = Math.min(max, entry.availableVirtualGas + gained);
    entry.timestamp = timestamp;
    entries.set(address, entry);
    return entry;
  }

  return {
    /** Forgets all accounts, as a restart of the node does. */
    clear: () => entries.clear(),
    /** Whether the account has an entry. */
    knows: (address: Address) => entries.has(address),
    /** The entry as of its last update, for `debug_accountTransactionQuota`; null for an unknown account. */
    find: (address: Address): Readonly<Entry> | null => entries.get(address) ?? null,
    /** Charges a transaction to its sender; false when the sender has too little virtual gas. */
    accept(request: QuotaRequest): boolean {
      const { transaction, nextNonce, blockGasLimit, toContract } = request;
      const perSecond = Math.round(Number(blockGasLimit) * refillPerSecond);
      const isFirst = !entries.has(transaction.from) && nextNonce === 0n && transaction.nonce === 0n;
      const quota = refresh(transaction.from, perSecond, nextNonce > 0n);
      if (transaction.to !== null && !toContract) refresh(transaction.to, perSecond, false);
      const cost = virtualGas(request);
      if (quota.availableVirtualGas < cost) {
        if (isFirst) quota.availableVirtualGas = 0;
        return isFirst;
      }
      quota.availableVirtualGas -= cost;
      return true;
    },
  };
}

/**
 * The charge for a transaction: its gas limit, multiplied by factors for a new account, a nonce gap, its size, a
 * replacement, and its share of the block gas limit.
 */
function virtualGas({ transaction, replaced, nextNonce, blockGasLimit }: QuotaRequest): number {
  const gas = Number(transaction.gas);
  const gap = transaction.nonce === nextNonce ? 1 : 2;
  const newAccount = 1 + 4 / (Number(nextNonce) + 1);
  const size = 1 + transaction.size / 25_000;
  const ratio = replaced ? Number(transaction.gasPrice) / Number(replaced.gasPrice) : 0;
  const replacement = ratio > 0 ? 1 + 1 / ratio : 1;
  const share = 1 + (4 * gas) / Number(blockGasLimit);
  return gas * gap * newAccount * size * replacement * share;
}
