import { checksumAddress } from '../../rpc/address.js';
import { own } from '../../rpc/own.js';
import type { Address } from '../../rpc/schema.js';
import { type Content, Fragment, fill, h } from '../h.js';
import { party, shortAddress } from '../pieces/address.js';
import { formatDate } from '../pieces/amounts.js';
import { button, link } from '../pieces/fields.js';
import { identicon } from '../pieces/identicon.js';
import { chip } from '../pieces/lines.js';
import type { Panel, PanelProperties } from './context.js';
import { isWaiting, recipientIn } from './entry.js';
import { listedAccounts, useContacts, useTransactions } from './hooks.js';

/** Suggestions that are shown at once. */
const maxShown = 4;

/** An address that a payment may go to. */
interface Suggestion {
  readonly address: Address;
  /** The name of the contact or the account; absent for an address that was only paid. */
  readonly name?: string | undefined;
  readonly watchOnly?: true | undefined;
  /** When it was paid last on this network, milliseconds since 1970. */
  readonly paidAt?: number | undefined;
}

/** Contacts, other accounts and addresses that were paid, to choose from: those that were paid last come first. */
export function Suggestions({ panel, typed, choose }: Properties): Content {
  const { words, network, vault, wallet } = panel;
  const found = useSuggestions(panel).filter((each) => matches(each, typed));
  const isClosed = vault === 'locked' && own(wallet.state()).contacts !== undefined;
  return (
    <>
      <ul class="cards suggestions" aria-label={words.suggestions}>
        {found.slice(0, maxShown).map((each) => (
          <li key={each.address}>
            {button(
              <>
                {identicon(each.address)}
                {description(each, panel)}
              </>,
              () => choose(checksumAddress(each.address, network.chainId)),
              { class: 'row' },
            )}
          </li>
        ))}
      </ul>
      <p class="links">
        {isClosed
          ? link(words.unlockContacts, () => panel.go({ view: 'unlock' }))
          : link(words.contacts, () => panel.go({ view: 'contacts' }))}
      </p>
    </>
  );
}

interface Properties extends PanelProperties {
  /** The text in the field. */
  readonly typed: string;
  /** Puts an address with its checksum into the field. */
  readonly choose: (address: Address) => void;
}

function description({ address, name, watchOnly, paidAt }: Suggestion, { words, network }: Panel): Content {
  const digits = <code dir="ltr">{shortAddress(address, network.chainId)}</code>;
  return (
    <span class="grow">
      {name === undefined ? <span class="name">{digits}</span> : <bdi class="name">{name}</bdi>}
      {name !== undefined && digits}
      {name === undefined && paidAt !== undefined && (
        <small>{fill(words.lastPaid, { date: formatDate(paidAt, words) })}</small>
      )}
      {watchOnly && chip(words.watchOnly, 'none')}
    </span>
  );
}

/** An address with the name of its contact or account; nothing for any other one. */
export function KnownParty({ panel, address }: PanelProperties & { readonly address: Address }): Content {
  const contacts = useContacts(panel).value ?? [];
  const account = listedAccounts(panel.wallet.state()).find((each) => each.address === address);
  const name = contacts.find((each) => each.address === address)?.name ?? account?.label;
  return name === undefined ? null : party(address, panel.network.chainId, name);
}

function useSuggestions(panel: Panel): readonly Suggestion[] {
  const { wallet, network, account } = panel;
  const contacts = useContacts(panel).value ?? [];
  const { value: entries = [] } = useTransactions(panel, { chainId: network.chainId });
  const paid = new Map<Address, number>();
  for (const entry of entries) {
    const payee = entry.state === 'mined' || isWaiting(entry) ? recipientIn(entry) : null;
    if (payee !== null) paid.set(payee, Math.max(paid.get(payee) ?? 0, entry.createdAt));
  }
  const accounts = listedAccounts(wallet.state());
  const known = new Map<Address, Suggestion>();
  const add = (each: Suggestion) => {
    if (!known.has(each.address) && each.address !== account?.address)
      known.set(each.address, own({ ...each, paidAt: paid.get(each.address) }));
  };
  for (const { address, name, watchOnly } of [...contacts].reverse()) add({ address, name, watchOnly });
  for (const { address, label, watchOnly, hidden } of accounts)
    if (!hidden || paid.has(address)) add({ address, name: label, watchOnly });
  for (const address of paid.keys()) add({ address });
  return [...known.values()].sort((one, other) => (other.paidAt ?? 0) - (one.paidAt ?? 0));
}

/** Letters without accents, in lower case. */
const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Whether a suggestion has the typed text in its name, or as digits of its address. */
function matches({ address, name }: Suggestion, typed: string): boolean {
  const text = plain(typed.trim());
  return (
    address.startsWith(text) ||
    (name !== undefined && plain(name).includes(text)) ||
    (/^[0-9a-f]{4,40}$/.test(text) && address.includes(text))
  );
}
