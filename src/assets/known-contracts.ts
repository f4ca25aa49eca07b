import type { Address, Hex } from '../rpc/schema.js';
import { listedTokens } from './token-list.js';

/** A contract that the wallet knows by its address. */
export interface KnownContract {
  readonly address: Address;
  /** A proper name, which is not translated. */
  readonly name: string;
}

/**
 * The bridge to Bitcoin (PowPeg), a precompiled contract of every Rootstock node (docs/notes/node.md#contracts). A
 * payment to it without data asks it to release bitcoin to the address that belongs to the sender's key.
 */
export const bridge = '0x0000000000000000000000000000000001000006';

/**
 * The least that the bridge releases, wei: it pays a smaller amount back (the Rootstock developer portal, "PowPeg" and
 * "RBTC networks": 0.004 on mainnet and testnet since IRIS 3.0.0).
 */
export const minRelease = 4_000_000_000_000_000n;

/** Precompiled contracts of every node (rskj, PrecompiledContracts). */
const precompiled: readonly KnownContract[] = [
  { address: bridge, name: 'PowPeg bridge' },
  { address: '0x0000000000000000000000000000000001000008', name: 'REMASC' },
];

/** By chain. @rsksmart/rns-registry and the developer portal name the same two. */
const nameRegistries = new Map<number, Address>([
  [30, '0xcb868aeabd31e2b66f74e9a55cf064abb31a4ad5'],
  [31, '0x7d284aaac6e925aad802a53c0c69efe3764597b8'],
]);

/** The registry of the RIF Name Service; `null` on chains without one. */
export const nameRegistry = (chainId: number): Address | null => nameRegistries.get(chainId) ?? null;

/** Every contract that is known on a chain; none on other chains than 30 and 31. */
export function knownContracts(chainId: number): readonly KnownContract[] {
  const registry = nameRegistry(chainId);
  if (registry === null) return [];
  const tokens = listedTokens(chainId).map(({ address, symbol }) => ({ address, name: symbol }));
  return [...precompiled, { address: registry, name: 'RNS registry' }, ...tokens];
}

/** Whether a transaction asks the bridge to release bitcoin to the sender. */
export const isPaymentToBridge = (
  chainId: number,
  { to, data }: { readonly to: Address | null; readonly data: Hex },
): boolean => (chainId === 30 || chainId === 31) && to === bridge && data === '0x';
