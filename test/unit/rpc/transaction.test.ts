import { keccak256, parseTransaction, serializeTransaction } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { bytesToHex, toQuantity } from '../../../src/rpc/hex.js';
import { recoverAddress } from '../../../src/rpc/recover.js';
import type { Hex } from '../../../src/rpc/schema.js';
import { parseSigned } from '../../../src/rpc/signed-transaction.js';
import { serialize, signingDigest } from '../../../src/rpc/transaction.js';
import { fc } from '../../support/property.js';

/** EIP-155, "Example" (CC0). */
const example = {
  transaction: {
    nonce: '0x9',
    gasPrice: '0x4a817c800',
    gas: '0x5208',
    to: '0x3535353535353535353535353535353535353535',
    value: '0xde0b6b3a7640000',
    data: '0x',
    chainId: 1,
  },
  digest: '0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53',
  signature: {
    r: 0x28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276n,
    s: 0x67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83n,
    yParity: 0,
  },
  raw: '0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83',
} as const;

const account = privateKeyToAccount(`0x${'46'.repeat(32)}`);
const hexOf = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => bytesToHex(bytes));
const quantity = (bits: number) =>
  fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n }).map((value): Hex => `0x${value.toString(16)}`);
const transactions = fc.record({
  // viem takes nonces as numbers: only those that are exact there can be compared.
  nonce: quantity(53),
  gasPrice: quantity(80),
  gas: quantity(40),
  to: fc.option(hexOf(20), { nil: null }),
  value: quantity(256),
  data: fc.uint8Array({ maxLength: 300 }).map((bytes) => bytesToHex(bytes)),
  chainId: fc.constantFrom(30, 31, 33, 1337),
});

describe('signingDigest', () => {
  test('the digest is that of the example of EIP-155', () => {
    expect(bytesToHex(signingDigest(example.transaction))).toBe(example.digest);
  });
});

describe('serialize', () => {
  test('the bytes are those of the example of EIP-155, and the hash is theirs', () => {
    expect(serialize(example.transaction, example.signature)).toEqual({
      raw: example.raw,
      hash: keccak256(example.raw),
    });
  });

  test('gives the same bytes as viem for any transaction', () => {
    fc.assert(
      fc.property(transactions, hexOf(31), fc.constantFrom(0, 1), (transaction, r, yParity) => {
        const signature = { r: BigInt(r) + 1n, s: 77n, yParity: yParity as 0 | 1 };
        const { nonce, gas, gasPrice, to, value, data, chainId } = transaction;
        const theirs = serializeTransaction(
          {
            type: 'legacy',
            nonce: Number(nonce),
            gas: BigInt(gas),
            gasPrice: BigInt(gasPrice),
            value: BigInt(value),
            data,
            chainId,
            ...(to !== null && { to }),
          },
          { r: `0x${signature.r.toString(16)}`, s: '0x4d', v: BigInt(35 + 2 * chainId + yParity) },
        );
        expect(serialize(transaction, signature).raw).toBe(theirs);
      }),
    );
  });
});

