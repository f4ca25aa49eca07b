import { decodeFunctionData, encodeFunctionData, erc20Abi } from 'viem';
import { describe, expect, test } from 'vitest';
import type { ApprovingAnswer } from '../../../src/approvals/approvals.js';
import type { TransactionChoices } from '../../../src/approvals/question.js';
import type { Hex } from '../../../src/rpc/schema.js';
import { reviseTransaction } from '../../../src/transactions/question.js';
import { fc } from '../../support/property.js';

const spender = `0x${'5e'.repeat(20)}` as const;
const token = `0x${'70'.repeat(20)}` as const;
const approve = (amount: bigint): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] });

const fee = { gasPrice: '0x64', fee: '0x1' } as const;
const choices: TransactionChoices = {
  fees: { slow: fee, normal: fee, fast: fee },
  minimum: '0x64',
  maximum: '0x1f4',
  allowance: '1000',
};
const transaction = {
  type: 'transaction',
  from: `0x${'01'.repeat(20)}`,
  chainId: 31,
  to: token,
  value: '0x0',
  data: approve(1000n),
  gas: '0xea60',
  gasPrice: '0x64',
} as const;
const revise = (answer: ApprovingAnswer, offered: TransactionChoices | undefined = choices) =>
  reviseTransaction(transaction, offered, answer);

test('an answer without choices leaves the transaction as it is', () => {
  expect(revise({ approved: true })).toBe(transaction);
  expect(reviseTransaction(transaction, undefined, { approved: true, accounts: [spender] })).toBe(
    transaction,
  );
});

describe('a gas price', () => {
  test.each(['0x64', '0xc8', '0x1f4'])('%s within the bounds is signed', (gasPrice) => {
    expect(revise({ gasPrice })).toEqual({ ...transaction, gasPrice });
  });

  test.each([
    '0x63',
    '0x1f5',
    '0x',
    '100',
    '0x064',
    '0xC8',
    100,
    100n,
    null,
    ['0x64'],
    { toString: () => '0x64' },
    `0x${'f'.repeat(65)}`,
  ])('%o is not', (gasPrice) => {
    expect(revise({ gasPrice })).toBeNull();
  });

  test('none is offered where there are no choices', () => {
    expect(reviseTransaction(transaction, undefined, { gasPrice: '0x64' })).toBeNull();
  });
});

describe('an allowance', () => {
  test.each(['0', '1', '999', '1000'])('%s replaces the amount and nothing else', (allowance) => {
    const revised = revise({ allowance });
    expect(revised).toEqual({ ...transaction, data: approve(BigInt(allowance)) });
  });

  test.each(['1001', '-1', '01', '1.5', '0x1', '', 5, 5n, null, ['5'], '9'.repeat(79)])(
    '%o is not offered',
    (allowance) => {
      expect(revise({ allowance })).toBeNull();
    },
  );

  test('only an approve has one, and only where the question offers it', () => {
    const { allowance: _none, ...without } = choices;
    expect(revise({ allowance: '5' }, without)).toBeNull();
    const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [spender, 1000n] });
    expect(reviseTransaction({ ...transaction, data: transfer }, choices, { allowance: '5' })).toBeNull();
    expect(
      reviseTransaction({ ...transaction, data: `${approve(1000n)}00` }, choices, { allowance: '5' }),
    ).toBeNull();
    expect(reviseTransaction({ ...transaction, to: null }, choices, { allowance: '5' })).toBeNull();
    // The question was about another amount.
    expect(
      reviseTransaction({ ...transaction, data: approve(2000n) }, choices, { allowance: '5' }),
    ).toBeNull();
  });
});

test('whatever an approver answers, only the price and a lower amount change', () => {
  const anything = fc.oneof(
    fc.anything(),
    fc.bigInt(0n, 2000n).map(String),
    fc.nat(600).map((n) => `0x${n.toString(16)}`),
  );
  fc.assert(
    fc.property(
      fc.record({ gasPrice: anything, allowance: anything, to: anything, value: anything }),
      (answer) => {
        const revised = revise({ approved: true, ...answer } as ApprovingAnswer);
        if (revised === null) return;
        const { data, gasPrice, ...rest } = revised;
        const { data: _data, gasPrice: _price, ...before } = transaction;
        expect(rest).toEqual(before);
        expect(BigInt(gasPrice)).toBeGreaterThanOrEqual(100n);
        expect(BigInt(gasPrice)).toBeLessThanOrEqual(500n);
        const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data });
        expect(functionName).toBe('approve');
        expect(String(args?.[0]).toLowerCase()).toBe(spender);
        expect(args?.[1]).toBeLessThanOrEqual(1000n);
        expect(data.length).toBe(transaction.data.length);
      },
    ),
    { numRuns: 3000 },
  );
});
