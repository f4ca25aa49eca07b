// @vitest-environment happy-dom
import { afterEach, expect, test } from 'vitest';
import type { RecordedTransaction } from '../../../../src/transactions/transactions.js';
import { contacts, type FakeWallet, fakeWallet, transactions } from '../../../support/fake-wallet.js';
import { type ShownPanel, showPanel } from '../../../support/panel.js';
import { account, recipient, savings } from '../../../support/questions.js';
import { waitFor } from '../../../support/wait-for.js';

let wallet: FakeWallet;
let panel: ShownPanel;
afterEach(() => panel.stop());

const accounts = [
  { ...account, path: 'm/0' },
  { ...savings, path: 'm/1' },
];
const checksummed = '0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd';
const [alice] = contacts as [(typeof contacts)[0]];
const paid = (more: Partial<RecordedTransaction>): RecordedTransaction =>
  Object.assign({}, transactions[0], more);

async function open(holds: Partial<FakeWallet['holds']> = {}) {
  wallet = fakeWallet({ accounts, transactions: [], ...holds });
  panel = await showPanel(wallet, 'send');
  await panel.shows('Balance:');
}
const names = () =>
  Array.from(panel.root.querySelectorAll('.suggestions .name'), ({ textContent }) => textContent);
const offers = (...expected: readonly string[]) => waitFor(() => expect(names()).toEqual(expected));
const field = () => panel.root.querySelector('#recipient') as HTMLInputElement;

test('those that were paid last come first, each once, then contacts and accounts', async () => {
  const transactionsBefore = [
    paid({ to: recipient, createdAt: 1_000 }),
    paid({ to: alice.address, createdAt: 2_000 }),
    paid({ to: alice.address, createdAt: 3_000, state: 'sent' }),
  ];
  await open({ contacts, transactions: transactionsBefore });
  await offers('Alice', '0x5aAe…EaEd', 'Cold wallet', 'Savings');
  await panel.shows('Paid on');
});

test('nothing that failed, called a contract or paid the bridge is offered', async () => {
  const bridge = '0x0000000000000000000000000000000001000006';
  await open({
    accounts: accounts.slice(0, 1),
    transactions: [
      paid({ state: 'reverted' }),
      paid({ state: 'refused' }),
      paid({ data: '0x12345678' }),
      paid({ to: bridge }),
      paid({ to: account.address, value: '0x0' }),
      paid({ state: 'sent', supersededBy: `0x${'1'.repeat(64)}` }),
    ],
  });
  await panel.shows('Contacts');
  await offers();
});

test('a transfer of tokens offers its recipient', async () => {
  const data = `0xa9059cbb${recipient.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}` as const;
  await open({
    accounts: accounts.slice(0, 1),
    transactions: [paid({ to: alice.address, data, value: '0x0' })],
  });
  await offers('0x5aAe…EaEd');
});

test('typing leaves those whose name or digits match, without calling a name a mistake', async () => {
  await open({ contacts: [...contacts, { address: recipient, name: 'José' }] });
  await offers('José', 'Cold wallet', 'Alice', 'Savings');
  await panel.type('To', 'jose');
  await offers('José');
  expect(panel.text()).not.toContain('This isn’t an address');
  await panel.type('To', '0x7099');
  await offers('Alice');
  await panel.type('To', '79c8');
  await offers('Alice');
  await panel.type('To', 'nobody');
  await offers();
  await panel.submit();
  await panel.shows('Choose from the list, or enter an address.');
});

test('choosing fills in the address with its checksum, and shows the name instead of the list', async () => {
  await open({ contacts: [{ address: recipient, name: 'José' }] });
  await offers('José', 'Savings');
  await panel.press('José0x5aAe…EaEd');
  await waitFor(() => expect(field().value).toBe(checksummed));
  expect(document.activeElement?.id).toBe('amount-field');
  await waitFor(() => expect(panel.root.querySelector('#recipient-note .name')?.textContent).toBe('José'));
  expect(names()).toEqual([]);
  await panel.type('Amount', '0.25');
  await panel.shows('Fast');
  await panel.submit();
  await waitFor(() =>
    expect(wallet.calls.find(([name]) => name === 'send')?.[1]).toMatchObject({ to: recipient }),
  );
});

test('the arrow keys lead from the field to the list and back', async () => {
  await open({ contacts });
  await offers('Cold wallet', 'Alice', 'Savings');
  const press = (key: string) =>
    document.activeElement?.dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
    );
  field().focus();
  press('ArrowDown');
  expect(document.activeElement?.textContent).toContain('Cold wallet');
  press('ArrowDown');
  expect(document.activeElement?.textContent).toContain('Alice');
  press('ArrowUp');
  press('ArrowUp');
  expect(document.activeElement).toBe(field());
  press('ArrowUp');
  expect(document.activeElement).toBe(field());
});

test.each([
  ['one of the wallet', savings.address, 'Savings'],
  ['one to look at', contacts[1]?.address as string, 'Cold wallet'],
])('an address that is typed shows the name of the account: %s', async (_, address, name) => {
  await open({ contacts });
  await panel.type('To', address);
  await waitFor(() => expect(panel.root.querySelector('#recipient-note .name')?.textContent).toBe(name));
});

test('locked contacts are not read, and unlocking shows them', async () => {
  await open({ contacts, vault: 'locked' });
  await offers('Savings', 'Cold wallet');
  expect(wallet.calls.map(([name]) => name)).not.toContain('contacts');
  await panel.press('Unlock to see your contacts');
  await panel.type('Wallet password', 'several words');
  await panel.submit();
  await offers('Cold wallet', 'Alice', 'Savings');
});

test('a locked wallet without contacts has nothing to unlock', async () => {
  await open({ vault: 'locked' });
  await offers('Savings');
  expect(panel.text()).not.toContain('Unlock to see your contacts');
});
