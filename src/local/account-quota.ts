import type { Address } from '../rpc/schema.js';
import type { SignedTransaction } from './decode.js';

/**
 * The node's limit of what one account may send: every account has virtual gas, which time refills and each
 * transaction that becomes pending costs. The figures are the node's own.
 */
export interface AccountQuota {
  /** Takes the cost of a transaction off its sender's virtual gas; false when there is not enough. */
  accept(request: QuotaRequest): boolean;
  /** Forgets every account, as a restarted node does. */
  clear(): void;
  /** Whether the account is known already. */
  knows(address: Address): boolean;
  /** As `debug_accountTransactionQuota` shows it: as it stood when it was last used. */
  find(address: Address): { readonly timestamp: number; readonly availableVirtualGas: number } | null;
}

export interface QuotaRequest {
  readonly transaction: SignedTransaction;
  /** The pending transaction with the same nonce. */
  readonly replaced: SignedTransaction | undefined;
  /** The nonce after the sender's pending transactions. */
  readonly nextNonce: bigint;
  readonly blockGasLimit: bigint;
  /** Whether the receiver has code; such a receiver gets no quota. */
  readonly toContract: boolean;
}

/** The part of the block gas limit that an account gains each second. */
const refillPerSecond = 0.9;
/** Seconds of refill that an account may hold. */
const mostSeconds = 2000;

interface Entry {
  timestamp: number;
  availableVirtualGas: number;
}

export function createAccountQuota(now: () => number): AccountQuota {
  const entries = new Map<Address, Entry>();

  /** The account's quota as of now. A sender with a history begins with all it may hold. */
  function refresh(address: Address, perSecond: number, isKnownSender: boolean): Entry {
    const most = perSecond * mostSeconds;
    const timestamp = now();
    let entry = entries.get(address);
    if (entry === undefined) {
      entry = { timestamp, availableVirtualGas: isKnownSender ? most : perSecond };
      entries.set(address, entry);
      return entry;
    }
    const gained = ((timestamp - entry.timestamp) / 1000) * perSecond;
    entry.availableVirtualGas = Math.min(most, entry.availableVirtualGas + gained);
    entry.timestamp = timestamp;
    return entry;
  }

  return {
    clear: () => entries.clear(),
    knows: (address) => entries.has(address),
    find: (address) => entries.get(address) ?? null,
    accept: (request) => {
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

/** The gas limit times factors for a new account (five), a nonce gap, the size, a replacement and a high gas limit. */
function virtualGas({ transaction, replaced, nextNonce, blockGasLimit }: QuotaRequest): number {
  const gas = Number(transaction.gas);
  const gap = transaction.nonce === nextNonce ? 1 : 2;
  const newness = 1 + 4 / (Number(nextNonce) + 1);
  const size = 1 + transaction.size / 25_000;
  const ratio = replaced ? Number(transaction.gasPrice) / Number(replaced.gasPrice) : 0;
  const replacement = ratio > 0 ? 1 + 1 / ratio : 1;
  const share = 1 + (4 * gas) / Number(blockGasLimit);
  return gas * gap * newness * size * replacement * share;
}
