import { pad } from 'viem';
import { describe, expect, test } from 'vitest';
import type { CallTree } from '../../../src/approvals/call-tree.js';
import { fc } from '../../support/property.js';
import { attacker, nested, someContract } from '../approvals/wrappers.js';
import { codesOf, described, severityOf } from './described.js';
import {
  type Form,
  form,
  other,
  owner,
  relayRequest,
  safeTransaction,
  soon,
  third,
  token,
  zero,
} from './forms.js';
import { realForms } from './real-forms.js';

const all = (call: CallTree): readonly CallTree[] => [call, ...call.inner.flatMap(all)];

describe('typed data of contracts in use', () => {
  test.each(Object.entries(realForms))(
    '%s has the severity of what it gives',
    async (_, [each, severity, codes]) => {
      const shown = await described(each);
      expect([severityOf(shown), codesOf(shown)]).toEqual([severity, expect.arrayContaining([...codes])]);
    },
  );

  test('every call of a batch is listed with its target and what it moves', async () => {
    const { calls } = await described(realForms['A batch in parallel arrays']?.[0] as Form);
    expect(calls).toMatchObject([
      { method: 'transfer', tokens: [{ name: 'transfer', to: other }] },
      { to: token, method: 'approve', tokens: [{ spender: other, unlimited: true }] },
    ]);
  });
});

/** A place of typed data that can hold an address: its type, and the value with the address in it. */
const places: Readonly<Record<string, (address: string) => unknown>> = {
  address: (address) => address,
  'address[]': (address) => [owner, address],
  bytes: (address) => address,
  bytes20: (address) => address,
  bytes32: (address) => pad(address as `0x${string}`, { size: 32 }),
  uint160: (address) => BigInt(address).toString(),
  uint256: (address) => BigInt(address).toString(),
  string: (address) => `for ${address}`,
  bytes21: (address) => `0x01${address.slice(2)}`,
  'bytes32[]': (address) => [pad(address as `0x${string}`, { size: 32, dir: 'right' })],
};

