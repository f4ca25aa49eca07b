import { describe, expect, test } from 'vitest';
import { areAlike, decodeGrants, encodeGrant, type Grant } from '../../../src/permissions/grant.js';
import { type PermissionType, permissionTypes } from '../../../src/rpc/permission-terms.js';
import { fc } from '../../support/property.js';

const token = `0x${'7a'.repeat(20)}`;
const grant = (over: object = {}): Grant =>
  ({
    ...{ type: 'native-token-allowance', amount: '0x64', start: 1, end: 2 },
    ...{ context: `0x${'aa'.repeat(32)}`, origin: 'https://a.example', account: `0x${'11'.repeat(20)}` },
    ...{ chainId: 31, firstNonce: '0x0', connectedAt: 3, grantedAt: 4, replaced: [], code: {} },
    ...{ payees: [`0x${'5a'.repeat(20)}`], request: { chainId: '0x1f', rules: [] } },
    ...over,
  }) as unknown as Grant;
const ofText = (text: string) => new TextEncoder().encode(text);

describe('a grant', () => {
  test('is read from a record as it was written', () => {
    const all = [grant(), grant({ period: 3_600, token, fees: '0x1', replaced: [`0x${'bb'.repeat(32)}`] })];
    expect(decodeGrants(all.map(encodeGrant))).toEqual(all);
  });

  test.each<[string, object]>([
    ['no context', { context: undefined }],
    ['a context that is no hexadecimal', { context: 'a' }],
    ['no amount', { amount: undefined }],
    ['an amount of no digits', { amount: '0x' }],
    ['an amount in a negative number', { amount: '-0x1' }],
    ['no first nonce', { firstNonce: undefined }],
    ['no start', { start: undefined }],
    ['a start in parts of a second', { start: 1.5 }],
    ['no end', { end: undefined }],
    ['an end as a text', { end: '2' }],
    ['no list of replaced ones', { replaced: {} }],
    ['no code', { code: undefined }],
  ])('with %s is left out, and those beside it are read', (_name, over) => {
    expect(decodeGrants([encodeGrant(grant(over)), encodeGrant(grant())])).toEqual([grant()]);
  });

  test('is in no record that is not JSON of an object', () => {
    for (const text of ['', '{', 'null', '1', '"a"', '[]', '{}'])
      expect(decodeGrants([ofText(text)])).toEqual([]);
    expect(decodeGrants([Uint8Array.of(0xff, 0xfe)])).toEqual([]);
  });

  test('is not read from the prototype', () => {
    const { amount: _amount, ...rest } = grant();
    Object.assign(Object.prototype, { amount: '0x64' });
    try {
      expect(decodeGrants([ofText(JSON.stringify(rest))])).toEqual([]);
    } finally {
      delete (Object.prototype as { amount?: string }).amount;
    }
  });

  test('is read from no bytes with an error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.json(), (bytes, json) => {
        expect(decodeGrants([bytes, ofText(json)])).toEqual([]);
      }),
    );
  });
});

describe('two permissions', () => {
  /** Whether each pair of types is alike. */
  const alike = (over: object = {}) =>
    permissionTypes.map((one) =>
      permissionTypes.map((other) => {
        const of = (type: PermissionType) => grant({ type, ...(type.startsWith('erc20') && { token }) });
        return areAlike(of(one), { ...of(other), ...over }) ? 1 : 0;
      }),
    );

  test('are alike where both are for coins, for one token, or for calls', () => {
    expect(alike()).toEqual([
      [1, 1, 0, 0, 0],
      [1, 1, 0, 0, 0],
      [0, 0, 1, 1, 0],
      [0, 0, 1, 1, 0],
      [0, 0, 0, 0, 1],
    ]);
  });

  test.each<[string, object]>([
    ['origin', { origin: 'https://b.example' }],
    ['account', { account: `0x${'12'.repeat(20)}` }],
    ['chain', { chainId: 30 }],
  ])('with another %s are not', (_name, over) => {
    expect(alike(over).flat()).not.toContain(1);
  });

  test('for two tokens are not', () => {
    const of = (digits: string) => grant({ type: 'erc20-token-periodic', token: `0x${digits.repeat(20)}` });
    expect(areAlike(of('7a'), of('7b'))).toBe(false);
  });
});
