import { useRef, useState } from 'preact/hooks';
import type { Contact } from '../../../contacts/contact.js';
import { checksumAddress } from '../../../rpc/address.js';
import { own } from '../../../rpc/own.js';
import type { Address } from '../../../rpc/schema.js';
import { type Content, Fragment, fill, h } from '../../h.js';
import { party, shortAddress } from '../../pieces/address.js';
import { Problem, resembledIn, textsOfContacts } from '../../pieces/errors.js';
import { button, textField } from '../../pieces/fields.js';
import { mark } from '../../pieces/icons.js';
import { identicon } from '../../pieces/identicon.js';
import { chip, errorLine, siteLink, statusLine } from '../../pieces/lines.js';
import { blocks } from '../../pieces/lists.js';
import type { NewContactPlace, PanelProperties } from '../context.js';
import { CopyButton } from '../copy.js';
import { Form } from '../form.js';
import { GuardedButton } from '../guarded.js';
import { listedAccounts, useContacts, useTask } from '../hooks.js';
import { RecipientField, useRecipient } from '../recipient.js';
import type { PanelAccount } from '../wallet.js';
import { unlocked } from './unlock.js';

/** The address book. */
export const ContactBook = ({ panel }: PanelProperties): Content =>
  unlocked(panel, () => <ContactList panel={panel} />);

/** Contacts from which on a field looks for one of them. */
const many = 10;

function ContactList({ panel }: PanelProperties): Content {
  const { words, network } = panel;
  const { value: contacts, failed } = useContacts(panel);
  const [typed, setTyped] = useState('');
  if (!contacts) return failed ? errorLine(words.failed) : statusLine(words.loading);
  const text = typed.trim().toLowerCase();
  const shown = contacts
    .filter(({ name, address }) => name.toLowerCase().includes(text) || address.startsWith(text))
    .sort((one, other) => one.name.localeCompare(other.name, words.language, own({ numeric: true })));
  return (
    <>
      {contacts.length === 0 && <p>{words.noContacts}</p>}
      {contacts.length > many && (
        <div class="field">
          <label for="find-contact">{words.findContact}</label>
          <input
            id="find-contact"
            type="text"
            autocomplete="off"
            spellcheck="false"
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </div>
      )}
      <ul class="cards">
        {shown.map(({ address, name, watchOnly }) => (
          <li class="line" key={address}>
            {button(
              <>
                {identicon(address)}
                <span class="grow">
                  <bdi class="name">{name}</bdi>
                  <code dir="ltr">{shortAddress(address, network.chainId)}</code>
                  {watchOnly && chip(words.watchOnly, 'none')}
                </span>
              </>,
              () => panel.go({ view: 'contact', address }),
              { class: 'row' },
            )}
            {button(words.send, () => sendTo(panel, address), {
              class: 'small',
              'aria-label': fill(words.sendTo, { name }),
            })}
          </li>
        ))}
      </ul>
      <div class="actions">{button(words.addContact, () => panel.go({ view: 'new-contact' }))}</div>
    </>
  );
}

function sendTo(panel: PanelProperties['panel'], to: Address): void {
  panel.restart('home');
  panel.go({ view: 'send', to });
}

type ContactProperties = PanelProperties & { readonly address: Address };

/** One contact: its name, its address, and what can be done with it. */
export const ContactDetails = ({ panel, address }: ContactProperties): Content =>
  unlocked(panel, () => <OpenContact panel={panel} address={address} />);

function OpenContact({ panel, address }: ContactProperties): Content {
  const { words, wallet } = panel;
  const { value: contacts, failed } = useContacts(panel);
  const task = useTask(words);
  if (!contacts) return failed ? errorLine(words.failed) : statusLine(words.loading);
  const contact = contacts.find((each) => each.address === address);
  if (!contact) return <p class="soft">{words.none}</p>;
  const remove = async () => {
    await wallet.removeContact(address);
    panel.back();
  };
  return (
    <>
      <Whereabouts panel={panel} contact={contact} mayPay />
      <Renaming panel={panel} contact={contact} />
      <h3>{words.watchOnly}</h3>
      <Watching panel={panel} contact={contact} />
      <h3>{words.removeContact}</h3>
      {contact.watchOnly && <p class="soft">{words.removeWatchedNote}</p>}
      <div class="actions">
        <GuardedButton
          label={words.removeContact}
          act={() => task.run(remove, textsOfContacts(words))}
          isBusy={task.isRunning}
        />
      </div>
      {errorLine(task.error)}
    </>
  );
}

/** An account that the person only looks at: it has a name and an address here, and no key. */
export function WatchedAccount({
  panel,
  account,
}: PanelProperties & { readonly account: PanelAccount }): Content {
  const { address, label: name } = account;
  const contact: Contact = { address, name, watchOnly: true };
  return (
    <>
      <Whereabouts panel={panel} contact={contact} />
      {unlocked(panel, () => (
        <>
          <Renaming panel={panel} contact={contact} />
          <h3>{panel.words.watchOnly}</h3>
          <Watching panel={panel} contact={contact} stopped={panel.back} />
        </>
      ))}
    </>
  );
}

