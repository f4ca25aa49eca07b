import type { Address, Hex } from './schema.js';

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
 * Minimum that the bridge releases on a chain, wei: it pays a smaller amount back (rskj, BridgeMainNetConstants and
 * BridgeTestNetConstants, `minimumPegoutTxValue`). The developer portal names 0.004 for testnet too, which no node holds to.
 */
export const minRelease = (chainId: number): bigint =>
  chainId === 30 ? 4_000_000_000_000_000n : 2_500_000_000_000_000n;

/** Blocks between two batches of peg-outs (rskj, `numberOfBlocksBetweenPegouts`). The bridge may put one off. */
export const batchInterval = (chainId: number): number => (chainId === 33 ? 50 : 360);

/** wei in a satoshi. The bridge keeps what is less. */
export const weiPerSatoshi = 10n ** 10n;

/** Whether a chain has the bridge: Rootstock's mainnet, testnet and local chains. */
export const hasBridge = (chainId: number): boolean => chainId === 30 || chainId === 31 || chainId === 33;

/** Precompiled contracts of every node (rskj, PrecompiledContracts). */
const precompiled: readonly KnownContract[] = [
  { address: bridge, name: 'PowPeg bridge' },
  { address: '0x0000000000000000000000000000000001000008', name: 'REMASC' },
];

/** Whether the node itself is the contract at an address, which has no code on the chain. */
export const isPrecompiled = (chainId: number, contract: Address): boolean =>
  hasBridge(chainId) && precompiled.some(({ address }) => address === contract);

/** By chain. @rsksmart/rns-registry and the developer portal name the same two. */
const nameRegistries = new Map<number, Address>([
  [30, '0xcb868aeabd31e2b66f74e9a55cf064abb31a4ad5'],
  [31, '0x7d284aaac6e925aad802a53c0c69efe3764597b8'],
]);

/** The registry of the RIF Name Service; `null` on chains without one. */
export const nameRegistry = (chainId: number): Address | null => nameRegistries.get(chainId) ?? null;

/**
 * Oracles of the price of a bitcoin in US dollars, by chain. The repositories OMoC-Decentralized-Oracle of money-on-chain ("contracts
 * verification") and dca-contracts of BitChillRSK name that of mainnet, and main-RBTC-contract of money-on-chain ("the MoC state
 * contract") and Sovryn-smart-contracts of DistributedCollective that of testnet.
 */
const priceOracles = new Map<number, Address>([
  [30, '0xe2927a0620b82a66d67f678fc9b826b0e01b1bfd'],
  [31, '0xbffbd993ff1d229b0ffe55668f2009d20d4f7c5f'],
]);

/** The oracle of the price of the chain's coin; `null` on chains without one. */
export const priceOracle = (chainId: number): Address | null => priceOracles.get(chainId) ?? null;

/** Every contract that is known on a chain; none on a chain without the bridge. */
export function knownContracts(chainId: number): readonly KnownContract[] {
  if (!hasBridge(chainId)) return [];
  const registry = nameRegistry(chainId);
  const registries = registry === null ? [] : [{ address: registry, name: 'RNS registry' }];
  const tokens = listedTokens(chainId).map(({ address, symbol }) => ({ address, name: symbol }));
  return [...precompiled, ...registries, ...tokens];
}

/** Selector of `releaseBtc()`, which does the same as a payment without data. The bridge ignores what follows it. */
const releaseBtc = '0x80af2871';

/** Whether a transaction asks the bridge to release bitcoin to the sender. */
export const isPaymentToBridge = (
  chainId: number,
  { to, data }: { readonly to: Address | null; readonly data: Hex },
): boolean =>
  hasBridge(chainId) && to === bridge && (data === '0x' || data.slice(0, 10).toLowerCase() === releaseBtc);

/** A token that the wallet knows, with values that do not come from its contract. */
export interface ListedToken {
  readonly address: Address;
  readonly symbol: string;
  readonly decimals: number;
}

type Row = readonly [symbol: string, decimals: number, mainnet: string | null, testnet: string | null];

/**
 * Each address is in the list of contracts of the Rootstock developer portal (developers/smart-contracts/
 * contract-addresses, read in August 2026) and in a second source: the applications of the RIF, Money on Chain, Sovryn
 * and RootstockCollective projects. Two are not in the portal's list: DOC on testnet (Money on Chain, RIF Wallet) and
 * WRBTC on testnet (Sovryn, RootstockCollective). stRIF has no address on testnet here, since the portal and the
 * Collective's own application name different ones.
 */
const rows: readonly Row[] = [
  ['RIF', 18, '2acc95758f8b5f583470ba265eb685a8f45fc9d5', null],
  ['tRIF', 18, null, '19f64674d8a5b4e652319f5e239efd3bc969a1fe'],
  ['USDRIF', 18, '3a15461d8ae0f0fb5fa2629e9da7d66a794a6e37', '8dbf326e12a9ff37ed6ddf75ada548c2640a6482'],
  ['DOC', 18, 'e700691da7b9851f2f35f8b8182c69c53ccad9db', 'cb46c0ddc60d18efeb0e586c17af6ea36452dae0'],
  ['WRBTC', 18, '542fda317318ebf1d3deaf76e0b632741a7e677d', '69fe5cec81d5ef92600c1a0db1f11986ab3758ab'],
  ['USDT0', 6, '779ded0c9e1022225f8e0630b35a9b54be713736', '5a2256dd0dfbc8ce121d923ac7d6e7a3fc7f9922'],
  ['stRIF', 18, '5db91e24bd32059584bbdb831a901f1199f3d459', null],
  ['BPRO', 18, '440cd83c160de5c96ddb20246815ea44c7abbca8', null],
];

/** The tokens of a chain, in the order in which they are shown. */
export function listedTokens(chainId: number): readonly ListedToken[] {
  const column = chainId === 30 ? 2 : chainId === 31 ? 3 : null;
  if (column === null) return [];
  return rows.flatMap((row) => {
    const digits = row[column];
    return digits === null ? [] : [{ address: `0x${digits}` as const, symbol: row[0], decimals: row[1] }];
  });
}

/** Symbol and decimals of a token in this list; `null` for any other. */
export function knownToken(chainId: number, address: Address): Omit<ListedToken, 'address'> | null {
  const found = listedTokens(chainId).find((token) => token.address === address.toLowerCase());
  return found ? { symbol: found.symbol, decimals: found.decimals } : null;
}
