import { keccak_256 } from '@noble/hashes/sha3.js';

import { invalidParams } from './errors.js';
import { bytesToHex, bytesToInteger, hexToBytes } from './hex.js';
import { decodeRlp, type RlpItem } from './rlp.js';
import type { Address, Hash, Hex } from './schema.js';
import type { AccessList, Signature, UnsignedTransaction } from './transaction.js';
import { maxTransactionSize } from './transaction-size.js';

/** Signed transactions, decoded. */

const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

export interface ParsedTransaction {
  readonly transaction: UnsignedTransaction;
  readonly signature: Signature;
  readonly hash: Hash;
}

/**
 * Reads a signed transaction. Refuses what the node would refuse with a misleading text (no signature or a high `s`:
 * "Invalid chainId"), and what it would accept by mistake (no chain id, which can be replayed on every chain). Types 1 and
 * 2 are accepted if `typed`. The bytes 0x02 0x00–0x7f begin a transaction type of Rootstock (RSKIP-543), which is not an
 * EIP-1559 transaction.
 *
 * @throws ProviderRpcError -32602
 */
export function parseSigned(raw: Hex, chainId: number, path: string, typed = false): ParsedTransaction {
  const bytes = hexToBytes(raw);
  const refuse = (rule: string) => invalidParams(`${path}: ${rule}`);
  if (bytes.length > maxTransactionSize)
    throw refuse(`signed transaction is larger than ${maxTransactionSize} bytes`);
  const [first, second] = bytes;
  if (first === undefined) throw refuse('signed transaction is empty');
  if (first === 2 && second !== undefined && second <= 0x7f)
    throw refuse("transactions of Rootstock's own types are not supported");
  const isTyped = first === 1 || first === 2;
  if ((isTyped && !typed) || first === 3 || first === 4)
    throw refuse(`transaction type ${first} is not supported by this chain; send a legacy transaction`);
  const items = readList(isTyped ? bytes.subarray(1) : bytes, refuse);
  const hash = bytesToHex(keccak_256(bytes));
  return {
    ...(isTyped ? readTyped(first, items, chainId, refuse) : readLegacy(items, chainId, refuse)),
    hash,
  };
}

type Refuse = (rule: string) => Error;

function readList(bytes: Uint8Array, refuse: Refuse): readonly RlpItem[] {
  try {
    const item = decodeRlp(bytes);
    if (!(item instanceof Uint8Array)) return item;
  } catch {
    // Reported below.
  }
  throw refuse('signed transaction is not valid RLP');
}

function readLegacy(items: readonly RlpItem[], chainId: number, refuse: Refuse) {
  if (items.length === 6) throw refuse('transaction has no signature');
  if (items.length !== 9) throw refuse('signed transaction is not an RLP list of 9 fields');
  const [nonce, gasPrice, gas, to, value, data, v, r, s] = items;
  const read = fieldReader(refuse);
  const transaction: UnsignedTransaction = {
    nonce: read.quantity(nonce, 'nonce'),
    gasPrice: read.quantity(gasPrice, 'gasPrice'),
    gas: read.quantity(gas, 'gas'),
    to: read.recipient(to),
    value: read.quantity(value, 'value'),
    data: bytesToHex(read.bytes(data, 'data')),
    chainId,
  };
  const signature = read.signature(r, s);
  const recovery = BigInt(read.quantity(v, 'v'));
  if (recovery === 27n || recovery === 28n)
    throw refuse('transaction has no chain id (v 27/28): anybody could replay it on every chain');
  const yParity = recovery - BigInt(chainId) * 2n - 35n;
  if (yParity !== 0n && yParity !== 1n)
    throw refuse(`transaction is signed for another chain than ${chainId}`);
  return { transaction, signature: { ...signature, yParity: Number(yParity) as 0 | 1 } };
}

function readTyped(type: number, items: readonly RlpItem[], chainId: number, refuse: Refuse) {
  const isMarket = type === 2;
  if (items.length !== (isMarket ? 12 : 11))
    throw refuse(`signed transaction of type ${type} has a wrong number of fields`);
  const read = fieldReader(refuse);
  const [chain, nonce, ...rest] = items;
  const tip = isMarket ? rest.shift() : undefined;
  const [gasPrice, gas, to, value, data, accessList, parity, r, s] = rest;
  if (BigInt(read.quantity(chain, 'chainId')) !== BigInt(chainId))
    throw refuse(`transaction is signed for another chain than ${chainId}`);
  const yParity = Number(read.quantity(parity, 'yParity'));
  if (yParity !== 0 && yParity !== 1) throw refuse('yParity is neither 0 nor 1');
  const transaction: UnsignedTransaction = {
    transactionType: isMarket ? '0x2' : '0x1',
    nonce: read.quantity(nonce, 'nonce'),
    ...(isMarket && { maxPriorityFeePerGas: read.quantity(tip, 'maxPriorityFeePerGas') }),
    gasPrice: read.quantity(gasPrice, isMarket ? 'maxFeePerGas' : 'gasPrice'),
    gas: read.quantity(gas, 'gas'),
    to: read.recipient(to),
    value: read.quantity(value, 'value'),
    data: bytesToHex(read.bytes(data, 'data')),
    accessList: read.accessList(accessList),
    chainId,
  };
  return { transaction, signature: { ...read.signature(r, s), yParity: yParity as 0 | 1 } };
}

/** Reads the fields of a decoded list. */
function fieldReader(refuse: Refuse) {
  const bytes = (item: RlpItem | undefined, name: string): Uint8Array => {
    if (!(item instanceof Uint8Array)) throw refuse(`${name} is not a byte string`);
    return item;
  };
  const quantity = (item: RlpItem | undefined, name: string): Hex => {
    const field = bytes(item, name);
    if (field[0] === 0) throw refuse(`${name} has leading zeros`);
    return `0x${bytesToInteger(field).toString(16)}`;
  };
  const sized = (item: RlpItem | undefined, name: string, length: number): Hex => {
    const field = bytes(item, name);
    if (field.length !== length) throw refuse(`${name} has not ${length} bytes`);
    return bytesToHex(field);
  };
  const list = (item: RlpItem | undefined): readonly RlpItem[] => {
    if (item === undefined || item instanceof Uint8Array) throw refuse('the access list is not a list');
    return item;
  };
  return {
    bytes,
    quantity,
    recipient(item: RlpItem | undefined): Address | null {
      const field = bytes(item, 'to');
      if (field.length !== 0 && field.length !== 20) throw refuse('"to" is not an address of 20 bytes');
      return field.length === 0 ? null : bytesToHex(field);
    },
    accessList: (item: RlpItem | undefined): AccessList =>
      list(item).map((entry) => {
        const [address, storageKeys] = list(entry);
        return {
          address: sized(address, 'an address of the access list', 20),
          storageKeys: list(storageKeys).map((key) => sized(key, 'a storage key', 32)),
        };
      }),
    signature(r: RlpItem | undefined, s: RlpItem | undefined) {
      const signature = { r: BigInt(quantity(r, 'r')), s: BigInt(quantity(s, 's')) };
      if (signature.r === 0n || signature.s === 0n) throw refuse('signature is missing: r or s is zero');
      if (signature.r >= curveOrder || signature.s > curveOrder / 2n)
        throw refuse('signature is not canonical: s is in the upper half of the curve order');
      return signature;
    },
  };
}
