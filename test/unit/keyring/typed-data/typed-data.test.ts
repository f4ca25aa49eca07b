import { TypedDataEncoder } from 'ethers';
import { hashTypedData } from 'viem';
import { describe, expect, test } from 'vitest';
import { encodeSignature } from '../../../../src/keyring/message.js';
import { sign } from '../../../../src/keyring/signer.js';
import { readTypedData } from '../../../../src/keyring/typed-data/typed-data.js';
import { hexToBytes } from '../../../../src/rpc/hex.js';
import { fc } from '../../../support/property.js';
import { etherMail } from '../../../support/vectors.js';

/** Valid typed data for chain 31, with dotted paths replaced; `undefined` deletes. */
function typedData(patch: Record<string, unknown> = {}) {
  const data: Record<string, unknown> = {
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
      P: [
        { name: 'amount', type: 'uint256' },
        { name: 'note', type: 'string' },
      ],
    },
    primaryType: 'P',
    domain: { name: 'Shop', chainId: 31, verifyingContract: `0x${'11'.repeat(20)}` },
    message: { amount: '1', note: 'for tea' },
  };
  for (const [path, value] of Object.entries(patch)) {
    const keys = path.split('.');
    const last = keys.pop() as string;
    const parent = keys.reduce((node, key) => node[key] as Record<string, unknown>, data);
    if (value === undefined) delete parent[last];
    else parent[last] = value;
  }
  return data;
}

const read = (value: unknown, options: readTypedData.Options = { chainId: 31 }) =>
  readTypedData(value, 'params[1]', options);
const refusal = (code: number, ...includes: string[]) =>
  expect.objectContaining({
    code,
    message: expect.stringMatching(new RegExp(includes.map((part) => `(?=.*${part})`).join(''), 'is')),
  });

