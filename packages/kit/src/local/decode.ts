import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, bytesToInteger, hexToBytes, integerToBytes } from '../../../../src/rpc/hex.js';
import { recoverAddress } from '../../../../src/rpc/recover.js';
import { decodeRlp, encodeRlp, type RlpItem } from '../../../../src/rpc/rlp.js';
import type { Address, Hash, Hex } from '../../../../src/rpc/schema.js';
import type { Signature } from '../../../../src/rpc/transaction.js';
import { internal, invalidParam } from './failure.js';

/** A decoded, signed legacy transaction. */
export interface SignedTransaction {
  readonly raw: Hex;
  readonly hash: Hash;
  readonly from: Address;
  readonly to: Address | null;
  readonly nonce: bigint;
  readonly gasPrice: bigint;
  readonly gas: bigint;
  readonly value: bigint;
  readonly input: Hex;
  readonly v: number;
  readonly r: bigint;
  readonly s: bigint;
  /** Bytes of the signed encoding. */
  readonly size: number;
  /** The nonce as encoded. The pool rejects a non-canonical encoding, but only after other checks. */
  readonly nonceBytes: Uint8Array;
}

/** The order of the curve secp256k1. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Decodes a raw transaction with the node's errors (docs/notes/node.md#undecodable-transactions). @throws Failure */
export function decodeSigned(raw: Hex, chainId: number): SignedTransaction {
  const bytes = hexToBytes(raw);
  if (bytes[0] === undefined || bytes[0] < 0xc0) throw internal();
  const items = splitFields(bytes);
  if (items.length !== 9) throw internal();
  const [nonceBytes, gasPrice, gas, to, value, input, vBytes, rBytes, sBytes] = [
    ...items,
  ] as Nine<Uint8Array>;
  if (vBytes.length > 1 || (to.length !== 0 && to.length !== 20)) throw internal();
  if (gas.length === 0) throw invalidParam('Missing parameter, gasPrice, gas or value');

  const v = Number(bytesToInteger(vBytes));
  const r = bytesToInteger(rBytes);
  const s = bytesToInteger(sBytes);
  if (vBytes.length === 1 && (rBytes.length === 0 || sBytes.length === 0)) throw internal();
  const signedChainId = vBytes.length === 0 || v === 27 || v === 28 ? 0 : Math.trunc((v - 35) / 2);
  const isSigned = vBytes.length === 1 && r > 0n && r < order && s > 0n && s < order / 2n;
  if (!isSigned || (signedChainId !== 0 && signedChainId !== chainId))
    throw invalidParam(`Invalid chainId: ${signedChainId}`);

  const unsigned = [nonceBytes, gasPrice, gas, to, value, input];
  if (signedChainId !== 0)
    unsigned.push(integerToBytes(BigInt(signedChainId)), new Uint8Array(0), new Uint8Array(0));
  const yParity = (v === 27 || v === 28 ? v - 27 : (v + 1) & 1) as Signature['yParity'];
  return {
    raw,
    hash: bytesToHex(keccak_256(bytes)),
    from: recoverSender(keccak_256(encodeRlp(unsigned)), { r, s, yParity }),
    to: to.length === 0 ? null : bytesToHex(to),
    nonce: bytesToInteger(nonceBytes),
    gasPrice: bytesToInteger(gasPrice),
    gas: bytesToInteger(gas),
    value: bytesToInteger(value),
    input: bytesToHex(input),
    v,
    r,
    s,
    size: bytes.length,
    nonceBytes,
  };
}

type Nine<T> = [T, T, T, T, T, T, T, T, T];

function splitFields(bytes: Uint8Array): readonly Uint8Array[] {
  const item = decode(bytes);
  if (item instanceof Uint8Array) throw internal();
  return item.map((field) => {
    if (!(field instanceof Uint8Array)) throw internal();
    return field;
  });
}

function decode(bytes: Uint8Array): RlpItem {
  try {
    return decodeRlp(bytes);
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    if (!message.includes('truncated')) throw internal();
    throw invalidParam(
      "Invalid input: The RLP byte array doesn't have enough space to hold an element with the specified length",
    );
  }
}

function recoverSender(digest: Uint8Array, signature: Signature): Address {
  try {
    return recoverAddress(digest, signature);
  } catch {
    throw internal();
  }
}
