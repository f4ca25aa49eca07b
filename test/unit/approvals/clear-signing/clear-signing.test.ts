import { type Abi, encodeFunctionData, keccak256, parseAbi, toHex } from 'viem';
import { describe, expect, test } from 'vitest';
import { abiCalls } from '../../../../src/approvals/abi-calls.js';
import {
  type ClearSigningDescriptor,
  clearSigning,
} from '../../../../src/approvals/clear-signing/clear-signing.js';
import type { ExplainedField } from '../../../../src/approvals/question.js';
import type { Address, Hex } from '../../../../src/rpc/schema.js';

const pool = '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2';
const from = '0x7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c';
const asset = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const other = '0x6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b';
const context = { chainId: 30, from, value: '0x0' } as const;
const schema = 'https://eips.ethereum.org/assets/eip-7730/erc7730-v2.schema.json';

type Json = Record<string, unknown>;

/** A file for one contract on chains 30 and 31. */
const file = (formats: Json, rest: Json = {}): ClearSigningDescriptor => ({
  $schema: schema,
  context: { contract: { deployments: [30, 31].map((chainId) => ({ chainId, address: pool })) } },
  metadata: { owner: 'Example', contractName: 'Pool', ...(rest.metadata as Json) },
  display: { formats, ...(rest.display as Json) },
  ...(rest.$schema !== undefined && { $schema: rest.$schema as string }),
});

const one = (signature: string, fields: readonly Json[], rest?: Json) =>
  file({ [signature]: { intent: 'Act', fields } }, rest);

const encode = (signature: string, ...args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: parseAbi([`function ${signature}`] as never) as Abi, args } as never);

const explain = async (
  descriptor: ClearSigningDescriptor,
  data: Hex,
  to: Address = pool,
  change: Json = {},
) => (await clearSigning([descriptor])(to, data, { ...context, ...change }))?.explained;

const text = (label: string, value: string): ExplainedField => ({ label, kind: 'text', text: value });

/** https://eips.ethereum.org/EIPS/eip-7730 (CC0), "metadata.enums". */
const repay = 'repay(address asset,uint256 amount,uint256 interestRateMode,address onBehalfOf)';
const lending = file(
  {
    [repay]: {
      $id: 'repay',
      intent: 'Repay loan',
      interpolatedIntent: 'Repay {amount} of {interestRateMode} rate loan',
      fields: [
        {
          path: 'amount',
          format: 'tokenAmount',
          label: 'Amount to repay',
          params: { tokenPath: 'asset', threshold: '$.metadata.constants.max', message: 'All' },
        },
        {
          path: 'interestRateMode',
          format: 'enum',
          label: 'Interest rate mode',
          params: { $ref: '$.metadata.enums.interestRateMode' },
        },
        { path: '#.onBehalfOf', format: 'addressName', label: 'For debt holder' },
      ],
    },
  },
  {
    metadata: {
      enums: { interestRateMode: { 1: 'stable', 2: 'variable' } },
      constants: { max: `0x${'f'.repeat(64)}` },
    },
  },
);

/** The data of Ethereum's transaction 0x54f9cecd…3797, to Aave's pool. */
const repaid =
  '0x573ade81000000000000000000000000a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48000000000000000000000000000000000000000000000000000000003b6d034000000000000000000000000000000000000000000000000000000000000000020000000000000000000000002c62c80ad86785dd3bfc7b616400a98e1903b672';

