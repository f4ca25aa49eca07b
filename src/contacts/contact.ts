import { encodeText } from '../keyring/builtins.js';
import { own } from '../rpc/own.js';
import { type Address, isLowerAddress } from '../rpc/schema.js';

/** An address that the person has given a name to. The vault keeps it, so that no script of the page can change it. */
export interface Contact {
  /** Lower case. */
  readonly address: Address;
  /** 1 to 40 characters. No two contacts have names that look alike. */
  readonly name: string;
  /** Whether it is listed among the accounts, to look at. */
  readonly watchOnly?: true;
}

/** The kind of a vault's optional record that is a contact, as JSON in UTF-8. */
export const contactKind = 131;

export const encodeContact = (contact: Contact): Uint8Array => encodeText(JSON.stringify(contact));

/** Reads the contacts of a vault. A record that this build cannot read is left out, as is the later of two for one
 * address: those of a backup file come after the present ones. */
export function decodeContacts(records: readonly Uint8Array[]): readonly Contact[] {
  const contacts = new Map<Address, Contact>();
  for (const bytes of records) {
    const contact = decode(bytes);
    if (contact && !contacts.has(contact.address)) contacts.set(contact.address, contact);
  }
  return [...contacts.values()];
}

function decode(bytes: Uint8Array): Contact | null {
  try {
    const { address, name, watchOnly } = own(Object(JSON.parse(new TextDecoder().decode(bytes))) as Contact);
    if (!isLowerAddress(address) || typeof name !== 'string') return null;
    return own({ address, name, ...(watchOnly === true && { watchOnly }) });
  } catch {
    return null;
  }
}
