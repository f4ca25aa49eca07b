import type { Address } from '../rpc/schema.js';

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
