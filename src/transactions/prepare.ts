import { badReply, invalidParams, isProviderRpcError, transactionRejected } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import { isDataOrNull, isPreparable, isQuantityResult } from '../rpc/results.js';
import type { Block, Hex } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import type { TransactionRequest } from './request.js';

/** A transaction that lacks only its signature, and what the service says would happen. */
export interface Prepared {
  readonly gas: Hex;
  readonly gasPrice: Hex;
  /** The service's count for the sender, its pool included; or the page's own nonce. */
  readonly nonce: Hex;
  /** gas × gasPrice, wei. */
  readonly fee: Hex;
  /** value + fee, wei. */
  readonly total: Hex;
  readonly balance: Hex;
  readonly minimumGasPrice: Hex;
  readonly simulation: Simulation;
  /** Whether there is code at the recipient; `null` where nobody asked (no data, or a creation). */
  readonly recipientHasCode: boolean | null;
}

export type Simulation =
  | { readonly outcome: 'succeeds' }
  | { readonly outcome: 'reverts'; readonly reason: string }
  | { readonly outcome: 'unavailable' };

/** Nodes refuse a price above this many minimum prices (RSKIP-252). */
const priceCap = 80n;
/** Nonces an account may be ahead of its mined ones (node-facts §1.7). */
const nonceSlots = 16n;
/**
 * No price above this is believed or signed, whatever the block says: 1,000 gwei, some ten thousand times
 * what the network asks. A lying endpoint must not drain an account by its fee.
 */
const highestPrice = 1_000_000_000_000n;

/**
 * Completes a transaction with everything read in parallel: one round trip from the request to the dialog.
 * The dry run stands beside the estimate because the estimate does not fail (seed, Endpoints rule 1).
 *
 * @throws ProviderRpcError -32003 for what the chain would refuse (funds, nonce, price), -32602 for a gas
 * limit above the block's, 4901 when the endpoint serves another chain, -32603 for a price nobody should pay.
 */
