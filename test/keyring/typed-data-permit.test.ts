import { describe, expect, test } from 'vitest';
import { readTypedData } from '../../src/keyring/typed-data.js';
import { readPermit } from '../../src/keyring/typed-data-permit.js';

const spender = `0x${'5e'.repeat(20)}`;
const owner = `0x${'0a'.repeat(20)}`;
const tokens = [`0x${'70'.repeat(20)}`, `0x${'71'.repeat(20)}`] as const;
const uint = (bits: number) => 2n ** BigInt(bits);
const text = (value: bigint) => value.toString();

function permit(
  types: Record<string, string>,
  primaryType: string,
  message: Record<string, unknown>,
  domain: Record<string, unknown> = { chainId: 31, verifyingContract: tokens[0] },
) {
  const parsed = Object.fromEntries(
    Object.entries(types).map(([name, fields]) => [
      name,
      fields.split(', ').map((field) => {
        const [type, fieldName] = field.split(' ');
        return { type, name: fieldName };
      }),
    ]),
  );
  return readPermit(readTypedData({ types: parsed, primaryType, domain, message }, 'p', { chainId: 31 }));
}

const erc2612 = { Permit: 'address owner, address spender, uint256 value, uint256 nonce, uint256 deadline' };
const dai = { Permit: 'address holder, address spender, uint256 nonce, uint256 expiry, bool allowed' };
const details = 'address token, uint160 amount, uint48 expiration, uint48 nonce';
const allowance = (token: string, amount: bigint) => ({
  token,
  amount: text(amount),
  expiration: 9,
  nonce: 0,
});

describe('readPermit', () => {
  test.each([
    [text(uint(256) - 1n), 'unlimited'],
    [text(uint(255)), 'unlimited'],
    [text(uint(255) - 1n), text(uint(255) - 1n)],
    ['0', '0'],
  ])('default: ERC-2612, value %s', (value, amount) => {
    expect(permit(erc2612, 'Permit', { owner, spender, value, nonce: 0, deadline: '1900000000' })).toEqual({
      spender,
      token: tokens[0],
      amount,
      deadline: '1900000000',
    });
  });

  test('behavior: a deadline of zero is one for ERC-2612, and none for DAI', () => {
    const message = { owner, spender, value: 1, nonce: 0, deadline: 0 };
    expect(permit(erc2612, 'Permit', message)).toMatchObject({ deadline: '0' });
    const forever = { holder: owner, spender, nonce: 0, expiry: 0, allowed: true };
    expect(permit(dai, 'Permit', forever)).toEqual({
      spender,
      token: tokens[0],
      amount: 'unlimited',
      deadline: null,
    });
    expect(permit(dai, 'Permit', { ...forever, expiry: 5, allowed: false })).toMatchObject({
      amount: '0',
      deadline: '5',
    });
  });

  test('behavior: a permit without a verifying contract has no token', () => {
    const message = { owner, spender, value: 1, nonce: 0, deadline: 1 };
    expect(permit(erc2612, 'Permit', message, { chainId: 31 })).toMatchObject({ token: null });
  });

  test.each([
    [uint(160) - 1n, 'unlimited'],
    [uint(159), 'unlimited'],
    [uint(159) - 1n, text(uint(159) - 1n)],
  ])('behavior: Permit2 allowance of %s', (amount, shown) => {
    const types = {
      PermitSingle: 'PermitDetails details, address spender, uint256 sigDeadline',
      PermitDetails: details,
    };
    const message = { details: allowance(tokens[1], amount), spender, sigDeadline: 77 };
    expect(permit(types, 'PermitSingle', message)).toEqual({
      spender,
      token: tokens[1],
      amount: shown,
      deadline: '77',
    });
  });

  test('behavior: Permit2 batch: one token by name, several without, the largest amount', () => {
    const types = {
      PermitBatch: 'PermitDetails[] details, address spender, uint256 sigDeadline',
      PermitDetails: details,
    };
    const batch = (...list: unknown[]) =>
      permit(types, 'PermitBatch', { details: list, spender, sigDeadline: 77 });
    expect(batch(allowance(tokens[1], 5n))).toMatchObject({ token: tokens[1], amount: '5' });
    expect(batch(allowance(tokens[0], 9n), allowance(tokens[1], 5n))).toMatchObject({
      token: null,
      amount: '9',
    });
    expect(batch(allowance(tokens[0], 1n), allowance(tokens[1], uint(160) - 1n))).toMatchObject({
      amount: 'unlimited',
    });
    expect(batch()).toBeNull();
  });

  test('behavior: Permit2 transfers, which have amounts of 256 bits', () => {
    const types = {
      PermitTransferFrom: 'TokenPermissions permitted, address spender, uint256 nonce, uint256 deadline',
      TokenPermissions: 'address token, uint256 amount',
    };
    const transfer = (amount: bigint) =>
      permit(types, 'PermitTransferFrom', {
        permitted: { token: tokens[1], amount: text(amount) },
        spender,
        nonce: 1,
        deadline: 88,
      });
    expect(transfer(uint(200))).toEqual({
      spender,
      token: tokens[1],
      amount: text(uint(200)),
      deadline: '88',
    });
    expect(transfer(uint(255))).toMatchObject({ amount: 'unlimited' });
  });

  test('behavior: everything else is no permit', () => {
    const types = { Order: 'address spender, uint256 value' };
    expect(permit(types, 'Order', { spender, value: 1 })).toBeNull();
    expect(permit({ Permit: 'address spender' }, 'Permit', { spender })).toBeNull();
    expect(permit({ Permit: 'address owner' }, 'Permit', { owner })).toBeNull();
    expect(permit({ toString: 'address spender' }, 'toString', { spender })).toBeNull();
    const v1 = [{ type: 'address', name: 'spender', value: spender }];
    expect(readPermit(readTypedData(v1, 'p', { version: 'V1' }))).toBeNull();
  });
});