describe('readTypedData', () => {
  test('Ether Mail', () => {
    const mail = read(etherMail.typedData, { chainId: 1 });
    expect(mail).toMatchObject({
      version: 'V4',
      primaryType: 'Mail',
      digest: etherMail.digest,
      domain: { name: 'Ether Mail', version: '1', chainId: '1', verifyingContract: `0x${'cc'.repeat(20)}` },
      message: etherMail.typedData.message,
      types: etherMail.typedData.types,
      fields: [
        { path: 'from.name', type: 'string', value: 'Cow' },
        { path: 'from.wallet', type: 'address', value: '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826' },
        { path: 'to.name', type: 'string', value: 'Bob' },
        { path: 'to.wallet', type: 'address', value: `0x${'bb'.repeat(20)}` },
        { path: 'contents', type: 'string', value: 'Hello, Bob!' },
      ],
    });
    const signature = encodeSignature(sign(hexToBytes(mail.digest), hexToBytes(etherMail.privateKey)));
    expect(signature).toBe(etherMail.signature);
  });

  test('the value as JSON, or as an object without a prototype', () => {
    expect(read(JSON.stringify(etherMail.typedData), { chainId: 1 }).digest).toBe(etherMail.digest);
    const bare = Object.assign(Object.create(null), etherMail.typedData);
    expect(read(bare, { chainId: 1 }).digest).toBe(etherMail.digest);
  });

  test('typed data for another chain than the one to check is refused, and none without it', () => {
    expect(() => read(etherMail.typedData, { chainId: 30 })).toThrow(refusal(-32602, 'chainId', '30'));
    expect(read(etherMail.typedData, {}).digest).toBe(etherMail.digest);
    expect(read(typedData({ 'domain.chainId': undefined, 'types.EIP712Domain': undefined })).domain).toEqual({
      name: 'Shop',
      verifyingContract: `0x${'11'.repeat(20)}`,
    });
  });

  test('version V3, which leaves out absent fields and has no arrays', () => {
    expect(read(etherMail.typedData, { chainId: 1, version: 'V3' }).digest).toBe(etherMail.digest);
    const absent = typedData({ 'message.note': undefined });
    expect(read(absent, { version: 'V3' }).fields.map((field) => field.path)).toEqual(['amount']);
    expect(() => read(absent)).toThrow(refusal(-32602, 'message.note: missing'));
    const list = typedData({ 'types.P': [{ name: 'amount', type: 'uint256[]' }], message: { amount: [1] } });
    expect(() => read(list, { version: 'V3' })).toThrow(refusal(-32602, 'amount', '_v4'));
  });

  test('the chain id counts however it is written, with or without EIP712Domain (typed-012)', () => {
    const digests = [31, '31', '0x1f', '0x1F', 31n].flatMap((chainId) =>
      ['declared', 'derived'].map((how) => {
        const data = typedData({ 'domain.chainId': chainId });
        if (how === 'derived') delete (data.types as Record<string, unknown>).EIP712Domain;
        const { digest, domain } = read(data);
        expect(domain.chainId).toBe('31');
        return digest;
      }),
    );
    expect(new Set(digests).size).toBe(1);
    const other = read(typedData({ 'domain.chainId': '30', 'types.EIP712Domain': undefined }), {
      chainId: 30,
    });
    expect(digests).not.toContain(other.digest);
    for (const chainId of ['30', '0x1e', 30])
      expect(() => read(typedData({ 'domain.chainId': chainId, 'types.EIP712Domain': undefined }))).toThrow(
        refusal(-32602, 'chainId'),
      );
  });

  test('domain fields in any declared order, hashed in that order', () => {
    const data = typedData({
      'types.EIP712Domain': [
        { name: 'verifyingContract', type: 'address' },
        { name: 'chainId', type: 'uint256' },
        { name: 'name', type: 'string' },
      ],
    });
    expect(read(data).digest).toBe(hashTypedData(data as never));
    expect(read(data).digest).not.toBe(read(typedData()).digest);
  });

  test('a recursive struct ends in null, as 32 zero bytes, and V3 knows no null', () => {
    const data = typedData({
      'types.P': [
        { name: 'name', type: 'string' },
        { name: 'next', type: 'P' },
      ],
      message: { name: 'a', next: { name: 'b', next: null } },
    });
    expect(read(data).fields).toEqual([
      { path: 'name', type: 'string', value: 'a' },
      { path: 'next.name', type: 'string', value: 'b' },
      { path: 'next.next', type: 'P', value: 'null' },
    ]);
    expect(() => read(data, { version: 'V3' })).toThrow(refusal(-32602, 'next.next'));
  });

  test('everything signed is listed, arrays by index, an empty one as []', () => {
    const data = typedData({
      'types.P': [
        { name: 'rows', type: 'Q[]' },
        { name: 'grid', type: 'int8[2][]' },
        { name: 'none', type: 'bytes[]' },
        { name: 'ok', type: 'bool' },
        { name: 'data', type: 'bytes' },
        { name: 'id', type: 'bytes4' },
      ],
      'types.Q': [{ name: 'to', type: 'address' }],
      message: {
        rows: [{ to: `0x${'ab'.repeat(20)}` }],
        grid: [[-128, 127]],
        none: [],
        ok: true,
        data: '0xAB',
        id: '0xDEADBEEF',
      },
    });
    expect(read(data).fields).toEqual([
      { path: 'rows[0].to', type: 'address', value: `0x${'ab'.repeat(20)}` },
      { path: 'grid[0][0]', type: 'int8', value: '-128' },
      { path: 'grid[0][1]', type: 'int8', value: '127' },
      { path: 'none', type: 'bytes[]', value: '[]' },
      { path: 'ok', type: 'bool', value: 'true' },
      { path: 'data', type: 'bytes', value: '0xab' },
      { path: 'id', type: 'bytes4', value: '0xdeadbeef' },
    ]);
    expect(read(data).digest).toBe(hashTypedData(data as never));
  });

  test('addresses in EIP-55 and EIP-1191 are one; another mixture is a mistake', () => {
    const as = (verifyingContract: string) =>
      read(typedData({ 'domain.verifyingContract': verifyingContract }));
    const digests = [
      '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      '0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD',
      '0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd',
    ].map((address) => as(address).digest);
    expect(new Set(digests).size).toBe(1);
    expect(() => as('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD')).toThrow(refusal(-32602, 'checksum'));
  });

  test('any valid typed data has the digest that viem gives it', () => {
    fc.assert(
      fc.property(anyTypedData, (data) => {
        expect(read(data, {}).digest).toBe(hashTypedData(data as never));
        const json = JSON.stringify(data, (_key, value) =>
          typeof value === 'bigint' ? String(value) : value,
        );
        expect(read(json, {}).digest).toBe(hashTypedData(data as never));
      }),
      { numRuns: 300 },
    );
  });

  test('no change to covered data leaves the digest as it was', () => {
    const { digest } = read(typedData());
    for (const patch of [
      { 'message.amount': '2' },
      { 'message.note': 'for te' },
      { 'domain.name': 'shop' },
      { 'domain.verifyingContract': `0x${'22'.repeat(20)}` },
      { 'types.P': [...(typedData().types as { P: object[] }).P].reverse() },
      { 'types.P': [{ name: 'amount', type: 'uint128' }, (typedData().types as { P: object[] }).P[1]] },
    ])
      expect(read(typedData(patch as never)).digest).not.toBe(digest);
  });

  const field = (type: unknown, amount: unknown) =>
    typedData({ 'types.P': [{ name: 'amount', type }], message: { amount } });
  const recursive = (depth: number) => {
    let node: object = {};
    for (let i = 0; i < depth; i++) node = { child: node };
    return node;
  };
  const manyTypes = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`T${i}`, [{ name: 'a', type: 'bool' }]]));

  test.each<[string, unknown, ...string[]]>([
    ['typed-001', '{', 'JSON', 'params\\[1\\]'],
    ['typed-003', 5, 'params\\[1\\]'],
    ['null', null, 'params\\[1\\]'],
    ['a list', [], 'V1'],
    ['typed-004', typedData({ types: undefined }), 'types'],
    ['typed-005', typedData({ domain: undefined }), 'domain'],
    ['typed-006', typedData({ message: undefined }), 'message'],
    ['typed-008', typedData({ primaryType: 'Nope' }), 'primaryType'],
    ['inherited primaryType', typedData({ primaryType: 'toString' }), 'primaryType'],
    ['primaryType that is no text', typedData({ primaryType: Object.create(null) }), 'primaryType'],
    ['primaryType EIP712Domain', typedData({ primaryType: 'EIP712Domain' }), 'primaryType'],
    ['typed-010', typedData({ 'domain.chainId': 1 }), 'chainId'],
    ['domain as a list', typedData({ domain: [] }), 'domain'],
    ['declared domain field missing', typedData({ 'domain.name': undefined }), 'domain.name'],
    [
      'domain field of another type',
      typedData({ 'types.EIP712Domain': [{ name: 'chainId', type: 'string' }], domain: { chainId: '31' } }),
      'chainId',
    ],
    ['typed-016', typedData({ 'message.amount': undefined }), 'message.amount'],
    ['typed-017', field('uint8', 300), 'amount', 'range'],
    ['typed-018', field('uint8', '300'), 'amount'],
    ['uint8: negative', field('uint8', -1), 'amount'],
    ['int8: under', field('int8', -129), 'amount'],
    ['int8: over', field('int8', '128'), 'amount'],
    ['typed-020', field('uint256', `0x1${'0'.repeat(64)}`), 'amount'],
    ['uint256: 2^256 in decimal', field('uint256', (2n ** 256n).toString()), 'amount'],
    ['typed-022', field('uint256', 'abc'), 'amount'],
    ['uint256: empty', field('uint256', ''), 'amount'],
    ['uint256: spaces', field('uint256', ' 1'), 'amount'],
    ['uint256: exponent', field('uint256', '1e3'), 'amount'],
    ['uint256: 0x', field('uint256', '0x'), 'amount'],
    ['typed-023', field('uint256', 1.5), 'amount'],
    ['typed-024', field('uint256', 2 ** 53), 'amount', '2\\^53'],
    ['typed-025', field('uint256', null), 'amount'],
    ['uint256: boolean', field('uint256', true), 'amount'],
    ['uint256: list', field('uint256', [1]), 'amount'],
    ['bool: number', field('bool', 1), 'amount'],
    ['bool: string', field('bool', 'false'), 'amount'],
    ['typed-027', field('bytes', '0x123'), 'amount'],
    ['bytes: text', field('bytes', 'hello'), 'amount'],
    ['bytes4: short', field('bytes4', '0x123456'), 'amount'],
    ['bytes4: long', field('bytes4', '0x1234567890'), 'amount'],
    ['typed-030', field('address', '0x1'), 'amount'],
    ['address: name', field('address', 'alice.rsk'), 'amount'],
    ['typed-031', field('string', 5), 'amount'],
    ['string: half a pair', field('string', '\ud800'), 'amount', 'Unicode'],
    ['typed-032', field('uint256[]', 5), 'amount'],
    ['uint256[]: array-like', field('uint256[]', { length: 0 }), 'amount'],
    ['typed-033', field('uint256[2]', [1, 2, 3]), 'amount'],
    ['uint256[]: null inside', field('uint256[]', [1, null]), 'amount\\[1\\]'],
    ['typed-034', field('Foo', {}), 'amount', 'unknown type'],
    ['typed-035', field('uint7', 1), 'amount'],
    ['uint264', field('uint264', 1), 'amount'],
    ['uint08', field('uint08', 1), 'amount'],
    ['typed-036', field('uint', 1), 'amount', 'uint256'],
    ['int alias', field('int', 1), 'amount', 'int256'],
    ['typed-037', field('bytes33', '0x00'), 'amount'],
    ['bytes0', field('bytes0', '0x'), 'amount'],
    ['uint256[0]', field('uint256[0]', []), 'amount'],
    ['uint256[01]', field('uint256[01]', [1]), 'amount'],
    ['uint256[', field('uint256[', [1]), 'amount'],
    ['uint256[]x', field('uint256[]x', [1]), 'amount'],
    ['nine dimensions', field(`uint8${'[]'.repeat(9)}`, []), 'amount'],
    ['type is a number', field(5, 1), 'amount'],
    ['inherited type', field('constructor', {}), 'amount'],
    ['null struct in a list', field('P[]', ['x']), 'amount\\[0\\]'],
    [
      'typed-039',
      typedData({
        types: { 'P(address to)Q': [{ name: 'x', type: 'uint256' }] },
        primaryType: 'P(address to)Q',
      }),
      'types',
    ],
    ['typed-040', typedData({ 'types.P': [{ name: 'x,address y', type: 'uint256' }] }), 'types'],
    [
      'a field that closes its struct',
      typedData({ 'types.P': [{ name: 'x)Q(bool y', type: 'bool' }] }),
      'types',
    ],
    ['a field without a name', typedData({ 'types.P': [{ name: '', type: 'bool' }] }), 'types'],
    [
      'a field whose name is half a pair',
      typedData({ 'types.P': [{ name: 'x\ud800', type: 'bool' }] }),
      'types',
    ],
    ['a struct with a space', typedData({ 'types.Mail Box': [{ name: 'x', type: 'bool' }] }), 'types'],
    ['a struct that reads as an array', typedData({ 'types.P[]': [{ name: 'x', type: 'bool' }] }), 'types'],
    [
      'typed-041',
      typedData({
        'types.P': [
          { name: 'amount', type: 'uint256' },
          { name: 'amount', type: 'uint256' },
        ],
      }),
      'amount',
    ],
    ['typed-042', typedData({ message: JSON.parse('{"amount":"1","__proto__":{"a":1}}') }), '__proto__'],
    [
      'typed-042 as JSON',
      JSON.stringify(typedData()).replace('"note":"for tea"', '"note":"for tea","__proto__":{}'),
      '__proto__',
    ],
    ['typed-043', typedData({ 'message.constructor': {} }), 'constructor'],
    ['typed-044', typedData({ types: JSON.parse('{"__proto__":[]}') }), 'types'],
    ['a field called __proto__', typedData({ 'types.P': [{ name: '__proto__', type: 'string' }] }), 'types'],
    ['a struct called address', typedData({ 'types.address': [{ name: 'x', type: 'bool' }] }), 'types'],
    ['a struct called uint', typedData({ 'types.uint': [{ name: 'x', type: 'bool' }] }), 'types'],
    ['typed-045', typedData({ message: recursive(20_000) }), 'nested'],
    [
      'typed-045 as JSON',
      JSON.stringify(typedData()).replace(
        '{"amount":"1","note":"for tea"}',
        `${'{"child":'.repeat(20_000)}{}${'}'.repeat(20_000)}`,
      ),
      'nested',
    ],
    ['typed-046', typedData({ types: manyTypes(1_001) }), 'types'],
    ['types as a list', typedData({ types: [] }), 'types'],
    ['a struct that is no list', typedData({ 'types.P': {} }), 'types.P'],
    ['a field that is no object', typedData({ 'types.P': ['amount'] }), 'types.P'],
    ['typed-048', typedData({ 'domain.verifyingContract': 'cosmos' }), 'verifyingContract'],
    ['message as a list', typedData({ message: [] }), 'message'],
    ['message as text', typedData({ message: 'x' }), 'message'],
  ])('%s', (_name, value, ...includes) => {
    expect(() => read(value)).toThrow(refusal(-32602, ...includes));
  });

  test.each<[string, unknown]>([
    ['typed-050', typedData({ 'message.note': 'a'.repeat(2 ** 20) })],
    ['typed-050 as JSON', JSON.stringify(typedData({ 'message.note': 'a'.repeat(2 ** 20) }))],
    ['10,001 values', field('uint8[]', new Array(10_001).fill(1))],
    ['structs that all refer to each other', entangled(600)],
  ])('%s is too large', (_name, value) => {
    const start = performance.now();
    expect(() => read(value)).toThrow(refusal(-32005, 'too large'));
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  test('a long value is shortened in the message', () => {
    try {
      read(field('uint256', 'z'.repeat(10_000)));
    } catch (error) {
      expect((error as Error).message.length).toBeLessThan(250);
    }
    expect.assertions(1);
  });
});

