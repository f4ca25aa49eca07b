import { concatHex, encodeAbiParameters, toFunctionSelector, zeroAddress, zeroHash } from 'viem';
import { describe, expect, test } from 'vitest';
import { callWarnings } from '../../../../src/approvals/describe/calls.js';
import { createCallReader } from '../../../../src/approvals/read-calls.js';
import { listedTokens } from '../../../../src/assets/known-contracts.js';
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