type Properties = PanelProperties & { readonly contact: Contact };

/** The address of a contact as a whole, to copy and to look up. */
function Whereabouts({ panel, contact, mayPay }: Properties & { readonly mayPay?: boolean }): Content {
  const { words, wallet, network } = panel;
  const { address, name } = contact;
  const link = wallet.explorerUrl({ address });
  return (
    <>
      {party(address, network.chainId, name)}
      <div class="actions wrap">
        {mayPay && button(fill(words.sendTo, { name }), () => sendTo(panel, address), { class: 'confirm' })}
        <CopyButton
          text={checksumAddress(address, network.chainId)}
          label={words.copyAddress}
          words={words}
          plain
        />
        {link !== undefined && siteLink(words.explorer, link)}
      </div>
    </>
  );
}

function Renaming({ panel, contact }: Properties): Content {
  const { words, wallet } = panel;
  const task = useTask(words);
  const typed = useRef<HTMLInputElement>(null);
  const submit = () =>
    task.run(async () => {
      const name = typed.current?.value.trim() ?? '';
      if (name === '') throw new Problem(words.contactNameMissing);
      await wallet.saveContact(contact.address, name);
    }, textsOfContacts(words));
  return (
    <Form task={task} confirm={words.rename} words={words} submit={submit}>
      {textField('label', words.name, typed, contact.name)}
    </Form>
  );
}

/** Lists a contact among the accounts, or takes it from there. */
function Watching({ panel, contact, stopped }: Properties & { readonly stopped?: () => void }): Content {
  const { words, wallet } = panel;
  const { address, watchOnly } = contact;
  const task = useTask(words);
  const change = async () => {
    if (!watchOnly) return void (await wallet.watchAccount(address));
    await wallet.unwatchAccount(address);
    stopped?.();
  };
  return (
    <>
      <p class="soft">{words.watchNote}</p>
      <div class="actions">
        <GuardedButton
          label={watchOnly ? words.unwatchAccount : words.watchAccount}
          act={() => task.run(change, textsOfContacts(words))}
          isBusy={task.isRunning}
        />
      </div>
      {errorLine(task.error)}
    </>
  );
}

/** A form for an address and its name, which the account is listed by if it is one to look at. */
export const NewContact = ({ panel, ...place }: PanelProperties & NewContactPlace): Content =>
  unlocked(panel, () => <ContactForm panel={panel} {...place} />);

function ContactForm({ panel, address: given, watch }: PanelProperties & NewContactPlace): Content {
  const { words, wallet, network } = panel;
  const { chainId } = network;
  const task = useTask(words);
  const [to, setTo] = useState(given ? checksumAddress(given, chainId) : '');
  const [typed, setTyped] = useState<string | null>(null);
  const [alike, setAlike] = useState<readonly [address: Address, known: Address] | null>(null);
  const contacts = useContacts(panel).value ?? [];
  const recipient = useRecipient({ ...panel, account: undefined }, to);
  const { address, isName, problem } = recipient;
  const nameOf = (of: Address) =>
    contacts.find((each) => each.address === of)?.name ??
    listedAccounts(wallet.state()).find((each) => each.address === of)?.label;
  /** The name until another one is typed. */
  const proposed =
    address === null
      ? ''
      : (contacts.find((each) => each.address === address)?.name ??
        (isName
          ? to
              .trim()
              .toLowerCase()
              .replace(/\.rsk$/, '')
          : ''));
  const name = typed ?? proposed;

  const save = async () => {
    if (problem !== null) throw new Problem(problem);
    if (address === null) throw new Problem(words.lookingUp);
    if (name.trim() === '') throw new Problem(words.contactNameMissing);
    try {
      await (watch ? wallet.watchAccount(address, name) : wallet.saveContact(address, name));
    } catch (error) {
      const known = resembledIn(error);
      setAlike(known && [address, known]);
      throw error;
    }
    panel.back();
  };
  return (
    <Form
      task={task}
      confirm={watch ? words.watchAccount : words.saveContact}
      words={words}
      submit={() => {
        setAlike(null);
        task.run(save, textsOfContacts(words));
      }}
    >
      {watch && <p class="soft">{words.watchNote}</p>}
      <div class="field">
        <RecipientField
          {...{ panel, recipient }}
          id="contact-address"
          label={words.contactAddress}
          typed={to}
          type={setTo}
          problem={to.trim() === '' ? null : problem}
        />
      </div>
      <div class="field">
        <label for="contact-name">{words.name}</label>
        <input
          id="contact-name"
          type="text"
          autocomplete="off"
          spellcheck="false"
          value={name}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </div>
      {alike !== null && task.error !== null && (
        <ul class="warnings">
          <li data-severity="danger">
            {mark('danger')}
            {blocks(
              [words.contactAddress, party(alike[0], chainId)],
              [words.contactResembled, party(alike[1], chainId, nameOf(alike[1]) ?? null)],
            )}
          </li>
        </ul>
      )}
    </Form>
  );
}