describe('signed as every peer signs it', () => {
  const named = (...names: string[]) =>
    typedData({
      'types.P': names.map((name) => ({ name, type: 'string' })),
      message: Object.fromEntries(names.map((name) => [name, `of ${name}`])),
    });
  const names = [
    'first name',
    'token-id',
    '0x',
    'größe',
    '数量',
    'a.b',
    'x[0]',
    '"',
    '$',
    ' x',
    'from:',
    '\u202e',
  ];

  test('names that are no identifiers, each with a path that no other value can have', () => {
    expect(read(named(...names)).digest).toBe(hashTypedData(named(...names) as never));
    expect(read(named(...names)).fields.map(({ path }) => path)).toEqual(
      names.map((name) => (name === '$' ? '$' : `[${JSON.stringify(name)}]`)),
    );
    const nested = typedData({
      'types.Q': [{ name: 'b', type: 'string' }],
      'types.P': [
        { name: 'a', type: 'Q' },
        { name: 'a.b', type: 'string' },
      ],
      message: { a: { b: 'inner' }, 'a.b': 'outer' },
    });
    expect(read(nested).digest).toBe(hashTypedData(nested as never));
    expect(read(nested).fields.map(({ path }) => path)).toEqual(['a.b', '["a.b"]']);
  });

  test('a struct that is named like no identifier', () => {
    for (const name of ['HyperliquidTransaction:UsdSend', 'ERC20.Permit', 'v2-Order', 'Größe']) {
      const data = typedData({
        primaryType: name,
        types: { [name]: [{ name: 'amount', type: 'uint256' }] },
      });
      expect(read(data).digest, name).toBe(
        TypedDataEncoder.hash(data.domain as object, data.types as never, data.message as object),
      );
    }
  });

  test.each<[string, Record<string, unknown>, unknown?]>([
    ['in the message', { 'message.hidden': 'x' }],
    [
      'in the message, with a value of any kind',
      { 'message.hidden': { deep: [null, { deeper: '\ud800' }] } },
    ],
    ['at the top (typed-009)', { extra: 1, metadata: {} }],
    ['in the domain, which no standard names', { 'domain.foo': 1 }],
    ['in the domain, which the types do not name (typed-013)', { 'domain.version': '1' }],
    ['in a derived domain', { 'domain.foo': 1, 'types.EIP712Domain': undefined }],
    [
      'in the domain: a chain id that is not signed',
      { 'types.EIP712Domain': [{ name: 'name', type: 'string' }] },
    ],
    [
      'in a field of a type',
      { 'types.P': [{ name: 'amount', type: 'uint256', components: [], indexed: true }] },
    ],
  ])('members outside the type are left out: %s', (_name, patch) => {
    const data = typedData(patch);
    const { digest, fields, domain } = read(data);
    expect(digest).toBe(hashTypedData(data as never));
    const { EIP712Domain, P } = data.types as Record<string, { name: string }[]>;
    expect(fields.map(({ path }) => path)).toEqual(P?.map(({ name }) => name));
    const all = ['name', 'chainId', 'verifyingContract'];
    expect(Object.keys(domain)).toEqual(EIP712Domain?.map(({ name }) => name) ?? all);
  });

  test('members outside the types of structs in lists, at every depth', () => {
    const item = { x: true, total: 5 };
    const data = typedData({
      'types.Q': [{ name: 'x', type: 'bool' }],
      'types.P': [{ name: 'items', type: 'Q[][]' }],
      message: { items: [[item, item], [item]], items_: [] },
    });
    expect(read(data).digest).toBe(hashTypedData(data as never));
    expect(read(data).fields.map(({ path }) => path)).toEqual([
      'items[0][0].x',
      'items[0][1].x',
      'items[1][0].x',
    ]);
  });

  test.each<[string, unknown]>([
    ['an unknown type', [{ name: 'x', type: 'Missing' }]],
    ['an alias', [{ name: 'x', type: 'uint' }]],
    ['a name twice', ['x', 'x'].map((name) => ({ name, type: 'bool' }))],
    ['a function', [{ name: 'x', type: 'function' }]],
    ['no name', [{ type: 'bool' }]],
    ['no list', {}],
    ['nothing', null],
    ['itself', [{ name: 'x', type: 'Unused[uint]' }]],
  ])('a struct that nothing refers to is left out: %s', (_name, struct) => {
    const data = typedData({ 'types.Unused': struct });
    expect(read(data).digest).toBe(read(typedData()).digest);
    expect(read(data).digest).toBe(hashTypedData(data as never));
    const used = { ...data, types: { ...(data.types as object), P: [{ name: 'amount', type: 'Unused' }] } };
    expect(() => read(used)).toThrow(refusal(-32602, 'types.Unused'));
  });

  test('a recursion in V4 ends with null; a struct that is absent is refused, as by viem and ethers', () => {
    const types = {
      Person: [
        { name: 'name', type: 'string' },
        { name: 'mother', type: 'Person' },
      ],
    };
    const person = (message: object) => typedData({ types, primaryType: 'Person', message });
    const absent = person({ name: 'A', mother: { name: 'B' } });
    expect(() => read(absent)).toThrow(refusal(-32602, 'message.mother.mother: missing'));
    expect(() => hashTypedData(absent as never)).toThrow();
    expect(read(person({ name: 'A', mother: null })).fields).toEqual([
      { path: 'name', type: 'string', value: 'A' },
      { path: 'mother', type: 'Person', value: 'null' },
    ]);
  });

  test('whatever the names and members are, the digest is viem’s and only covered values are shown', () => {
    const odd = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
      .filter((name) => !/[(),]/.test(name));
    const safe = odd.filter((name) => !['__proto__', 'constructor', 'prototype'].includes(name));
    fc.assert(
      fc.property(
        anyTypedData,
        fc.uniqueArray(safe, { minLength: 1, maxLength: 4 }),
        fc.dictionary(safe, fc.jsonValue(), { noNullPrototype: true }),
        (data, fieldNames, extra) => {
          const types = { ...data.types, Odd: fieldNames.map((name) => ({ name, type: 'Main' })) };
          const message = { ...extra, ...Object.fromEntries(fieldNames.map((name) => [name, data.message])) };
          const all = { ...extra, types, primaryType: 'Odd', domain: data.domain, message } as const;
          const { digest, fields } = read(all, {});
          expect(digest).toBe(
            hashTypedData({ types, primaryType: 'Odd', domain: data.domain, message } as never),
          );
          expect(new Set(fields.map(({ path }) => path)).size).toBe(fields.length);
          const inOne = read({ ...data }, {}).fields.length;
          expect(fields).toHaveLength(inOne * fieldNames.length);
        },
      ),
      { seed: 26, numRuns: Number(process.env.TYPED_DATA_RUNS ?? 40) },
    );
  });
});

