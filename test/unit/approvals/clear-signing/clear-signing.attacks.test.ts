import { type Abi, encodeFunctionData, keccak256, parseAbi, toHex } from 'viem';
import { describe, expect, test } from 'vitest';
import {
  type ClearSigningDescriptor,
  clearSigning,
} from '../../../../src/approvals/clear-signing/clear-signing.js';
import { mergeDescriptors } from '../../../../src/approvals/clear-signing/merge.js';
import type { Address, Hex } from '../../../../src/rpc/schema.js';

const pool = '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2';
const from = '0x7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c';
const asset = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const other = '0x6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b';
const context = { chainId: 30, from, value: '0x0' } as const;
const schema = 'https://eips.ethereum.org/assets/eip-7730/erc7730-v2.schema.json';

type Json = Record<string, unknown>;

const file = (formats: Json, rest: Json = {}): ClearSigningDescriptor => ({
  $schema: schema,
  context: { contract: { deployments: [{ chainId: 30, address: pool }] } },
  metadata: { owner: 'Example', ...(rest.metadata as Json) },
  display: { formats, ...(rest.display as Json) },
});
const one = (signature: string, fields: readonly unknown[], rest?: Json) =>
  file({ [signature]: { intent: 'Act', fields } }, rest);
const encode = (signature: string, ...args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: parseAbi([`function ${signature}`] as never) as Abi, args } as never);
const explain = async (descriptor: ClearSigningDescriptor, data: Hex, to: Address = pool) =>
  (await clearSigning([descriptor])(to, data, context))?.explained;
const refused = expect.objectContaining({ code: -32602 });
const create = (descriptor: unknown) => () => clearSigning([descriptor as ClearSigningDescriptor]);
const names = (explained: Awaited<ReturnType<typeof explain>>) =>
  explained?.unexplained.map(({ name }) => name);

describe('nothing is hidden', () => {
  test('a token that the file calls the native currency is shown, or stays with the arguments', async () => {
    const explained = await explain(
      one('f(address asset,uint256 amount)', [
        {
          path: 'amount',
          label: 'Amount',
          format: 'tokenAmount',
          params: { tokenPath: 'asset', nativeCurrencyAddress: asset },
        },
      ]),
      encode('f(address,uint256)', asset, 5n),
    );
    expect(explained?.fields).toMatchObject([{ kind: 'coins' }]);
    expect(names(explained)).toEqual(['asset']);
  });

  test('a text is read as no address of a token', () => {
    const field = { path: 'amount', label: 'Amount', format: 'tokenAmount', params: { tokenPath: 'token' } };
    expect(create(one('f(string token,uint256 amount)', [field]))).toThrow(refused);
  });

  test('a check of an element that is not there does not hold', async () => {
    const field = { path: 'a.[0]', label: 'A', visible: { mustMatch: ['7'] } };
    expect(await explain(one('f(uint256[] a)', [field]), encode('f(uint256[])', []))).toBeUndefined();
  });

  test('a check by a map looks up the key of the same element', async () => {
    const visible = { mustMatch: [{ map: '$.metadata.maps.m', keyPath: 'keys.[]' }] };
    const descriptor = one('f(uint256[] a,uint256[] keys)', [{ path: 'a.[]', label: 'A', visible }], {
      metadata: { maps: { m: { values: { 1: '10', 2: '20' } } } },
    });
    expect(await explain(descriptor, encode('f(uint256[],uint256[])', [10n, 20n], [1n, 2n]))).toBeDefined();
    expect(await explain(descriptor, encode('f(uint256[],uint256[])', [10n, 10n], [1n, 2n]))).toBeUndefined();
  });
});

