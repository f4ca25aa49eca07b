import { toQuantity } from '../../../../src/rpc/hex.js';
import type { Hash, Hex, Receipt, Transaction } from '../../../../src/rpc/schema.js';
import type { Engine } from './engine.js';
import { type Frame, isCreation, isReverted, withoutLostCreations } from './rootstock-frame.js';

/** A step of the engine's default tracer. The depth of the outermost call is 1. */
export interface Step {
  readonly op: string;
  readonly pc: number;
  readonly gas: number;
  readonly gasCost: number;
  readonly depth: number;
  readonly error?: string | undefined;
  readonly stack?: readonly Hex[] | undefined;
  readonly memory?: readonly string[] | undefined;
}

/** The execution of one transaction, as the engine recorded it. */
export interface Execution {
  readonly transaction: Transaction;
  readonly receipt: Receipt;
  readonly frame: Frame;
  readonly steps: readonly Step[];
  /** Whether no program runs: the recipient has no code, or a creation has no data. */
  readonly isTransfer: boolean;
}

/** Whether an option of a tracer is on. */
export type IsOn = (
  option: 'onlyTopCall' | 'withLog' | 'disableStack' | 'disableMemory' | 'disableStorage',
) => boolean;

/** Reads the execution of a mined transaction; null when it is unknown or not mined. */
export async function readExecution(hash: Hash, engine: Engine): Promise<Execution | null> {
  const receipt = (await engine.request('eth_getTransactionReceipt', [hash])) as Receipt | null;
  if (receipt === null) return null;
  const calls = { tracer: 'callTracer', tracerConfig: { withLog: true } };
  const [transaction, frame, traced, code] = await Promise.all([
    engine.request('eth_getTransactionByHash', [hash]) as Promise<Transaction>,
    engine.request('debug_traceTransaction', [hash, calls]) as Promise<Frame>,
    engine.request('debug_traceTransaction', [hash, { enableMemory: true }]) as Promise<{
      structLogs: Step[];
    }>,
    receipt.to === null ? null : engine.request('eth_getCode', [receipt.to, receipt.blockNumber]),
  ]);
  return {
    transaction,
    receipt,
    frame: withoutLostCreations(frame),
    steps: traced.structLogs,
    isTransfer: code === '0x' || (receipt.to === null && transaction.input === '0x'),
  };
}

/** The node's exception text for a failure other than a revert, derived from the last step; null for a success or revert. */
export function exceptionOf({ frame, steps, transaction }: Execution): string | null {
  if (frame.error === undefined || isReverted(frame)) return null;
  const last = steps.at(-1);
  const tx = `tx[${transaction.hash}]`;
  const exception = (name: string, message: string) =>
    `class org.ethereum.vm.program.Program$${name}: ${message}`;
  if (last === undefined) return frame.error;
  if (/StartingWithEF/.test(frame.error))
    return `class java.lang.RuntimeException: Contract code cannot start with 0xEF byte (RSKIP544/EIP-3541), tx: ${transaction.hash}`;
  if (/out of gas/i.test(frame.error)) {
    const used = Number(transaction.gas) - last.gas;
    // The program has returned, and its code could not be stored.
    const isStoringCode = isCreation(frame) && last.op === 'RETURN' && last.depth === 1;
    const details = `invokeGas[${Number(transaction.gas)}], gas[${last.gasCost}], usedGas[${used}]`;
    return exception(
      'OutOfGasException',
      `Not enough gas for '${isStoringCode ? 'No gas to return just created contract' : last.op}' cause spending: ${details}, ${tx}`,
    );
  }
  if (/InvalidFEOpcode/.test(last.error ?? ''))
    return exception('IllegalOperationException', `Invalid operation code: opcode[fe], ${tx}`);
  if (/InvalidJump/.test(last.error ?? '')) {
    const target = Number(last.stack?.at(-1) ?? 0);
    return exception(
      'BadJumpDestinationException',
      `Operation with pc isn't 'JUMPDEST': PC[${target}], ${tx}`,
    );
  }
  return frame.error;
}