/** Each of `count` structs refers to the next, so that `encodeType` of each is as long as all together. */
function entangled(count: number) {
  const types: Record<string, object[]> = {};
  for (let i = 0; i < count; i++) {
    types[`T${i}`] = [{ name: 'next', type: `T${(i + 1) % count}` }];
    for (let j = 0; j < 10; j++)
      (types[`T${i}`] as object[]).push({ name: `field_number_${j}`, type: 'bool' });
  }
  types.P = Object.keys(types).map((type) => ({ name: `m${type}`, type }));
  const bools = Object.fromEntries(Array.from({ length: 10 }, (_, j) => [`field_number_${j}`, true]));
  const message = Object.fromEntries(
    (types.P as { name: string }[]).map(({ name }) => [name, { next: null, ...bools }]),
  );
  return { types, primaryType: 'P', domain: { chainId: 31 }, message };
}

/** A type expression over the struct names given, with a generator of its values. */
type Made = { type: string; value: fc.Arbitrary<unknown> };

const hexOf = (size: fc.Arbitrary<Uint8Array>) =>
  size.map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const atomic: fc.Arbitrary<Made> = fc.oneof(
  fc.integer({ min: 1, max: 32 }).map((n) => ({
    type: `uint${n * 8}`,
    value: fc.bigInt({ min: 0n, max: 2n ** BigInt(n * 8) - 1n }),
  })),
  fc.integer({ min: 1, max: 32 }).map((n) => ({
    type: `int${n * 8}`,
    value: fc.bigInt({ min: -(2n ** BigInt(n * 8 - 1)), max: 2n ** BigInt(n * 8 - 1) - 1n }),
  })),
  fc.integer({ min: 1, max: 32 }).map((n) => ({
    type: `bytes${n}`,
    value: hexOf(fc.uint8Array({ minLength: n, maxLength: n })),
  })),
  fc.constant({ type: 'bool', value: fc.boolean() }),
  fc.constant({ type: 'string', value: fc.string({ unit: 'binary', maxLength: 40 }) }),
  fc.constant({ type: 'bytes', value: hexOf(fc.uint8Array({ maxLength: 80 })) }),
  fc.constant({ type: 'address', value: hexOf(fc.uint8Array({ minLength: 20, maxLength: 20 })) }),
);
const arrayOf = (made: Made, length: number | null): Made =>
  length === null
    ? { type: `${made.type}[]`, value: fc.array(made.value, { maxLength: 3 }) }
    : {
        type: `${made.type}[${length}]`,
        value: fc.array(made.value, { minLength: length, maxLength: length }),
      };