describe('pollution', () => {
  /** Runs a task while a prototype has more members; no assertion meanwhile, which vitest would not survive. */
  async function polluted<T>(
    members: Json,
    task: () => T | Promise<T>,
    prototype: object = Object.prototype,
  ) {
    Object.assign(prototype, members);
    try {
      return await task();
    } finally {
      for (const name of Object.keys(members)) delete (prototype as Json)[name];
    }
  }
  const descriptor = one('f(address receiver,uint256 amount)', [
    { path: 'amount', label: 'Amount', format: 'tokenAmount', params: { token: asset } },
  ]);
  const data = encode('f(address,uint256)', other, 5n);

  test('a page’s `match` hides no argument', async () => {
    const count = await polluted(
      { match: { key: '0', isPart: false } },
      async () => (await explain(descriptor, data))?.unexplained.length,
    );
    expect(count).toBe(1);
  });

  test('a page’s `known`, `symbol`, `decimals` and `limit` are not read from a field', async () => {
    const read = await polluted({ known: true, symbol: 'RIF', decimals: 0, limit: 'Nothing' }, async () => {
      const field = (await explain(descriptor, data))?.fields[0] as unknown as Json;
      const { known, symbol, decimals } = field.token as Json;
      return [known, symbol, decimals, field.limit];
    });
    expect(read).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('a page’s `0` and `2` are no steps of a path', async () => {
    const arrays = one('f(uint256[] a)', [{ path: 'a.[]', label: 'A' }]);
    const call = encode('f(uint256[])', [1n, 2n]);
    const honest = await explain(arrays, call);
    const describeCall = clearSigning([arrays]);
    await describeCall(pool, call, context);
    const read = await polluted({ 0: 7, 2: { kind: 'part', from: 0, to: 4 } }, () =>
      describeCall(pool, call, context),
    );
    expect(read?.explained).toEqual(honest);
  });

  test('a page’s `toJSON` changes no file', async () => {
    const honest = await explain(descriptor, data);
    const evil = JSON.stringify(one('f(address receiver,uint256 amount)', [{ value: '1', label: 'Gift' }]));
    const toJSON = function (this: unknown) {
      return this === descriptor ? JSON.parse(evil) : this;
    };
    const made = await polluted({ toJSON }, () => clearSigning([descriptor]));
    expect((await made(pool, data, context))?.explained).toEqual(honest);
  });

  test('a page’s `Array.prototype.toJSON`, as by Prototype.js, refuses no file', async () => {
    const toJSON = function (this: unknown[]) {
      return `[${this.join()}]`;
    };
    const error = await polluted(
      { toJSON },
      () => {
        try {
          clearSigning([descriptor]);
        } catch (reason) {
          return String((reason as Error).message);
        }
        return undefined;
      },
      Array.prototype,
    );
    expect(error).toBeUndefined();
  });
});

test('an address that the file names by an enumeration is still an address', async () => {
  const field = { path: 'a', label: 'To', format: 'enum', params: { $ref: '$.metadata.enums.names' } };
  const descriptor = one('f(address a)', [field], { metadata: { enums: { names: { [other]: 'Carol' } } } });
  let shown: unknown;
  try {
    shown = (await explain(descriptor, encode('f(address)', other)))?.fields[0]?.kind;
  } catch (error) {
    // Refused is fine: the ERC has enumerations for integers only.
    expect(error).toEqual(refused);
    return;
  }
  expect(shown).toBe('address');
});

describe('a wrong file is -32602', () => {
  const f = 'f(uint256 a)';
  const fine = { path: 'a', label: 'A' };
  test.each<[string, unknown]>([
    ['a schema that is an object', { ...one(f, [fine]), $schema: {} }],
    ['a path that is an object', one(f, [{ ...fine, path: {} }])],
    ['an intent with an object', file({ [f]: { intent: { A: {} }, fields: [] } })],
    [
      'a token path that is an object',
      one(f, [{ ...fine, format: 'tokenAmount', params: { tokenPath: {} } }]),
    ],
    ['a literal value with hidden characters', one(f, [{ value: 'a\u202eb\nc', label: 'A' }])],
    ['an array of empty tuples', one('f(()[4294967296] a)', [])],
    ['a part of an integer without bytes', one(f, [{ path: 'a.[32:]', label: 'A', format: 'duration' }])],
    [
      'a map that is not there',
      one(f, [{ ...fine, format: 'tokenAmount', params: { token: { map: '$.x', keyPath: '@.to' } } }]),
    ],
    [
      'a key of a map that the function does not have',
      one(
        f,
        [
          {
            ...fine,
            format: 'tokenAmount',
            params: { token: { map: '$.metadata.maps.m', keyPath: 'nope' } },
          },
        ],
        { metadata: { maps: { m: { values: { 1: asset } } } } },
      ),
    ],
    [
      'an enumeration that is not there',
      one(f, [{ ...fine, format: 'enum', params: { $ref: '$.metadata.enums.x' } }]),
    ],
    [
      'a constant that is not there',
      one(f, [
        { ...fine, format: 'tokenAmount', params: { token: asset, threshold: '$.metadata.constants.x' } },
      ]),
    ],
    ['a unit that continues the number', one(f, [{ ...fine, format: 'unit', params: { base: '000 RBTC' } }])],
    ['an intent that is a list', file({ [f]: { intent: ['A', 'B'], fields: [] } })],
    ['an intent of blanks', file({ [f]: { intent: '   ', fields: [] } })],
    ['an owner of a filler that is no blank', one(f, [fine], { metadata: { owner: '\u3164' } })],
    ['a label with a line separator', one(f, [{ ...fine, label: 'A\u2028B' }])],
  ])('%s', (_, descriptor) => {
    expect(create(descriptor)).toThrow(refused);
  });

  test('a revoked proxy, and an array whose members throw', () => {
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    const throwing = Object.defineProperty([], 0, {
      enumerable: true,
      get() {
        throw new TypeError('x');
      },
    });
    for (const given of [proxy, throwing]) expect(() => clearSigning(given)).toThrow(refused);
  });

  test('members that throw, of a file to merge', () => {
    const throwing = Object.defineProperty({}, 'display', {
      enumerable: true,
      get() {
        throw new TypeError('x');
      },
    });
    expect(() => mergeDescriptors(throwing, {})).toThrow(refused);
  });

  test('the key of a function with many blanks', () => {
    expect(create(one(`f(uint256 a)${' '.repeat(60_000)}x`, []))).toThrow(refused);
  });

  test('files to merge that refer to themselves', () => {
    const loop: Json = {};
    for (const name of ['a', 'b']) loop[name] = loop;
    expect(() => mergeDescriptors(loop, loop)).toThrow(refused);
  });

  test('an enumeration with more names than a person tells apart', () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [i, `name ${i}`]));
    const field = { ...fine, format: 'enum', params: { $ref: '$.metadata.enums.many' } };
    expect(create(one(f, [field], { metadata: { enums: { many } } }))).toThrow(refused);
  });

  test('arrays in arrays in arrays', () => {
    expect(create(one(`f(uint256${'[]'.repeat(9)} a)`, []))).toThrow(refused);
    expect(create(one(`f(${'('.repeat(9)}uint256 a${') b'.repeat(9)})`, []))).toThrow(refused);
  });
});

