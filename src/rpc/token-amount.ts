/**
 * Token amounts are judged in base units: how many decimals they have is what the token's contract says, and the
 * service that passed it on.
 */

/** More base units than any token has: 10^20 whole ones of 18 decimals. */
const beyondEverySupply = (1n << 127n) - 1n;
/** Bits of the integers whose greatest value contracts take for "all", below {@link beyondEverySupply}. */
const widths = [96n, 112n, 120n];
/** Without a supply to compare with: 79 thousand million whole tokens of 18 decimals. */
const beyondUsualSupply = (1n << 96n) - 1n;

/** Whether an allowance is practically without end. `supply`: base units, where the token tells. */
export function isUnlimited(amount: bigint, supply?: bigint): boolean {
  // Dapps also write a little less than the greatest value.
  const isNear = (top: bigint) => amount <= top && amount >= top - (top >> 10n);
  if (amount >= beyondEverySupply || widths.some((bits) => isNear(1n << bits))) return true;
  return supply === undefined ? amount >= beyondUsualSupply : supply > 0n && amount >= supply;
}

/**
 * Whether the decimals that a contract claims could hide how much an amount is: more than tokens have, or an amount
 * that reads as next to nothing. The base units are then shown beside it.
 */
export function isClaimUnusual(
  amount: bigint,
  { decimals, known }: { readonly decimals?: number; readonly known?: true },
): boolean {
  if (known || decimals === undefined || amount === 0n) return false;
  return decimals > 18 || amount * 10_000n < 10n ** BigInt(decimals);
}
