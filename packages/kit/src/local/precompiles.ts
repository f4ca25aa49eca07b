import { bytesToHex } from '../../../../src/rpc/hex.js';
import type { Address, Hex } from '../../../../src/rpc/schema.js';

const word = (value: number) => value.toString(16).padStart(64, '0');

/** The ABI encoding of a single returned string. */
function encodeText(text: string): Hex {
  const bytes = new TextEncoder().encode(text);
  const padded = new Uint8Array(Math.ceil(bytes.length / 32) * 32);
  padded.set(bytes);
  return `0x${word(32)}${word(bytes.length)}${bytesToHex(padded).slice(2)}`;
}

/**
 * The node's precompiled contracts, by lower-case address: recorded results by selector, on a chain without any Bitcoin
 * blocks. The EVM behind this service has none of them.
 */
const precompiles: { readonly [address: Address]: { readonly [selector: string]: Hex } } = {
  /** Bridge */
  '0x0000000000000000000000000000000001000006': {
    /** getBtcBlockchainBestChainHeight() */
    '0x14c89c01': `0x${word(0)}`,
    /** getFederationAddress() */
    '0x6923fa85': encodeText('2MvQSG61B4LtKLECeo1dRDeDWXgJfnr3fC7'),
  },
  /** REMASC */
  '0x0000000000000000000000000000000001000008': {},
  /** HDWalletUtils */
  '0x0000000000000000000000000000000001000009': {},
  /** BlockHeader */
  '0x0000000000000000000000000000000001000010': {},
  /** Environment */
  '0x0000000000000000000000000000000001000011': {
    /** getCallStackDepth() */
    '0xe8ce2274': `0x${word(1)}`,
  },
  /** Secp256k1 addition */
  '0x0000000000000000000000000000000001000016': {},
  /** Secp256k1 multiplication */
  '0x0000000000000000000000000000000001000017': {},
};

/** The result of calling a precompiled contract: a recorded one, else `0x`. Undefined for any other address. */
export function callPrecompile(to: Address | undefined, data: Hex = '0x'): Hex | undefined {
  const results = to && precompiles[to];
  return results && (results[data.slice(0, 10)] ?? '0x');
}