/** An address without so many zeros that it may be a number. */
const addresses = fc
  .array(fc.integer({ min: 1, max: 255 }), { minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const names = fc.stringMatching(/^[a-z][A-Za-z0-9]{2,8}$/).filter((name) => name !== 'constructor');
const neutral = {
  string: 'Hello',
  uint256: '12345',
  bool: true,
  address: owner,
} as const;

describe('typed data of unknown forms', () => {
  test('typed data that names another address anywhere never passes without a warning', async () => {
    const field = fc.record({
      name: names,
      type: fc.constantFrom(...Object.keys(neutral)) as fc.Arbitrary<keyof typeof neutral>,
    });
    await fc.assert(
      fc.asyncProperty(
        names.map((name) => `T${name}`),
        fc.uniqueArray(field, { selector: ({ name }) => name, maxLength: 5 }),
        fc.constantFrom(...Object.keys(places)),
        addresses,
        names,
        fc.integer({ min: 0, max: 3 }),
        async (struct, others, type, address, name, depth) => {
          const members = others.filter((each) => each.name !== name && each.name !== 'inner');
          const wrapped = Array.from({ length: depth }, (_, i) => `${struct}${i}`);
          const types: Record<string, string> = {};
          for (const [i, outer] of wrapped.entries())
            types[outer] = `${wrapped[i + 1] ?? struct} inner, uint256 nonce`;
          types[struct] = [...members.map((each) => `${each.type} ${each.name}`), `${type} ${name}`].join(
            ', ',
          );
          const message = Object.fromEntries(members.map((each) => [each.name, neutral[each.type]]));
          const innermost: object = { ...message, [name]: places[type]?.(address) };
          const whole = wrapped.reduceRight<object>((inner) => ({ inner, nonce: 1 }), innermost);
          expect(severityOf(await described(form(types, whole)))).not.toBe('none');
        },
      ),
      { seed: 20261125, numRuns: 300 },
    );
  });

  const usdt0 = '0x5a2256dd0dfbc8ce121d923ac7d6e7a3fc7f9922';
  const most = (2n ** 256n - 1n).toString();
  const hash = `0x${'c7'.repeat(32)}`;

  test('none of any fields passes without a warning', async () => {
    const values: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
      string: fc.string(),
      bool: fc.boolean(),
      address: fc.constant(owner),
      bytes32: fc.constantFrom(hash, `0x${'00'.repeat(32)}`),
      bytes10: fc.constant(other.slice(0, 22)),
      uint256: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String),
      uint32: fc.nat().map(String),
      int256: fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n }).map(String),
    };
    const field = fc
      .constantFrom(...Object.keys(values))
      .chain((type) =>
        fc.record({ name: names, type: fc.constant(type), value: values[type] as fc.Arbitrary<unknown> }),
      );
    const structs = [
      'Burn',
      'Release',
      'Commit',
      'Onboard',
      'Cancel',
      'RevokeAll',
      'Logout',
      'Vote',
      'Ballot',
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.constantFrom(...structs),
          names.map((name) => `T${name}`),
        ),
        fc.uniqueArray(field, { selector: ({ name }) => name, minLength: 1, maxLength: 4 }),
        async (struct, fields) => {
          const types = { [struct]: fields.map(({ name, type }) => `${type} ${name}`).join(', ') };
          const message = Object.fromEntries(fields.map(({ name, value }) => [name, value]));
          expect(severityOf(await described(form(types, message)))).not.toBe('none');
        },
      ),
      { seed: 20261125, numRuns: 300 },
    );
  });

  test.each<[string, string, object]>([
    ['a name as recipient', 'string to, uint256 amount', { to: 'mallory.rsk', amount: most }],
    ['a key as recipient', 'bytes32 mintRecipient, uint256 amount', { mintRecipient: hash, amount: most }],
    [
      'an id as recipient',
      'uint32 toAccountId, uint96 amount',
      { toAccountId: 77, amount: `${2n ** 96n - 1n}` },
    ],
    [
      'two halves',
      'bytes10 a, bytes10 b, uint256 value',
      { a: other.slice(0, 22), b: other.slice(0, 22), value: most },
    ],
    ['a negative number', 'int256 to, uint256 amount', { to: `-${BigInt(other)}`, amount: most }],
    ['no recipient', 'uint256 amount', { amount: most }],
    ['a limit', 'uint256 dailyLimit', { dailyLimit: most }],
    ['a little less than the greatest', 'uint256 amount', { amount: `${2n ** 256n - 2n ** 200n}` }],
    ['the greatest number of any name', 'uint128 x', { x: `${2n ** 128n - 1n}` }],
    ['minus one for all', 'int256 amount', { amount: '-1' }],
    ['an amount as text', 'string amount', { amount: most }],
    ['amounts in a list', 'uint256[] amounts', { amounts: ['5', most] }],
  ])('an amount without a limit is a danger: %s', async (_, fields, message) => {
    const shown = await described(form({ Move: fields }, message));
    expect(shown.warnings).toEqual([{ code: 'unclear-form', severity: 'danger' }]);
  });

  test('any at a token that the wallet knows is a danger', async () => {
    const domain = { chainId: 31, verifyingContract: usdt0 };
    const shown = await described(form({ Burn: 'uint256 amount' }, { amount: 5 }, domain));
    expect(shown.warnings).toEqual([{ code: 'unclear-form', severity: 'danger' }]);
  });

  test.each<[string, string, object]>([
    ['Login', 'string statement', { statement: 'Hello' }],
    ['SignIn', 'address account, string domain, uint256 nonce', { account: owner, domain: 'x', nonce: 7 }],
    ['Authentication', 'string text, uint64 expiresAt', { text: 'x', expiresAt: soon }],
  ])('a sign-in of words passes: %s', async (struct, fields, message) => {
    expect(severityOf(await described(form({ [struct]: fields }, message)))).toBe('none');
  });

  test.each<[string, string, object]>([
    ['another name', 'string action', { action: 'Example Chain Onboarding' }],
    ['a hash as text', 'string statement', { statement: hash }],
    ['a hash', 'bytes32 id', { id: hash }],
    ['an amount', 'string statement, uint256 amount', { statement: 'Hello', amount: 5 }],
    ['a long number', 'uint256 nonce', { nonce: BigInt(hash).toString() }],
    ['somebody else', 'address account', { account: other }],
  ])('one with %s does not', async (name, fields, message) => {
    const struct = name === 'another name' ? 'Onboard' : 'Login';
    expect(severityOf(await described(form({ [struct]: fields }, message)))).toBe('caution');
  });

  test('a call inside other calls is listed, whatever the name of the field that holds it', async () => {
    await fc.assert(
      fc.asyncProperty(
        nested({ min: 0, max: 5 }),
        names,
        fc.boolean(),
        async ({ method, data }, name, hasTarget) => {
          const target = hasTarget && name !== 'to' ? ', address to' : '';
          const shown = await described(
            form(
              { Note: `string text, bytes ${name}${target}` },
              {
                text: 'Hello',
                [name]: data,
                ...(target && { to: someContract }),
              },
            ),
          );
          expect(shown.calls?.flatMap(all).map((call) => call.method)).toContain(method);
          expect(severityOf(shown)).toBe('danger');
        },
      ),
      { seed: 20261125, numRuns: 200 },
    );
  });

  test('more calls than are read are said, and the list stays short', async () => {
    const calls = Array.from({ length: 1_500 }, () => ({ to: token, data: '0x12345678' }));
    const shown = await described(form({ Run: 'Call[] calls', Call: 'address to, bytes data' }, { calls }));
    expect(shown.calls?.length).toBeLessThanOrEqual(101);
    expect(shown.warnings).toContainEqual({ code: 'calls-not-shown', severity: 'danger' });
  });

  test('a right without an amount and without an end is named as the greater one', async () => {
    const holders = [
      'spender',
      'operator',
      'delegate',
      'newOwner',
      'sessionKey',
      'guardian',
      'recoveryAddress',
    ];
    for (const holder of holders) {
      const limited = await described(
        form({ Thing: `address ${holder}, uint256 deadline` }, { [holder]: attacker, deadline: soon }),
      );
      expect(codesOf(limited), holder).toEqual(['gives-right']);
      const endless = await described(form({ Thing: `address ${holder}` }, { [holder]: attacker }));
      expect(codesOf(endless), holder).toEqual(['gives-right', 'endless-right']);
    }
  });

  test('a Safe’s payment for its gas is listed, and a danger', async () => {
    const { types, domain, message } = safeTransaction(0);
    const paid = {
      ...message,
      to: owner,
      data: '0x',
      baseGas: 5,
      gasPrice: 7,
      gasToken: token,
      refundReceiver: other,
    };
    const shown = await described({ types, primaryType: 'SafeTx', domain, message: paid });
    expect(codesOf(shown)).toEqual(['acts-as-you', 'moves-tokens']);
    expect(shown.calls?.[1]?.tokens).toMatchObject([{ name: 'transfer', to: other, amount: '35' }]);
  });

  test('the token fee of a relayed call is listed', async () => {
    const relayed = (paid: object) => ({ ...relayRequest, message: { ...relayRequest.message, ...paid } });
    for (const amount of ['1', `${10n ** 30n}`]) {
      const shown = await described(relayed({ tokenContract: token, tokenAmount: amount }));
      expect(shown.calls?.at(-1)?.tokens).toMatchObject([
        { name: 'transfer', amount, token: { address: token } },
      ]);
    }
    const free = await described(relayed({ tokenContract: zero, tokenAmount: 0 }));
    expect(free.calls).toHaveLength(1);
  });

  test('a form that ends a right and carries another one is not silent', async () => {
    for (const [primary, fields, message] of [
      [
        'SetApprovalForAll',
        'address operator, bool approved, address heir',
        { operator: other, approved: false, heir: third },
      ],
      [
        'Permit',
        'address spender, bool approved, uint256 allowance',
        { spender: other, approved: false, allowance: most },
      ],
      ['WithdrawTo', 'address operator, bool approved', { operator: other, approved: false }],
      [
        'WithdrawTo',
        'address operator, bool approved, uint256 amount',
        { operator: other, approved: false, amount: most },
      ],
      [
        'PermitForAll',
        'address operator, bool approved, bytes32 scope',
        { operator: other, approved: false, scope: hash },
      ],
      [
        'PermitForAll',
        'address operator, bool approved, Extra more',
        { operator: other, approved: false, more: { id: 5 } },
      ],
      [
        'CancelAndPay',
        'uint256 amount, string to',
        { amount: 5, to: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' },
      ],
      ['RevokeAndWithdrawAll', 'uint256 amount', { amount: most }],
      ['CancelOrder', 'bytes32 id', { id: hash }],
      ['CancelOrder', 'address newOwner', { newOwner: other }],
      ['RevokeAll', 'bytes payload', { payload: '0x1234' }],
    ] as const)
      expect(
        severityOf(await described(form({ [primary]: fields, Extra: 'uint256 id' }, message))),
        primary,
      ).not.toBe('none');
  });
});
