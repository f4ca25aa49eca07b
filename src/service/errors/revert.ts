import { maxRedacted } from '../redact.js';

/** Added to the message of a revert whose data is longer than what is redacted, and cut after a whole byte. */
export const cutMark = ' (revert data cut at 16 KiB)';

const panics: Readonly<Record<number, string>> = {
  0: 'generic panic',
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

/** Makes a text safe to show in one line: no control, bidirectional or private characters, at most 256 characters. */
export const clean = (text: string): string =>
  text
    .slice(0, 512)
    .replace(/\p{C}+/gu, ' ')
    .slice(0, 256)
    .trim();

/** The part of a text that is redacted before it is shown: twice what {@link clean} reads. */
export const beginningOf = (text: string): string => text.slice(0, 1024);

/** geth's message, which all libraries recognise, with the reason if there is one. */
export const revertMessage = (reason: string): string =>
  `execution reverted${reason ? `: ${clean(reason)}` : ''}`;

/**
 * Reads the message and the payload of a revert. viem, ethers and web3.js decode only flat hex in `data`
 * (docs/notes/clients.md#reverts). The reason is read from a payload of `Error(string)` or `Panic(uint256)`, else from
 * the text, which the node writes in two forms.
 */
export function readRevert(
  text: string,
  payload: unknown,
  redact: (text: string) => string,
): { readonly message: string; readonly data: string | undefined } {
  const flat = (payload as { data?: unknown } | null | undefined)?.data ?? payload;
  const isData = typeof flat === 'string' && flat.length % 2 === 0 && /^0x[0-9a-f]*$/i.test(flat);
  const cutData = isData ? flat.slice(0, maxRedacted) : undefined;
  const kept = cutData !== undefined && redact(cutData) === cutData ? cutData : undefined;
  const reason =
    (kept && revertReason(kept)) ||
    text
      .replace(/^(Error: )?VM Exception while processing transaction:\s*/i, '')
      .replace(/^(execution |transaction )?revert(ed)?:?\s*/i, '');
  const cut = kept === undefined || kept === flat ? '' : cutMark;
  return { message: revertMessage(redact(beginningOf(reason))) + cut, data: kept };
}

/** The reason in the payload; `undefined` for a custom error, no data, or data that does not decode. */
function revertReason(data: string): string | undefined {
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
