import { describe, expect, test } from 'vitest';
import { readPermissionRequests } from '../../../src/permissions/request.js';
import { knownContracts, listedTokens } from '../../../src/rpc/known-contracts.js';
import type { Json } from '../../../src/rpc/message.js';
import { type PermissionType, permissionTypes } from '../../../src/rpc/permission-terms.js';
import { tokenSelectors } from '../../../src/rpc/token-calls.js';
import { fc } from '../../support/property.js';

const seconds = 1_700_000_000;
const now = seconds * 1_000 + 999;
const hour = 3_600;
const day = 86_400;
const account = `0x${'11'.repeat(20)}`;
const friend = `0x${'5a'.repeat(20)}`;
const contract = `0x${'77'.repeat(20)}`;
const token = listedTokens(31)[0]?.address as string;
const contracts = [{ address: contract, selectors: ['0x12345678'] }];

const expiry = (timestamp: Json = seconds + day): Json => ({ type: 'expiry', data: { timestamp } });
const payee = (addresses: Json = [friend]): Json => ({ type: 'payee', data: { addresses } });

const fieldsOf: Readonly<Record<PermissionType, { readonly [field: string]: Json }>> = {
  'native-token-allowance': { allowanceAmount: '0x64' },
  'native-token-periodic': { periodAmount: '0x64', periodDuration: hour },
  'erc20-token-allowance': { tokenAddress: token, allowanceAmount: '0x64', feeAmount: '0x5' },
  'erc20-token-periodic': {
    tokenAddress: token,
    periodAmount: '0x64',
    periodDuration: hour,
    feeAmount: '0x5',
  },
  'graft-contract-calls': { contracts, periodAmount: '0x64', periodDuration: hour },
};
const isForCalls = (type: PermissionType) => type === 'graft-contract-calls';

/** A request of a type; a member that is `undefined` is left out. */
const requestOf = (
  type: PermissionType,
  data: { readonly [field: string]: Json | undefined } = {},
  over: { readonly [field: string]: Json | undefined } = {},
  isAdjustmentAllowed: Json = true,
): Json => {
  const given = {
    ...{ chainId: '0x1f', to: account },
    permission: { type, isAdjustmentAllowed, data: { ...fieldsOf[type], ...data } },
    rules: [expiry(), ...(isForCalls(type) ? [] : [payee()])],
    ...over,
  };
  return JSON.parse(JSON.stringify(given));
};
const read = (...requests: readonly Json[]) => readPermissionRequests(requests, now);
const readOne = (...args: Parameters<typeof requestOf>) => {
  const [one] = read(requestOf(...args));
  if (!one) throw new Error('nothing was read');
  return one;
};
/** The message of the refusal; the code of each is that of wrong params. */
const refusalOf = (...requests: readonly Json[]): string => {
  try {
    read(...requests);
  } catch (error) {
    const { code, message } = error as { code?: number; message: string };
    return code === -32602 ? message : `${code}: ${message}`;
  }
  return 'none';
};
const refusal = (...args: Parameters<typeof requestOf>) => refusalOf(requestOf(...args));

test.each<[PermissionType, object]>([
  ['native-token-allowance', { amount: '0x64', payees: [friend] }],
  ['native-token-periodic', { amount: '0x64', payees: [friend], period: hour }],
  ['erc20-token-allowance', { amount: '0x64', payees: [friend], token, fees: '0x5' }],
  ['erc20-token-periodic', { amount: '0x64', payees: [friend], token, fees: '0x5', period: hour }],
  ['graft-contract-calls', { amount: '0x64', contracts, period: hour }],
])('%s is read with its terms', (type, terms) => {
  const { terms: found, ...rest } = readOne(type, { justification: 'To play' });
  const times = { start: seconds, end: seconds + day };
  expect(JSON.parse(JSON.stringify(found))).toEqual({ type, ...times, ...terms });
  expect(rest).toMatchObject({ chainId: 31, to: account, isAdjustable: true, justification: 'To play' });
  expect(rest.data).toEqual({ ...fieldsOf[type], justification: 'To play' });
});

