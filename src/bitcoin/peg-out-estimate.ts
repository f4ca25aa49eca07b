import { withTimeout } from '../async/cancellation.js';
import { wordOf } from '../rpc/hex.js';
import { batchInterval, bridge, minRelease } from '../rpc/known-contracts.js';
import { checkQuantity } from '../rpc/results.js';
import type { Hex } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import { type BitcoinNetwork, dustOf, toSatoshis } from './network.js';
import { maxSatoshis } from './transaction.js';

/** The outcome of a payment to the bridge, as far as it can be known before. */
export interface PegOutEstimate {
  /** Satoshis that are asked for: the value, rounded down. */
  readonly amount: bigint;
  /** wei that are lost, because they are less than a satoshi. */
  readonly dust: bigint;
  /** Minimum that the bridge takes, satoshis. */
  readonly minimum: bigint;
  /**
   * Fee of the next batch's whole Bitcoin transaction, satoshis, as the bridge estimates it: the peg-out bears its share, so about as
   * much or less. `undefined` if the bridge gave no estimate, or one above the amount.
   */
  readonly fee: bigint | undefined;
  /** Height from which the bridge makes the next batch. `undefined` if it gave none. */
  readonly nextBatch: number | undefined;
  /** Blocks between a batch and its confirmation, after which the bridge signs. */
  readonly confirmations: number;
  /** Blocks from now until the bridge signs, if it puts no batch off. `undefined` if the next batch is not known. */
  readonly blocksLeft: number | undefined;
  /**
   * - `enough`: nothing known speaks against it.
   * - `too-little`: the amount is below the minimum. The bridge pays it back, and the transaction's fee is lost.
   * - `near-fee`: the bridge may refuse it, and pay it back, because the fee is high for the amount.
   * - `unknown`: above the minimum, but there is no estimate of the fee.
   */
  readonly verdict: 'enough' | 'too-little' | 'near-fee' | 'unknown';
}

/** `getEstimatedFeesForPegOutAmount(uint256)`, wei to satoshis, since RSKIP-540. It fails below the minimum. */
const feesForAmount = '0xd2b712f4';
/** `getEstimatedFeesForNextPegOutEvent()`, satoshis. */
const feesForNextBatch = '0x7817d854';
/** `getNextPegoutCreationBlockNumber()` */
const nextBatchHeight = '0xe34f834f';

/**
 * The bridge refuses an amount by the fee of a transaction with two inputs, which it does not tell. It estimates the fee of the next
 * batch, with as many inputs as that needs: of one large input about half as much.
 */
const inputsInEstimate = 2n;

/**
 * Estimates a peg-out in three or four requests. An answer of the bridge that is missing, zero or impossible is `undefined`.
 *
 * @param value wei
 * @param timeout milliseconds for which each answer is waited for
 */
export async function estimatePegOut(
  service: Service,
  { confirmations, feeMargin }: BitcoinNetwork,
  value: bigint,
  timeout = 10_000,
): Promise<PegOutEstimate> {
  const { chainId } = service.network;
  const amount = toSatoshis(value);
  const minimum = toSatoshis(minRelease(chainId));
  const isEnough = amount >= minimum;
  const readFee = async (): Promise<bigint | undefined> => {
    const ofAmount = isEnough
      ? await readWord(service, `${feesForAmount}${wordOf(value)}`, maxSatoshis)
      : undefined;
    return ofAmount ?? readWord(service, feesForNextBatch, maxSatoshis);
  };
  const readHeight = () => readWord(service, nextBatchHeight, BigInt(Number.MAX_SAFE_INTEGER));
  const readHead = async () => Number(await service.request('eth_blockNumber', [], { check: checkQuantity }));
  const [fee, height, head] = await Promise.all([
    withTimeout(timeout, readFee),
    withTimeout(timeout, readHeight),
    withTimeout(timeout, readHead),
  ]);
  const nextBatch = height === undefined ? undefined : Number(height);
  const wait = nextBatch === undefined || head === undefined ? undefined : Math.max(nextBatch - head, 0);
  const verdict = () => {
    if (!isEnough) return 'too-little';
    if (fee === undefined) return 'unknown';
    return 100n * amount < inputsInEstimate * BigInt(100 + feeMargin) * fee ? 'near-fee' : 'enough';
  };
  return {
    amount,
    dust: dustOf(value),
    minimum,
    fee: fee !== undefined && fee < amount ? fee : undefined,
    nextBatch,
    confirmations,
    blocksLeft: wait === undefined || wait > 2 * batchInterval(chainId) ? undefined : wait + confirmations,
    verdict: verdict(),
  };
}

/** A number that the bridge answers, from 1 to `max`; `undefined` for any other answer and for none. */
async function readWord(service: Service, data: Hex, max: bigint): Promise<bigint | undefined> {
  try {
    const answer = await service.request('eth_call', [{ to: bridge, data }, 'latest']);
    if (typeof answer !== 'string' || !/^0x[0-9a-f]{64}$/i.test(answer)) return undefined;
    const number = BigInt(answer);
    return number > 0n && number <= max ? number : undefined;
  } catch {
    // The bridge of this node has no such function, or cannot be asked at the moment.
    return undefined;
  }
}
