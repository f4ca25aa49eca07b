import { type Contact, isContactName, looksOf } from '../contacts/contact.js';
import { limitExceeded } from '../rpc/core-errors.js';
import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { knownContracts } from '../rpc/known-contracts.js';
import { own } from '../rpc/own.js';
import { address as addressReader } from '../rpc/params.js';
import type { Address } from '../rpc/schema.js';
import { describeRecipient } from '../transactions/recipient.js';
import type { Core } from './core.js';
import { readName } from './owner/arguments.js';

/** The address book: addresses with names, which the vault keeps, and accounts of others to look at. */
export interface Contacts {
  /**
   * The contacts, the newest last. A question about a payment shows the recipient's name, and an address that looks like a
   * contact's is a danger.
   *
   * @example
   * for (const { name, address } of await wallet.contacts()) console.log(name, address);
   *
   * @throws ProviderRpcError 4100 while the wallet is locked
   */
  contacts(): Promise<readonly Contact[]>;
  /**
   * Adds a contact, or changes the name of the one with this address.
   *
   * @example
   * await wallet.saveContact(recipient, 'Alice');
   *
   * @param name 1 to 40 characters
   * @throws ProviderRpcError 4100 while the wallet is locked; -32602 for another value, and with `data.reason` `own-account` for an
   * account of the wallet, `name-taken` for a name that looks like that of another contact, account or known contract, `name-wrong`
   * for one that looks like an address or ends in `.rsk`, and `look-alike` for an address that may be mistaken for `data.resembles`, which
   * the wallet knows; -32005 beyond 500 contacts
   */
  saveContact(address: Address, name: string): Promise<Contact>;
  /**
   * Removes a contact, also from the accounts to look at.
   *
   * @example
   * await wallet.removeContact(recipient);
   *
   * @throws ProviderRpcError 4100 while the wallet is locked; -32602 for an address that is no contact's
   */
  removeContact(address: Address): Promise<void>;
  /**
   * Lists a contact among the accounts, to look at: its balance, its tokens and what it received. The wallet has no key for it, so
   * a request to pay or sign with it is refused with 4100. No site sees it unless the person shares it.
   *
   * @example
   * await wallet.watchAccount('0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 'Cold wallet');
   *
   * @param name saves a contact as {@link saveContact}; default: that of the contact
   * @throws ProviderRpcError as {@link saveContact}; -32602 without a name for an address that is no contact's
   */
  watchAccount(address: Address, name?: string): Promise<Contact>;
  /**
   * Takes an account from those to look at. It stays a contact.
   *
   * @example
   * for (const { address } of wallet.state().watchOnly ?? []) await wallet.unwatchAccount(address);
   *
   * @throws ProviderRpcError as {@link removeContact}
   */
  unwatchAccount(address: Address): Promise<void>;
}

const maxContacts = 500;

export function createContacts(core: Core): Contacts {
  const { session } = core.context;
  const book = async () => (await core.signing()).book();

  /** Collects the addresses that the wallet knows beside its contacts, for which another one may be mistaken. */
  const knowledgeOf = async (address: Address) => {
    const { journal } = await core.signing();
    const { chainId, accounts } = session.state();
    const [entries, archived] = await Promise.all([journal.entries(), journal.parties(address)]);
    return { chainId, ownAddresses: accounts.map((account) => account.address), entries, archived };
  };

  /** @param isNew whether the address is no contact's yet */
  const requireFree = (
    contact: Contact,
    others: readonly Contact[],
    facts: Knowledge,
    isNew: boolean,
  ): void => {
    const { accounts } = session.state();
    const { address, name } = contact;
    const names = [
      ...others.map((other) => other.name),
      ...accounts.map(({ label }) => label),
      ...[30, 31].flatMap((chainId) => knownContracts(chainId).map((contract) => contract.name)),
    ];
    if (names.some((other) => looksOf(other) === looksOf(name)))
      throw refused(
        'name-taken',
        'name: another contact, account or contract has a name that looks like this one',
      );
    if (!isNew) return;
    if (facts.ownAddresses.includes(address))
      throw refused('own-account', 'address: this is an account of the wallet');
    if (others.length >= maxContacts) throw limitExceeded(`There are ${maxContacts} contacts already.`);
    const { resembles } = own(describeRecipient(address, { ...facts, contacts: others }));
    if (resembles)
      throw refused('look-alike', `address: it may be mistaken for ${resembles}, which the wallet knows`, {
        resembles,
      });
  };

  const save = async (given: Address, name: string | undefined, watchOnly: boolean): Promise<Contact> => {
    const address = addressReader(given, 'address');
    const named = name === undefined ? undefined : readContactName(name);
    const facts = await knowledgeOf(address);
    let saved: Contact | undefined;
    await (await book()).change((contacts) => {
      const before = contacts.find((each) => each.address === address);
      const others = contacts.filter((each) => each !== before);
      const { name: nameBefore, watchOnly: watched } = own(before);
      const next = named ?? nameBefore;
      if (next === undefined)
        throw refused('no-name', 'name: expected a name for an address that is no contact’s');
      saved = own({ address, name: next, ...((watchOnly || watched) && { watchOnly: true as const }) });
      requireFree(saved, others, facts, !before);
      return before
        ? contacts.map((each) => (each === before ? (saved as Contact) : each))
        : [...others, saved];
    });
    return saved as Contact;
  };

  /** @param change returns what is left of the contact */
  const change = async (given: Address, change: (contact: Contact) => readonly Contact[]): Promise<void> => {
    const address = addressReader(given, 'address');
    await (await book()).change((contacts) => {
      if (!contacts.some((each) => each.address === address))
        throw refused('no-contact', 'address: there is no such contact');
      return contacts.flatMap((each) => (each.address === address ? change(each) : [each]));
    });
  };

  return {
    contacts: async () => (await book()).all(),
    saveContact: async (address, name) => save(address, readContactName(name), false),
    watchAccount: async (address, name) => save(address, name, true),
    removeContact: (address) => change(address, () => []),
    unwatchAccount: (address) => change(address, ({ watchOnly: _watched, ...contact }) => [contact]),
  };
}

type Knowledge = Omit<Parameters<typeof describeRecipient>[1], 'contacts'>;

function readContactName(value: unknown): string {
  const name = readName(value, 'name').normalize('NFC');
  if (isContactName(name)) return name;
  throw refused(
    'name-wrong',
    'name: expected letters or signs, and nothing that begins like an address or ends like a name of the name service',
  );
}

const refused = (reason: string, message: string, data: object = {}) =>
  new ProviderRpcError(errorCode.invalidParams, message, { reason, ...data });