test('a transaction of mainnet is explained by the example of the ERC', async () => {
  expect(await clearSigning([lending])(pool, repaid, context)).toEqual({
    name: 'repay',
    contract: 'Pool',
    arguments: [
      { name: 'asset', type: 'address', value: asset },
      { name: 'amount', type: 'uint256', value: '997000000' },
      { name: 'interestRateMode', type: 'uint256', value: '2' },
      { name: 'onBehalfOf', type: 'address', value: '0x2c62c80ad86785dd3bfc7b616400a98e1903b672' },
    ],
    explained: {
      intent: 'Repay loan',
      owner: 'Example',
      hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      fields: [
        { label: 'Amount to repay', kind: 'tokens', amount: '997000000', token: { address: asset } },
        text('Interest rate mode', 'variable (2)'),
        {
          label: 'For debt holder',
          kind: 'address',
          recipient: { address: '0x2c62c80ad86785dd3bfc7b616400a98e1903b672' },
        },
      ],
      unexplained: [],
    },
  });
});

test('a file holds for its chains and addresses, and its functions only', async () => {
  const otherwise = abiCalls([`function ${repay}`, 'function close()']);
  const describeCall = clearSigning([lending], otherwise);
  for (const [to, data, chainId, isExplained] of [
    [pool, repaid, 31, true],
    [pool.toUpperCase().replace('0X', '0x') as Hex, repaid, 30, true],
    [pool, repaid, 1, false],
    [other, repaid, 30, false],
    [pool, encode('close()'), 30, false],
  ] as const) {
    const described = await describeCall(to, data, { ...context, chainId });
    expect(described?.explained !== undefined, `${to} ${chainId}`).toBe(isExplained);
    expect(described?.name).toBeDefined();
  }
  expect(await clearSigning([lending])(other, repaid, context)).toBeUndefined();
});

test('the hash is that of the whole file, in whatever order its members are', async () => {
  const turned = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(turned)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([name, each]) => [name, turned(each)]),
          )
        : value;
  const sorted = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(sorted)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([name, each]) => [name, sorted(each)]),
          )
        : value;
  const expected = keccak256(toHex(JSON.stringify(sorted(lending))));
  expect((await explain(lending, repaid))?.hash).toBe(expected);
  expect((await explain(turned(lending) as ClearSigningDescriptor, repaid))?.hash).toBe(expected);
  const changed = file({ [repay]: { intent: 'Repay', fields: [] } });
  expect((await explain(changed, repaid))?.hash).not.toBe(expected);
});

test('a file that a script changes later is the one that was passed', async () => {
  const mutable = JSON.parse(JSON.stringify(lending));
  const describeCall = clearSigning([mutable]);
  mutable.display.formats[repay].intent = 'Claim your reward';
  expect((await describeCall(pool, repaid, context))?.explained?.intent).toBe('Repay loan');
});

