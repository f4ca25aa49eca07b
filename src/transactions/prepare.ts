import { canonicalCode } from '../rpc/canonical.js';
import { revertReason, transactionRejected } from '../rpc/core-errors.js';
import { invalidParams, type ProviderRpcError } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import { checkCode, checkPreparable, checkQuantity } from '../rpc/results.js';
import type { Block, Hash, Hex } from '../rpc/schema.js';
import { formatUnits } from '../rpc/token-amount.js';
import type { UnsignedTransaction } from '../rpc/transaction.js';
import { isNodeFailure, reasonOf } from '../service/errors/errors.js';
import type { Network } from '../service/networks.js';
import type { Service } from '../service/service.js';
import {
  choosePrice,
  type GasPrices,
  gasLimit,
  gasPrices,
  intrinsicGas,
  maxGas,
  revertingGas,
} from './gas.js';
import { type MeasuredGas, unknownGas } from './measured-gas.js';
import { refineEstimate } from './refine-estimate.js';
import type { TransactionRequest } from './request.js';

/** Transaction counts of an account, as the service reports them. */
export interface Counts {
  /** In blocks. */
  readonly latest: Hex;
  /** In blocks and in the node's mempool. */
  readonly pending: Hex;
  /** When they were read, milliseconds since 1970. */
  readonly at: number;
}

/** A transaction without its nonce and signature, and what the service reports about it. */
export interface Prepared {
  readonly gas: Hex;
  readonly gasPrice: Hex;
  readonly counts: Counts;
  /** The transaction type and access list, empty for a legacy transaction. */
  readonly form: TypedForm;
  /** A recent block, which distinguishes this chain from another one with the same chain id. */
  readonly anchor: { readonly number: Hex; readonly hash: Hash };
  /** gas × gasPrice, wei. */
  readonly fee: Hex;
  /** value + fee, wei. */
  readonly total: Hex;
  /** wei */
  readonly balance: Hex;
  /** wei per gas */
  readonly minimumGasPrice: Hex;
  /** The prices that the person can choose from. */
  readonly prices: GasPrices;
  readonly simulation: Simulation;
  /** The page's own values that were changed because the network would not accept them. */
  readonly adjusted: { readonly gasPrice: Hex | undefined; readonly gas: Hex | undefined };
  /** Whether the page left the gas to the wallet, or named no more than it would choose. */
  readonly isGasOurs: boolean;
  /** The newest block. */
  readonly head: Block;
  /** Whether the gas limit is the maximum because the gas could not be measured. */
  readonly isGasUnknown: boolean;
  /** Whether the recipient has code; `null` if that was not read (no data, or a contract creation). */
  readonly recipientHasCode: boolean | null;
}

export type TypedForm = Pick<UnsignedTransaction, 'transactionType' | 'accessList'>;

export type Simulation =
  | { readonly outcome: 'succeeds' }
  | { readonly outcome: 'reverts'; readonly reason: string }
  | { readonly outcome: 'unavailable' };

/**
 * Completes a transaction. All reads run in parallel, so that the dialog opens after one round trip; the gas of a call that
 * creates a contract needs another one. A dry run accompanies the gas estimate, because the service returns an estimate even for a call that fails
 * (docs/notes/service.md#methods-with-full-parameter-and-result-shape).
 *
 * @param at milliseconds since 1970
 * @throws ProviderRpcError -32003 for a price that the chain would refuse; -32602 for a gas limit above the block's; 4901 if the endpoint serves another chain; -32603 for an unreasonable suggested price
 */
