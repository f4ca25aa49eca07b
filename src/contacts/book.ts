import { encodeText } from '../keyring/builtins.js';
import type { Keyring } from '../keyring/keyring.js';
import { unauthorized } from '../rpc/core-errors.js';
import { own } from '../rpc/own.js';
import { type Address, isLowerAddress } from '../rpc/schema.js';
import type { Session } from '../session/session.js';
import { withWatchOnly } from '../session/vault-accounts.js';
import { type Contact, isContactName, looksOf } from './contact.js';
import { contactKind } from './kind.js';

/** The contacts in the vault. The session lists those that are accounts to look at. */
export interface Book {
  /** As {@link restore}. @throws ProviderRpcError 4100 while the wallet is locked */
  all(): Promise<readonly Contact[]>;
  /** Whether a contact has a name that looks like this one. @throws ProviderRpcError as {@link all} */
  hasName(name: string): Promise<boolean>;
  /** Stores what `change` returns, the newest contact last. @throws ProviderRpcError as {@link all}, and what `change` throws */
  change(change: (contacts: readonly Contact[]) => readonly Contact[]): Promise<void>;
  /** Brings the session to what the vault has: any script of the origin can write the stored session. Resolves with it. */
  restore(): Promise<readonly Contact[]>;
}

export function createBook({ keyring, session }: createBook.Options): Book {
  const read = async () => decodeContacts(await keyring.records(contactKind)).map(({ contact }) => contact);

  /** @param hasChanged whether other tabs read the contacts again */
  const list = (contacts: readonly Contact[], hasChanged: boolean): void =>
    session.update((state) => {
      const watched = contacts.filter(({ watchOnly }) => watchOnly);
      const listed = withWatchOnly(watched.map(({ address, name }) => ({ address, label: name })))(state);
      const { contacts: before, ...rest } = listed;
      if (contacts.length === 0) return rest;
      return { ...rest, contacts: before === undefined || hasChanged ? Math.random() : before };
    });

  const restore = async (): Promise<readonly Contact[]> => {
    const contacts = await read();
    list(contacts, false);
    return contacts;
  };
  const all = async () => {
    if (keyring.locked()) throw unauthorized('The wallet is locked.');
    return restore();
  };

  return {
    all,
    hasName: async (name) => (await all()).some((contact) => looksOf(contact.name) === looksOf(name)),
    async change(change) {
      const changed = await keyring.changeRecords(contactKind, (bytes) => {
        const records = decodeContacts(bytes);
        const unreadable = bytes.filter((each) => decodeContacts([each]).length === 0);
        const furtherOf = ({ address }: Contact) =>
          records.find(({ contact }) => contact.address === address)?.further ?? {};
        const next = change(records.map(({ contact }) => contact));
        return [
          ...unreadable,
          ...next.map((contact) => encodeContact({ contact, further: furtherOf(contact) })),
        ];
      });
      list(
        decodeContacts(changed).map(({ contact }) => contact),
        true,
      );
    },
    restore,
  };
}

/** A record of the vault: the contact, and the members that a later build has written beside it. */
interface ContactRecord {
  readonly contact: Contact;
  readonly further: Readonly<Record<string, unknown>>;
}

const encodeContact = ({ contact, further }: ContactRecord): Uint8Array =>
  encodeText(JSON.stringify({ ...further, ...contact }));

/**
 * Reads the contacts of a vault. A record that this build cannot read is left out, as is the second one of an address. A name that
 * looks like an earlier one gets a number: a backup file may have brought it.
 */
export function decodeContacts(records: readonly Uint8Array[]): readonly ContactRecord[] {
  const read = new Map<Address, ContactRecord>();
  const taken = new Set<string>();
  for (const bytes of records) {
    const record = decode(bytes);
    if (!record || read.has(record.contact.address)) continue;
    const { name } = record.contact;
    let free = name;
    for (let number = 2; taken.has(looksOf(free)); number++)
      free = `${[...name].slice(0, 36).join('')} ${number}`;
    taken.add(looksOf(free));
    read.set(record.contact.address, { ...record, contact: own({ ...record.contact, name: free }) });
  }
  return [...read.values()];
}

function decode(bytes: Uint8Array): ContactRecord | null {
  try {
    const { address, name, watchOnly, ...further } = own(
      Object(JSON.parse(new TextDecoder().decode(bytes))) as Contact,
    );
    if (!isLowerAddress(address) || !isContactName(name)) return null;
    return { contact: own({ address, name, ...(watchOnly === true && { watchOnly }) }), further };
  } catch {
    return null;
  }
}

export declare namespace createBook {
  interface Options {
    readonly keyring: Pick<Keyring, 'locked' | 'records' | 'changeRecords'>;
    readonly session: Session;
  }
}