describe.each(permissionTypes)('%s', (type) => {
  const fields = Object.keys(fieldsOf[type]);

  test('needs each of its fields but that of the fees', () => {
    for (const field of fields)
      expect([field, refusal(type, { [field]: undefined }) === 'none']).toEqual([
        field,
        field === 'feeAmount',
      ]);
  });

  test('takes no field of a wrong type, and names it', () => {
    const wrong = fc.oneof(
      fc.constantFrom<Json>(null, true, '', 'a', '0x', '0xg', -1, 0.5, 1e300, [], {}, [[]], '-0x1'),
      fc.string().filter((text) => !/^0x[\da-f]+$/i.test(text)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...fields), wrong, (field, value) => {
        const message = refusal(type, { [field]: value });
        expect(`${field} ${JSON.stringify(value)}: ${message}`).toContain(
          `permission.data.${field === 'feeAmount' ? 'fee' : field.slice(0, 5)}`,
        );
      }),
    );
  });

  test('takes no other field', () => {
    for (const field of [
      'tokenAddress',
      'allowanceAmount',
      'allowance',
      'periodAmount',
      'periodDuration',
      'feeAmount',
      'contracts',
      'maxAmount',
      'initialAmount',
      'amountPerSecond',
    ]) {
      const isKnown =
        fields.includes(field) ||
        (field === 'allowance' && /^(native|erc20).*allowance$/.test(type)) ||
        (isForCalls(type) && field === 'allowanceAmount');
      if (isKnown) continue;
      expect(refusal(type, { [field]: '0x64' })).toMatch(new RegExp(`data.*${field}.*unknown key`));
    }
  });

  test('takes an amount of 1 to 256 bits', () => {
    const field = fields.find((each) => each.endsWith('Amount')) as string;
    for (const most of [`0x${'f'.repeat(64)}`, '0x1'])
      expect(readOne(type, { [field]: most }).terms.amount).toBe(most);
    for (const wrong of [`0x1${'0'.repeat(64)}`, '0x0', '0x00', 100])
      expect(refusal(type, { [field]: wrong })).toMatch(/data\.\w+Amount: expected/);
    expect(readOne(type, { [field]: '0x00AB' }).terms.amount).toBe('0xab');
  });

  test('is adjustable or not as the site says, and in no other way', () => {
    expect(readOne(type, {}, {}, false).isAdjustable).toBe(false);
    for (const wrong of [null, 'true', 1, {}])
      expect(refusal(type, {}, {}, wrong)).toContain('isAdjustmentAllowed: expected a boolean');
  });

  test('begins now, or later where it says so', () => {
    expect(readOne(type).terms.start).toBe(seconds);
    expect(readOne(type, { startTime: 5 }).terms.start).toBe(seconds);
    expect(readOne(type, { startTime: null }).terms.start).toBe(seconds);
    expect(readOne(type, { startTime: seconds + 9 }).terms.start).toBe(seconds + 9);
    for (const wrong of [-1, 0.5, '0x1', '5', 2 ** 53, true])
      expect(refusal(type, { startTime: wrong })).toContain('startTime: expected a whole number');
  });

  test('has a justification of at most 500 characters', () => {
    expect(readOne(type, { justification: 'a'.repeat(500) }).justification).toHaveLength(500);
    expect(refusal(type, { justification: 'a'.repeat(501) })).toContain(
      'at most 500 characters, received 501',
    );
    expect(refusal(type, { justification: 1 })).toContain('justification: expected a string');
    expect(readOne(type, { justification: null }).justification).toBe(undefined);
  });

  test('ends 90 days from now at the latest, if it may be adjusted', () => {
    const latest = seconds + 90 * day;
    const rules = (end: Json) => ({ rules: [expiry(end), ...(isForCalls(type) ? [] : [payee()])] });
    // So many hours are more periods than there can be.
    const data = { periodDuration: fields.includes('periodDuration') ? day : undefined };
    expect(readOne(type, data, rules(latest), false).terms.end).toBe(latest);
    expect(readOne(type, data, rules(latest + 1)).terms.end).toBe(latest);
    expect(refusal(type, data, rules(latest + 1), false)).toContain('no adjustment is allowed');
    expect(readOne(type, data, rules(2 ** 53 - 1)).terms.end).toBe(latest);
  });

  test('ends after now and after its start', () => {
    const rules = (end: Json) => ({ rules: [expiry(end), ...(isForCalls(type) ? [] : [payee()])] });
    for (const end of [0, seconds - 1, seconds])
      for (const may of [true, false])
        expect(refusal(type, {}, rules(end), may)).toContain('the expiry has passed');
    expect(readOne(type, {}, rules(seconds + 1)).terms.end).toBe(seconds + 1);
    expect(refusal(type, { startTime: seconds + 50 }, rules(seconds + 50))).toContain(
      'the expiry has passed',
    );
    expect(refusal(type, { startTime: seconds + 91 * day }, rules(seconds + 95 * day))).not.toBe('none');
  });

  test('needs one expiry, in whole seconds', () => {
    for (const wrong of [null, '0x65', -1, 0.5, 2 ** 53])
      expect(refusal(type, {}, { rules: [expiry(wrong)] })).toContain('timestamp: expected a whole number');
    expect(refusal(type, {}, { rules: [payee()] })).toContain('an expiry rule is required');
    const toBridge = payee([friend, '0x0000000000000000000000000000000001000006']);
    if (!isForCalls(type))
      expect(refusal(type, {}, { rules: [expiry(), toBridge] })).toContain(
        'the bridge is paid with a question',
      );
    expect(refusal(type, {}, { rules: [expiry(), expiry()] })).toContain('one expiry and at most one payee');
    expect(refusal(type, {}, { rules: [payee(), payee()] })).toContain('one expiry and at most one payee');
    expect(refusal(type, {}, { rules: [] })).toContain('rules: expected an array of at least one');
    expect(refusal(type, {}, { rules: undefined })).toContain('rules: expected an array of at least one');
    expect(refusal(type, {}, { rules: [expiry(), payee(), payee()] })).toContain(
      'one expiry and at most one payee',
    );
    expect(refusal(type, {}, { rules: [expiry(), { type: 'redeemer', data: {} }] })).toContain(
      'rules[1].type',
    );
    expect(
      refusal(type, {}, { rules: [{ type: 'expiry', data: { timestamp: seconds + 5, other: 1 } }] }),
    ).toContain('unknown key');
    expect(
      refusal(
        type,
        {},
        { rules: [{ type: 'expiry', data: { timestamp: seconds + 5 }, isAdjustmentAllowed: true }] },
      ),
    ).toContain('unknown key');
  });
});