describe('types 1 and 2', () => {
  const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(bytesToHex);
  const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytesToHex);
  const typed = fc.record({
    transactionType: fc.constantFrom('0x1' as const, '0x2' as const),
    nonce: fc.bigInt({ min: 0n, max: 2n ** 64n - 2n }).map(toQuantity),
    gasPrice: fc.bigInt({ min: 1n, max: 2n ** 100n }).map(toQuantity),
    gas: fc.bigInt({ min: 1n, max: 2n ** 40n }).map(toQuantity),
    to: fc.option(address, { nil: null }),
    value: fc.bigInt({ min: 0n, max: 2n ** 128n }).map(toQuantity),
    data: fc.uint8Array({ maxLength: 80 }).map(bytesToHex),
    chainId: fc.integer({ min: 1, max: 2 ** 40 }),
    accessList: fc.array(fc.record({ address, storageKeys: fc.array(hash, { maxLength: 3 }) }), {
      maxLength: 3,
    }),
  });

  test('are signed and serialized as viem does it, the tip being the whole price, and read back', async () => {
    await fc.assert(
      fc.asyncProperty(typed, async (transaction) => {
        const { transactionType, nonce, gasPrice, gas, to, value, data, chainId, accessList } = transaction;
        const [price, common] = [
          BigInt(gasPrice),
          { nonce: BigInt(nonce), gas: BigInt(gas), to, value: BigInt(value) },
        ];
        const theirs = await account.signTransaction({
          ...common,
          ...{ data, chainId, accessList },
          ...(transactionType === '0x1'
            ? { type: 'eip2930', gasPrice: price }
            : { type: 'eip1559', maxFeePerGas: price, maxPriorityFeePerGas: price }),
        } as never);
        const parsed = parseSigned(theirs, chainId, 'x', true);
        expect(serialize(transaction, parsed.signature)).toEqual({ raw: theirs, hash: keccak256(theirs) });
        expect(serialize(parsed.transaction, parsed.signature).raw).toBe(theirs);
        expect(recoverAddress(signingDigest(transaction), parsed.signature)).toBe(
          account.address.toLowerCase(),
        );
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ['without the chain knowing them', '0x02f8', false, 'type 2 is not supported'],
    ["of Rootstock's own kind (0x02 and a byte below 0x80)", '0x027ff8', true, "Rootstock's own types"],
    ["of Rootstock's own kind, on a chain of legacy transactions", '0x0200', false, "Rootstock's own types"],
    ['of type 3', '0x03f8', true, 'type 3 is not supported'],
    ['with a broken list', '0x02f8', true, 'RLP'],
    ['with too few fields', '0x02c3010203', true, 'wrong number of fields'],
  ] as const)('are refused %s', (_name, raw, known, says) => {
    expect(() => parseSigned(raw, 31, 'x', known)).toThrow(
      expect.objectContaining({ code: -32602, message: expect.stringContaining(says) }),
    );
  });
});

describe('parseSigned', () => {
  const signed = (overrides: object = {}) =>
    account.signTransaction({
      type: 'legacy',
      chainId: 31,
      nonce: 5,
      gas: 21000n,
      gasPrice: 60_000_000n,
      to: example.transaction.to,
      value: 1n,
      ...overrides,
    } as never) as Promise<Hex>;

  test('a signed transaction is parsed into its fields, with its hash', async () => {
    const raw = await signed();
    const parsed = parseSigned(raw, 31, 'params[0]');
    expect(parsed.hash).toBe(keccak256(raw));
    expect(parsed.transaction).toEqual({
      nonce: '0x5',
      gasPrice: '0x3938700',
      gas: '0x5208',
      to: example.transaction.to,
      value: '0x1',
      data: '0x',
      chainId: 31,
    });
    expect(serialize(parsed.transaction, parsed.signature).raw).toBe(raw);
  });

  test('reads back any serialized transaction', () => {
    fc.assert(
      fc.property(transactions, (transaction) => {
        const signature = { r: 99n, s: 77n, yParity: 1 } as const;
        const { raw, hash } = serialize(transaction, signature);
        expect(parseSigned(raw, transaction.chainId, 'x')).toEqual({ transaction, signature, hash });
      }),
    );
  });

  const highS = async (): Promise<Hex> => {
    const { transaction, signature } = parseSigned(await signed(), 31, 'x');
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    return serialize(transaction, { ...signature, s: order - signature.s }).raw;
  };

  test.each([
    ['nothing', async () => '0x', 'empty'],
    ['no RLP', async () => '0xdeadbeef', 'RLP'],
    ['truncated', async () => (await signed()).slice(0, -2), 'RLP'],
    ['trailing bytes', async () => `${await signed()}00`, 'RLP'],
    [
      'typed',
      async () =>
        signed({ type: 'eip1559', gasPrice: undefined, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }),
      'type 2',
    ],
    [
      'unsigned',
      async () => serializeTransaction({ ...parseTransaction(await signed()), chainId: undefined } as never),
      'no signature',
    ],
    ['high s', highS, 'upper half'],
    ['for another chain', async () => signed({ chainId: 1 }), 'another chain'],
    ['without a chain', async () => signed({ chainId: undefined }), 'replay'],
    ['too large', async () => `0x${'00'.repeat(131073)}`, '131072'],
  ])('%s', async (_name, raw, says) => {
    const bytes = (await raw()) as Hex;
    expect(() => parseSigned(bytes, 31, 'params[0]')).toThrow(
      expect.objectContaining({ code: -32602, message: expect.stringContaining(says) }),
    );
  });

  test('throws only a ProviderRpcError for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          parseSigned(bytesToHex(bytes), 31, 'x');
        } catch (error) {
          expect(error).toMatchObject({ code: -32602 });
        }
      }),
      { numRuns: 2000 },
    );
  });
});
