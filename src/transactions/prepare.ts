import { invalidParams, isProviderRpcError, transactionRejected } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import { isDataOrNull, isPreparable, isQuantityResult } from '../rpc/results.js';
import type { Block, Hash, Hex } from '../rpc/schema.js';
import type { UnsignedTransaction } from '../rpc/transaction.js';
import type { Service } from '../service/service.js';
import { estimateGas, intrinsicGas, withMargin } from './gas.js';
import { choosePrice } from './gas-price.js';
import type { Counts } from './nonces.js';
import type { TransactionRequest } from './request.js';

/** A transaction that lacks only its signature, and what the service says would happen. */
export interface Prepared {
  readonly gas: Hex;
  readonly gasPrice: Hex;
  readonly counts: Counts;
  /** How it is signed where it is not legacy. */
  readonly form: TypedForm;
  /** A block that this chain has and another one with the same id has not. */
  readonly anchor: { readonly number: Hex; readonly hash: Hash };
  /** gas × gasPrice, wei. */
  readonly fee: Hex;
  /** value + fee, wei. */
  readonly total: Hex;
  readonly balance: Hex;
  readonly minimumGasPrice: Hex;
  readonly simulation: Simulation;
  /** What the page asked for, where the network would not have taken it. */
  readonly adjusted: { readonly gasPrice?: Hex; readonly gas?: Hex };
  /** Whether there is code at the recipient; `null` where nobody asked (no data, or a creation). */
  readonly recipientHasCode: boolean | null;
}

export type TypedForm = Pick<UnsignedTransaction, 'transactionType' | 'accessList'>;

export type Simulation =
  | { readonly outcome: 'succeeds' }
  | { readonly outcome: 'reverts'; readonly reason: string }
  | { readonly outcome: 'unavailable' };

/**
 * Completes a transaction with everything read in parallel: one round trip from the request to the dialog.
 * The dry run stands beside the estimate because the estimate does not fail (docs/notes/service.md#methods-with-full-parameter-and-result-shape).
 *
 * @param at milliseconds since 1970
 * @throws ProviderRpcError -32003 for what the chain would refuse (funds, price), -32602 for a gas limit above the block's, 4901 when the endpoint serves another chain, -32603 for a price nobody should pay.
 */
export async function prepare(
  service: Service,
  asked: TransactionRequest,
  at: number,
  signal?: AbortSignal,
): Promise<Prepared> {
  const request = own(asked);
  const { from, to, value, data, accessList } = request;
  const call = own({
    from,
    ...(to !== null && { to }),
    value,
    ...(data !== '0x' && { data }),
    ...(accessList && { accessList }),
  });
  const read = (method: string, params: readonly unknown[], check?: (result: unknown) => void) =>
    service.request(method, params, { ...(check && { check }), ...(signal && { signal }) });
  const quantity = (method: string, params: readonly unknown[]) =>
    read(method, params, (result) => isQuantityResult(result, undefined)) as Promise<Hex>;

  const [, suggested, block, balance, latest, pending, estimate, simulation, code] = await Promise.all([
    service.verifyChain(),
    quantity('eth_gasPrice', []),
    readHead(service, signal),
    quantity('eth_getBalance', [from, 'latest']),
    quantity('eth_getTransactionCount', [from, 'latest']),
    request.nonce === undefined ? quantity('eth_getTransactionCount', [from, 'pending']) : null,
    // Also where the page names its gas: an estimate is all that tells whether that will do.
    estimateGas(quantity, call).catch((error: unknown) => {
      if (request.gas === undefined) throw error;
      return null;
    }),
    simulate(read('eth_call', [call, 'latest'])),
    to === null || data === '0x'
      ? null
      : (read('eth_getCode', [to, 'latest'], (result) =>
          isDataOrNull(result, undefined),
        ) as Promise<Hex | null>),
  ]);

  const form = formOf(request, block);
  const minimum = BigInt(block.minimumGasPrice ?? '0x0');
  const price = choosePrice(request, BigInt(suggested), minimum);
  const intrinsic = intrinsicGas(request);
  const isTooLittle = request.gas !== undefined && BigInt(request.gas) < intrinsic;
  const gas =
    request.gas === undefined || isTooLittle
      ? withMargin(
          estimate === null ? intrinsic : highest(BigInt(estimate), intrinsic),
          BigInt(block.gasLimit),
        )
      : request.gas;
  if (BigInt(gas) > BigInt(block.gasLimit))
    throw invalidParams(`gas: ${BigInt(gas)} is above the block gas limit of ${BigInt(block.gasLimit)}`);

  const fee = BigInt(gas) * price;
  const total = fee + BigInt(value);
  requireFunds(balance, total);
  const isClamped = request.gasPrice !== undefined && BigInt(request.gasPrice) !== price;
  return {
    gas,
    gasPrice: toQuantity(price),
    counts: { latest, pending: pending ?? latest, at },
    form,
    anchor: anchorOf(block),
    fee: toQuantity(fee),
    total: toQuantity(total),
    balance,
    minimumGasPrice: toQuantity(minimum),
    simulation: estimate === null ? simulation : withGas(simulation, gas, estimate, block),
    adjusted: own({
      ...(isClamped && { gasPrice: request.gasPrice as Hex }),
      ...(isTooLittle && { gas: request.gas as Hex }),
    }),
    recipientHasCode: code === null ? null : code.length > 2,
  };
}

