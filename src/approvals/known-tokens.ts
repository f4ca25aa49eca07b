import type { Address } from '../rpc/schema.js';

/** Rootstock tokens with their addresses, from the list of contracts in the developer portal. */
type Known = readonly [symbol: string, decimals: number, mainnet: string | null, testnet: string | null];

const tokens: readonly Known[] = [
  ['RIF', 18, '2acc95758f8b5f583470ba265eb685a8f45fc9d5', null],
  ['tRIF', 18, null, '19f64674d8a5b4e652319f5e239efd3bc969a1fe'],
  ['WRBTC', 18, '542fda317318ebf1d3deaf76e0b632741a7e677d', null],
  ['USDRIF', 18, '3a15461d8ae0f0fb5fa2629e9da7d66a794a6e37', '8dbf326e12a9ff37ed6ddf75ada548c2640a6482'],
  ['DOC', 18, 'e700691da7b9851f2f35f8b8182c69c53ccad9db', null],
  ['BPRO', 18, '440cd83c160de5c96ddb20246815ea44c7abbca8', null],
  ['USDT0', 6, '779ded0c9e1022225f8e0630b35a9b54be713736', '5a2256dd0dfbc8ce121d923ac7d6e7a3fc7f9922'],
  ['stRIF', 18, '5db91e24bd32059584bbdb831a901f1199f3d459', 'e7039717c51c44652fb47be1794884a82634f08f'],
];

/** Symbol and decimals of a token in this list; `null` for any other. */
export function knownToken(
  chainId: number,
  address: Address,
): { readonly symbol: string; readonly decimals: number } | null {
  const column = { 30: 2, 31: 3 }[chainId];
  if (column === undefined) return null;
  const digits = address.slice(2).toLowerCase();
  const [symbol, decimals] = tokens.find((token) => token[column] === digits) ?? [];
  return symbol === undefined || decimals === undefined ? null : { symbol, decimals };
}
