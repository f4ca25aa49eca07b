import type { PriceChoices } from '../../approvals/question.js';
import { toQuantity } from '../../rpc/hex.js';
import type { Hex } from '../../rpc/schema.js';
import type { Service } from '../../service/service.js';
import { maxGas, priceChoices, withinRange } from '../gas.js';
import { type Prepared, prepare, readHead } from '../prepare.js';
import type { TransactionRequest } from '../request.js';

/** The calls of a batch as they would be signed, and the sum of their costs. */
export interface PreparedCalls {
  readonly calls: readonly Prepared[];
  /** Sum of the fees, wei. */
  readonly fee: Hex;
  /** Sum of the fees and values, wei. */
  readonly total: Hex;
  /** The prices that the balance covers for all calls together; absent where it does not cover the usual one. */
  readonly choices?: PriceChoices | undefined;
}

/**
 * Gas limit for a call that cannot be simulated because it needs the effect of an earlier one. It is more than most
 * contract calls use; unused gas is not paid.
 */
const unsimulatedGas = 1_000_000n;
const plainPayment = 21_000n;

/**
 * Completes every call like a single transaction, in one round trip (equal reads share one request). Calls after the
 * first are simulated without the effects of the earlier ones: a failure there proves nothing, and the gas estimate of
 * a success gets a larger margin.
 *
 * @param at milliseconds since 1970
 * @throws ProviderRpcError as `prepare`
 */
export async function prepareCalls(
  service: Service,
  requests: readonly TransactionRequest[],
  at: number,
  signal?: AbortSignal,
): Promise<PreparedCalls> {
  const [head, ...each] = await Promise.all([
    readHead(service, signal),
    ...requests.map((request) => prepare(service, request, at, signal)),
  ]);
  const limit = maxGas(head.gasLimit);
  const calls = each.map((prepared, index) =>
    index === 0 ? prepared : withoutSimulation(prepared, requests[index] as TransactionRequest, limit),
  );
  const sum = (field: 'gas' | 'fee' | 'total') => calls.reduce((all, call) => all + BigInt(call[field]), 0n);
  const [gas, fee, total] = [sum('gas'), sum('fee'), sum('total')];
  const { balance, prices } = calls[0] as Prepared;
  const affordable = (BigInt(balance) - (total - fee)) / gas;
  return {
    calls,
    fee: toQuantity(fee),
    total: toQuantity(total),
    choices:
      total <= BigInt(balance)
        ? priceChoices(withinRange(prices, { minimum: 0n, maximum: affordable }), gas)
        : undefined,
  };
}

/** Raises the gas limit and drops the claim of a revert, since the simulation ran without the earlier calls. */
function withoutSimulation(prepared: Prepared, { value }: TransactionRequest, limit: bigint): Prepared {
  const { simulation } = prepared;
  const estimate = BigInt(prepared.gas);
  if (estimate === plainPayment) return prepared;
  const wide = (estimate * 5n) / 4n;
  const wanted = simulation.outcome === 'succeeds' || wide > unsimulatedGas ? wide : unsimulatedGas;
  const gas = wanted < limit ? wanted : limit;
  const fee = gas * BigInt(prepared.gasPrice);
  return {
    ...prepared,
    gas: toQuantity(gas),
    fee: toQuantity(fee),
    total: toQuantity(fee + BigInt(value)),
    simulation: simulation.outcome === 'reverts' ? { outcome: 'unavailable' } : simulation,
  };
}
