import { toQuantity } from '../../rpc/hex.js';
import type { Hex } from '../../rpc/schema.js';
import type { Service } from '../../service/service.js';
import { type Prepared, prepare, readHead, requireFunds } from '../prepare.js';
import type { TransactionRequest } from '../request.js';

/** The calls of a batch as they would be signed, and what all of them cost together. */
export interface PreparedCalls {
  readonly calls: readonly Prepared[];
  /** Sum of the fees, wei. */
  readonly fee: Hex;
  /** Sum of the fees and values, wei. */
  readonly total: Hex;
}

/**
 * Gas for a call that cannot be tried out because it needs what an earlier one does: more than most contracts
 * take. What is not used is not paid.
 */
const untriedGas = 1_000_000n;
const plainPayment = 21_000n;

/**
 * Completes every call as a single transaction is completed, in one round trip (equal reads are shared). A call
 * behind others is tried out on a chain where they have not happened yet: that it fails there means nothing, and
 * that it succeeds says little of its gas.
 *
 * @param at milliseconds since 1970
 * @throws ProviderRpcError as `prepare`; -32003 when the balance does not cover all of them
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
  const limit = BigInt(head.gasLimit);
  const calls = each.map((prepared, index) =>
    index === 0 ? prepared : behindOthers(prepared, requests[index] as TransactionRequest, limit),
  );
  const sum = (field: 'fee' | 'total') => calls.reduce((all, call) => all + BigInt(call[field]), 0n);
  const [total, balance] = [sum('total'), calls[0]?.balance ?? '0x0'];
  requireFunds(balance, total);
  return { calls, fee: toQuantity(sum('fee')), total: toQuantity(total) };
}

function behindOthers(prepared: Prepared, { value }: TransactionRequest, limit: bigint): Prepared {
  const { simulation } = prepared;
  const estimate = BigInt(prepared.gas);
  if (estimate === plainPayment) return prepared;
  const wide = (estimate * 5n) / 4n;
  const wanted = simulation.outcome === 'succeeds' || wide > untriedGas ? wide : untriedGas;
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
