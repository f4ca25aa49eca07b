import {
  type Hex,
  parseTransaction,
  serializeTransaction,
  type TransactionSerializableLegacy,
  toHex,
  toRlp,
} from 'viem';
import { owners, values } from '../../support/keys.js';

/** Transactions that a page signed itself, made by viem: good, and each bad in one way. */

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const legacy: TransactionSerializableLegacy = {
  type: 'legacy',
  chainId: 31,
  nonce: 0,
  gas: 21_000n,
  gasPrice: 60_000_000n,
  to: values.$X,
  value: 1n,
};
const { chainId: _, ...withoutChain } = legacy;

const owner = owners[0] as (typeof owners)[number];
const good = await owner.signTransaction(legacy);
const parts = parseTransaction(good) as { r: Hex; s: Hex; v: bigint };

const integer = (value: bigint): Hex => (value === 0n ? '0x' : toHex(value));
const rlp = (v: bigint, r: bigint, s: bigint): Hex =>
  toRlp([
    '0x',
    integer(legacy.gasPrice as bigint),
    integer(legacy.gas as bigint),
    values.$X,
    '0x01',
    '0x',
    integer(v),
    integer(r),
    integer(s),
  ]);

/** By placeholder, each in one or more spellings. */
export const rawTransactions: Readonly<Record<string, readonly Hex[]>> = {
  $RAW_OK: [good],
  // Six fields, and nine of which two are the empty signature of EIP-155's signing form.
  $RAW_UNSIGNED: [serializeTransaction(withoutChain), serializeTransaction(legacy)],
  $RAW_R0: [rlp(parts.v, 0n, BigInt(parts.s))],
  $RAW_HIGH_S: [rlp(parts.v === 97n ? 98n : 97n, BigInt(parts.r), order - BigInt(parts.s))],
  $RAW_CHAIN1: [await owner.signTransaction({ ...legacy, chainId: 1 })],
  $RAW_PRE155: [await owner.signTransaction(withoutChain)],
  $RAW_TYPE2: [
    await owner.signTransaction({
      type: 'eip1559',
      chainId: 31,
      nonce: 0,
      gas: 21_000n,
      maxFeePerGas: 60_000_000n,
      maxPriorityFeePerGas: 0n,
      to: values.$X,
      value: 1n,
    }),
  ],
};

export const rawOk = good;
