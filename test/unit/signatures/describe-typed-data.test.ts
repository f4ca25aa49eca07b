import fc from 'fast-check';
import { pad } from 'viem';
import { describe, expect, test } from 'vitest';
import type { CallTree } from '../../../src/approvals/call-tree.js';
import { attacker, nested, someContract } from '../approvals/wrappers.js';
import { codesOf, described, severityOf } from './described.js';
import { type Form, form, other, owner, soon, third, token } from './forms.js';
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
  test('one that names another address anywhere never passes without a warning', async () => {
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

  test('a form that ends a right and carries another one is not silent', async () => {
    for (const [primary, fields, message] of [
      [
        'SetApprovalForAll',
        'address operator, bool approved, address heir',
        { operator: other, approved: false, heir: third },
      ],
      ['CancelOrder', 'address newOwner', { newOwner: other }],
      ['RevokeAll', 'bytes payload', { payload: '0x1234' }],
    ] as const)
      expect(severityOf(await described(form({ [primary]: fields }, message))), primary).not.toBe('none');
  });
});
