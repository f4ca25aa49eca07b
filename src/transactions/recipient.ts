import type { CallTree } from '../approvals/call-tree.js';
import { recipientOf, recipientOfCall } from '../approvals/decode-call.js';
import type { QuestionRecipient } from '../approvals/question.js';
import { danger, type Warning } from '../approvals/warning.js';
import type { Contact } from '../contacts/contact.js';
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
  const isPaid =
    archived.some((party) => party.chainId === chainId && party.isPaid && party.address === address) ||
    entries.some(
      (entry) =>
        entry.chainId === chainId && (isOpen(entry) || isMined(entry)) && recipientOf(entry) === address,
    );
  const others = [
    ...contacts.map((each) => each.address),
    ...ownAddresses,
    ...contracts.map((contract) => contract.address),
    ...entries.flatMap((entry) => [recipientOf(entry), entry.to]),
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
