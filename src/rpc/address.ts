import { bytesToHex } from './hex.js';
import { keccak256 } from './keccak.js';
import type { Address } from './schema.js';

/** Chains whose addresses are shown with an ERC-1191 checksum (RSKIP-60). */
const chainsWithOwnChecksum: readonly number[] = [30, 31];
/** Chains whose ERC-1191 checksums are accepted: tools also write that of a local network. */
const chainsAccepted: readonly number[] = [30, 31, 33];

/**
 * The address with its checksum, for display: ERC-1191 on chains 30 and 31, EIP-55 elsewhere. Results of the provider are
 * lower case, because ethers rejects ERC-1191.
 *
 * @example
 * checksumAddress('0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 30);
 */
export const checksumAddress = (address: Address, chainId?: number): Address =>
  spell(address, chainId !== undefined && chainsWithOwnChecksum.includes(chainId) ? `${chainId}0x` : '');

const hashOf = (text: string): Uint8Array => keccak256(new TextEncoder().encode(text));

function spell(address: Address, prefix: string): Address {
  const digits = address.slice(2).toLowerCase();
  const hash = bytesToHex(hashOf(prefix + digits)).slice(2);
  let checked = '';
  for (let i = 0; i < digits.length; i++) {
    checked += Number.parseInt(hash[i] as string, 16) >= 8 ? (digits[i] as string).toUpperCase() : digits[i];
  }
  return `0x${checked}`;
}

/** Whether a mixed-case address has a valid checksum: EIP-55, or ERC-1191 of chain 30, 31 or 33. */
export const hasValidChecksum = (address: Address): boolean =>
  isEip55(address) || checksumChain(address) !== null;

/** The address in lower case; `null` if its case is mixed without a valid checksum. */
export function lowerAddress(address: Address): Address | null {
  const lower = address.toLowerCase() as Address;
  const isMixed = address !== lower && address.slice(2) !== address.slice(2).toUpperCase();
  return isMixed && !hasValidChecksum(address) ? null : lower;
}

/** Checks an EIP-55 checksum without building a string, which would double the cost of reading an address. */
function isEip55(address: Address): boolean {
  const lower = address.toLowerCase();
  const hash = hashOf(lower.slice(2));
  for (let i = 0; i < 40; i++) {
    const nibble = ((hash[i >> 1] as number) >> (i % 2 === 0 ? 4 : 0)) & 0xf;
    const isUpper = address.charCodeAt(i + 2) !== lower.charCodeAt(i + 2);
    if (isUpper !== nibble >= 8 && lower.charCodeAt(i + 2) > 0x39) return false;
  }
  return true;
}

/** The Rootstock chain whose ERC-1191 checksum the address has, unless it is also valid EIP-55. */
export const checksumChain = (address: Address): number | null =>
  isEip55(address)
    ? null
    : (chainsAccepted.find((chainId) => spell(address, `${chainId}0x`) === address) ?? null);
