import type { Hex } from '../../../../src/rpc/schema.js';
import type { Engine } from './engine.js';
import { type Execution, exceptionOf, type IsOn, type Step } from './node-traces.js';

const word = (hex: string) => hex.replace(/^0x/, '').padStart(64, '0');
const zeroWord = '0'.repeat(64);

/** The trace of `rskTracer`, the node's default, which lists execution steps. Words and addresses have no `0x`. */
export async function stepTrace(execution: Execution, isOn: IsOn, engine: Engine): Promise<unknown> {
  const { frame, steps, receipt, transaction } = execution;
  if (execution.isTransfer) return transferTrace(execution);
  const contract = (transaction.to ?? receipt.contractAddress ?? frame.to) as Hex;
  const { initial, perStep } = await followStorage(contract, execution, engine);
  const last = perStep.at(-1) ?? initial;
  return {
    contractAddress: contract.slice(2),
    initStorage: initial,
    structLogs: steps.map((step, index) => shapeStep(step, perStep[index] ?? initial, isOn)),
    result: (frame.output ?? '0x').slice(2),
    error: exceptionOf(execution) ?? '',
    reverted: /revert/i.test(frame.error ?? ''),
    storageSize: Object.keys(last).length,
    currentStorage: last,
  };
}

function transferTrace({ transaction }: Execution): unknown {
  return {
    programInvoke: null,
    transferInvoke: {
      ownerAddress: word(transaction.to ?? '0x'),
      callerAddress: word(transaction.from),
      gas: 0,
      callValue: word(transaction.value),
      msgData: null,
    },
    subtraces: [],
    result: null,
    error: null,
    reverted: false,
  };
}

type Words = Readonly<Record<string, string>>;

/** The contract's storage before the execution and before each step, for the slots that the execution accesses. */
async function followStorage(
  contract: Hex,
  { steps, receipt }: Execution,
  engine: Engine,
): Promise<{ initial: Words; perStep: Words[] }> {
  const before = `0x${(Number(receipt.blockNumber) - 1).toString(16)}`;
  const initial: Record<string, string> = {};
  const accessedKeys = new Set<string>();
  for (const [index, step] of steps.entries()) {
    const key = accessed(step);
    if (key === null || accessedKeys.has(key)) continue;
    accessedKeys.add(key);
    const read = step.op === 'SLOAD' ? steps[index + 1]?.stack?.at(-1) : undefined;
    const value = read ?? ((await engine.request('eth_getStorageAt', [contract, `0x${key}`, before])) as Hex);
    if (word(value) !== zeroWord) initial[key] = word(value);
  }
  const perStep: Words[] = [];
  let current: Words = initial;
  for (const step of steps) {
    perStep.push(current);
    const key = accessed(step);
    if (key === null || step.op !== 'SSTORE') continue;
    const value = word(step.stack?.at(-2) ?? '0x');
    const { [key]: _, ...others } = current;
    current = value === zeroWord ? others : { ...current, [key]: value };
  }
  return { initial, perStep };
}

/** The storage key that a step of the outermost call reads or writes; else null. */
function accessed({ op, depth, stack }: Step): string | null {
  const key = stack?.at(-1);
  return depth === 1 && (op === 'SLOAD' || op === 'SSTORE') && key !== undefined ? word(key) : null;
}

function shapeStep(step: Step, storage: Words, isOn: IsOn): unknown {
  return {
    op: step.op,
    depth: step.depth - 1,
    pc: step.pc,
    gas: step.gas,
    gasCost: step.gasCost,
    ...(!isOn('disableMemory') && { memory: (step.memory ?? []).map(word) }),
    ...(!isOn('disableStack') && { stack: (step.stack ?? []).map(word) }),
    ...(!isOn('disableStorage') && { storage }),
  };
}
