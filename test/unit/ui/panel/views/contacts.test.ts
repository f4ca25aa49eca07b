// @vitest-environment happy-dom
import { afterEach, describe, expect, test } from 'vitest';
import { contacts, type FakeWallet, fakeWallet, transactions } from '../../../../support/fake-wallet.js';
import { type ShownPanel, showPanel } from '../../../../support/panel.js';
import { account, recipient, savings } from '../../../../support/questions.js';
import { waitFor } from '../../../../support/wait-for.js';

let wallet: FakeWallet;
let panel: ShownPanel;

async function open(holds: Partial<FakeWallet['holds']> = {}, view: 'contacts' | 'activity' = 'contacts') {
  wallet = fakeWallet(holds);
  panel = await showPanel(wallet, view);
}
afterEach(() => panel.stop());

const [alice, cold] = contacts as [(typeof contacts)[0], (typeof contacts)[0]];
/** Begins and ends like that of the contact. */
const alike = `${alice.address.slice(0, 6)}${'0'.repeat(32)}${alice.address.slice(-4)}`;
const called = (name: string) => wallet.calls.filter(([each]) => each === name).map(([, ...args]) => args);
const field = (id: string) => panel.root.querySelector(`#${id}`) as HTMLInputElement;
const digits = () =>
  Array.from(panel.root.querySelectorAll('.address'), ({ textContent }) => textContent?.toLowerCase());

describe('the list', () => {
  test('says so while there are none', async () => {
    await open();
    await panel.shows('No contacts yet.');
  });

  test('is in the order of names, and says which are accounts to look at', async () => {
    await open({ contacts: [cold, { address: recipient, name: 'bob' }, alice] });
    await panel.shows('Alice');
    const rows = Array.from(panel.root.querySelectorAll('li .row'), ({ textContent }) => textContent);
    expect(rows).toEqual(['Alice0x7099…79C8', 'bob0x5aAe…EaEd', 'Cold wallet0x3C44…93BcOnly to look at']);
  });

  test('looks for one among many by its name or its digits', async () => {
    const many = Array.from({ length: 11 }, (_, index) => ({
      address: `0x${`${index + 10}`.repeat(20)}` as const,
      name: `Friend ${index}`,
    }));
    await open({ contacts: [...many, alice] });
    for (const typed of ['ali', '0x7099']) {
      await panel.type('Find a contact', typed);
      await waitFor(() => expect(panel.root.querySelectorAll('li .row')).toHaveLength(1));
      expect(panel.root.querySelector('li .name')?.textContent).toBe('Alice');
    }
  });

  test('leads to a payment to the contact', async () => {
    await open({ contacts });
    await panel.press('Send to Alice');
    await panel.shows('Review and send');
    expect(field('recipient').value.toLowerCase()).toBe(alice.address);
    await waitFor(() => expect(panel.root.querySelector('#recipient-note .name')?.textContent).toBe('Alice'));
  });

  test('is shown once the wallet is unlocked', async () => {
    await open({ contacts, vault: 'locked' });
    await panel.shows('Unlock the wallet to change this.');
    expect(panel.text()).not.toContain('Alice');
    expect(called('contacts')).toEqual([]);
    await panel.type('Wallet password', 'several words');
    await panel.submit();
    await panel.shows('Alice');
  });
});

describe('a new contact', () => {
  const fillIn = async (address: string, name?: string) => {
    await panel.press('Add a contact');
    await panel.type('Address', address);
    if (name !== undefined) await panel.type('Name', name);
  };

  test('is an address with a name', async () => {
    await open();
    await fillIn(alice.address, ' Alice ');
    await panel.submit();
    await waitFor(() => expect(called('saveContact')).toEqual([[alice.address, ' Alice ']]));
    await panel.shows('0x7099…79C8');
  });

  test('has the name that leads to its address, until another one is typed', async () => {
    await open();
    await fillIn('alice.rsk');
    await waitFor(() => expect(field('contact-name').value).toBe('alice'));
    await panel.type('Name', 'Alice');
    expect(field('contact-name').value).toBe('Alice');
    await panel.type('Name', 'alice.rsk');
    await panel.submit();
    await waitFor(() => expect(called('saveContact')).toEqual([[recipient, 'alice.rsk']]));
  });

  test.each([
    ['', 'Bob', 'Enter an address or a name.'],
    ['0x1234', 'Bob', 'This isn’t an address'],
    [savings.address, '', 'Enter a name.'],
  ])('needs an address and a name: %j, %j', async (address, name, text) => {
    await open();
    await fillIn(address, name);
    await panel.submit();
    await waitFor(() => expect(panel.error()).toContain(text));
    expect(called('saveContact')).toEqual([]);
  });

  test.each([
    [-32602, { reason: 'own-account' }, 'This is one of your own accounts.'],
    [-32602, { reason: 'name-taken' }, 'Another contact or account has a name like this'],
    [-32602, undefined, 'A name has 1 to 40 visible characters'],
    [-32005, undefined, 'There’s no room for another contact.'],
    [4100, undefined, 'Unlock the wallet to change this.'],
  ])('is refused in words: %i %j', async (code, data, text) => {
    await open();
    await fillIn(alice.address, 'Alice');
    wallet.fail('saveContact', code, data);
    await panel.submit();
    await waitFor(() => expect(panel.error()).toContain(text));
    expect(panel.text()).not.toContain('developer text');
  });

  test('with an address that looks like a known one is a danger that shows both as a whole, until something is typed', async () => {
    await open({ contacts });
    await fillIn(alike, 'Alicia');
    wallet.fail('saveContact', -32602, { reason: 'look-alike', resembles: alice.address });
    await panel.submit();
    await panel.shows('It looks like an address you know, but it’s a different one.');
    const danger = panel.root.querySelector('[data-severity=danger]');
    expect(danger?.textContent).toContain('The one you knowAlice');
    expect(digits()).toEqual([alike, alice.address]);
    await panel.type('Name', 'Someone else');
    await waitFor(() => expect(panel.root.querySelector('[data-severity=danger]')).toBeNull());
  });
});

