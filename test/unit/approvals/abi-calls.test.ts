import { encodeFunctionData, erc20Abi, parseAbi } from 'viem';
import { expect, test } from 'vitest';
import { abiCalls, type CallSource } from '../../../src/approvals/abi-calls.js';

const vault = `0x${'5a'.repeat(20)}` as const;
const other = `0x${'6b'.repeat(20)}` as const;
const context = { chainId: 31, from: `0x${'7c'.repeat(20)}`, value: '0x0' } as const;
const abi = parseAbi(['function stake(uint256 amount)', 'function close()']);
const stake = encodeFunctionData({ abi, functionName: 'stake', args: [7n] });
const close = encodeFunctionData({ abi, functionName: 'close' });

test('signatures, items and ABIs describe the calls of any contract', async () => {
  const sources: readonly CallSource[][] = [['function stake(uint256 amount) external'], [abi], [...abi]];
  for (const source of sources)
    expect(await abiCalls(source)(vault, stake, context)).toEqual({
      name: 'stake',
      arguments: [{ name: 'amount', type: 'uint256', value: '7' }],
    });
  expect(await abiCalls(['stake(uint256)'])(vault, close, context)).toBeUndefined();
  expect(await abiCalls([])(vault, stake, context)).toBeUndefined();
});

test('a contract with an address is described by its own ABI only, and named', async () => {
  const describeCall = abiCalls([
    'function close()',
    { address: vault, abi: ['function stake(uint256 amount)'], name: 'Vault' },
  ]);
  expect(await describeCall(vault, stake, context)).toMatchObject({ name: 'stake', contract: 'Vault' });
  expect(await describeCall(vault, close, context)).toBeUndefined();
  expect(await describeCall(other, stake, context)).toBeUndefined();
  expect(await describeCall(other, close, context)).toEqual({ name: 'close', arguments: [] });
});

test.each<[string, unknown, string]>([
  ['no array', 'stake(uint256)', 'calls'],
  ['a type that is none', ['function f()', 'function g(uint7)'], 'calls[1]'],
  ['a wrong address', [{ address: '0x12', abi: [] }], 'calls[0].address'],
  ['an ABI that is none', [{ address: vault, abi: 'stake()' }], 'calls[0].abi'],
  ['a name with hidden characters', [{ address: vault, abi: [], name: 'a\u202eb' }], 'calls[0].name'],
])('%s is -32602', (_name, sources, path) => {
  expect(() => abiCalls(sources as CallSource[])).toThrow(
    expect.objectContaining({ code: -32602, message: expect.stringContaining(path) }),
  );
});

test('only the functions of a whole ABI are taken', async () => {
  const describeCall = abiCalls([erc20Abi]);
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'decimals' });
  expect(await describeCall(vault, data, context)).toEqual({ name: 'decimals', arguments: [] });
});
