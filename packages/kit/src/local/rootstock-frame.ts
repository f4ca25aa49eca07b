import type { Hex, Log } from '../../../../src/rpc/schema.js';

/** A call frame of the engine's `callTracer`. */
export interface Frame {
  readonly type: string;
  readonly from: Hex;
  readonly to?: Hex | undefined;
  readonly value?: Hex | undefined;
  readonly gas: Hex;
  readonly gasUsed: Hex;
  readonly input: Hex;
  readonly output?: Hex | undefined;
  readonly error?: string | undefined;
  readonly revertReason?: string | undefined;
  readonly calls?: readonly Frame[] | undefined;
  readonly logs?: readonly Pick<Log, 'address' | 'topics' | 'data'>[] | undefined;
}

/**
 * Differences of Rootstock's EVM that a call tree of the engine shows (docs/notes/node.md#the-evm). `gas` is the gas that
 * a frame starts with; for a transaction it includes the intrinsic gas, which `frame.gas` does not.
 */

export const isReverted = ({ error }: Pick<Frame, 'error'>): boolean =>
  error !== undefined && /revert/i.test(error);

export const isCreation = ({ type }: Frame): boolean => type.startsWith('CREATE');

/** A precompiled contract that refuses its input costs its caller nothing more. */
const isPrecompiled = ({ to }: Frame): boolean => to !== undefined && BigInt(to) <= 0xffffn;

const callsOf = ({ calls = [] }: Frame): readonly Frame[] => calls;

/**
 * Whether a failure other than a revert takes all gas of the execution. Rootstock does not keep 1/64 of the gas from a
 * call (EIP-150), so a call that got everything leaves its caller with nothing. The engine's caller has 1/64 left at most.
 */
export function losesAllGas(frame: Frame, gas: bigint): boolean {
  const left = gas - BigInt(frame.gasUsed);
  return callsOf(frame).some((call) => {
    const limit = BigInt(call.gas);
    const isFailed =
      call.error !== undefined && !isReverted(call) && !isPrecompiled(call) && BigInt(call.gasUsed) >= limit;
    return left <= limit / 63n && (isFailed || losesAllGas(call, limit));
  });
}

/**
 * Whether the outermost frame creates a contract and makes no call that forwards all gas. The node's estimate is then
 * the whole budget (docs/notes/node.md#gas-estimates).
 */
export function isEstimatedAtLimit(frame: Frame, gas: bigint): boolean {
  return callsOf(frame).some(isCreation) && !forwardsAllGas(frame, gas);
}

function forwardsAllGas(frame: Frame, gas: bigint): boolean {
  const calls = callsOf(frame);
  const used = (frames: readonly Frame[]) => frames.reduce((sum, call) => sum + BigInt(call.gasUsed), 0n);
  const ownGas = BigInt(frame.gasUsed) - used(calls);
  return calls.some((call, index) => {
    const available = gas - used(calls.slice(0, index)) - ownGas;
    return !isCreation(call) && call.type !== 'SELFDESTRUCT' && BigInt(call.gas) >= (available * 63n) / 64n;
  });
}

/**
 * The gas with which all inner calls that succeeded do so again: the engine keeps 1/64 of what is left from each. The node's
 * estimate is the gas that was used, and suffices there.
 */
export function gasForAll(frame: Frame): bigint {
  const used = BigInt(frame.gasUsed);
  let max = used;
  for (const call of callsOf(frame)) {
    if (call.error !== undefined) continue;
    const needed = used - BigInt(call.gasUsed) + (gasForAll(call) * 64n) / 63n + 1n;
    if (needed > max) max = needed;
  }
  return max;
}

/**
 * The tree without creations that reverted: the node lists none of them and loses their payload, so that what their
 * callers pass on is empty.
 */
export function withoutLostCreations(frame: Frame): Frame {
  return lose(frame).frame;
}

function lose(whole: Frame): { readonly frame: Frame; readonly lost: readonly Hex[] } {
  if (whole.calls === undefined) return { frame: whole, lost: [] };
  const children = whole.calls.map((call) => ({ call, isLost: isCreation(call) && isReverted(call) }));
  const inner = children.filter(({ isLost }) => !isLost).map(({ call }) => lose(call));
  const payloads = [
    ...children.filter(({ isLost }) => isLost).map(({ call }) => call.output ?? '0x'),
    ...inner.flatMap(({ lost }) => lost),
  ];
  const { calls: _, ...rest } = whole;
  const frame: Frame = { ...rest, ...(inner.length > 0 && { calls: inner.map((each) => each.frame) }) };
  const { output } = whole;
  if (!isReverted(whole) || output === undefined || output === '0x' || !payloads.includes(output))
    return { frame, lost: [] };
  const { revertReason: _reason, ...silent } = frame;
  return { frame: { ...silent, output: '0x' }, lost: [output] };
}
