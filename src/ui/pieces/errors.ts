import { own } from '../../rpc/own.js';

/** An error whose message is for the person, in the person's language. */
export class Problem extends Error {}

/**
 * What an error means, in words for the person: by its code, never by its message, which is for developers and in English.
 */
export function wordsForError(
  error: unknown,
  texts: Readonly<Record<number, string>>,
  otherwise: string,
): string {
  if (error instanceof Problem) return error.message;
  const code = codeOf(error);
  return (code === null ? undefined : own(texts)[code]) ?? otherwise;
}

/** The code of the wallet's own errors; `null` for any other error. */
export const codeOf = (error: unknown): number | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : null;
