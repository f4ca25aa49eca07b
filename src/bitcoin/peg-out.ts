import { bytesToHex } from '../rpc/hex.js';
import type { Address, Hash, Hex, Log } from '../rpc/schema.js';
import { addressOfHash, scriptOfHash } from './address.js';
import {
  type BatchEvent,
  isConfirmation,
  readBatch,
  readReceived,
  readRejected,
  readRelease,
} from './bridge-events.js';
import { type BitcoinNetwork, toSatoshis } from './network.js';
import type { BitcoinOutput } from './transaction.js';

/** A payment to the bridge, which pays bitcoin to the address of the same key, and how far that has come. */
export interface PegOut {
  /** The transaction that paid the bridge. */
  readonly hash: Hash;
  /** The account that paid. */
  readonly from: Address;
  /** Satoshis that were asked for: what was paid, rounded down. The fee of the Bitcoin transaction is taken from it. */
  readonly amount: bigint;
  /** The Bitcoin address of the account's key. */
  readonly bitcoinAddress: string;
  /** When the payment was signed, milliseconds since 1970. */
  readonly createdAt: number;
  /**
   * - `unknown`: the chain could not be read, and had not been before.
   * - `sent`: the payment is in no block yet.
   * - `waiting`: the bridge has taken it, and makes no Bitcoin transaction before its next batch.
   * - `batched`: it is in a batch, which waits for its confirmation at {@link confirmedFrom}.
   * - `confirmed`: the signers of the bridge sign the Bitcoin transaction.
   * - `paid`: the signers have signed the Bitcoin transaction and published it. Bitcoin may still have to take it into a block.
   * - `refused`: the bridge has refused it.
   */
  readonly stage: 'unknown' | 'sent' | 'waiting' | 'batched' | 'confirmed' | 'paid' | 'refused';
  /** Height of the block with the payment; absent while it is `sent`. */
  readonly block?: number;
  /** Height of the block that made its batch; from `batched` on. */
  readonly batchBlock?: number;
  /** The first height at which the bridge confirms the batch; from `batched` on. The bridge may be some blocks late. */
  readonly confirmedFrom?: number;
  /** Blocks until that height; where it is `batched`. */
  readonly blocksLeft?: number;
  /** Id of the Bitcoin transaction, 64 hexadecimal digits; where it is `paid`. */
  readonly txid?: string;
  /**
   * Satoshis that the Bitcoin transaction pays to the account's address for this peg-out; where it is `paid`. Absent if none of its
   * outputs, or more than one, can be meant.
   */
  readonly received?: bigint;
  /**
   * Why it is `refused`: the amount is below the minimum, the sender was a contract, or the fee is too high for the amount.
   */
  readonly refusal?: 'too-little' | 'contract' | 'fee';
  /** Whether the bridge has paid the amount back; where it is `refused`. A contract gets nothing back. */
  readonly isPaidBack?: boolean;
}

/** A payment of the wallet to the bridge, as the signed bytes have it. */
export interface BridgePayment {
  readonly hash: Hash;
  readonly from: Address;
  /** wei */
  readonly value: bigint;
  /** HASH160 of the compressed public key, 20 bytes. */
  readonly keyHash: Uint8Array;
  readonly createdAt: number;
}

/** The peg-out of a payment that is in no block yet. */
export const sentPegOut = (
  { hash, from, value, keyHash, createdAt }: BridgePayment,
  network: BitcoinNetwork,
): PegOut => ({
  hash,
  from,
  amount: toSatoshis(value),
  bitcoinAddress: addressOfHash(keyHash, network),
  createdAt,
  stage: 'sent',
});

/**
 * How the bridge has answered a payment, by the logs of its transaction. `null` unless exactly one log is about this account, its
 * address and the amount.
 */
export function startPegOut(
  payment: BridgePayment,
  logs: readonly Log[],
  network: BitcoinNetwork,
): PegOut | null {
  const sent = sentPegOut(payment, network);
  const isOwn = (event: { readonly sender: Address; readonly amount: bigint }): boolean =>
    event.sender === payment.from && event.amount === sent.amount;
  const own = logs.filter(({ transactionHash }) => transactionHash?.toLowerCase() === payment.hash);
  const answers = own.flatMap((log): PegOut[] => {
    const block = Number(log.blockNumber);
    const received = readReceived(log, network);
    if (received && isOwn(received))
      return isDestination(received.destination, payment, sent) ? [{ ...sent, stage: 'waiting', block }] : [];
    const rejected = readRejected(log, network);
    if (!rejected || !isOwn(rejected)) return [];
    const refusal = ({ 1: 'too-little', 2: 'contract', 3: 'fee' } as const)[rejected.reason];
    return [{ ...sent, stage: 'refused', block, refusal, isPaidBack: refusal !== 'contract' }];
  });
  return answers.length === 1 ? (answers[0] as PegOut) : null;
}

/** Whether the bridge has named the account's own address, by its characters or by its hash. */
const isDestination = (destination: Hex, { keyHash }: BridgePayment, { bitcoinAddress }: PegOut): boolean =>
  destination === bytesToHex(keyHash) || destination === bytesToHex(new TextEncoder().encode(bitcoinAddress));

/** The batch with the payment among the logs; `undefined` if it is in none of them. */
export function findBatch(hash: Hash, logs: readonly Log[]): BatchEvent | undefined {
  return logs.flatMap((log) => readBatch(log) ?? []).find(({ requests }) => requests.includes(hash));
}

/** The peg-out in its batch, which waits for its confirmation. @param head height of the newest block */
export function batchedPegOut(
  waiting: PegOut,
  batch: BatchEvent,
  { confirmations }: BitcoinNetwork,
  head: number,
): PegOut {
  const confirmedFrom = batch.block + confirmations;
  const blocksLeft = Math.max(confirmedFrom - head, 0);
  return { ...waiting, stage: 'batched', batchBlock: batch.block, confirmedFrom, blocksLeft };
}

/** The peg-out whose batch is confirmed, and waits for signatures. */
export const confirmedPegOut = ({ blocksLeft: _, ...batched }: PegOut): PegOut => ({
  ...batched,
  stage: 'confirmed',
});

/** The peg-out after the logs that confirm and release its batch, as far as these are among the logs. */
export function settlePegOut(
  batched: PegOut,
  batch: BatchEvent,
  { keyHash }: BridgePayment,
  logs: readonly Log[],
): PegOut {
  const [released] = logs.flatMap((log) => readRelease(log, batch) ?? []);
  if (released) {
    const received = findOutput(batched, batch, scriptOfHash(keyHash), released.outputs);
    return {
      ...confirmedPegOut(batched),
      stage: 'paid',
      txid: released.id,
      ...(received !== undefined && { received }),
    };
  }
  return logs.some((log) => isConfirmation(log, batch)) ? confirmedPegOut(batched) : batched;
}

/**
 * Amount of the output that pays a request. The bridge adds the outputs in the order of the batch's requests (rskj,
 * ReleaseTransactionBuilder), which tells two requests of one account apart.
 */
function findOutput(
  { hash, amount }: PegOut,
  { requests }: BatchEvent,
  script: string,
  outputs: readonly BitcoinOutput[],
): bigint | undefined {
  const isOwn = (output: BitcoinOutput | undefined): output is BitcoinOutput =>
    output?.script === script && output.amount <= amount;
  const inPlace = outputs[requests.indexOf(hash)];
  if (isOwn(inPlace)) return inPlace.amount;
  const candidates = outputs.filter(isOwn);
  return candidates.length === 1 ? candidates[0]?.amount : undefined;
}
