/** Amounts are integers in base units (wei); texts have decimals. */

/** Parses a decimal amount. @throws Error with a message for the person */
export function parseAmount(text: string, decimals = 18): bigint {
  const [, whole, fraction = ''] = /^\s*(\d+)(?:[.,](\d*))?\s*$/.exec(text) ?? [];
  if (whole === undefined) throw new Error('Enter an amount such as 0.25.');
  if (fraction.length > decimals) throw new Error(`An amount has at most ${decimals} decimals.`);
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** Formats an amount with at most `places` decimals, rounded down, so that a balance is never overstated. */
export function showAmount(amount: bigint, places = 5, decimals = 18): string {
  const scale = 10n ** BigInt(decimals);
  const whole = (amount / scale).toLocaleString('en');
  const digits = (amount % scale).toString().padStart(decimals, '0');
  const fraction = digits.slice(0, places).replace(/0+$/, '');
  if (fraction !== '') return `${whole}.${fraction}`;
  return amount > 0n && amount < scale && places < decimals ? `<0.${'0'.repeat(places - 1)}1` : whole;
}

export const shorten = (hex: string, digits = 4) => `${hex.slice(0, digits + 2)}…${hex.slice(-digits)}`;