test('two files of a contract with many functions and addresses are read', () => {
  const deployments = Array.from({ length: 300 }, (_, i) => ({ chainId: i + 1, address: pool }));
  const many = (name: string) => ({
    ...file(
      Object.fromEntries(
        Array.from({ length: 300 }, (_, i) => [`${name}${i}(uint256 a,address b)`, { intent: 'A' }]),
      ),
    ),
    context: { contract: { deployments } },
  });
  expect(clearSigning([many('f'), many('g')])).toBeTypeOf('function');
});

describe('at signing time nothing throws', () => {
  const f = 'f(uint256 a)';
  const fine = { path: 'a', label: 'A' };
  test.each<[string, unknown, Json?]>([
    ['a token that is an object', { ...fine, format: 'tokenAmount', params: { token: {} } }],
    [
      'a token that is a place in the file',
      { ...fine, format: 'tokenAmount', params: { token: '$.metadata' } },
    ],
    [
      'a native currency that is an object',
      { ...fine, format: 'tokenAmount', params: { token: asset, nativeCurrencyAddress: {} } },
    ],
    ['a collection that is an object', { ...fine, format: 'nftName', params: { collection: {} } }],
    ['decimals that are an object', { ...fine, format: 'unit', params: { decimals: {} } }],
    ['a rule with an object', { ...fine, visible: { ifNotIn: [{}] } }],
    ['a check with an object', { ...fine, visible: { mustMatch: [{}] } }],
    [
      'an amount of no bytes',
      { ...fine, path: 'a.[32:]', format: 'tokenAmount', params: { token: asset, threshold: 1 } },
    ],
    ['a duration of no bytes', { ...fine, path: 'a.[32:]', format: 'duration' }],
    ['a unit of no bytes', { ...fine, path: 'a.[32:]', format: 'unit' }],
  ])('%s', async (_, field) => {
    let describeCall: ReturnType<typeof clearSigning> | undefined;
    try {
      describeCall = clearSigning([one(f, [field])]);
    } catch {
      // Refused at creation: fine too.
    }
    await expect(describeCall?.(pool, encode(f, 7n), context) ?? Promise.resolve()).resolves.not.toThrow();
  });

  test('an array of 2^32 elements without bytes', async () => {
    const call = keccak256(toHex('f(()[4294967296])')).slice(0, 10) as Hex;
    let describeCall: ReturnType<typeof clearSigning> | undefined;
    try {
      describeCall = clearSigning([one('f(()[4294967296] a)', [])]);
    } catch {}
    await expect(describeCall?.(pool, call, context) ?? Promise.resolve()).resolves.not.toThrow();
  });

  test('every amount of a field is decimal', async () => {
    for (const [format, member] of [
      ['amount', 'amount'],
      ['date', 'seconds'],
      ['nftName', 'id'],
    ] as const) {
      const field = { ...fine, path: 'a.[30:]', format, params: { collection: asset } };
      const [shown] = (await explain(one(f, [field]), encode(f, 7n)))?.fields ?? [];
      expect((shown as unknown as Json)[member], format).toMatch(/^\d+$/);
    }
  });

  test('a negative time is no time', async () => {
    const [shown] =
      (await explain(one('f(int256 a)', [{ ...fine, format: 'date' }]), encode('f(int256)', -(2n ** 255n))))
        ?.fields ?? [];
    expect(shown).toEqual({ label: 'A', kind: 'text', text: `${-(2n ** 255n)}` });
  });
});

