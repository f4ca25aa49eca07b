import { keccak_256 } from '@noble/hashes/sha3.js';
import { invalidParams } from './errors.js';
import { bytesToHex, bytesToInteger, hexToBytes, integerToBytes } from './hex.js';
import { decodeRlpList, encodeRlp } from './rlp.js';
import type { Address, Hash, Hex } from './schema.js';
import { maxTransactionSize } from './transaction-size.js';

/** The only transaction form of the chain: legacy, protected by EIP-155 (node-facts §5). */
export interface LegacyTransaction {
  readonly nonce: Hex;
  readonly gasPrice: Hex;
  readonly gas: Hex;
  readonly to: Address | null;
  readonly value: Hex;
  readonly data: Hex;
  readonly chainId: number;
}

export interface Signature {
  readonly r: bigint;
  readonly s: bigint;
  readonly yParity: 0 | 1;
}

const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const integer = (quantity: Hex) => integerToBytes(BigInt(quantity));

const fields = (transaction: LegacyTransaction): Uint8Array[] => [
  integer(transaction.nonce),
  integer(transaction.gasPrice),
  integer(transaction.gas),
  transaction.to === null ? new Uint8Array(0) : hexToBytes(transaction.to),
  integer(transaction.value),
  hexToBytes(transaction.data),
];

/** The digest to sign (EIP-155): keccak256 over the nine fields that end in chainId, 0, 0. */
export const signingDigest = (transaction: LegacyTransaction): Uint8Array =>
  keccak_256(
    encodeRlp([
      ...fields(transaction),
      integerToBytes(BigInt(transaction.chainId)),
      new Uint8Array(0),
      new Uint8Array(0),
    ]),
  );

/** The signed bytes and their hash. `v = 35 + 2 × chainId + yParity`. */
export function serialize(transaction: LegacyTransaction, signature: Signature): { raw: Hex; hash: Hash } {
  const v = BigInt(transaction.chainId) * 2n + 35n + BigInt(signature.yParity);
  const bytes = encodeRlp([
    ...fields(transaction),
    integerToBytes(v),
    integerToBytes(signature.r),
    integerToBytes(signature.s),
  ]);
  return { raw: bytesToHex(bytes), hash: bytesToHex(keccak_256(bytes)) };
}

/**
 * Reads a signed transaction that a page hands in, and refuses here what the node would refuse with a
 * misleading text, or worse, accept: a typed envelope (node: -32603), no signature or a high `s` (node:
 * "Invalid chainId"), another chain, and no chain at all (node: accepts it, replayable everywhere).
 *
 * @throws ProviderRpcError -32602
 */
export function parseSigned(
  raw: Hex,
  chainId: number,
  path: string,
): { transaction: LegacyTransaction; signature: Signature; hash: Hash } {
  const bytes = hexToBytes(raw);
  const refuse = (rule: string) => invalidParams(`${path}: ${rule}`);
  if (bytes.length > maxTransactionSize)
    throw refuse(`signed transaction is larger than ${maxTransactionSize} bytes`);
  if (bytes.length === 0) throw refuse('signed transaction is empty');
  if (bytes[0] === 1 || bytes[0] === 2 || bytes[0] === 3 || bytes[0] === 4)
    throw refuse(`transaction type ${bytes[0]} is not supported by this chain; send a legacy transaction`);
  let items: Uint8Array[];
  try {
    items = decodeRlpList(bytes);
  } catch {
    throw refuse('signed transaction is not valid RLP');
  }
  if (items.length === 6) throw refuse('transaction has no signature');
  if (items.length !== 9) throw refuse('signed transaction is not an RLP list of 9 fields');
  const [nonce, gasPrice, gas, to, value, data, v, r, s] = items as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  for (const [name, bytesOfField] of Object.entries({ nonce, gasPrice, gas, value, v, r, s }))
    if (bytesOfField[0] === 0) throw refuse(`${name} has leading zeros`);
  if (to.length !== 0 && to.length !== 20) throw refuse('"to" is not an address of 20 bytes');
  const signature = { r: bytesToInteger(r), s: bytesToInteger(s) };
  if (signature.r === 0n || signature.s === 0n) throw refuse('signature is missing: r or s is zero');
  if (signature.r >= curveOrder || signature.s > curveOrder / 2n)
    throw refuse('signature is not canonical: s is in the upper half of the curve order');
  const vNumber = bytesToInteger(v);
  if (vNumber === 27n || vNumber === 28n)
    throw refuse('transaction has no chain id (v 27/28): anybody could replay it on every chain');
  const expected = BigInt(chainId) * 2n + 35n;
  if (vNumber !== expected && vNumber !== expected + 1n)
    throw refuse(`transaction is signed for another chain than ${chainId}`);
  const quantity = (field: Uint8Array): Hex => `0x${bytesToInteger(field).toString(16)}`;
  return {
    transaction: {
      nonce: quantity(nonce),
      gasPrice: quantity(gasPrice),
      gas: quantity(gas),
      to: to.length === 0 ? null : bytesToHex(to),
      value: quantity(value),
      data: bytesToHex(data),
      chainId,
    },
    signature: { ...signature, yParity: vNumber === expected ? 0 : 1 },
    hash: bytesToHex(keccak_256(bytes)),
  };
}
