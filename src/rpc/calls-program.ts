import type { Address, Hex } from './schema.js';

/** A call that changes nothing, and whose result is one word. */
export interface WordCall {
  readonly to: Address;
  /** At most 96 bytes. */
  readonly data: Hex;
}

/**
 * The code of a program that makes many calls in one `eth_call` without a recipient: the node runs it as that of a contract that is
 * created. Instructions of the Ethereum yellow paper that every node of Rootstock has (no `PUSH0`).
 *
 * @param gas for each call
 *
 * @example
 * const data = callsProgram([{ to: token, data: balanceOf }], 200_000);
 * const words = wordsOf(await request('eth_call', [{ data }, 'latest']), 1);
 */
export function callsProgram(calls: readonly WordCall[], gas: number): Hex {
  let code = '';
  let written = '';
  for (const [i, { to, data }] of calls.entries()) {
    if (data !== written) code += storeData(data);
    written = data;
    const flag = resultsAt + i * resultSize;
    const [offset, size, limit] = [push(flag + wordSize, 2), push((data.length - 2) / 2, 1), push(gas, 4)];
    // Whether it succeeded with one word: an address without code succeeds with none.
    const call = `${push(wordSize, 1)}${offset}${size}${push(0, 1)}${op.push20}${to.slice(2)}${limit}${op.staticCall}`;
    code += `${call}${op.returnDataSize}${push(wordSize, 1)}${op.eq}${op.and}${push(flag, 2)}${op.mstore}`;
  }
  return `0x${code}${push(calls.length * resultSize, 2)}${push(resultsAt, 2)}${op.return}`;
}

/** The code of a program that returns the balances of accounts, one word each, run in the same way. */
export function balancesProgram(accounts: readonly Address[]): Hex {
  const reads = accounts.map(
    (account, i) => `${op.push20}${account.slice(2)}${op.balance}${push(i * wordSize, 2)}${op.mstore}`,
  );
  return `0x${reads.join('')}${push(accounts.length * wordSize, 2)}${push(0, 1)}${op.return}`;
}

/** The balances that such a program returned, wei; `null` if the result is not of one for so many accounts. */
export const balancesIn = (result: Hex, count: number): readonly bigint[] | null =>
  result.length === 2 + count * wordSize * 2
    ? Array.from({ length: count }, (_, index) => wordAt(result, index))
    : null;

/** The words that a program of calls returned, `null` for a call that failed; `null` for all if the result is not of such a program. */
export function wordsOf(result: Hex, count: number): readonly (bigint | null)[] | null {
  if (result.length !== 2 + count * resultSize * 2) return null;
  return Array.from({ length: count }, (_, i) => {
    return wordAt(result, 2 * i) === 1n ? wordAt(result, 2 * i + 1) : null;
  });
}

const wordAt = (data: Hex, index: number): bigint =>
  BigInt(`0x${data.slice(2 + index * wordSize * 2, 2 + (index + 1) * wordSize * 2)}`);

const wordSize = 32;
/** A word that says whether the call succeeded, and its result. */
const resultSize = 2 * wordSize;
/** Where in memory the results begin, after the calldata. */
const resultsAt = 3 * wordSize;

const op = {
  eq: '14',
  and: '16',
  balance: '31',
  returnDataSize: '3d',
  mstore: '52',
  push20: '73',
  push32: '7f',
  return: 'f3',
  staticCall: 'fa',
} as const;

/** Pushes a number of so many bytes. */
const push = (value: number, bytes: number): string =>
  `${(0x5f + bytes).toString(16)}${value.toString(16).padStart(bytes * 2, '0')}`;

/** Writes the calldata to the beginning of the memory. */
function storeData(data: Hex): string {
  let code = '';
  for (let at = 0; 2 + at * 2 < data.length; at += wordSize) {
    const word = data.slice(2 + at * 2, 2 + (at + wordSize) * 2).padEnd(wordSize * 2, '0');
    code += `${op.push32}${word}${push(at, 1)}${op.mstore}`;
  }
  return code;
}
