// @vitest-environment happy-dom
import { afterEach, expect, test } from 'vitest';
import { formatDate } from '../../../../../src/ui/pieces/amounts.js';
import { english } from '../../../../support/english.js';
import { allowances, type FakeWallet, fakeWallet } from '../../../../support/fake-wallet.js';
import { type ShownPanel, showPanel } from '../../../../support/panel.js';
import { savings } from '../../../../support/questions.js';
import { waitFor } from '../../../../support/wait-for.js';

let wallet: FakeWallet;
let panel: ShownPanel;

async function open(holds: Partial<FakeWallet['holds']> = {}) {
  wallet = fakeWallet(holds);
  panel = await showPanel(wallet, 'accounts');
  await panel.press('Details of Savings');
  await panel.press('Allowances');
}
afterEach(() => panel.stop());

const called = (name: string) => wallet.calls.filter(([each]) => each === name).map(([, ...args]) => args);
const items = () => Array.from(panel.root.querySelectorAll('.item'), ({ textContent }) => textContent);

test('the rights of the account are shown with their limit, and the token of an unlisted one only by its address', async () => {
  await open();
  await panel.shows('PUNK');
  expect(items()).toHaveLength(4);
  expect(called('allowances')).toEqual([[savings.address]]);
  const date = formatDate(allowances[0]?.givenAt ?? 0, english);
  const [amount, all, collection, unlisted] = items();
  expect(amount).toMatch(/^Up to 5 tRIF0x/);
  expect(amount).toContain(`Allowed on ${date}`);
  expect(all).toMatch(/^All your USDRIFNo limit/);
  expect(collection).toMatch(/^Every item of PUNKNo limit/);
  expect(unlisted).toMatch(/^an unlisted token \(0x1111…1111\)/i);
});

test('an account without any says so', async () => {
  await open({ allowances: [] });
  await panel.shows('Nothing that was allowed in this browser is left.');
});

test('one click asks to take a right back, and says what follows', async () => {
  await open({ allowances: allowances.slice(0, 1) });
  await panel.press('Revoke');
  await panel.shows('Sent. The allowance ends once this is in a block.');
  expect(called('revoke')).toMatchObject([
    [{ token: allowances[0]?.token, spender: allowances[0]?.spender }],
  ]);
});

test('a right that a person does not take back stays, without an error', async () => {
  await open({ allowances: allowances.slice(0, 1) });
  wallet.fail('revoke', 4001);
  await panel.press('Revoke');
  await waitFor(() => expect(called('revoke')).toHaveLength(1));
  expect(panel.error()).toBe('');
  expect(items()).toHaveLength(1);
});

test('a service that does not answer is said', async () => {
  wallet = fakeWallet();
  wallet.fail('allowances', -32002);
  panel = await showPanel(wallet, 'accounts');
  await panel.press('Details of Savings');
  await panel.press('Allowances');
  await panel.shows('The allowances can’t be read now.');
});