describe('formats', () => {
  test.each<[string, string, unknown, Json, ExplainedField]>([
    ['raw', 'uint256', 1000n, {}, text('Value', '1000')],
    ['raw', 'int8', -5, {}, text('Value', '-5')],
    ['raw', 'bool', true, {}, text('Value', 'true')],
    ['raw', 'string', '<b>1\u202e</b>', {}, text('Value', '<b>1\u202e</b>')],
    ['raw', 'bytes', '0x123456789a', {}, text('Value', '0x123456789a')],
    ['raw', 'address', other, {}, { label: 'Value', kind: 'address', recipient: { address: other } }],
    ['newer-format', 'uint256', 7n, {}, text('Value', '7')],
    ['amount', 'uint256', 5n, {}, { label: 'Value', kind: 'coins', amount: '5' }],
    ['amount', 'int256', -5n, {}, text('Value', '-5')],
    ['tokenAmount', 'uint256', 5n, {}, text('Value', '5')],
    [
      'tokenAmount',
      'uint256',
      5n,
      { token: asset },
      { label: 'Value', kind: 'tokens', amount: '5', token: { address: asset } },
    ],
    ['tokenAmount', 'uint256', 5n, { token: asset, chainId: 1 }, text('Value', '5')],
    [
      'tokenAmount',
      'uint256',
      5n,
      { tokenPath: '@.to' },
      { label: 'Value', kind: 'tokens', amount: '5', token: { address: pool } },
    ],
    [
      'tokenAmount',
      'uint256',
      5n,
      { token: asset, nativeCurrencyAddress: [other, asset.toUpperCase().replace('0X', '0x')] },
      { label: 'Value', kind: 'coins', amount: '5' },
    ],
    [
      'tokenAmount',
      'uint256',
      5n,
      { token: asset, threshold: '0x05' },
      { label: 'Value', kind: 'tokens', amount: '5', token: { address: asset }, limit: 'Unlimited' },
    ],
    [
      'tokenAmount',
      'uint256',
      5n,
      { token: asset, threshold: 6, message: 'All' },
      { label: 'Value', kind: 'tokens', amount: '5', token: { address: asset } },
    ],
    [
      'nftName',
      'uint256',
      1036n,
      { collection: asset },
      { label: 'Value', kind: 'collectible', id: '1036', token: { address: asset } },
    ],
    ['nftName', 'uint256', 1036n, {}, text('Value', '1036')],
    [
      'date',
      'uint256',
      1_709_191_632n,
      { encoding: 'timestamp' },
      { label: 'Value', kind: 'time', seconds: '1709191632' },
    ],
    ['date', 'uint256', 19_332_140n, { encoding: 'blockheight' }, text('Value', '19332140')],
    ['duration', 'uint256', 8_250n, {}, text('Value', '02:17:30')],
    ['unit', 'uint256', 10n, { base: 'h' }, text('Value', '10h')],
    ['unit', 'uint256', 15n, { base: 'd', decimals: 1 }, text('Value', '1.5d')],
    ['unit', 'int256', -15n, { base: '%', decimals: 2 }, text('Value', '-0.15%')],
    ['enum', 'uint8', 3, { $ref: '$.metadata.enums.interestRateMode' }, text('Value', '3')],
    ['enum', 'uint8', 1, { $ref: '$.metadata.enums.interestRateMode' }, text('Value', 'stable (1)')],
    ['chainId', 'uint256', 30n, {}, text('Value', '30')],
    ['tokenTicker', 'address', asset, {}, { label: 'Value', kind: 'token', token: { address: asset } }],
    [
      'addressName',
      'uint256',
      BigInt(other),
      {},
      { label: 'Value', kind: 'address', recipient: { address: other } },
    ],
    ['addressName', 'bytes', '0x1234', {}, text('Value', '0x1234')],
    ['calldata', 'bytes', '0xa9059cbb', { calleePath: '@.to' }, text('Value', '0xa9059cbb')],
  ])('%s of %s %s with %o', async (format, type, value, params, field) => {
    const descriptor = one(`f(${type} value)`, [{ path: 'value', label: 'Value', format, params }], {
      metadata: (lending as { metadata: Json }).metadata,
    });
    const explained = await explain(descriptor, encode(`f(${type} value)`, value));
    expect(explained?.fields).toEqual([field]);
    expect(explained?.unexplained).toEqual([]);
  });

  test('values of the transaction, and constants', async () => {
    const fields = [
      { path: '@.value', label: 'Sends', format: 'amount' },
      { path: '@.from', label: 'For', format: 'addressName' },
      { value: '$.metadata.constants.rate', label: 'Rate' },
    ];
    const descriptor = one('f()', fields, { metadata: { constants: { rate: 4 } } });
    expect((await explain(descriptor, encode('f()'), pool, { value: '0x10' }))?.fields).toEqual([
      { label: 'Sends', kind: 'coins', amount: '16' },
      { label: 'For', kind: 'address', recipient: { address: from } },
      text('Rate', '4'),
    ]);
  });

  test('a map gives a constant for each chain; for another one the call is not explained', async () => {
    const token = { map: '$.metadata.maps.token', keyPath: '@.chainId' };
    const fields = [{ path: 'amount', label: 'Amount', format: 'tokenAmount', params: { token } }];
    const descriptor = one('f(uint256 amount)', fields, {
      metadata: { maps: { token: { $keyType: 'chain', values: { 30: asset } } } },
    });
    const data = encode('f(uint256)', 5n);
    expect((await explain(descriptor, data))?.fields).toEqual([
      { label: 'Amount', kind: 'tokens', amount: '5', token: { address: asset } },
    ]);
    expect(await explain(descriptor, data, pool, { chainId: 31 })).toBeUndefined();
  });

  test('a definition is shared, and its parameters are completed', async () => {
    const display = {
      definitions: { sum: { label: 'Sum', format: 'tokenAmount', params: { threshold: 1, message: 'All' } } },
    };
    const fields = [{ path: 'a', $ref: '$.display.definitions.sum', params: { tokenPath: 'b' } }];
    expect(
      (
        await explain(
          one('f(uint256 a,address b)', fields, { display }),
          encode('f(uint256,address)', 5n, asset),
        )
      )?.fields,
    ).toEqual([{ label: 'Sum', kind: 'tokens', amount: '5', token: { address: asset }, limit: 'All' }]);
  });
});

