import { keccak_256 } from '@noble/hashes/sha3.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { bytesToHex } from './hex.js';
import type { Address } from './schema.js';

/** The networks whose addresses are shown with a checksum of their own (ERC-1191, RSKIP-60). */
const chainsWithOwnChecksum: readonly number[] = [30, 31];
/** Those whose checksums are accepted: tools write that of a local network too. */
const chainsAccepted: readonly number[] = [30, 31, 33];

/**
 * The address with its checksum: ERC-1191 for chain 30 and 31, EIP-55 for every other and for none.
 * For people's eyes only: what the provider answers is lower case (ethers rejects ERC-1191).
 */
export const checksumAddress = (address: Address, chainId?: number): Address =>
  spell(address, chainId !== undefined && chainsWithOwnChecksum.includes(chainId) ? `${chainId}0x` : '');

function spell(address: Address, prefix: string): Address {
  const digits = address.slice(2).toLowerCase();
  const hash = bytesToHex(keccak_256(utf8ToBytes(prefix + digits))).slice(2);
  let checked = '';
  for (let i = 0; i < digits.length; i++) {
    checked += Number.parseInt(hash[i] as string, 16) >= 8 ? (digits[i] as string).toUpperCase() : digits[i];
  }
  return `0x${checked}`;
}

/** Whether mixed-case digits carry a valid checksum: EIP-55, or ERC-1191 of a Rootstock network, the local one included. */
export const hasValidChecksum = (address: Address): boolean =>
  spell(address, '') === address || checksumChain(address) !== null;

/** The Rootstock network that this spelling is the ERC-1191 checksum of, when it is not also EIP-55. */
export const checksumChain = (address: Address): number | null =>
  spell(address, '') === address
    ? null
    : (chainsAccepted.find((chainId) => spell(address, `${chainId}0x`) === address) ?? null);
