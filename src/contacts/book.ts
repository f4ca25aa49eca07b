import type { Keyring } from '../keyring/keyring.js';
import { unauthorized } from '../rpc/core-errors.js';
import type { Session } from '../session/session.js';
import { withWatchOnly } from '../session/vault-accounts.js';
import { type Contact, decodeContacts, encodeContact, looksOf } from './contact.js';
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

export declare namespace createBook {
  interface Options {
    readonly keyring: Pick<Keyring, 'locked' | 'records' | 'changeRecords'>;
    readonly session: Session;
  }
}
