import {
  type AbiFunction,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  parseAbiItem,
  toFunctionSelector,
  zeroAddress,
  zeroHash,
} from 'viem';
import { describe, expect, test } from 'vitest';
import { callWarnings } from '../../../../src/approvals/describe/calls.js';
import { createCallReader } from '../../../../src/approvals/read-calls.js';
import { listedTokens } from '../../../../src/rpc/known-contracts.js';
import type { Hex } from '../../../../src/rpc/schema.js';

/** Coins that go along with a call to a contract that the wallet does not know are at least a caution. */

const stranger = `0x${'66'.repeat(20)}` as const;
const wrapped = listedTokens(30).find(({ symbol }) => symbol === 'WRBTC')?.address ?? zeroAddress;

function call(signature: string): Hex {
  const types = /\((.*)\)/.exec(signature)?.[1]?.split(',').filter(Boolean) ?? [];
  const value = (type: string) => (type === 'address' ? stranger : type === 'bytes32' ? zeroHash : 0n);
  const inputs = types.map((type) => ({ type }));
  return concatHex([toFunctionSelector(signature), encodeAbiParameters(inputs, types.map(value))]);
}
const read = (data: Hex, value: string, to: Hex = stranger) =>
  callWarnings([createCallReader().read({ to, value, data })], 30);

describe('coins sent with a call', () => {
  test.each([
    ['name()'],
    ['deposit()'],
    ['acceptOwnership()'],
    ['balanceOf(address)'],
    ['withdraw(uint256)'],
    ['approve(address,uint256)'],
    ['transfer(address,uint256)'],
    ['delegate(address)'],
    ['grantRole(bytes32,address)'],
  ])('%s of a contract that is not known', (signature) => {
    const caution = { code: 'unknown-call', severity: 'caution' };
    expect(read(call(signature), '10000000000000000000')).toContainEqual(caution);
    expect(read(call(signature), '0')).not.toContainEqual(caution);
  });

  test('a known contract wraps them, and does not take them for anything else', () => {
    expect(read(call('deposit()'), '1', wrapped)).toEqual([]);
    expect(read(call('name()'), '1', wrapped)).toEqual([{ code: 'unknown-call', severity: 'caution' }]);
  });

  test('inside another call the function is named', () => {
    const inner = call('deposit()');
    const batch = concatHex([
      toFunctionSelector('aggregate3Value((address,bool,uint256,bytes)[])'),
      encodeAbiParameters(
        [
          {
            type: 'tuple[]',
            components: [{ type: 'address' }, { type: 'bool' }, { type: 'uint256' }, { type: 'bytes' }],
          },
        ],
        [[[stranger, false, 5n, inner]]] as never,
      ),
    ]);
    expect(read(batch, '5')).toContainEqual({ code: 'unknown-call', severity: 'caution', detail: 'deposit' });
  });
});

describe('a contract that would pay the bridge', () => {
  const bridge = '0x0000000000000000000000000000000001000006';
  const danger = { code: 'bridge-payee', severity: 'danger' };
  const encode = (signature: string, values: readonly unknown[]): Hex => {
    const item = parseAbiItem(`function ${signature}`) as AbiFunction;
    return encodeFunctionData({ abi: [item], args: values as never });
  };
  const on = (chainId: number, data: Hex, to: Hex = stranger) =>
    callWarnings([createCallReader().read({ to, value: '0', data })], chainId);
  const payee = [...Array.from({ length: 20 }, () => stranger), bridge] as const;

  test.each<[string, readonly unknown[]]>([
    ['execute(address,uint256,bytes)', [bridge, 1n, '0x']],
    [
      'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)',
      [bridge, 1n, '0x80af2871', 0, 0n, 0n, 0n, zeroAddress, zeroAddress, '0x'],
    ],
    [
      'executeBatch(address[],uint256[],bytes[])',
      [
        [stranger, bridge],
        [0n, 1n],
        ['0x', '0x'],
      ],
    ],
    ['multicall(bytes[])', [[encode('withdrawTo(address,uint256)', [bridge, 1n])]]],
    ['withdrawTo(address,uint256)', [bridge, 1n]],
    ['withdraw(uint256,address,address)', [1n, bridge, stranger]],
    ['transfer(address,uint256)', [bridge, 1n]],
    ['transferAndCall(address,uint256,bytes)', [bridge, 1n, '0x']],
    ['disperseToken(address,address[],uint256[])', [stranger, payee, payee.map(() => 1n)]],
    ['destroy(address)', [bridge]],
    [
      'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)',
      [stranger, 0n, '0x', 0, 0n, 0n, 5n, zeroAddress, bridge, '0x'],
    ],
    ['schedule(address,uint256,bytes,bytes32,bytes32,uint256)', [bridge, 1n, '0x', zeroHash, zeroHash, 0n]],
  ])('%s is a danger', (signature, values) => {
    for (const chainId of [30, 31, 33]) expect(on(chainId, encode(signature, values))).toContainEqual(danger);
    expect(on(1, encode(signature, values))).not.toContainEqual(danger);
  });

  test('the bridge named in the data of a contract that signs for itself is a danger too', () => {
    const paid = createCallReader().read({ to: bridge, value: '1', data: '0x' });
    expect(callWarnings([paid], 31)).toContainEqual(danger);
  });

  test.each<[string, readonly unknown[]]>([
    ['execute(address,uint256,bytes)', [bridge, 0n, '0x14c89c01']],
    ['execute(address,uint256,bytes)', [stranger, 1n, '0x']],
    ['transfer(address,uint256)', [stranger, BigInt(bridge)]],
    ['approve(address,uint256)', [bridge, 0n]],
    ['decreaseAllowance(address,uint256)', [bridge, 5n]],
    ['setApprovalForAll(address,bool)', [bridge, false]],
    ['revokeOperator(address)', [bridge]],
    ['removeOwner(address)', [bridge]],
    ['balanceOf(address)', [bridge]],
    ['castVoteWithReason(uint256,uint8,string)', [1n, 1, `${bridge} is the bridge`]],
    ['initialize(address,address)', [stranger, bridge]],
  ])('a call of %s that pays the bridge nothing is no danger', (signature, values) => {
    expect(on(31, encode(signature, values))).not.toContainEqual(danger);
  });
});
