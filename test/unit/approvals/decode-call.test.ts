import { type Abi, encodeFunctionData, parseAbi } from 'viem';
import { describe, expect, test } from 'vitest';
import { decodeCall, isDisguisedCall } from '../../../src/approvals/decode-call.js';
import type { Hex } from '../../../src/rpc/schema.js';
import { fc } from '../../support/property.js';

const abi: Abi = parseAbi([
  'function transfer(address to, uint256 amount)',
  'function transferFrom(address from, address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
  'function increaseAllowance(address spender, uint256 amount)',
  'function decreaseAllowance(address spender, uint256 amount)',
  'function setApprovalForAll(address operator, bool approved)',
  'function safeTransferFrom(address from, address to, uint256 tokenId)',
  'function safeTransferFrom(address from, address to, uint256 tokenId, bytes data)',
  'function safeTransferFrom(address from, address to, uint256 tokenId, uint256 amount, bytes data)',
  'function mint(address to)',
]);
const contract = '0x779ded0c9e1022225f8e0630b35a9b54be713736';
const token = { address: contract } as const;
const a = '0x1111111111111111111111111111111111111111';
const b = '0x2222222222222222222222222222222222222222';
const encode = (functionName: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi, functionName, args });

describe('decodeCall', () => {
  test.each([
    ['transfer', [a, 5n], { name: 'transfer', to: a, amount: '5', token }],
    ['transferFrom', [a, b, 5n], { name: 'transferFrom', from: a, to: b, amount: '5', token }],
    ['approve', [a, 7n], { name: 'approve', spender: a, amount: '7', unlimited: false, token }],
    [
      'approve',
      [a, 2n ** 95n],
      { name: 'approve', spender: a, amount: `${2n ** 95n}`, unlimited: false, token },
    ],
    [
      'approve',
      [a, 2n ** 96n - 1n],
      { name: 'approve', spender: a, amount: `${2n ** 96n - 1n}`, unlimited: true, token },
    ],
    [
      'increaseAllowance',
      [a, 2n ** 256n - 1n],
      { name: 'increaseAllowance', spender: a, amount: `${2n ** 256n - 1n}`, unlimited: true, token },
    ],
    ['decreaseAllowance', [a, 1n], { name: 'decreaseAllowance', spender: a, amount: '1', token }],
    ['setApprovalForAll', [a, true], { name: 'setApprovalForAll', operator: a, approved: true, token }],
    ['setApprovalForAll', [a, false], { name: 'setApprovalForAll', operator: a, approved: false, token }],
    ['safeTransferFrom', [a, b, 9n], { name: 'safeTransferFrom', from: a, to: b, tokenId: '9', token }],
    ['safeTransferFrom', [a, b, 9n, '0x'], { name: 'safeTransferFrom', from: a, to: b, tokenId: '9', token }],
    [
      'safeTransferFrom',
      [a, b, 9n, `0x${'ab'.repeat(33)}`],
      { name: 'safeTransferFrom', from: a, to: b, tokenId: '9', token },
    ],
    [
      'safeTransferFrom',
      [a, b, 9n, 3n, '0x1234'],
      { name: 'safeTransferFrom', from: a, to: b, tokenId: '9', amount: '3', token },
    ],
  ])('%s (%#)', (name, args, expected) => {
    expect(decodeCall(contract, encode(name, args))).toEqual(expected);
  });

  test('letters may be upper case', () => {
    const data = encode('transfer', [a, 255n]);
    expect(decodeCall(contract, `0x${data.slice(2).toUpperCase()}`)).toEqual(decodeCall(contract, data));
  });

  test.each([
    ['no data', '0x'],
    ['another function', encode('mint', [a])],
    ['a selector only', '0xa9059cbb'],
    ['an inherited name', `0x${Buffer.from('constructor').toString('hex')}`],
  ])('%s is not a token call', (_, data) => {
    expect(decodeCall(contract, data as Hex)).toBeNull();
  });

  const approve = encode('approve', [a, 7n]);
  const forAll = encode('setApprovalForAll', [a, true]);
  const withBytes = encode('safeTransferFrom', [a, b, 9n, '0x1234']);
  test.each<[string, string]>([
    ['a byte behind', `${approve}00`],
    ['a byte short', approve.slice(0, -2)],
    ['dirt before the address', approve.replace('095ea7b30', '095ea7b31')],
    ['a boolean of 2', `${forAll.slice(0, -1)}2`],
    ['bytes at another offset', withBytes.replace(/80(?=0{62}02)/, 'a0')],
    ['bytes longer than the data', withBytes.replace(/02(?=1234)/, '42')],
    ['bytes of an absurd length', withBytes.replace(/0{62}02(?=1234)/, 'f'.repeat(64))],
    ['dirt behind bytes', `${withBytes.slice(0, -1)}1`],
  ])('%s is not decoded and counts as disguised', (_, data) => {
    expect(data).not.toBe(withBytes);
    expect(decodeCall(contract, data as Hex)).toBeNull();
    expect(isDisguisedCall(contract, data as Hex)).toBe(true);
  });

  test('a deployment is not a token call', () => {
    expect(decodeCall(null, approve)).toBeNull();
    expect(isDisguisedCall(null, approve)).toBe(false);
  });

  test.each(['to', 'amount', 'spender', 'operator', 'tokenId'])(
    'arguments are those of the data where a page has set %s on Object.prototype',
    (name) => {
      Object.defineProperty(Object.prototype, name, { get: () => b, set() {}, configurable: true });
      try {
        expect(decodeCall(contract, encode('transfer', [a, 5n]))).toMatchObject({ to: a, amount: '5' });
        expect(decodeCall(contract, encode('approve', [a, 7n]))).toMatchObject({ spender: a, amount: '7' });
        expect(decodeCall(contract, encode('setApprovalForAll', [a, true]))).toMatchObject({ operator: a });
        const nft = encode('safeTransferFrom', [a, b, 9n, '0x']);
        expect(decodeCall(contract, nft)).toMatchObject({ tokenId: '9' });
      } finally {
        Reflect.deleteProperty(Object.prototype, name);
      }
    },
  );

  test('data that is no hex is no call', () => {
    const digits = encode('transfer', [a, 5n]).slice(0, -128);
    for (const place of [60, 100]) {
      const words = `${encode('transfer', [a, 5n]).slice(10)}`;
      const data: Hex = `0x${digits.slice(2)}${words.slice(0, place)}g${words.slice(place + 1)}`;
      expect(decodeCall(contract, data)).toBeNull();
    }
  });

  test('whatever is decoded encodes to the same bytes', () => {
    const selectors = ['a9059cbb', '095ea7b3', 'a22cb465', '42842e0e', 'b88d4fde', 'f242432a', '23b872dd'];
    const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));
    const slot = fc.oneof(
      digits(40).map((address) => address.padStart(64, '0')),
      fc.constantFrom('0'.repeat(64), '1'.padStart(64, '0'), '80'.padStart(64, '0'), 'a0'.padStart(64, '0')),
      digits(64),
    );
    fc.assert(
      fc.property(fc.constantFrom(...selectors), fc.array(slot, { maxLength: 8 }), (selector, slots) => {
        const data: Hex = `0x${selector}${slots.join('')}`;
        const call = decodeCall(contract, data);
        if (call === null || call.name === 'safeTransferFrom') return;
        const args = Object.entries(call).filter(
          ([key]) => key !== 'name' && key !== 'token' && key !== 'unlimited',
        );
        expect(
          encode(
            call.name,
            args.map(([, value]) =>
              typeof value === 'string' && !value.startsWith('0x') ? BigInt(value) : value,
            ),
          ),
        ).toBe(data);
      }),
      { numRuns: 300 },
    );
  });
});
