import type { Credential, Unproven } from '../../approvals/owner.js';
import { own } from '../../rpc/own.js';
import type { Address } from '../../rpc/schema.js';
import type { DialogWords, PanelWords, StepWords } from '../words/words.js';

/** An error whose message is for the person, in the person's language. */
export class Problem extends Error {}

/**
 * The text of an error for the person, chosen by its reason or its code, never by its message, which is for developers and
 * in English.
 */
export function wordsForError(
  error: unknown,
  texts: Readonly<Record<number | string, string>>,
  otherwise: string,
): string {
  if (error instanceof Problem) return error.message;
  const code = codeOf(error);
  if (code === null) return otherwise;
  const reason = reasonOf(error);
  return (reason === null ? undefined : own(texts)[reason]) ?? own(texts)[code] ?? otherwise;
}

/** Messages for the failures of a flow's step, by code or reason. */
export const textsOfSteps = (words: StepWords): Readonly<Record<number | string, string>> => ({
  4100: words.wrongPassword,
  [-32002]: words.storageFailed,
  'storage-full': words.storageFull,
  'needs-https': words.httpsLead,
});

/** Messages for the refusals of what unlocks the keys, by code or reason. */
export const textsOfUnlocking = (
  credential: Credential,
  words: DialogWords,
): Readonly<Record<number | string, string>> => ({
  'vault-newer': words.vaultNewer,
  ...(typeof credential === 'string'
    ? { 4100: words.wrongPassword }
    : { 4001: words.passkeyCancelled, 4100: words.wrongPasskey, 4200: words.passkeyUnsupported }),
});

/** Messages for the refusals of a payment, by code. */
export const textsOfSending = (words: PanelWords): Readonly<Record<number, string>> => ({
  4001: words.notSent,
  [-32003]: words.sendRefused,
  [-32602]: words.sendRefused,
  3: words.wouldFail,
});

/** The accounts to agree to, where the wallet refuses a vault or file that it cannot check; `null` for other errors. */
export const unprovenIn = (error: unknown): Unproven | null =>
  reasonOf(error) === 'vault-unproven' ? (error as { readonly data: Unproven }).data : null;

/** Messages for the refusals of a contact, by code or reason. */
export const textsOfContacts = (words: PanelWords): Readonly<Record<number | string, string>> => ({
  4100: words.unlockToSee,
  [-32005]: words.contactsFull,
  [-32602]: words.contactNameWrong,
  'own-account': words.contactOwn,
  'name-taken': words.contactNameTaken,
  'look-alike': words.contactLookAlike,
  'no-name': words.contactNameMissing,
  'no-contact': words.contactGone,
});

/** The address that an address may be mistaken for, where the wallet refuses a contact for that; `null` for other errors. */
export const resembledIn = (error: unknown): Address | null =>
  reasonOf(error) === 'look-alike'
    ? (error as { readonly data: { readonly resembles: Address } }).data.resembles
    : null;

/** The word that names an error of the wallet for programs; `null` for one without. */
function reasonOf(error: unknown): string | null {
  if (codeOf(error) === null) return null;
  const { data } = own(error as { readonly data?: unknown });
  const { reason } = own((typeof data === 'object' ? data : null) as { readonly reason?: unknown });
  return typeof reason === 'string' ? reason : null;
}

/** The code of the wallet's own errors; `null` for any other error. */
export const codeOf = (error: unknown): number | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : null;
