import type { Recorded } from './recordings.js';

/**
 * The form of a value: `Q` is a quantity above zero, `hash` and `addr` are words and addresses, `data` is any other hex,
 * `zeros(n)` are n zero digits.
 */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(formOf);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, formOf(each)]));
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value !== 'string') return value;
  if (/^0x[0-9a-f]*$/.test(value)) return formOfHex(value.slice(2));
  return value.replace(/0x[0-9a-f]+/gi, '0x#').replace(/\d+/g, '#');
}

function formOfHex(digits: string): string {
  const zeros = /^0*$/.test(digits);
  if (digits.length === 64) return zeros ? 'zero32' : 'hash';
  if (digits.length === 40) return zeros ? 'zero20' : 'addr';
  if (digits === '' || digits === '0') return `0x${digits}`;
  if (zeros) return `zeros(${digits.length})`;
  return digits.length <= 24 && digits[0] !== '0' ? 'Q' : 'data';
}

/** The values that are compared only by form, with the reason. */
export interface Rules {
  /** Fields of results and headers of replies, by name. */
  readonly fields: Readonly<Record<string, string>>;
  /** Results and error texts, by method or by the recording's name. */
  readonly replies: Readonly<Record<string, string>>;
}

export const byForm: Rules = {
  fields: {
    timestamp: 'the hour of the recording',
    size: 'the headers of the two chains differ in length',
    totalDifficulty: 'the recorded chain is longer',
    bitcoinMergedMiningHeader: 'another Bitcoin block',
    bitcoinMergedMiningCoinbaseTransaction: 'another Bitcoin block',
    gasUsed: 'the two EVMs charge differently for creation',
    cumulativeGasUsed: 'as gasUsed',
    error: 'gas figures of the step that ran out of gas',
    'content-length': 'the two libraries compress differently',
  },
  replies: {
    eth_estimateGas: 'the two EVMs charge differently for cold storage',
    eth_getBalance: 'fees follow the gas of the deployment',
    evm_snapshot: 'a counter that other snapshots moved',
    rsk_getRawBlockHeaderByHash: 'holds fields that are compared by form',
    rsk_getRawBlockHeaderByNumber: 'holds fields that are compared by form',
    'env latest': 'holds the timestamp',
    'env pending': 'holds the timestamp',
    'env at number': 'holds the timestamp',
    'env at blockHash': 'holds the timestamp',
    'env at blockNumber obj': 'holds the timestamp',
  },
};

/** The rules for the recordings of 2026-11-25. */
export const laterByForm: Rules = {
  fields: {
    timestamp: 'the hour of the recording',
    size: 'the headers of the two chains differ in length',
    bitcoinMergedMiningHeader: 'another Bitcoin block',
    bitcoinMergedMiningCoinbaseTransaction: 'another Bitcoin block',
    gasUsed: 'the two EVMs charge differently',
    cumulativeGasUsed: 'as gasUsed',
    paidFees: 'as gasUsed',
    gas: 'what inner calls and steps have left, as gasUsed',
    gasCost: 'as gasUsed',
    error: 'gas figures of the step that ran out of gas',
    gasLimit: 'the recorded regtest began with another limit and lowers it',
  },
  replies: {
    eth_estimateGas: 'the two EVMs charge differently',
    rsk_getRawTransactionReceiptByHash: 'holds the gas used',
    rsk_getRawBlockHeaderByHash: 'holds fields that are compared by form',
    rsk_getRawBlockHeaderByNumber: 'holds fields that are compared by form',
    ...Object.fromEntries(
      ['leading zeros', '0x', 'no prefix', 'JSON number', '32 bytes', 'null', 'upper digits'].map((what) => [
        `odd call gasPrice: ${what}`,
        'holds the timestamp',
      ]),
    ),
    'BLOCKHASH 0': 'the blocks are others',
    'BLOCKHASH 1': 'the blocks are others',
    'gas of CREATE empty': 'holds the address, which follows from the nonce',
  },
};

/** Lists the differences of two replies as `path: node → local`, and reports each rule of `byForm` that was needed. */
export function compare(
  { request, name = '' }: Recorded,
  node: unknown,
  local: unknown,
  { rules, waived }: { readonly rules: Rules; readonly waived: (rule: string) => void },
): string[] {
  function walk(here: unknown, there: unknown, path: readonly string[]): string[] {
    if (isTree(here) && isTree(there) && Array.isArray(here) === Array.isArray(there)) {
      const keys = new Set([...Object.keys(here), ...Object.keys(there)]);
      return [...keys].flatMap((key) => walk(here[key], there[key], [...path, key]));
    }
    if (here === there) return [];
    const rule = ruleFor(path);
    if (rule !== undefined && JSON.stringify(formOf(here)) === JSON.stringify(formOf(there))) {
      waived(rule);
      return [];
    }
    return [`${path.join('.')}: ${show(here)} → ${show(there)}`];
  }

  const ruleFor = (path: readonly string[]): string | undefined => {
    const field = path.at(-1) ?? '';
    if (Object.hasOwn(rules.fields, field)) return field;
    return [name, request?.method ?? ''].find((key) => Object.hasOwn(rules.replies, key));
  };

  return walk(node, local, []);
}

type Tree = Record<string, unknown>;
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;
const show = (value: unknown) => (value === undefined ? 'absent' : JSON.stringify(value).slice(0, 120));