/** All frames of a call tree in preorder, each with its trace address. */
function* walk(frame: Frame, address: readonly number[] = []): Generator<[Frame, readonly number[]]> {
  yield [frame, address];
  for (const [index, call] of (frame.calls ?? []).entries()) yield* walk(call, [...address, index]);
}

const lower = (text: string) => text.toLowerCase();

/** The traces of the `trace_` methods. Absent fields are omitted, except that a failed call has the result null. */
export function parityTraces(execution: Execution): unknown[] {
  const { transaction, receipt, frame: top, isTransfer } = execution;
  return [...walk(top)].map(([frame, address]) => {
    const isTop = address.length === 0;
    const place = {
      blockHash: receipt.blockHash,
      blockNumber: Number(receipt.blockNumber),
      transactionHash: transaction.hash,
      transactionPosition: Number(receipt.transactionIndex),
    };
    if (frame.type === 'SELFDESTRUCT') {
      const action = { address: frame.from, refundAddress: frame.to, balance: frame.value ?? '0x0' };
      return { action, ...place, type: 'suicide', subtraces: 0, traceAddress: address, result: null };
    }
    const creates = isCreation(frame);
    const gas = isTop ? (isTransfer ? '0x0' : transaction.gas) : frame.gas;
    const value = frame.value ?? '0x0';
    const action = creates
      ? {
          from: frame.from,
          gas,
          init: frame.input,
          ...(!isTop && { creationMethod: lower(frame.type) }),
          value,
        }
      : { callType: lower(frame.type), from: frame.from, to: frame.to, gas, input: transaction.input, value };
    const error = isReverted(frame) ? 'Reverted' : isTop ? exceptionOf(execution) : (frame.error ?? null);
    const gasUsed = isTop ? receipt.gasUsed : frame.gasUsed;
    const result = creates
      ? { gasUsed, code: frame.output ?? '0x', address: frame.to }
      : { gasUsed, output: isTop ? '0x' : (frame.output ?? '0x') };
    return {
      action,
      ...place,
      type: creates ? 'create' : 'call',
      subtraces: frame.calls?.length ?? 0,
      traceAddress: address,
      result: error === null ? result : null,
      ...(error !== null && { error }),
    };
  });
}

/** Returned bytes in the node's form: a quantity without leading zeros, `0x0` for no bytes. */
const asQuantity = (bytes: Hex): Hex => (bytes === '0x' ? '0x0' : toQuantity(BigInt(bytes)));

/** The trace of `callTracer`. The output of the outermost call is always `0x0`, as in the node. */
export function callTrace(execution: Execution, isOn: IsOn): unknown {
  const { transaction, receipt, isTransfer } = execution;
  const logsOf = (frame: Frame) =>
    (frame.logs ?? []).map(({ address, topics, data }, index) => ({ index, address, topics, data }));

  function shape(frame: Frame, isTop: boolean): unknown {
    if (frame.type === 'SELFDESTRUCT') return { type: 'NONE', from: frame.from };
    const creates = isCreation(frame);
    const error = isReverted(frame) ? 'execution reverted' : isTop ? exceptionOf(execution) : frame.error;
    const created = creates && !error ? frame.to : undefined;
    const logs = isOn('withLog') ? logsOf(frame) : [];
    const calls = isTop && isOn('onlyTopCall') ? [] : (frame.calls ?? []);
    return {
      type: creates ? 'CREATE' : frame.type,
      from: frame.from,
      ...(!creates && { to: frame.to }),
      value: frame.value ?? '0x0',
      gas: isTop ? (isTransfer ? '0x0' : transaction.gas) : frame.gas,
      gasUsed: isTop ? receipt.gasUsed : frame.gasUsed,
      input: frame.input,
      output: created ?? (isTop ? '0x0' : asQuantity(frame.output ?? '0x')),
      ...(error && { error }),
      ...(!isTop && frame.revertReason !== undefined && { revertReason: frame.revertReason }),
      ...(calls.length > 0 && { calls: calls.map((call) => shape(call, false)) }),
      ...(logs.length > 0 && { logs }),
    };
  }

  return shape(execution.frame, true);
}
