/**
 * Token amounts are compared in base units, because the number of decimals is only the claim of the contract and of the
 * service.
 */

/** More base units than any token has: 10^20 tokens of 18 decimals. */
const beyondEverySupply = (1n << 127n) - 1n;
/** Bits of the integers whose greatest value contracts take for "all", below {@link beyondEverySupply}. */
const widths = [96n, 112n, 120n];
/** The threshold without a known supply: 79 thousand million tokens of 18 decimals. */
const beyondUsualSupply = (1n << 96n) - 1n;

/** Whether an allowance is practically unlimited. `supply` is in base units, if known. */
export function isUnlimited(amount: bigint, supply?: bigint): boolean {
  // Some dapps use a little less than the greatest value.
  const isNear = (top: bigint) => amount <= top && amount >= top - (top >> 10n);
  if (amount >= beyondEverySupply || widths.some((bits) => isNear(1n << bits))) return true;
  // A supply of nothing is no token's.
  return amount >= (supply || beyondUsualSupply);
}

/**
 * Whether the decimals that a contract claims could hide the real amount: more decimals than tokens have, or an amount
 * that looks like almost nothing. The base units are then shown too.
 */
export function isClaimUnusual(
  amount: bigint,
  { decimals, known }: { readonly decimals?: number | undefined; readonly known?: true | undefined },
): boolean {
  if (known || decimals === undefined || amount === 0n) return false;
  return decimals > 18 || amount * 10_000n < 10n ** BigInt(decimals);
}

/** An amount of base units as a decimal number without grouping or trailing zeros. */
export function formatUnits(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