const arrays = (made: fc.Arbitrary<Made>): fc.Arbitrary<Made> =>
  fc
    .tuple(made, fc.array(fc.option(fc.integer({ min: 1, max: 3 })), { maxLength: 2 }))
    .map(([base, lengths]) => lengths.reduce(arrayOf, base));

const struct = (name: string, members: fc.Arbitrary<Made>) =>
  fc.array(arrays(members), { minLength: 1, maxLength: 4 }).map((fields) => ({
    name,
    fields: fields.map(({ type }, i) => ({ name: `f${i}`, type })),
    value: fc.record(Object.fromEntries(fields.map(({ value }, i) => [`f${i}`, value]))),
  }));

/** Three structs, each made of atoms and of those before it; a domain with any of its five fields. */
const anyTypedData = struct('Zebra', atomic)
  .chain((a) =>
    struct('Ant', fc.oneof(atomic, fc.constant({ type: a.name, value: a.value }))).map(
      (b) => [a, b] as const,
    ),
  )
  .chain(([a, b]) =>
    struct(
      'Main',
      fc.oneof(
        atomic,
        fc.constant({ type: a.name, value: a.value }),
        fc.constant({ type: b.name, value: b.value }),
      ),
    ).map((c) => [a, b, c] as const),
  )
  .chain(([a, b, c]) =>
    fc.record({
      types: fc.constant({ [c.name]: c.fields, [a.name]: a.fields, [b.name]: b.fields }),
      primaryType: fc.constant(c.name),
      domain: fc.record(
        {
          name: fc.string(),
          // viem leaves an empty version out of a derived domain.
          version: fc.string({ minLength: 1 }),
          chainId: fc.nat(),
          verifyingContract: hexOf(fc.uint8Array({ minLength: 20, maxLength: 20 })),
          salt: hexOf(fc.uint8Array({ minLength: 32, maxLength: 32 })),
        },
        { requiredKeys: [] },
      ),
      message: c.value,
    }),
  );