describe('a contact', () => {
  const openIt = async (name: string) => {
    await open({ contacts });
    await panel.shows(name);
    const row = Array.from(panel.root.querySelectorAll('li .row')).find((each) =>
      each.textContent?.startsWith(name),
    );
    await panel.press(row?.textContent as string);
  };

  test('is renamed', async () => {
    await openIt('Alice');
    await panel.type('Name', 'Alice B.');
    await panel.submit();
    await waitFor(() => expect(called('saveContact')).toEqual([[alice.address, 'Alice B.']]));
    await panel.shows('Send to Alice B.');
  });

  test('is listed among the accounts, and taken from there', async () => {
    await openIt('Alice');
    await panel.press('Look at this account');
    await panel.press('Stop looking at it');
    await panel.shows('Look at this account');
    expect([called('watchAccount'), called('unwatchAccount')]).toEqual([
      [[alice.address]],
      [[alice.address]],
    ]);
  });

  test('is removed, also from the accounts', async () => {
    await openIt('Cold wallet');
    await panel.shows('It also leaves your list of accounts.');
    await panel.press('Remove this contact');
    await panel.shows('Add a contact');
    expect(called('removeContact')).toEqual([[cold.address]]);
    expect(panel.text()).not.toContain('Cold wallet');
  });
});

describe('after a payment', () => {
  const [paid] = transactions;
  const entry = { ...(paid as NonNullable<typeof paid>), to: alice.address };
  const openPayment = async (more: object = {}, holds: Partial<FakeWallet['holds']> = {}) => {
    await open({ transactions: [{ ...entry, ...more }], ...holds }, 'activity');
    const line = await waitFor(() => {
      const found = panel.root.querySelector('li .row')?.textContent;
      if (!found) throw new Error('There is no line yet.');
      return found;
    });
    await panel.press(line);
    await panel.shows('Hash');
  };

  test('its recipient is saved under a name, which the payment then shows', async () => {
    await openPayment();
    await panel.press('Save as a contact');
    await panel.type('Name', 'Alice');
    expect(field('contact-address').value.toLowerCase()).toBe(alice.address);
    await panel.submit();
    await panel.shows('Hash');
    await waitFor(() => expect(panel.text()).toContain('Alice'));
    await waitFor(() => expect(panel.text()).not.toContain('Save as a contact'));
    expect(called('saveContact')).toEqual([[alice.address, 'Alice']]);
  });

  test('the activity has the name of its recipient', async () => {
    await open({ transactions: [entry], contacts }, 'activity');
    await waitFor(() => expect(panel.root.querySelector('li small')?.textContent).toContain('Alice'));
  });

  test('a transfer of tokens is to its recipient, and the contract is the token', async () => {
    const data = `0xa9059cbb${alice.address.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}` as const;
    await openPayment({ to: recipient, data, value: '0x0' });
    expect(digits().slice(-2)).toEqual([alice.address, recipient]);
    await panel.press('Save as a contact');
    await panel.shows('Address');
    expect(field('contact-address').value.toLowerCase()).toBe(alice.address);
  });

  test.each<[string, object, Partial<FakeWallet['holds']>]>([
    ['to a contact', {}, { contacts: [alice] }],
    ['to an account of the wallet', { to: savings.address }, {}],
    ['to the bridge', { to: '0x0000000000000000000000000000000001000006' }, {}],
    ['that failed', { state: 'reverted' }, {}],
    ['that called a contract', { data: '0x12345678' }, {}],
    ['of nothing to itself', { to: account.address, value: '0x0' }, {}],
    ['while the contacts are locked', {}, { contacts: [cold], vault: 'locked' }],
  ])('nothing is offered for one %s', async (_, more, holds) => {
    await openPayment(more, holds);
    if (!holds.vault) await waitFor(() => expect(called('contacts')).not.toEqual([]));
    await panel.shows('Gas price');
    expect(panel.text()).not.toContain('Save as a contact');
  });
});