describe('payees', () => {
  const withRules = (type: PermissionType, ...rules: readonly Json[]) =>
    refusal(type, {}, { rules: [expiry(), ...rules] });

  test('are needed for coins, may be left out for tokens, and are none of calls', () => {
    expect(permissionTypes.map((type) => withRules(type) === 'none')).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
    expect(permissionTypes.map((type) => withRules(type, payee()) === 'none')).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
  });

  test('are 1 to 64 addresses, each once', () => {
    const many = Array.from({ length: 65 }, (_, at) => `0x${at.toString(16).padStart(40, '0')}`);
    const type = 'native-token-allowance';
    expect(withRules(type, payee(many.slice(1)))).toBe('none');
    expect(withRules(type, payee(many))).toContain('at most 64, received 65');
    for (const wrong of [[], null, friend, [null], ['0x1'], [friend.slice(0, -1)]])
      expect(withRules(type, payee(wrong))).toContain('addresses');
    const upper = `0x${friend.slice(2).toUpperCase()}`;
    expect(readOne(type, {}, { rules: [expiry(), payee([friend, upper])] }).terms.payees).toEqual([friend]);
  });
});

describe('an allowance', () => {
  test.each(['native-token-allowance', 'erc20-token-allowance'] as const)(
    'for %s has two names for one value',
    (type) => {
      expect(readOne(type, { allowanceAmount: undefined, allowance: '0x7' }).terms.amount).toBe('0x7');
      expect(readOne(type, { allowanceAmount: '0x7', allowance: '0x7' }).terms.amount).toBe('0x7');
      expect(refusal(type, { allowanceAmount: '0x7', allowance: '0x8' })).toContain('two names of one value');
      expect(refusal(type, { allowanceAmount: '0x7', allowance: '0x08' })).toContain(
        'two names of one value',
      );
    },
  );

  test('for calls is for the whole term', () => {
    const once = { periodAmount: undefined, periodDuration: undefined, allowanceAmount: '0x7' };
    expect(readOne('graft-contract-calls', once).terms).toMatchObject({ amount: '0x7', period: undefined });
  });
});

