import { hexToBytes, toQuantity } from '../../../../src/rpc/hex.js';
import type { Hex } from '../../../../src/rpc/schema.js';
import type { Context } from './context.js';
import { EngineError } from './engine.js';
import { type Failure, internal, reverted } from './failure.js';
import { fieldText, readAddressField, readBytesField, readObject, readQuantityField } from './params.js';
import {
  type Frame,
  gasForAll,
  isEstimatedAtLimit,
  losesAllGas,
  withoutLostCreations,
} from './rootstock-frame.js';
import { zeroAddress } from './shapes.js';

/** The node's gas caps. A higher gas field is lowered to them without an error (docs/notes/node.md#calls). */
export const callGasCap = 10_000_000n;
export const estimateGasCap = 6_800_000n;

/** A call for the engine. Unknown keys are ignored, as by the node; `input` takes precedence over `data`. */
export interface Call {
  readonly from?: Hex | undefined;
  readonly to?: Hex | undefined;
  readonly gas: Hex;
  readonly gasPrice?: Hex | undefined;
  readonly value?: Hex | undefined;
  readonly data?: Hex | undefined;
}

export function readCall(value: unknown, gasCap: bigint): Call {
  const { from, to, gas, gasPrice, value: wei, data, input } = readObject(value);
  const optional = <T>(field: unknown, read: (field: unknown) => T) =>
    field === undefined || field === null ? undefined : read(field);
  const quantity = (field: unknown) => toQuantity(readQuantityField(field));
  // The node reads 32 bytes of gas as a number of bytes, which it cannot convert.
  if (/^0x[0-9a-fA-F]{64}$/.test(fieldText(gas))) throw internal();
  const gasLimit = optional(gas, readQuantityField) ?? gasCap;
  return {
    from: optional(from, readAddressField),
    to: optional(to, readAddressField),
    gas: toQuantity(gasLimit < gasCap ? gasLimit : gasCap),
    gasPrice: optional(gasPrice, quantity),
    value: optional(wei, quantity),
    data: optional(input ?? data, readBytesField),
  };
}

/** The outcome of an execution. `failed` is an error other than a revert. */
export type Outcome =
  | { readonly kind: 'returned'; readonly result: Hex }
  | { readonly kind: 'reverted'; readonly data: Hex }
  | { readonly kind: 'failed'; readonly reason: string };

/** A balance, in wei, that covers any call. */
const unlimitedBalance = toQuantity(2n ** 200n);
const senderOf = ({ from }: Call) => from ?? zeroAddress;

/** Executes a call without checking the sender's balance, as the node does (docs/notes/node.md#reverts). */
export async function run(
  method: 'eth_call' | 'eth_estimateGas',
  call: Call,
  selector: string,
  context: Context,
): Promise<Outcome> {
  const { engine } = context;
  const attempt = async (...overrides: unknown[]): Promise<Outcome> => {
    try {
      const result = (await engine.request(method, [call, selector, ...overrides])) as Hex;
      return { kind: 'returned', result };
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      if (error.code === 3) return { kind: 'reverted', data: (error.data as Hex | undefined) ?? '0x' };
      return { kind: 'failed', reason: error.message };
    }
  };
  const outcome = await attempt();
  const lacksFunds = outcome.kind === 'failed' && /insufficient funds|balance/i.test(outcome.reason);
  const funded = lacksFunds ? await attempt({ [senderOf(call)]: { balance: unlimitedBalance } }) : outcome;
  return correct(method, funded, call, selector, context);
}

const errorSelector = '0x08c379a0';

/**
 * The error for a revert, with or without a reason. The node fails to read a malformed `Error(string)`
 * (docs/notes/node.md#reverts).
 */
export function revertFailure(data: Hex): Failure {
  if (!data.startsWith(errorSelector)) return reverted('transaction reverted', data);
  const reason = reasonOf(data);
  return reason === null ? internal() : reverted(`revert ${reason}`, data);
}

/** The string in an `Error(string)` payload; null when it is malformed. */
function reasonOf(data: Hex): string | null {
  const bytes = hexToBytes(data).subarray(4);
  const word = (at: number) =>
    Number(BigInt(`0x${Buffer.from(bytes.subarray(at, at + 32)).toString('hex') || '0'}`));
  const start = word(0) + 32;
  const length = word(start - 32);
  if (start > bytes.length || start + length > bytes.length) return null;
  return Buffer.from(bytes.subarray(start, start + length)).toString('utf8');
}

/** The call tree of a dry run; null where the engine has no traces of calls. */
export async function trace(call: Call, selector: string, { engine }: Context): Promise<Frame | null> {
  const options = {
    tracer: 'callTracer',
    stateOverrides: { [senderOf(call)]: { balance: unlimitedBalance } },
  };
  try {
    return (await engine.request('debug_traceCall', [call, selector, options])) as Frame;
  } catch (error) {
    if (error instanceof EngineError) return null;
    throw error;
  }
}

/** Corrects the engine's outcome where Rootstock's EVM differs and a trace shows it. */
async function correct(
  method: 'eth_call' | 'eth_estimateGas',
  outcome: Outcome,
  call: Call,
  selector: string,
  context: Context,
): Promise<Outcome> {
  if (context.switches.evm === 'ethereum' || outcome.kind === 'failed') return outcome;
  const frame = await trace(call, selector, context);
  if (frame?.calls === undefined) return outcome;
  const gas = BigInt(call.gas);
  if (losesAllGas(frame, gas)) return { kind: 'failed', reason: 'an inner call took all gas' };
  if (outcome.kind === 'reverted')
    return { kind: 'reverted', data: withoutLostCreations(frame).output ?? outcome.data };
  if (method === 'eth_call' || outcome.kind !== 'returned') return outcome;
  if (isEstimatedAtLimit(frame, gas)) return { kind: 'returned', result: call.gas };
  // The engine seeks the lowest limit with which the outermost call succeeds, be it that inner ones run out of gas.
  return BigInt(frame.gasUsed) > BigInt(outcome.result)
    ? { kind: 'returned', result: toQuantity(gasForAll(frame)) }
    : outcome;
}
