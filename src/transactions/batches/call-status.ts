import { canonicalReceipt } from '../../rpc/canonical.js';
import { toQuantity } from '../../rpc/hex.js';
import { own } from '../../rpc/own.js';
import { checkLogs, checkQuantity, checkReceiptOf } from '../../rpc/results.js';
import type { Address, Hash, Hex, Receipt } from '../../rpc/schema.js';
import type { Service } from '../../service/service.js';
import type { Journal } from '../journal.js';
import { isMined, isOpen } from '../journal-entry.js';
import type { Batch } from './batch-store.js';

/** Result of `wallet_getCallsStatus` (EIP-5792). */
export interface CallsStatus {
  readonly version: '2.0.0';
  readonly id: string;
  readonly chainId: Hex;
  /** 100 pending, 200 all succeeded, 400 none is or will be included, 500 all included ones reverted, 600 some failed. */
  readonly status: 100 | 200 | 400 | 500 | 600;
  /** Each call is a transaction of its own. */
  readonly atomic: false;
  /** Receipts of the transactions included so far, reverted ones too, in the order of the calls. */
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

/** State of one call. `dropped`: it is not included, and will not be sent again. */
export type CallStatus =
  | { readonly state: 'pending' | 'dropped' }
  | { readonly state: 'succeeded' | 'reverted'; readonly receipt: Receipt };

/**
 * Reads the status of each call from its receipt on the chain, so that a reorg is seen. Nonces are mined in order, so
 * no receipts are requested for the calls after a pending one.
 */
export async function readCallStatuses(
  batch: Batch,
  find: Journal['find'],
  service: Service,
  signal?: AbortSignal,
): Promise<readonly CallStatus[]> {
  const statuses: CallStatus[] = [];
  let hasPending = false;
  for (const { hash } of batch.calls) {
    const entry = await find(hash);
    const isPending = entry !== undefined && (isOpen(entry) || isMined(entry));
    const receipt = hasPending ? null : await receiptOf(service, hash, signal);
    if (receipt === null) {
      hasPending ||= isPending;
      statuses.push({ state: isPending ? 'pending' : 'dropped' });
    } else statuses.push({ state: isReverted(receipt) ? 'reverted' : 'succeeded', receipt });
  }
  return statuses;
}

export function callsStatus({ id, chainId }: Batch, statuses: readonly CallStatus[]): CallsStatus {
  const receipts = statuses.flatMap((status) => {
    const { receipt } = own(status as { readonly receipt?: Receipt });
    return receipt ? [shorten(receipt)] : [];
  });
  return {
    version: '2.0.0',
    id,
    chainId: toQuantity(chainId),
    status: codeOf(statuses),
    atomic: false,
    receipts,
  };
}

/** The batch is pending as long as one of its calls is. */
function codeOf(statuses: readonly CallStatus[]): CallsStatus['status'] {
  const has = (state: CallStatus['state']) => statuses.some((status) => status.state === state);
  if (has('pending')) return 100;
  if (!has('succeeded')) return has('reverted') ? 500 : 400;
  return has('reverted') || has('dropped') ? 600 : 200;
}

async function receiptOf(service: Service, hash: Hash, signal?: AbortSignal): Promise<Receipt | null> {
  const params = [hash] as const;
  const receipt = (await service.request('eth_getTransactionReceipt', params, {
    check: (result) => {
      checkReceiptOf(result, params);
      if (result === null) return;
      checkLogs((result as Receipt).logs);
      checkQuantity((result as Receipt).gasUsed);
    },
    signal,
  })) as Receipt | null;
  return receipt && canonicalReceipt(receipt);
}

/**
 * A receipt with `root` in place of `status` does not say whether the transaction succeeded, and counts as success, as
 * it does in libraries (docs/notes/service.md#transaction-receipt-object).
 */
const isReverted = ({ status }: Receipt): boolean => status === '0x0';

/** Only the fields that EIP-5792 defines. */
const shorten = (receipt: Receipt): CallsReceipt => ({
  logs: receipt.logs.map(({ address, data, topics }) => ({ address, data, topics })),
  status: isReverted(receipt) ? '0x0' : '0x1',
  blockHash: receipt.blockHash,
  blockNumber: receipt.blockNumber,
  gasUsed: receipt.gasUsed,
  transactionHash: receipt.transactionHash,
});