describe('paths', () => {
  const order = 'f((address token,uint256 amount)[] items,bytes path,uint256[] pools)';
  const data = encode(
    order,
    [
      { token: asset, amount: 1n },
      { token: other, amount: 2n },
    ],
    `${asset}000bb8${other.slice(2)}`,
    [4n, 5n, 6n],
  );
  const amount = { label: 'Amount', format: 'tokenAmount' };
  const pays = (number: string, units: string, token: string) => ({
    label: `Amount${number}`,
    kind: 'tokens',
    amount: units,
    token: { address: token },
  });

  test.each<[string, readonly Json[], readonly unknown[], readonly string[]]>([
    [
      'each element with the parameter of the same element',
      [{ ...amount, path: 'items.[].amount', params: { tokenPath: 'items.[].token' } }],
      [pays(' 1', '1', asset), pays(' 2', '2', other)],
      ['path', 'pools'],
    ],
    [
      'a group',
      [{ path: 'items.[]', fields: [{ ...amount, path: 'amount', params: { tokenPath: 'token' } }] }],
      [pays(' 1', '1', asset), pays(' 2', '2', other)],
      ['path', 'pools'],
    ],
    [
      'one element of an array stays with the whole array',
      [{ path: 'pools.[-1]', label: 'Last' }],
      [text('Last', '6')],
      ['items', 'path', 'pools'],
    ],
    [
      'a part of an array',
      [{ path: 'pools.[1:]', label: 'Pool' }],
      [text('Pool 2', '5'), text('Pool 3', '6')],
      ['items', 'path', 'pools'],
    ],
    [
      'an array without a selector',
      [{ path: 'pools', label: 'Pool' }],
      [text('Pool 1', '4'), text('Pool 2', '5'), text('Pool 3', '6')],
      ['items', 'path'],
    ],
    [
      'a part of bytes stays with the whole',
      [{ ...amount, path: 'pools[0]', params: { tokenPath: '#.path.[-20:]' } }],
      [pays('', '4', other)],
      ['items', 'path', 'pools'],
    ],
    [
      'bundled by element',
      [
        {
          path: 'items.[]',
          fields: [
            { path: 'amount', label: 'A' },
            { path: 'token', label: 'T', format: 'tokenTicker' },
          ],
        },
      ],
      [
        text('A 1', '1'),
        { label: 'T 1', kind: 'token', token: { address: asset } },
        text('A 2', '2'),
        { label: 'T 2', kind: 'token', token: { address: other } },
      ],
      ['path', 'pools'],
    ],
    ['an index that is not there', [{ path: 'pools.[7]', label: 'Eighth' }], [], ['items', 'path', 'pools']],
  ])('%s', async (_, fields, shown, left) => {
    const explained = await explain(one(order, fields), data);
    expect(explained?.fields).toEqual(shown);
    expect([...new Set(explained?.unexplained.map(({ name }) => name.split('.')[0]))]).toEqual(left);
  });

  test('the part of a struct that no field shows has its own name', async () => {
    const signature = 'f((address token,(uint256 low,uint256 high) range) order)';
    const call = encode(signature, { token: asset, range: { low: 1n, high: 2n } });
    const explained = await explain(one(signature, [{ path: 'order.range.low', label: 'From' }]), call);
    expect(explained?.unexplained).toEqual([
      { name: 'order.token', type: 'address', value: asset },
      { name: 'order.range.high', type: 'uint256', value: '2' },
    ]);
  });
});

