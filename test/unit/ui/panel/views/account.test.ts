// @vitest-environment happy-dom
import { afterEach, describe, expect, test } from 'vitest';
import {
  contacts,
  type FakeWallet,
  fakeWallet,
  received,
  transactions,
} from '../../../../support/fake-wallet.js';
import { type ShownPanel, showPanel } from '../../../../support/panel.js';
import { recipient, token } from '../../../../support/questions.js';
import { waitFor } from '../../../../support/wait-for.js';

/** An account that the wallet has no key for, in the views of the panel. */

let wallet: FakeWallet;
let panel: ShownPanel;
afterEach(() => panel.stop());

const watched = contacts[1] as (typeof contacts)[0];
const called = (name: string) => wallet.calls.filter(([each]) => each === name).map(([, ...args]) => args);
const buttons = () =>
  Array.from(panel.root.querySelectorAll('.view :is(button, a)'), (each) => each.textContent);

async function openAccounts(holds: Partial<FakeWallet['holds']> = {}) {
  wallet = fakeWallet({ contacts, ...holds });
  panel = await showPanel(wallet, 'accounts');
}
/** Selects the account, and opens one of the views of the navigation. */
async function select(view: string, holds: Partial<FakeWallet['holds']> = {}) {
  await openAccounts(holds);
  await panel.press('Cold wallet0x3C44…93BcOnly to look at');
  await panel.press(view);
}

test('stands after the accounts of the wallet', async () => {
  await openAccounts();
  const names = Array.from(panel.root.querySelectorAll('li .row .name'), ({ textContent }) => textContent);
  expect(names).toEqual(['Main account', 'Savings', 'Old key', 'Cold wallet']);
});

test('is added by its address, with a name', async () => {
  await openAccounts({ contacts: [] });
  await panel.press('Look at an account');
  await panel.type('Address', 'alice.rsk');
  await panel.shows('EF1B');
  await panel.submit();
  await waitFor(() => expect(called('watchAccount')).toEqual([[recipient, 'alice']]));
  await panel.shows('alice0x5aAe…EaEdOnly to look at');
});

describe('its details', () => {
  test('have no button that needs a key', async () => {
    await openAccounts();
    await panel.press('Details of Cold wallet');
    await panel.shows('Stop looking at it');
    expect(buttons()).toEqual(['Copy address', 'View in explorer', 'Rename', 'Stop looking at it']);
  });

  test('rename it and take it from the list', async () => {
    await openAccounts();
    await panel.press('Details of Cold wallet');
    await panel.type('Name', 'Safe');
    await panel.submit();
    await waitFor(() => expect(called('saveContact')).toEqual([[watched.address, 'Safe']]));
    await panel.press('Stop looking at it');
    await panel.shows('New account');
    expect(called('unwatchAccount')).toEqual([[watched.address]]);
    expect(panel.text()).not.toContain('Safe');
  });

  test('are changed once the wallet is unlocked', async () => {
    await openAccounts({ vault: 'locked' });
    await panel.press('Details of Cold wallet');
    await panel.shows('Unlock the wallet to change this.');
    expect(buttons()).not.toContain('Rename');
  });
});

test('its home shows what it has', async () => {
  await select('Home');
  await panel.shows('20.12345678');
  await panel.shows('Only to look at');
  expect(called('balance').at(-1)).toEqual([watched.address]);
  await panel.press('Receive');
  await waitFor(() =>
    expect(panel.root.querySelector('.address')?.textContent?.toLowerCase()).toBe(watched.address),
  );
});

test('its activity shows only what came in to it', async () => {
  await select('Activity', { received: { ...received, payments: [], changes: [] } });
  await panel.shows('Nothing has come in yet.');
  expect(called('received').at(-1)).toEqual([{ further: false, account: watched.address }]);
  expect(panel.text()).not.toContain('Sent 0.25');
});

test('one that was signed before its key was removed cannot be replaced', async () => {
  const sent = Object.assign({}, transactions[5], { from: watched.address });
  await select('Activity', { transactions: [sent] });
  await panel.shows('Waiting');
  await panel.press(panel.root.querySelector('li .row')?.textContent as string);
  await panel.shows('Hash');
  expect(buttons()).not.toContain('Speed up');
  expect(buttons()).not.toContain('Cancel it');
});

describe('a payment from it', () => {
  /** Remembers what is copied. */
  const copied: string[] = [];
  const openForm = async () => {
    await select('Home');
    await panel.press('Send');
    await panel.shows('You only look at this account here.');
    Object.defineProperty(navigator, 'clipboard', {
      value: { writeText: async (text: string) => void copied.push(text) },
      configurable: true,
    });
  };
  const copy = async () => {
    copied.length = 0;
    await panel.press('Copy the payment');
    await waitFor(() => expect(copied).toHaveLength(1));
    return copied[0];
  };
  afterEach(() => void Reflect.deleteProperty(navigator, 'clipboard'));

  test('in coins is a code for another wallet, and nothing is sent', async () => {
    await openForm();
    await panel.type('To', recipient);
    await panel.type('Amount', '0.25');
    await panel.submit();
    await panel.shows('Scan this code with the wallet that has its key.');
    expect(await copy()).toBe(`ethereum:${recipient}@31?value=${25n * 10n ** 16n}`);
    expect([called('send'), called('fees')]).toEqual([[], []]);
    await waitFor(() => expect(panel.root.querySelector('svg.qr')).not.toBeNull());
    await panel.press('Change the payment');
    await panel.shows('Show the code');
    expect((panel.root.querySelector('#amount-field') as HTMLInputElement).value).toBe('0.25');
  });

  test('in a token names the token and the recipient', async () => {
    await openForm();
    await panel.choose('Asset', token);
    await panel.type('To', 'alice.rsk');
    await panel.shows('EF1B');
    await panel.type('Amount', '2');
    await panel.submit();
    expect(await copy()).toBe(
      `ethereum:${token}@31/transfer?address=${recipient}&uint256=${2n * 10n ** 18n}`,
    );
    expect(called('send')).toEqual([]);
  });

  test('larger than its balance is refused', async () => {
    await openForm();
    await panel.type('To', recipient);
    await panel.type('Amount', '21');
    await panel.submit();
    await waitFor(() => expect(panel.error()).toBe('You have 20.12345678 tRBTC.'));
  });

  test('on another network is another code, which is asked for again', async () => {
    await openForm();
    await panel.type('To', recipient);
    await panel.type('Amount', '0.25');
    await panel.submit();
    await panel.shows('Rootstock Testnet');
    wallet.change({ chainId: 30 });
    await panel.shows('Show the code');
    expect(panel.root.querySelector('.code')).toBeNull();
  });
});