describe('a period', () => {
  const periodic = permissionTypes.filter((type) => 'periodDuration' in fieldsOf[type]);
  const longTerm = (type: PermissionType) => ({
    rules: [expiry(seconds + 90 * day), ...(isForCalls(type) ? [] : [payee()])],
  });

  test.each(periodic)('for %s is an hour or more', (type) => {
    for (const short of [0, 1, hour - 1])
      for (const may of [true, false])
        expect(refusal(type, { periodDuration: short }, {}, may)).toContain(
          `at least 3600 seconds, received ${short}`,
        );
    expect(readOne(type, { periodDuration: hour }).terms.period).toBe(hour);
  });

  test.each(periodic)('for %s comes 1,000 times at most', (type) => {
    const { start, end } = readOne(type, {}, longTerm(type)).terms;
    expect(end - start).toBe(1_000 * hour);
    expect(refusal(type, {}, longTerm(type), false)).toContain('no adjustment is allowed');
    const exact = { rules: [expiry(seconds + 1_000 * hour), ...(isForCalls(type) ? [] : [payee()])] };
    expect(readOne(type, {}, exact, false).terms.end).toBe(seconds + 1_000 * hour);
  });

  test.each(periodic)('for %s as long as the term is left out', (type) => {
    for (const long of [day, day + 1, 2 ** 53 - 1])
      expect(readOne(type, { periodDuration: long }, {}, false).terms.period).toBe(undefined);
    expect(readOne(type, { periodDuration: day - 1 }).terms.period).toBe(day - 1);
  });
});

describe('a token', () => {
  const types = ['erc20-token-allowance', 'erc20-token-periodic'] as const;

  test.each(types)('for %s is one that the wallet lists for the chain', (type) => {
    for (const { address } of listedTokens(31))
      expect(readOne(type, { tokenAddress: address }).terms.token).toBe(address);
    const upper = `0x${token.slice(2).toUpperCase()}`;
    expect(readOne(type, { tokenAddress: upper }).terms.token).toBe(token);
    expect(refusal(type, { tokenAddress: contract })).toContain('the tokens that it lists only');
    expect(refusal(type, {}, { chainId: '0x1e' })).toContain('the tokens that it lists only');
  });

  test.each(types)('for %s has usual fees where none are named', (type) => {
    expect(readOne(type, { feeAmount: undefined }).terms.fees).toBe('0x5af3107a4000');
    for (const wrong of ['0x0', null, 5])
      expect(refusal(type, { feeAmount: wrong })).toContain('feeAmount: expected');
  });
});

