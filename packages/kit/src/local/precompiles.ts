import { bytesToHex } from '../../../../src/rpc/hex.js';
import type { Address, Hex } from '../../../../src/rpc/schema.js';

/** Names of the node's precompiled contracts, by lower-case address. The EVM behind this service has none of them. */
const precompiles: { readonly [address: Address]: string } = {
  '0x0000000000000000000000000000000001000006': 'Bridge',
  '0x0000000000000000000000000000000001000008': 'REMASC',
  '0x0000000000000000000000000000000001000009': 'HDWalletUtils',
  '0x0000000000000000000000000000000001000010': 'BlockHeader',
  '0x0000000000000000000000000000000001000011': 'Environment',
  '0x0000000000000000000000000000000001000016': 'Secp256k1 addition',
  '0x0000000000000000000000000000000001000017': 'Secp256k1 multiplication',
};

const word = (value: number) => value.toString(16).padStart(64, '0');

/** The ABI encoding of a single returned string. */
function encodeText(text: string): Hex {
  const bytes = new TextEncoder().encode(text);
  const padded = new Uint8Array(Math.ceil(bytes.length / 32) * 32);
  padded.set(bytes);
  return `0x${word(32)}${word(bytes.length)}${bytesToHex(padded).slice(2)}`;
}

/** Recorded results by contract and selector, on a chain without any Bitcoin blocks. */
const results: { readonly [name: string]: { readonly [selector: string]: Hex } } = {
  Bridge: {
    /** getBtcBlockchainBestChainHeight() */
    '0x14c89c01': `0x${word(0)}`,
    /** getFederationAddress() */
    '0x6923fa85': encodeText('2MvQSG61B4LtKLECeo1dRDeDWXgJfnr3fC7'),
  },
  Environment: {
    /** getCallStackDepth() */
    '0xe8ce2274': `0x${word(1)}`,
  },
};

/** The result of calling a precompiled contract: a recorded one, else `0x`. Undefined for any other address. */
export function callPrecompile(to: Address | undefined, data: Hex | undefined): Hex | undefined {
  const name = to === undefined ? undefined : precompiles[to];
  if (name === undefined) return undefined;
  return results[name]?.[(data ?? '0x').slice(0, 10)] ?? '0x';
}
