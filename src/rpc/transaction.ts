import { keccak_256 } from '@noble/hashes/sha3.js';

import { bytesToHex, hexToBytes, integerToBytes } from './hex.js';
import { own } from './own.js';
import { concatBytes, encodeRlp, type RlpItem } from './rlp.js';
import type { Address, Hash, Hex } from './schema.js';

/** Transactions and their encodings. */

/**
 * A transaction without its signature. The chain accepts legacy transactions with EIP-155. Types 1 (EIP-2930) and 2
 * (EIP-1559) are used on a chain whose blocks show that it supports them (RSKIP-546).
 */
export interface UnsignedTransaction {
  readonly nonce: Hex;
  /** wei per gas: the price; for type 2 the maximum price. */
  readonly gasPrice: Hex;
  readonly gas: Hex;
  /** `null` creates a contract. */
  readonly to: Address | null;
  readonly value: Hex;
  readonly data: Hex;
  readonly chainId: number;
  /** Absent for a legacy transaction. */
  readonly transactionType?: '0x1' | '0x2';
  /** For types 1 and 2. Default: empty. */
  readonly accessList?: AccessList;
  /** For type 2. Default: the gas price, because the chain charges the lower of the two. */
  readonly maxPriorityFeePerGas?: Hex;
}

/** The addresses and storage slots that a transaction declares (EIP-2930). */
export type AccessList = readonly { readonly address: Address; readonly storageKeys: readonly Hash[] }[];

export interface Signature {
  readonly r: bigint;
  readonly s: bigint;
  readonly yParity: 0 | 1;
}

const none = new Uint8Array(0);

const integer = (quantity: Hex | number) => integerToBytes(BigInt(quantity));

/** The fields from gas on, which all types share. */
const callFields = ({ gas, to, value, data }: UnsignedTransaction): Uint8Array[] => [
  integer(gas),
  to === null ? none : hexToBytes(to),
  integer(value),
  hexToBytes(data),
];

const legacyFields = (transaction: UnsignedTransaction): Uint8Array[] => [
  integer(transaction.nonce),
  integer(transaction.gasPrice),
  ...callFields(transaction),
];

const typedFields = (transaction: UnsignedTransaction): RlpItem[] => {
  const { chainId, nonce, gasPrice, maxPriorityFeePerGas, accessList, transactionType } = own(transaction);
  return [
    integer(chainId),
    integer(nonce),
    ...(transactionType === '0x2' ? [integer(maxPriorityFeePerGas ?? gasPrice)] : []),
    integer(gasPrice),
    ...callFields(transaction),
    (accessList ?? []).map(({ address, storageKeys }) => [hexToBytes(address), storageKeys.map(hexToBytes)]),
  ];
};

/** Puts the type before the list of fields (EIP-2718). */
const envelope = (type: '0x1' | '0x2', fields: RlpItem): Uint8Array =>
  concatBytes(Uint8Array.of(Number(type)), encodeRlp(fields));

/** The digest to sign. Legacy (EIP-155): keccak256 over nine fields that end in chainId, 0, 0. */
export function signingDigest(transaction: UnsignedTransaction): Uint8Array {
  const { chainId, transactionType } = own(transaction);
  return keccak_256(
    transactionType
      ? envelope(transactionType, typedFields(transaction))
      : encodeRlp([...legacyFields(transaction), integer(chainId), none, none]),
  );
}

/** The signed bytes and their hash. Legacy: `v = 35 + 2 × chainId + yParity`. */
export function serialize(transaction: UnsignedTransaction, signature: Signature): { raw: Hex; hash: Hash } {
  const { chainId, transactionType } = own(transaction);
  const [r, s] = [integerToBytes(signature.r), integerToBytes(signature.s)];
  const bytes = transactionType
    ? envelope(transactionType, [...typedFields(transaction), integer(signature.yParity), r, s])
    : encodeRlp([...legacyFields(transaction), integer(chainId * 2 + 35 + signature.yParity), r, s]);
  return { raw: bytesToHex(bytes), hash: bytesToHex(keccak_256(bytes)) };
}