describe('the contracts of calls', () => {
  const of = (...given: readonly Json[]) => refusal('graft-contract-calls', { contracts: given });
  const selector = (at: number) => `0x${(0xf0000000 + at).toString(16)}`;
  const addressAt = (at: number) => `0x${(at + 1).toString(16).padStart(40, 'c')}`;

  test('are 1 to 16, each named once', () => {
    const many = Array.from({ length: 17 }, (_, at) => ({
      address: addressAt(at),
      selectors: [selector(0)],
    }));
    expect(of(...many.slice(1))).toBe('none');
    expect(of(...many)).toContain('at most 16, received 17');
    expect(of()).toContain('contracts: expected an array of at least one');
    const upper = { address: `0x${contract.slice(2).toUpperCase()}`, selectors: [selector(1)] };
    expect(of(...(contracts as Json[]), upper)).toContain('named twice');
  });

  test('have 1 to 32 selectors of four bytes, each once', () => {
    const selectors = Array.from({ length: 33 }, (_, at) => selector(at));
    expect(of({ address: contract, selectors: selectors.slice(1) })).toBe('none');
    expect(of({ address: contract, selectors })).toContain('at most 32, received 33');
    for (const wrong of [
      '0x',
      '0x123456',
      '0x1234567890',
      '12345678',
      1,
      null,
      'move',
      'move(',
      'event move()',
    ])
      expect(of({ address: contract, selectors: [wrong] })).toContain('selectors[0]: expected');
    for (const wrong of [[], null, selector(0)])
      expect(of({ address: contract, selectors: wrong })).toContain('selectors: expected an array');
    const { terms } = readOne('graft-contract-calls', {
      contracts: [{ address: contract, selectors: ['0xABCDEF01', '0xabcdef01'] }],
    });
    expect(terms.contracts).toEqual([{ address: contract, selectors: ['0xabcdef01'] }]);
  });

  test('have the names of the functions whose signatures are given', () => {
    const of = (...selectors: string[]) =>
      readOne('graft-contract-calls', { contracts: [{ address: contract, selectors }] }).terms.contracts?.[0];
    const move = { '0x70e87aaf': 'move' };
    expect(of('move(uint8)')).toMatchObject({ selectors: ['0x70e87aaf'], names: move });
    expect(of('0x70e87aaf', 'function move(uint8 square) external')).toMatchObject({
      ...{ selectors: ['0x70e87aaf'], names: move },
    });
    expect(of('0x70e87aaf')).not.toHaveProperty('names');
    expect(() => of('approve(address,uint256)')).toThrow('0x095ea7b3 moves tokens');
    for (const wrong of [
      `${'m'.repeat(41)}()`,
      `move(${'uint8,'.repeat(200)}uint8)`,
      '<b>()',
      'mo\u202Eve()',
    ])
      expect(() => of(wrong)).toThrow('selectors[0]: expected');
  });

  test.each([
    'transfer',
    'transferFrom',
    'approve',
    'increaseAllowance',
    'setApprovalForAll',
    'safeTransferFrom',
    'safeTransferFromWithData',
    'safeTransferFromOfId',
  ] as const)('do not have %s', (name) => {
    const known = tokenSelectors[name];
    for (const written of [known, `0x${known.slice(2).toUpperCase()}`])
      expect(of({ address: contract, selectors: [selector(0), written] })).toContain(
        `selectors[1]: ${known} moves tokens`,
      );
  });

  test.each([
    ['permit', '0xd505accf'],
    ['multicall', '0xac9650d8'],
    ['execTransaction', '0x6a761202'],
    ['upgradeTo', '0x3659cfe6'],
    ['transferOwnership', '0xf2fde38b'],
  ])('do not have %s', (_name, known) => {
    expect(of({ address: contract, selectors: [known] })).toContain(
      'moves tokens, gives a right or carries out other calls',
    );
  });

  test('are none that the wallet knows', () => {
    for (const { address } of knownContracts(31))
      expect(of({ address, selectors: [selector(0)] })).toContain('called with a question each time');
  });

  test('have no other key', () => {
    expect(of({ address: contract, selectors: [selector(0)], value: '0x1' })).toContain('value: unknown key');
  });
});

