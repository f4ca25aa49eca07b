import { canonicalReceipt } from '../../rpc/canonical.js';
import { toQuantity } from '../../rpc/hex.js';
import { own } from '../../rpc/own.js';
import { isLogs, isQuantityResult, isReceiptOf } from '../../rpc/results.js';
import type { Address, Hash, Hex, Receipt } from '../../rpc/schema.js';
import type { Service } from '../../service/service.js';
import { isMined, isOpen, type JournalEntry } from '../journal-entry.js';
import type { Batch } from './batch-store.js';

/** `wallet_getCallsStatus` (EIP-5792). */
export interface CallsStatus {
  readonly version: '2.0.0';
  readonly id: string;
  readonly chainId: Hex;
  /** 100 pending, 200 all succeeded, 400 nothing was or will be included, 500 all reverted, 600 some failed. */
  readonly status: 100 | 200 | 400 | 500 | 600;
  /** Each call is a transaction of its own. */
  readonly atomic: false;
  /** Of what is included so far, reverted ones too, in that order. */
  readonly receipts: readonly CallsReceipt[];
}

export interface CallsReceipt {
  readonly logs: readonly {
    readonly address: Address;
    readonly data: Hex;
    readonly topics: readonly Hash[];
  }[];
  readonly status: '0x0' | '0x1';
  readonly blockHash: Hash;
  readonly blockNumber: Hex;
  readonly gasUsed: Hex;
  readonly transactionHash: Hash;
}

/** What became of one call. `dropped`: it is not included, and nobody will offer it again. */
export type Fate =
  | { readonly state: 'pending' | 'dropped' }
  | { readonly state: 'succeeded' | 'reverted'; readonly receipt: Receipt };

/**
 * Asks the chain what became of each call: a receipt that a reorganisation took back is none. Nonces are mined
 * in order, so nothing is asked about calls behind one that is still waiting.
 */
export async function fatesOf(
  batch: Batch,
  journaled: readonly JournalEntry[],
  service: Service,
  signal?: AbortSignal,
): Promise<readonly Fate[]> {
  const fates: Fate[] = [];
  let waiting = false;
  for (const { hash } of batch.calls) {
    const entry = journaled.find((each) => each.hash === hash);
    const mayCome = entry !== undefined && (isOpen(entry) || isMined(entry));
    const receipt = waiting ? null : await receiptOf(service, hash, signal);
    if (receipt === null) {
      waiting ||= mayCome;
      fates.push({ state: mayCome ? 'pending' : 'dropped' });
    } else fates.push({ state: isReverted(receipt) ? 'reverted' : 'succeeded', receipt });
  }
  return fates;
}

export function callsStatus({ id, chainId }: Batch, fates: readonly Fate[]): CallsStatus {
  const receipts = fates.flatMap((fate) => {
    const { receipt } = own(fate as { readonly receipt?: Receipt });
    return receipt ? [shorten(receipt)] : [];
  });
  return {
    version: '2.0.0',
    id,
    chainId: toQuantity(chainId),
    status: codeOf(fates),
    atomic: false,
    receipts,
  };
}

/** A batch of which a part is still waiting is pending, whatever has happened to the rest. */
function codeOf(fates: readonly Fate[]): CallsStatus['status'] {
  const has = (state: Fate['state']) => fates.some((fate) => fate.state === state);
  if (has('pending')) return 100;
  if (!has('succeeded')) return has('reverted') ? 500 : 400;
  return has('reverted') || has('dropped') ? 600 : 200;
}

async function receiptOf(service: Service, hash: Hash, signal?: AbortSignal): Promise<Receipt | null> {
  const params = [hash] as const;
  const receipt = (await service.request('eth_getTransactionReceipt', params, {
    check: (result) => {
      isReceiptOf(result, params);
      if (result === null) return;
      isLogs((result as Receipt).logs, undefined);
      isQuantityResult((result as Receipt).gasUsed, undefined);
    },
    ...(signal && { signal }),
  })) as Receipt | null;
  return receipt && canonicalReceipt(receipt);
}

/** With `root` in place of `status` (docs/notes/service.md#transaction-receipt-object) it is not known; libraries take only `0x0` for a failure. */
const isReverted = ({ status }: Receipt): boolean => status === '0x0';

/** The fields of the EIP, and no more. */
const shorten = (receipt: Receipt): CallsReceipt => ({
  logs: receipt.logs.map(({ address, data, topics }) => ({ address, data, topics })),
  status: isReverted(receipt) ? '0x0' : '0x1',
  blockHash: receipt.blockHash,
  blockNumber: receipt.blockNumber,
  gasUsed: receipt.gasUsed,
  transactionHash: receipt.transactionHash,
});