describe('an argument that a file hides stays visible', () => {
  test.each<[string, unknown, boolean]>([
    ['never', 'never', true],
    ['unless it is one of some', { ifNotIn: ['7'] }, true],
    ['unless it is one of others', { ifNotIn: ['8', 'x'] }, false],
    ['a check that holds', { mustMatch: ['0x07'] }, true],
    ['always', 'always', false],
    ['optional', 'optional', false],
  ])('%s', async (_, visible, isLeft) => {
    const explained = await explain(
      one('f(uint256 a)', [{ path: 'a', label: 'A', visible }]),
      encode('f(uint256)', 7n),
    );
    expect(explained?.fields).toEqual(isLeft ? [] : [text('A', '7')]);
    expect(explained?.unexplained).toEqual(isLeft ? [{ name: 'a', type: 'uint256', value: '7' }] : []);
  });

  test('a check that does not hold: the call is not explained', async () => {
    const visible = { mustMatch: ['8'] };
    expect(
      await explain(one('f(uint256 a)', [{ path: 'a', label: 'A', visible }]), encode('f(uint256)', 7n)),
    ).toBeUndefined();
  });

  test('an array longer than a person reads, and an empty one', async () => {
    const descriptor = one('f(uint256[] a)', [{ path: 'a.[]', label: 'A' }]);
    const many = await explain(descriptor, encode('f(uint256[])', Array<bigint>(10_000).fill(7n)));
    expect(many?.fields).toEqual([]);
    expect(many?.unexplained).toMatchObject([{ name: 'a', value: expect.stringMatching(/^\[7, 7,.*…$/) }]);
    const none = await explain(descriptor, encode('f(uint256[])', []));
    expect(none?.unexplained).toEqual([{ name: 'a', type: 'uint256[]', value: '[]' }]);
  });

  test.each([
    ['bytes after the end', (data: Hex): Hex => `${data}00`],
    ['a word less', (data: Hex) => data.slice(0, -64) as Hex],
    [
      'dirty bits',
      (data: Hex) => data.replace(/000000000000000000000000a0b8/, '000000000000000000000001a0b8') as Hex,
    ],
  ])('%s: the call is not explained', async (_, change) => {
    expect(await explain(lending, change(repaid))).toBeUndefined();
  });
});

describe('a file that is refused', () => {
  const fine = { path: 'a', label: 'A' };
  const f = 'f(uint256 a,(address b) c,string d)';
  test.each<[string, unknown, string]>([
    ['no array', {}, 'descriptors'],
    ['no object', ['{}'], 'descriptors[0]'],
    ['no version', [{ ...lending, $schema: undefined }], 'descriptors[0].$schema'],
    ...['erc7730-v1', 'erc7730-v3', 'erc7730-v3.0.0-next', 'erc7730-v2.1.0-rc.1', 'erc7730-v20'].map(
      (version): [string, unknown, string] => [
        version,
        [file({}, { $schema: `https://example.org/${version}.schema.json` })],
        'descriptors[0].$schema',
      ],
    ),
    ['includes', [{ ...lending, includes: './erc20.json' }], 'descriptors[0].includes'],
    [
      'a file for messages',
      [{ ...lending, context: { eip712: {} } }],
      'descriptors[0].context.contract.deployments',
    ],
    ['no owner', [file({}, { metadata: { owner: '' } })], 'descriptors[0].metadata.owner'],
    ['an owner with hidden characters', [file({}, { metadata: { owner: 'a\u202eb' } })], 'metadata.owner'],
    [
      'no signature',
      [file({ transfer: { intent: 'Send', fields: [] } })],
      'descriptors[0].display.formats["transfer"]',
    ],
    ['no intent', [file({ 'f()': { fields: [] } })], '.intent'],
    ['a path that does not exist', [one(f, [{ ...fine, path: 'x' }])], '.fields[0].path'],
    ['a path into a struct that does not exist', [one(f, [{ ...fine, path: 'c.x' }])], '.fields[0].path'],
    ['a path to a struct', [one(f, [{ ...fine, path: 'c' }])], '.fields[0].path'],
    ['an element of no array', [one(f, [{ ...fine, path: 'a.[0]' }])], '.fields[0].path'],
    ['a part of a text', [one(f, [{ ...fine, path: 'd.[0:2]' }])], '.fields[0].path'],
    ['no path', [one(f, [{ ...fine, path: 'a..b' }])], '.fields[0].path'],
    ['a value that a transaction has not', [one(f, [{ ...fine, path: '@.gas' }])], '.fields[0].path'],
    [
      'a token that does not exist',
      [one(f, [{ ...fine, format: 'tokenAmount', params: { tokenPath: 'e' } }])],
      'params.tokenPath',
    ],
    [
      'a definition that does not exist',
      [one(f, [{ path: 'a', $ref: '$.display.definitions.x' }])],
      '.fields[0].$ref',
    ],
    ['a format of another type', [one(f, [{ ...fine, path: 'd', format: 'date' }])], '.fields[0].format'],
    ['no label', [one(f, [{ value: 'a' }])], '.fields[0].label'],
    ['a label of two lines', [one(f, [{ ...fine, label: 'A\nB' }])], '.fields[0].label'],
    ['10,000 fields', [one(f, Array(10_000).fill(fine))], '.fields: expected at most 64'],
    [
      'groups in groups',
      [one(f, [JSON.parse(`${'{"fields":['.repeat(9)}${']}'.repeat(9)}`)])],
      'groups within at most',
    ],
    [
      'two formats of one function',
      [file({ 'f(uint256 a)': { intent: 'A' }, 'f(uint256 b)': { intent: 'B' } })],
      'another format claims',
    ],
    [
      'two files of one function',
      [one('f(uint256 a)', []), one('f(uint256 b)', [])],
      'descriptors[1]: another file claims f(uint256)',
    ],
    [
      'another chain that is none',
      [{ ...lending, context: { contract: { deployments: [{ chainId: '30', address: pool }] } } }],
      'deployments[0].chainId',
    ],
    [
      'another address that is none',
      [{ ...lending, context: { contract: { deployments: [{ chainId: 30, address: '0x12' }] } } }],
      'deployments[0].address',
    ],
  ])('%s is -32602', (_, descriptors, place) => {
    expect(() => clearSigning(descriptors as ClearSigningDescriptor[])).toThrow(
      expect.objectContaining({ code: -32602, message: expect.stringContaining(place) }),
    );
  });

  test('a file that refers to itself is -32602, and so is one of a megabyte', () => {
    const loop: Json = { ...lending };
    loop.self = loop;
    for (const given of [loop, { ...lending, more: 'x'.repeat(1_000_001) }])
      expect(() => clearSigning([given])).toThrow(expect.objectContaining({ code: -32602 }));
  });

  test('a later minor version is read, with what it adds', async () => {
    const later = one('f(uint256 a)', [{ ...fine, format: 'glow', shade: 3 }], {
      $schema: 'https://example.org/erc7730-v2.4.1.schema.json',
    });
    expect((await explain(later, encode('f(uint256)', 7n)))?.fields).toEqual([text('A', '7')]);
  });
});