export async function prepare(
  service: Service,
  request: TransactionRequest,
  signal?: AbortSignal,
): Promise<Prepared> {
  const { from, to, value, data } = request;
  const call = { from, ...(to !== null && { to }), value, ...(data !== '0x' && { data }) };
  const read = (method: string, params: readonly unknown[], check?: (result: unknown) => void) =>
    service.request(method, params, { ...(check && { check }), ...(signal && { signal }) });
  const quantity = (method: string, params: readonly unknown[]) =>
    read(method, params, (result) => isQuantityResult(result, undefined)) as Promise<Hex>;

  const [, suggested, block, balance, pending, mined, estimate, simulation, code] = await Promise.all([
    service.verifyChain(),
    quantity('eth_gasPrice', []),
    readHead(service, signal),
    quantity('eth_getBalance', [from, 'latest']),
    request.nonce === undefined ? quantity('eth_getTransactionCount', [from, 'pending']) : request.nonce,
    request.nonce === undefined ? null : quantity('eth_getTransactionCount', [from, 'latest']),
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

  const minimum = BigInt(block.minimumGasPrice ?? '0x0');
  const price = choosePrice(request, BigInt(suggested), minimum);
  const gas = request.gas ?? withMargin(BigInt(estimate as Hex), BigInt(block.gasLimit));
  if (BigInt(gas) > BigInt(block.gasLimit))
    throw invalidParams(`gas: ${BigInt(gas)} is above the block gas limit of ${BigInt(block.gasLimit)}`);
  if (mined !== null) checkNonce(BigInt(pending), BigInt(mined));

  const fee = BigInt(gas) * price;
  const total = fee + BigInt(value);
  requireFunds(balance, total);
  return {
    gas,
    gasPrice: toQuantity(price),
    nonce: pending,
    fee: toQuantity(fee),
    total: toQuantity(total),
    balance,
    minimumGasPrice: toQuantity(minimum),
    simulation: estimate === null ? simulation : withGas(simulation, request.gas, estimate, block),
    recipientHasCode: code === null ? null : code.length > 2,
  };
}

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

/** The price that is signed: the page's, or the service's suggestion within the page's bound. */
function choosePrice(request: TransactionRequest, suggested: bigint, minimum: bigint): bigint {
  const cap = minimum * priceCap;
  const offered = suggested > minimum ? suggested : minimum;
  if (request.gasPrice === undefined && (offered > highestPrice || (cap > 0n && offered > cap)))
    throw badReply('eth_gasPrice', `a gas price of ${offered} wei is not believable`);
  if (request.gasPrice !== undefined) {
    const price = BigInt(request.gasPrice);
    if (price < minimum)
      throw transactionRejected(
        `max fee per gas less than block base fee: the gas price of ${price} is below the block's minimum of ${minimum}`,
      );
    if ((cap > 0n && price > cap) || price > highestPrice)
      throw transactionRejected(
        `max fee per gas higher than the cap: the gas price of ${price} is over ${priceCap} times the block's minimum`,
      );
    return price;
  }
  if (request.maxFeePerGas === undefined) return offered;
  const bound = BigInt(request.maxFeePerGas);
  if (bound < minimum)
    throw transactionRejected(
      `max fee per gas less than block base fee: maxFeePerGas of ${bound} is below the block's minimum of ${minimum}`,
    );
  return bound < offered ? bound : offered;
}

/**
 * A call has all the gas there is, and answers `0x` when that runs out (node-facts §1.4): what the estimate says
 * of it. One above the page's own gas will run out; one of the whole budget has (§1.5).
 */
function withGas(
  simulation: Simulation,
  given: Hex | undefined,
  estimate: Hex,
  { gasLimit }: Block,
): Simulation {
  if (simulation.outcome !== 'succeeds') return simulation;
  if (given !== undefined && BigInt(given) < BigInt(estimate))
    return { outcome: 'reverts', reason: `out of gas: ${BigInt(given)} will not do` };
  return BigInt(estimate) < BigInt(gasLimit) ? simulation : { outcome: 'unavailable' };
}

/** Whether the chain still takes a price; yes where the service does not say. */
export async function isPriceTaken(service: Service, gasPrice: Hex): Promise<boolean> {
  const minimum = await readHead(service).then(
    (block) => block.minimumGasPrice ?? '0x0',
    () => '0x0',
  );
  return BigInt(gasPrice) >= BigInt(minimum);
}

function checkNonce(nonce: bigint, mined: bigint): void {
  if (nonce < mined)
    throw transactionRejected(`nonce too low: next nonce is ${mined}, transaction has ${nonce}`);
  if (nonce >= mined + nonceSlots)
    throw transactionRejected(
      `nonce too high: next nonce is ${mined}, the chain takes at most ${nonceSlots} ahead, transaction has ${nonce}`,
    );
}

/** A plain payment costs exactly its estimate; what runs code gets a fifth more, since state moves on. */
function withMargin(estimate: bigint, limit: bigint): Hex {
  const gas = estimate <= 21_000n ? 21_000n : (estimate * 6n) / 5n;
  return toQuantity(gas < limit ? gas : limit);
}

/** Never given a `gas` hint: the node echoes one that is too small (node-facts §1.5). */
async function estimateGas(
  quantity: (method: string, params: readonly unknown[]) => Promise<Hex>,
  call: object,
): Promise<Hex> {
  try {
    return await quantity('eth_estimateGas', [call, 'latest']);
  } catch (error) {
    // The node refuses a revert where the seed answers a number; the dry run tells the person why.
    if (isProviderRpcError(error) && error.code === 3) return toQuantity(revertingGas);
    throw error;
  }
}

/** Gas for a call that is known to revert and is sent all the same, when the service gives no number. */
const revertingGas = 100_000n;

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