export async function prepare(
  service: Service,
  given: TransactionRequest,
  at: number,
  signal?: AbortSignal,
): Promise<Prepared> {
  const request = own(given);
  const { from, to, value, data, accessList } = request;
  const call = own({
    from,
    ...(to !== null && { to }),
    value,
    ...(data !== '0x' && { data }),
    ...(accessList && { accessList }),
  });
  const read = (method: string, params: readonly unknown[], check?: (result: unknown) => void) =>
    service.request(method, params, { check, signal });
  const quantity = (method: string, params: readonly unknown[]) =>
    readQuantity(service, method, params, signal);

  /** The refusal of an estimate for want of funds, which the wallet reports itself. */
  let unfunded: unknown;
  // Also if the page sets the gas: only the estimate shows whether that suffices.
  const onFailedEstimate = (error: unknown) => {
    if (reasonOf(error) === 'insufficient-funds') unfunded = error;
    else if (isNodeFailure(error)) return 'failed';
    else if (request.gas === undefined) throw error;
    return null;
  };
  const [, suggested, block, balance, latest, pending, first, simulation, code] = await Promise.all([
    service.verifyChain(),
    quantity('eth_gasPrice', []),
    readHead(service, signal),
    quantity('eth_getBalance', [from, 'latest']),
    quantity('eth_getTransactionCount', [from, 'latest']),
    request.nonce === undefined ? quantity('eth_getTransactionCount', [from, 'pending']) : null,
    estimateGas(service, call, signal).catch(onFailedEstimate),
    simulate(read('eth_call', [call, 'latest'])),
    to === null || data === '0x'
      ? null
      : (read('eth_getCode', [to, 'latest'], checkCode) as Promise<Hex | null>),
  ]);

  // A node that is behind does not have coins that just came.
  let estimate = first;
  if (unfunded !== undefined && BigInt(balance) >= BigInt(value)) {
    unfunded = undefined;
    estimate = await estimateGas(service, call, signal).catch(onFailedEstimate);
  }

  const form = formOf(request, block);
  const minimum = BigInt(block.minimumGasPrice ?? '0x0');
  const price = choosePrice(request, BigInt(suggested), minimum);
  const isTooLittle = request.gas !== undefined && BigInt(request.gas) < intrinsicGas(request);
  const limit = maxGas(block.gasLimit);
  const measured = await measure();
  const isOwnGas = request.gas === undefined || isTooLittle;
  const ownGas = gasLimit(request, measured?.gas ?? null, service.network.chainId, limit);
  const gas = isOwnGas ? ownGas : (request.gas as Hex);
  if (BigInt(gas) > BigInt(block.gasLimit))
    throw invalidParams(`gas: ${BigInt(gas)} is above the block gas limit of ${BigInt(block.gasLimit)}`);

  const fee = BigInt(gas) * price;
  const total = fee + BigInt(value);
  if (unfunded !== undefined && request.gas === undefined && BigInt(balance) >= total) throw unfunded;
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
    prices: gasPrices(BigInt(suggested), minimum),
    simulation: withGas(simulation, gas, measured, to === null),
    adjusted: {
      gasPrice: isClamped ? request.gasPrice : undefined,
      gas: isTooLittle ? request.gas : undefined,
    },
    isGasOurs: BigInt(gas) <= BigInt(ownGas) && measured?.kind !== 'unknown',
    head: block,
    isGasUnknown: isOwnGas && measured?.kind === 'unknown' && simulation.outcome !== 'reverts',
    recipientHasCode: code === null ? null : canonicalCode(code).length > 2,
  };

  async function measure(): Promise<MeasuredGas | null> {
    if (estimate === 'failed') return simulation.outcome === 'succeeds' ? unknownGas : null;
    return estimate && refineEstimate(service, call, estimate, { limit, signal });
  }
}

/**
 * The form in which the transaction is signed. Types 1 and 2 are signed as legacy transactions with the same meaning,
 * until the chain's blocks have a base fee, be it zero (RSKIP-546); then they are signed as requested.
 *
 * @throws ProviderRpcError -32602 for an access list on a chain without typed transactions
 */
function formOf({ transactionType, accessList }: TransactionRequest, block: Block): TypedForm {
  if (hasTypedTransactions(block))
    return own({ ...(transactionType && { transactionType }), ...(accessList && { accessList }) });
  if (accessList) throw invalidParams('accessList: the chain has no access lists; leave it out or empty');
  return own({});
}