describe('a call has at most 64 rows', () => {
  test('a check of many elements against many values', async () => {
    const mustMatch = Array.from({ length: 5_000 }, (_, i) => i);
    const descriptor = one('f(uint256[] a)', [{ path: 'a.[]', label: 'A', visible: { mustMatch } }]);
    const data = encode('f(uint256[])', Array<bigint>(5_000).fill(4_999n));
    expect(await explain(descriptor, data)).toMatchObject({ fields: [], unexplained: [{ name: 'a' }] });
  });

  test('parts of long bytes for many elements', async () => {
    const field = { path: 'a.[]', label: 'A', format: 'tokenAmount', params: { tokenPath: '#.path.[-20:]' } };
    const descriptor = one('f(bytes path,uint256[] a)', Array<unknown>(64).fill(field));
    const data = encode('f(bytes,uint256[])', `0x${'ab'.repeat(100_000)}`, Array<bigint>(32).fill(7n));
    const explained = await explain(descriptor, data);
    expect(explained?.fields).toHaveLength(64);
    expect(names(explained)).toEqual(['path']);
  });
});

describe('ERC-7730', () => {
  const f = 'f(uint256 a)';
  test('an encrypted value is no amount', async () => {
    const field = {
      ...{ path: 'a', label: 'A', format: 'tokenAmount', params: { token: asset } },
      encryption: { scheme: 'fhevm', plaintextType: 'uint64' },
    };
    const [shown] = (await explain(one(f, [field]), encode(f, 7n)))?.fields ?? [];
    expect(shown).toEqual({ label: 'A', kind: 'text', text: '7' });
  });

  test('an encrypted value of bytes32, as in the example of the ERC, is read', () => {
    const field = {
      ...{ path: 'a', label: 'A', format: 'tokenAmount', params: { token: asset } },
      encryption: { scheme: 'fhevm', plaintextType: 'uint64' },
    };
    expect(create(one('f(bytes32 a)', [field]))).not.toThrow();
  });

  test('a hidden field needs no label, which the schema does not require', () => {
    expect(create(one(f, [{ path: 'a', visible: 'never' }]))).not.toThrow();
  });

  test('a literal value has the format of the field', async () => {
    const fields = [
      { value: asset, label: 'To', format: 'addressName' },
      { value: 5, label: 'Fee', format: 'amount' },
    ];
    expect((await explain(one('f()', fields), encode('f()')))?.fields).toEqual([
      { label: 'To', kind: 'address', recipient: { address: asset } },
      { label: 'Fee', kind: 'coins', amount: '5' },
    ]);
  });

  test('a literal value that is never visible is not shown', async () => {
    const fields = [{ value: 'x', label: 'L', visible: 'never' }];
    expect((await explain(one('f()', fields), encode('f()')))?.fields).toEqual([]);
  });

  test('constants and maps give decimals and bases too', async () => {
    const field = {
      ...{ path: 'a', label: 'A', format: 'unit' },
      params: {
        decimals: '$.metadata.constants.decimals',
        base: { map: '$.metadata.maps.base', keyPath: '@.chainId' },
      },
    };
    const descriptor = one(f, [field], {
      metadata: { constants: { decimals: 2 }, maps: { base: { values: { 30: '%' } } } },
    });
    expect((await explain(descriptor, encode(f, 150n)))?.fields).toEqual([
      { label: 'A', kind: 'text', text: '1.5%' },
    ]);
  });

  test('arrays that are bundled have the same length, else the call is not explained', async () => {
    const signature = 'f(address[] to,uint256[] part)';
    const group = {
      iteration: 'bundled',
      fields: [
        { path: 'to.[]', label: 'To' },
        { path: 'part.[]', label: 'Part' },
      ],
    };
    expect(
      await explain(one(signature, [group]), encode('f(address[],uint256[])', [asset, other], [1n])),
    ).toBeUndefined();
  });

  test('merging keeps every field of the including file', () => {
    const [a, b] = [
      { path: 'a', label: 'A' },
      { path: 'a', label: 'Check', visible: { mustMatch: [7] } },
    ];
    const fieldsOf = (descriptor: ClearSigningDescriptor) =>
      (descriptor.display as { formats: Record<string, { fields: Json[] }> }).formats[f]?.fields;
    const merged = mergeDescriptors(one(f, [a, b]), one(f, [{ path: 'a', format: 'raw' }]));
    expect(fieldsOf(merged)?.map(({ label }) => label)).toEqual(['A', 'Check']);
  });
});
