import type { CallTree } from '../approvals/call-tree.js';
import { recipientOf, recipientOfCall, type TokenLabel } from '../approvals/decode-call.js';
import type {
  DescribedContractCall,
  ExplainedField,
  QuestionNetwork,
  QuestionRecipient,
} from '../approvals/question.js';
import { danger, type Warning } from '../approvals/warning.js';
import type { Contact } from '../contacts/contact.js';
import { unauthorized } from '../rpc/core-errors.js';
import { knownContracts } from '../rpc/known-contracts.js';
import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import { isLookAlike, isMined, isOpen, type JournalEntry, type Party } from './journal-entry.js';

/** Compares a recipient with all addresses that the wallet knows. Reads nothing from the service. */
export function describeRecipient(address: Address, facts: describeRecipient.Facts): QuestionRecipient {
  const { chainId, ownAddresses, contacts, entries, archived, name } = facts;
  const contracts = knownContracts(chainId);
  const contactAt = (other: Address) => contacts.find((contact) => contact.address === other)?.name;
  const contact = contactAt(address);
  const known = contracts.find((contract) => contract.address === address)?.name;
  const isOwn = ownAddresses.includes(address);
  const sent = recipientsIn(entries);
  const isPaid =
    archived.some((party) => party.chainId === chainId && party.isPaid && party.address === address) ||
    entries.some(
      (entry, i) => entry.chainId === chainId && (isOpen(entry) || isMined(entry)) && sent[i] === address,
    );
  const others = [
    ...contacts.map((each) => each.address),
    ...ownAddresses,
    ...contracts.map((contract) => contract.address),
    ...entries.flatMap((entry, i) => [sent[i] ?? null, entry.to]),
    ...archived.map((party) => party.address),
  ];
  // A contact may be mistaken for another one, which a backup file has brought, and for no stranger.
  const compared = contact === undefined ? others : contacts.map((each) => each.address);
  const resembles =
    isOwn || known !== undefined
      ? undefined
      : (compared.find((other) => other !== null && isLookAlike(address, other)) ?? undefined);
  const resembledContact = resembles && contactAt(resembles);
  return own({
    address,
    ...(contact !== undefined && { contact }),
    ...(typeof name === 'string' && { name }),
    ...(known !== undefined && { known }),
    ...(!isPaid && !isOwn && { firstTime: true as const }),
    ...(resembles && { resembles }),
    ...(resembledContact !== undefined && { resembledContact }),
  });
}

/** The recipient of each entry. Many addresses are compared with the same entries. */
function recipientsIn(entries: readonly JournalEntry[]): readonly (Address | null)[] {
  const known = recipientsKnown.get(entries) ?? entries.map(recipientOf);
  recipientsKnown.set(entries, known);
  return known;
}

const recipientsKnown = new WeakMap<readonly JournalEntry[], readonly (Address | null)[]>();

/** A described call whose recipients have what the wallet knows of them. */
export function withExplainedNames(
  described: DescribedContractCall | undefined,
  facts: describeRecipient.Facts,
): DescribedContractCall | undefined {
  const { explained } = own(described);
  if (!described || !explained) return described;
  const fields = explained.fields.map((field) =>
    field.kind === 'address'
      ? own({ ...field, recipient: describeRecipient(field.recipient.address, facts) })
      : field,
  );
  return own({ ...described, explained: own({ ...explained, fields }) });
}

const fieldsOf = (described: DescribedContractCall | undefined): readonly ExplainedField[] =>
  own(described).explained?.fields ?? [];

/** The token of a field; `undefined` for a field without one. */
export const tokenOf = (field: ExplainedField): TokenLabel | undefined =>
  field.kind === 'tokens' || field.kind === 'token' || field.kind === 'collectible' ? field.token : undefined;

/** The different addresses that the fields of a described call show. */
export const explainedAddresses = (described: DescribedContractCall | undefined): readonly Address[] => [
  ...new Set(
    fieldsOf(described).flatMap((field) =>
      field.kind === 'address' ? [field.recipient.address] : (tokenOf(field)?.address ?? []),
    ),
  ),
];

/** A danger for each token of a field whose symbol is that of a token that the wallet knows. */
export const imitatedTokens = (described: DescribedContractCall | undefined): readonly Warning[] =>
  fieldsOf(described).flatMap((field) => {
    const { imitates } = own(tokenOf(field));
    return imitates === undefined ? [] : [danger('imitates-token', imitates)];
  });

/** A danger for each address that may be mistaken for another one, which the wallet knows. */
export const lookAlikeWarnings = (
  addresses: readonly Address[],
  facts: describeRecipient.Facts,
): readonly Warning[] =>
  addresses.flatMap((address) => {
    const { resembles } = own(describeRecipient(address, facts));
    return resembles ? [danger('resembles-known', resembles)] : [];
  });

/** The addresses that get something by a call or by those inside it. */
export const receiversIn = ({ to, value, tokens, inner }: CallTree): readonly Address[] => [
  ...(to !== null && BigInt(value) > 0n ? [to] : []),
  ...tokens.flatMap((call) => recipientOfCall(call) ?? []),
  ...inner.flatMap(receiversIn),
];

export declare namespace describeRecipient {
  interface Facts {
    readonly chainId: number;
    /** All addresses of the wallet. */
    readonly ownAddresses: readonly Address[];
    /** The contacts; empty while the wallet is locked. */
    readonly contacts: readonly Contact[];
    /** The journal, without the archive. */
    readonly entries: readonly JournalEntry[];
    /** Those of the archive whose address is this one, or looks like it. */
    readonly archived: readonly Party[];
    /** The name that resolves to the address, if any. */
    readonly name?: string | null | undefined;
  }
}

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