/** Whether the chain accepts transactions of types 1 and 2: its blocks have a base fee then. */
export const hasTypedTransactions = (block: Block): boolean => typeof own(block).baseFeePerGas === 'string';

/** The parent of the head, since a reorg seldom removes more than the head. */
const anchorOf = ({ number, hash, parentHash }: Block): Prepared['anchor'] =>
  BigInt(number as Hex) === 0n
    ? { number: '0x0', hash: hash as Hash }
    : { number: toQuantity(BigInt(number as Hex) - 1n), hash: parentHash };

/**
 * Reads an estimate. The call must not have `gas`: the node would return a limit that is too small as its estimate
 * (docs/notes/node.md#gas-estimates).
 */
export async function estimateGas(service: Service, call: object, signal?: AbortSignal): Promise<Hex> {
  try {
    return await readQuantity(service, 'eth_estimateGas', [call, 'latest'], signal);
  } catch (error) {
    // The node returns an error for a call that reverts; its reason comes from the dry run.
    if (revertReason(error) !== undefined) return toQuantity(revertingGas);
    throw error;
  }
}

/** Reads a QUANTITY from the service. @throws ProviderRpcError as the service's request */
export const readQuantity = (
  service: Service,
  method: string,
  params: readonly unknown[],
  signal?: AbortSignal,
): Promise<Hex> => service.request(method, params, { check: checkQuantity, signal }) as Promise<Hex>;

/** The head that transactions are prepared on. */
export const readHead = (service: Service, signal?: AbortSignal): Promise<Block> =>
  service.request('eth_getBlockByNumber', ['latest', false], {
    check: checkPreparable,
    signal,
  }) as Promise<Block>;

/**
 * The error for a balance that does not cover the total, both wei. It begins with the node's words, which libraries
 * recognise, and says what is missing and what to do.
 */
export function insufficientFunds({ currency }: Network, balance: Hex, total: bigint): ProviderRpcError {
  const coins = (wei: bigint) => `${formatUnits(wei, currency.decimals)} ${currency.symbol}`;
  const shortfall = total - BigInt(balance);
  return transactionRejected(
    `insufficient funds for gas * price + value: receive more coins first, or send less. The balance is ${coins(BigInt(balance))}, at most ${coins(total)} are needed: ${coins(shortfall)} are missing.`,
    { balance, required: toQuantity(total), shortfall: toQuantity(shortfall) },
  );
}

/**
 * Adds out-of-gas failures to the simulation. The dry run has all gas available and returns `0x` when that runs out, so
 * only the measured gas shows it.
 */
function withGas(
  simulation: Simulation,
  gas: Hex,
  measured: MeasuredGas | null,
  isDeployment: boolean,
): Simulation {
  if (measured === null || simulation.outcome === 'reverts') return simulation;
  if (measured.kind === 'uses-all')
    return { outcome: 'reverts', reason: isDeployment ? deploymentUsesAll : usesAll };
  if (BigInt(gas) < measured.minimum)
    return { outcome: 'reverts', reason: `out of gas: ${BigInt(gas)} is not enough` };
  return simulation;
}

const usesAll = 'it uses up all gas: an invalid instruction or an endless loop';
const deploymentUsesAll =
  'it uses up all gas: an invalid instruction, an endless loop, or a contract of more than 24,576 bytes';

async function simulate(run: Promise<unknown>): Promise<Simulation> {
  try {
    await run;
    return { outcome: 'succeeds' };
  } catch (error) {
    const reason = revertReason(error);
    return reason === undefined ? { outcome: 'unavailable' } : { outcome: 'reverts', reason };
  }
}

/** Whether a price is not below the head's minimum; true if the head cannot be read. */
export async function isPriceTaken(service: Service, gasPrice: Hex): Promise<boolean> {
  const minimum = await readHead(service).then(
    (block) => block.minimumGasPrice ?? '0x0',
    () => '0x0',
  );
  return BigInt(gasPrice) >= BigInt(minimum);
}
