import type { Keyring } from '../keyring/keyring.js';
import type { Session } from '../session/session.js';
import { withWatchOnly } from '../session/vault-accounts.js';
import { type Contact, contactKind, decodeContacts, encodeContact } from './contact.js';

/** The contacts in the vault. The session lists those that are accounts to look at. */
export interface Book {
  /** @throws ProviderRpcError 4100 while the wallet is locked */
  all(): Promise<readonly Contact[]>;
  /** Stores what `change` returns, the newest contact last. @throws ProviderRpcError as {@link all}, and what `change` throws */
  change(change: (contacts: readonly Contact[]) => readonly Contact[]): Promise<void>;
  /** Brings the session to what the vault has: any script of the origin can write the stored session. */
  restore(): Promise<void>;
}

export function createBook({ keyring, session }: createBook.Options): Book {
  const all = async () => decodeContacts(await keyring.records(contactKind));

  /** @param hasChanged whether other tabs read the contacts again */
  const list = (contacts: readonly Contact[], hasChanged: boolean): void =>
    session.update((state) => {
      const watched = contacts.filter(({ watchOnly }) => watchOnly);
      const listed = withWatchOnly(watched.map(({ address, name }) => ({ address, label: name })))(state);
      const { contacts: before, ...rest } = listed;
      if (contacts.length === 0) return rest;
      return { ...rest, contacts: before === undefined || hasChanged ? Math.random() : before };
    });

  return {
    all,
    async change(change) {
      const records = await keyring.changeRecords(contactKind, (bytes) => {
        const unreadable = bytes.filter((each) => decodeContacts([each]).length === 0);
        return [...unreadable, ...change(decodeContacts(bytes)).map(encodeContact)];
      });
      list(decodeContacts(records), true);
    },
    restore: async () => list(await all(), false),
  };
}

export declare namespace createBook {
  interface Options {
    readonly keyring: Pick<Keyring, 'records' | 'changeRecords'>;
    readonly session: Session;
  }
}