/**
 * The chain knows only legacy transactions; the other forms mean the same there and are signed as legacy. The day its
 * blocks name a base fee (RSKIP-546, be it zero) they are signed as the page asks.
 *
 * @throws ProviderRpcError -32602 for an access list before that day
 */
function formOf({ transactionType, accessList }: TransactionRequest, block: Block): TypedForm {
  if (hasTypedTransactions(block))
    return own({ ...(transactionType && { transactionType }), ...(accessList && { accessList }) });
  if (accessList) throw invalidParams('accessList: the chain has no access lists; leave it out or empty');
  return own({});
}

/** Whether the chain takes transactions of types 1 and 2: its own blocks tell. */
export const hasTypedTransactions = (block: Block): boolean => typeof own(block).baseFeePerGas === 'string';

const highest = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** The parent of the head: heads of the same height come and go, their parents seldom. */
const anchorOf = ({ number, hash, parentHash }: Block): Prepared['anchor'] =>
  BigInt(number as Hex) === 0n
    ? { number: '0x0', hash: hash as Hash }
    : { number: toQuantity(BigInt(number as Hex) - 1n), hash: parentHash };

/** The head that transactions are prepared on. */
export const readHead = (service: Service, signal?: AbortSignal): Promise<Block> =>
  service.request('eth_getBlockByNumber', ['latest', false], {
    check: (result) => isPreparable(result, undefined),
    ...(signal && { signal }),
  }) as Promise<Block>;

/** @throws ProviderRpcError -32003 when the balance does not cover the total, both wei */
export function requireFunds(balance: Hex, total: bigint): void {
  if (BigInt(balance) < total)
    throw transactionRejected('insufficient funds for gas * price + value', {
      balance,
      required: toQuantity(total),
    });
}

/**
 * A call has all the gas there is, and answers `0x` when that runs out: only the estimate shows it. An estimate
 * above the gas that is signed will run out; one of all the gas that an estimate may use has met an invalid
 * instruction or an endless loop.
 */
function withGas(simulation: Simulation, gas: Hex, estimate: Hex, { gasLimit }: Block): Simulation {
  if (simulation.outcome === 'reverts') return simulation;
  if (BigInt(estimate) >= BigInt(gasLimit) || BigInt(estimate) === estimationCap)
    return { outcome: 'reverts', reason: 'it uses up all gas: an invalid instruction or an endless loop' };
  if (BigInt(gas) < BigInt(estimate))
    return { outcome: 'reverts', reason: `out of gas: ${BigInt(gas)} is not enough` };
  return simulation;
}

/** The node estimates with at most this much gas, and answers it for a call that uses all of it. */
const estimationCap = 6_800_000n;

async function simulate(run: Promise<unknown>): Promise<Simulation> {
  try {
    await run;
    return { outcome: 'succeeds' };
  } catch (error) {
    if (isProviderRpcError(error) && error.code === 3)
      return { outcome: 'reverts', reason: error.message.replace(/^execution reverted:? ?/, '') };
    return { outcome: 'unavailable' };
  }
}

/** Whether the chain still takes a price; yes where the service does not say. */
export async function isPriceTaken(service: Service, gasPrice: Hex): Promise<boolean> {
  const minimum = await readHead(service).then(
    (block) => block.minimumGasPrice ?? '0x0',
    () => '0x0',
  );
  return BigInt(gasPrice) >= BigInt(minimum);
}
