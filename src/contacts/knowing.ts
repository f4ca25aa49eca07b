import type { QuestionNetwork } from '../approvals/question.js';
import type { Warning } from '../approvals/warning.js';
import { unauthorized } from '../rpc/core-errors.js';
import type { Address } from '../rpc/schema.js';
import type { Contact } from './contact.js';

/** Reads the contacts; `null` while the wallet is locked. */
export type ContactsOf = () => Promise<readonly Contact[] | null>;

/** Prepares the warnings of addresses that may be mistaken for one that the wallet knows, with contacts that come later. */
export type LookAlikes = (
  addresses: readonly Address[],
  site: { readonly network: Pick<QuestionNetwork, 'chainId'> },
) => Promise<(contacts: readonly Contact[]) => readonly Warning[]>;

/** A question, with what the person agrees to by it. */
interface Described {
  readonly question: { readonly warnings: readonly Warning[] };
}

/**
 * Asks the person with the contacts. The locked wallet knows none: an address that looks like a contact's is then asked about once
 * more after the unlock, with that danger, before anything is signed. Resolves with the last answer.
 *
 * @throws ProviderRpcError as `ask`; 4100 if the wallet is locked again after the answer
 */
export async function askKnowing<Asked extends Described, Answer>(
  contactsOf: ContactsOf,
  describe: (contacts: readonly Contact[]) => Asked | Promise<Asked>,
  ask: (asked: Asked) => Promise<Answer>,
): Promise<Answer> {
  const contacts = await contactsOf();
  const asked = await describe(contacts ?? []);
  const answer = await ask(asked);
  if (contacts !== null) return answer;
  const known = await contactsOf();
  if (known === null) throw unauthorized('The wallet is locked.');
  const again = await describe(known);
  const shown = lookAlikesIn(asked);
  return lookAlikesIn(again).every((detail) => shown.includes(detail)) ? answer : ask(again);
}

const lookAlikesIn = ({ question: { warnings } }: Described) =>
  warnings.filter(({ code }) => code === 'resembles-known').map(({ detail }) => detail);
