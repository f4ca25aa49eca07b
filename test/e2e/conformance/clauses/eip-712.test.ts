import { domainSeparator, hashTypedData, keccak256, recoverAddress, stringToHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { owners, password, values } from '../../../support/keys.js';
import { openPage, type Page, withKeys } from '../../../support/page.js';
import { etherMail, typedDataV1 } from '../../../support/vectors.js';
import { typedData } from '../typed-data.js';

/** EIP-712: typed data. Signed by the wallet, held against viem and the EIP's own vector. No service is asked. */

let page: Page;
const url = 'http://127.0.0.1:1/key';

beforeAll(async () => {
  page = await withKeys(openPage({ networks: [{ chainId: 31, url }], session: 'none' }));
});
afterAll(() => page.close());

type TypedData = Record<string, unknown>;
const sign = (data: unknown, version = 'v4') =>
  page.request(`eth_signTypedData_${version}`, [values.$A0, data]) as Promise<`0x${string}`>;
const refusal = (data: unknown, version = 'v4') =>
  page.refusal(`eth_signTypedData_${version}`, [values.$A0, data]);
/** What viem signs for the same data with the same key. */
const expected = (data: TypedData) => owners[0]?.signTypedData(data as never);
const signer = async (hash: `0x${string}`, signature: `0x${string}`) =>
  (await recoverAddress({ hash, signature })).toLowerCase();
/** Typed data of one struct `P` with these fields. */
const of = (fields: Record<string, string>, message: unknown, others: Record<string, unknown> = {}) =>
  typedData({
    'types.P': Object.entries(fields).map(([name, type]) => ({ name, type })),
    ...Object.fromEntries(Object.entries(others).map(([name, type]) => [`types.${name}`, type])),
    message,
  });
const agrees = async (data: TypedData) => expect(await sign(data)).toBe(await expected(data));

test('EIP-712 (1) referenced structs follow the primary type in the order of their names', () =>
  agrees(
    of(
      { z: 'Zebra', a: 'Ant' },
      { z: { name: 'z' }, a: { next: { name: 'y' } } },
      { Zebra: [{ name: 'name', type: 'string' }], Ant: [{ name: 'next', type: 'Zebra' }] },
    ),
  ));

test('EIP-712 (2) booleans, addresses, signed integers and fixed bytes', () =>
  agrees(
    of(
      { yes: 'bool', no: 'bool', who: 'address', less: 'int64', most: 'uint256', tag: 'bytes3' },
      {
        yes: true,
        no: false,
        who: values.$X,
        less: '-42',
        most: `0x${'ff'.repeat(32)}`,
        tag: '0xabcdef',
      },
    ),
  ));

test('EIP-712 (3) bytes and strings are hashed', () =>
  agrees(of({ data: 'bytes', text: 'string' }, { data: '0x00ff', text: 'Grün 🌱' })));

test('EIP-712 (4) arrays of structs, nested, of a fixed length and empty are hashed', () =>
  agrees(
    of(
      { grid: 'uint8[2][]', leaves: 'Leaf[]', none: 'string[]' },
      {
        grid: [
          [1, 2],
          [3, 4],
        ],
        leaves: [{ name: 'a' }, { name: 'b' }],
        none: [],
      },
      { Leaf: [{ name: 'name', type: 'string' }] },
    ),
  ));

test('EIP-712 (5) structs within structs are hashed; cyclic data is refused', async () => {
  await agrees(of({ leaf: 'Leaf' }, { leaf: { name: 'a' } }, { Leaf: [{ name: 'name', type: 'string' }] }));
  const cyclic: TypedData = { name: 'a' };
  cyclic.next = cyclic;
  expect(await refusal(of({ name: 'string', next: 'P' }, cyclic))).toMatchObject({ code: -32602 });
});

test('EIP-712 (6) the digest is of 0x1901, the domain and the message', async () => {
  const data = typedData();
  const signature = await sign(data);
  expect(await signer(hashTypedData(data as never), signature)).toBe(values.$A0);
  expect(await sign(JSON.stringify(data))).toBe(signature);
});

test('EIP-712 (7) domain fields are taken in the declared order, and absent ones are skipped', async () => {
  const EIP712Domain = [
    { name: 'verifyingContract', type: 'address' },
    { name: 'chainId', type: 'uint256' },
  ];
  await agrees(
    typedData({ 'types.EIP712Domain': EIP712Domain, domain: { chainId: 31, verifyingContract: values.$X } }),
  );
  await agrees(typedData({ 'types.EIP712Domain': [], domain: {} }));
});

test('EIP-712 (8) a chain other than the active one is refused in every spelling', async () => {
  for (const chainId of [30, '30', '0x1e'])
    expect(await refusal(typedData({ 'domain.chainId': chainId }))).toMatchObject({
      code: -32602,
      message: expect.stringContaining('chainId'),
    });
  const signatures = await Promise.all(
    [31, '31', '0x1f'].map((chainId) => sign(typedData({ 'domain.chainId': chainId }))),
  );
  expect(new Set(signatures).size).toBe(1);
});

test('EIP-712 (9), broken on purpose: EIP712Domain may be left out, and is then made of the domain', async () => {
  for (const member of ['types', 'primaryType', 'domain', 'message'])
    expect(await refusal(typedData({ [member]: undefined })), member).toMatchObject({
      code: -32602,
      message: expect.stringContaining(member),
    });
  expect(await sign(typedData({ 'types.EIP712Domain': undefined }))).toBe(await sign(typedData()));
});

test('EIP-712 (10) uint and int without a size are refused', async () => {
  for (const type of ['uint', 'int', 'uint[]', 'uint7', 'bytes33', 'ConsiderationItem[+'])
    expect(await refusal(of({ a: type }, { a: 1 })), type).toMatchObject({ code: -32602 });
});

test('EIP-712 (11) the test vector of the EIP has its digest and signature', async () => {
  const ethereum = openPage({
    networks: [
      { chainId: 1, name: 'Ethereum', currency: { name: 'Ether', symbol: 'ETH', decimals: 18 }, url },
    ],
    session: 'none',
  });
  const { address } = await ethereum.wallet.importPrivateKey(etherMail.privateKey, { password });
  await ethereum.request('eth_requestAccounts');
  for (const version of ['v4', 'v3'])
    expect(await ethereum.request(`eth_signTypedData_${version}`, [address, etherMail.typedData])).toBe(
      etherMail.signature,
    );
  ethereum.close();
});

test('EIP-712 (12) for a missing value v4 hashes a null struct, v3 skips it, v1 has no structs', async () => {
  const fields = { name: 'string', next: 'P' };
  const [v4, v3] = [of(fields, { name: 'a', next: null }), of(fields, { name: 'a' })];
  const separator = domainSeparator({ domain: v4.domain } as never);
  const typeHash = keccak256(stringToHex('P(string name,P next)'));
  const word = (text: string) => text.slice(2);
  const name = keccak256(stringToHex('a'));
  const digest = (tail: string) =>
    keccak256(`0x1901${word(separator)}${word(keccak256(`0x${word(typeHash)}${word(name)}${tail}`))}`);
  expect(await signer(digest('00'.repeat(32)), await sign(v4))).toBe(values.$A0);
  expect(await signer(digest(''), await sign(v3, 'v3'))).toBe(values.$A0);
  expect(await refusal(v3)).toMatchObject({ code: -32602 });
  for (const { typedData: list, digest: hash } of typedDataV1) {
    const signature = (await page.request('eth_signTypedData_v1', [list, values.$A0])) as `0x${string}`;
    expect(await signer(hash, signature)).toBe(values.$A0);
    expect(await page.request('eth_signTypedData', [list, values.$A0])).toBe(signature);
  }
});

test('EIP-712 (13) keys of the prototype are refused; what no type covers is left out', async () => {
  const rows: TypedData[] = [
    JSON.parse(JSON.stringify(typedData()).replace('"note":', '"__proto__":"x","note":')),
    typedData({ 'message.constructor': {} }),
    typedData({ primaryType: '__proto__' }),
    typedData({ primaryType: 'constructor' }),
  ];
  for (const row of rows) expect(await refusal(row)).toMatchObject({ code: -32602 });
  const signature = await sign(typedData());
  for (const path of ['extra', 'message.extra', 'domain.extra']) {
    expect(await sign(typedData({ [path]: 'not signed' })), path).toBe(signature);
    expect(JSON.stringify(page.questions.at(-1)), path).not.toContain('not signed');
  }
});