describe('a request', () => {
  const one = requestOf('native-token-allowance');

  test('has one to four permissions', () => {
    const tokens = listedTokens(31)
      .slice(0, 2)
      .map(({ address }) => requestOf('erc20-token-periodic', { tokenAddress: address }));
    expect(read(one, requestOf('graft-contract-calls'), ...tokens)).toHaveLength(4);
    expect(refusalOf(one, one, one, one, one)).toContain('at most 4 permissions, received 5');
    expect(refusalOf()).toContain('at least one permission');
    for (const params of [null, {}, 'a', 1])
      expect(() => readPermissionRequests(params, now)).toThrow('at least one permission');
  });

  test('has one permission of a kind and token', () => {
    const alike: readonly (readonly [PermissionType, PermissionType])[] = [
      ['native-token-allowance', 'native-token-periodic'],
      ['erc20-token-periodic', 'erc20-token-allowance'],
      ['graft-contract-calls', 'graft-contract-calls'],
    ];
    for (const [first, second] of alike)
      expect(refusalOf(requestOf(first), requestOf(second))).toContain(
        'params[1].permission: one permission',
      );
  });

  test('is for one chain and one account', () => {
    expect(refusalOf(one, requestOf('native-token-allowance', {}, { chainId: '0x1e' }))).toContain(
      'params[1].chainId: expected the same',
    );
    expect(refusalOf(one, requestOf('native-token-allowance', {}, { to: friend }))).toContain(
      'params[1].to: expected the same',
    );
    expect(refusalOf(one, requestOf('native-token-allowance', {}, { from: account }))).toContain(
      'params[1].to: expected the same',
    );
  });

  test('may name the account that pays', () => {
    expect(readOne('native-token-allowance', {}, { from: account }).from).toBe(account);
    for (const none of [undefined, null])
      expect(readOne('native-token-allowance', {}, { from: none }).from).toBe(undefined);
    expect(refusal('native-token-allowance', {}, { from: 1 })).toContain(
      'params[0].from: expected an address',
    );
  });

  test.each<[string, { readonly [field: string]: Json | undefined }, string]>([
    ['no chain', { chainId: undefined }, 'chainId: expected a chain id'],
    ['a chain id as a number', { chainId: 31 }, 'chainId: expected a chain id'],
    ['a chain id with a zero', { chainId: '0x01f' }, 'chainId: expected a chain id'],
    ['no account', { to: undefined }, 'to: expected an address'],
    ['a short account', { to: '0x11' }, 'to: expected an address'],
    ['no permission', { permission: undefined }, 'permission: expected an object'],
    ['a permission in a list', { permission: [] }, 'permission: expected an object'],
    ['another key', { expiry: 1 }, 'expiry: unknown key'],
    ['the signer of an older draft', { signer: {} }, 'signer: unknown key'],
  ])('with %s is refused', (_name, over, words) => {
    expect(refusal('native-token-allowance', {}, over)).toContain(words);
  });

  test('with a type that is not granted is refused', () => {
    for (const type of [
      'native-token-stream',
      'erc20-token-stream',
      'erc20-token-revocation',
      '',
      null,
      'constructor',
      '__proto__',
    ]) {
      const permission = { type, isAdjustmentAllowed: true, data: fieldsOf['native-token-allowance'] };
      expect(refusal('native-token-allowance', {}, { permission })).toContain(
        'permission.type: expected one of',
      );
    }
  });

  test('with any JSON is read or refused with the reason', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom(...permissionTypes),
        fc.constantFrom('permission', 'rules', 'to', 'chainId'),
        (value, type, field) => {
          expect(refusalOf(value as Json)).toMatch(/^params/);
          expect(refusal(type, {}, { [field]: value as Json })).toMatch(/^(params|none)/);
        },
      ),
    );
  });

  test('gives terms within the limits, whatever it asks for', () => {
    const large = fc.oneof(fc.nat(200 * day), fc.constantFrom(2 ** 53 - 1, 91 * day, 1_000 * hour));
    fc.assert(
      fc.property(
        fc.constantFrom(...permissionTypes),
        large,
        large,
        large,
        fc.boolean(),
        (type, later, length, period, may) => {
          const periodDuration = 'periodDuration' in fieldsOf[type] ? period : undefined;
          const end = Math.min(seconds + length, 2 ** 53 - 1);
          const startTime = Math.min(seconds + later, 2 ** 53 - 1);
          const rules = [expiry(end), ...(isForCalls(type) ? [] : [payee()])];
          const given = requestOf(type, { periodDuration, startTime }, { rules }, may);
          if (refusalOf(given) !== 'none') return;
          const [one] = read(given);
          const { terms } = one as NonNullable<typeof one>;
          expect(terms.start).toBe(startTime);
          expect(terms.end).toBeGreaterThan(terms.start);
          expect(terms.end).toBeLessThanOrEqual(Math.min(end, seconds + 90 * day));
          if (!may) expect(terms.end).toBe(end);
          expect((terms.end - terms.start) / (terms.period ?? Infinity)).toBeLessThanOrEqual(1_000);
        },
      ),
    );
  });
});
