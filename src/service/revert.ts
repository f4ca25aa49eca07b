/** What a revert says of itself, read from the payload of `Error(string)` and `Panic(uint256)` (Solidity). */

/** The most revert data that is passed on, in characters of hex: whole bytes, `0x` included. */
export const maxRevertData = 256 * 1024;

const panics: Readonly<Record<number, string>> = {
  1: 'assertion failed',
  17: 'arithmetic overflow or underflow',
  18: 'division by zero',
  33: 'value out of range of the enum',
  34: 'badly encoded storage array',
  49: 'pop from an empty array',
  50: 'array index out of bounds',
  65: 'too much memory',
  81: 'call of an uninitialised function',
};

/** The reason in words; `undefined` for a custom error, no data, or data that does not decode. */
export function revertReason(data: string): string | undefined {
  if (data.length < 74) return undefined;
  const selector = data.slice(2, 10).toLowerCase();
  if (selector === '4e487b71') {
    const code = word(data, 10);
    return `panic: ${panics[code] ?? 'unknown'} (0x${code.toString(16)})`;
  }
  if (selector !== '08c379a0') return undefined;
  const start = 10 + word(data, 10) * 2;
  const text = data.slice(start + 64, start + 64 + word(data, start) * 2);
  try {
    return decodeURIComponent(text.replace(/../g, '%$&'));
  } catch {
    return undefined;
  }
}

const word = (data: string, at: number) => Number.parseInt(data.slice(at, at + 64), 16);
