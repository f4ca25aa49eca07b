// @vitest-environment happy-dom
import { afterEach, describe, expect, test } from 'vitest';
import type { GrantedPermission } from '../../../../../src/permissions/granted.js';
import type { HeldPurse } from '../../../../../src/purse/purse.js';
import { formatDate } from '../../../../../src/ui/pieces/amounts.js';
import { english } from '../../../../support/english.js';
import { contacts, type FakeWallet, fakeWallet } from '../../../../support/fake-wallet.js';
import { type ShownPanel, showPanel } from '../../../../support/panel.js';
import {
  account,
  callsPermission,
  permission,
  recipient,
  savings,
  token,
  tokenPermission,
} from '../../../../support/questions.js';
import { waitFor } from '../../../../support/wait-for.js';

const [asked] = permission.permissions;
const context = (digit: string) => `0x${digit.repeat(64)}` as const;
const base = {
  context: context('1'),
  origin: 'https://app.sovryn.example',
  account: account.address,
  chainId: 31,
  grantedAt: 0,
  left: '0x5af3107a4000',
  leftInAll: '0x9184e72a00000',
} as const;
const payments = { ...base, ...asked } as GrantedPermission;
const transfers = {
  ...base,
  ...tokenPermission.permissions[0],
  context: context('2'),
  origin: 'https://gone.example',
  account: savings.address,
  left: '0x1bc16d674ec80000',
  leftInAll: '0x8ac7230489e80000',
  feesLeft: '0x9184e72a000',
} as GrantedPermission;
const calls = {
  ...base,
  ...callsPermission.permissions[0],
  context: context('3'),
  chainId: 30,
} as GrantedPermission;

let wallet: FakeWallet;
let panel: ShownPanel;
const open = async (...granted: readonly GrantedPermission[]) => {
  wallet = fakeWallet({ granted });
  panel = await showPanel(wallet, 'sites');
};
const called = (name: string) => wallet.calls.filter(([each]) => each === name).map(([, ...args]) => args);
/** The parts of each line of the list. */
const lines = () =>
  Array.from(panel.root.querySelectorAll('.cards > li'), (line) =>
    Array.from(line.querySelectorAll('.grow > *'), ({ textContent }) => textContent),
  );
const paysOut = 'End for app.sovryn.example: 0.0005 tRBTC a day, For payments to 0x5aAe…EaEd';
const until = `Until ${formatDate(payments.end * 1000, english)}`;

afterEach(() => panel?.stop());

test('a site that sees an account to look at has it in its line', async () => {
  const permissions = {
    'https://app.sovryn.example': { accounts: contacts.map(({ address }) => address), date: 0 },
  };
  wallet = fakeWallet({ contacts, permissions });
  panel = await showPanel(wallet, 'sites');
  await panel.shows('Cold wallet');
  expect(panel.text()).not.toContain('Alice');
});

describe('the permissions of sites', () => {
  test('are listed below their sites, with what is left and until when', async () => {
    await open(payments, calls);
    await panel.shows('0.0005 tRBTC a day');
    expect(lines().map(([name]) => name)).toEqual([
      'app.sovryn.example',
      '0.0005 tRBTC a day',
      '0.001 RBTC altogether',
      'http://rootstock.io.evil.example:8080',
    ]);
    expect(lines().slice(1, 3)).toEqual([
      [
        '0.0005 tRBTC a day',
        'For payments to 0x5aAe…EaEd',
        '0.0001 tRBTC left now, 0.00256 tRBTC in all',
        until,
        'Main account · Rootstock Testnet',
      ],
      [
        '0.001 RBTC altogether',
        'For calls of 0x779d…3736',
        '0.00256 RBTC left',
        until,
        'Main account · Rootstock Mainnet',
      ],
    ]);
  });

  test('are listed too where the site is not connected any more, which then has no button to disconnect', async () => {
    await open(transfers);
    await panel.shows('gone.example');
    expect(lines().slice(-2)).toEqual([
      ['gone.example'],
      [
        '10 USDRIF every 12 hours',
        'For transfers to anyone',
        '2 USDRIF left now, 10 USDRIF in all',
        '0.00001 tRBTC left for fees',
        until,
        'Savings · Rootstock Testnet',
      ],
    ]);
    const labels = Array.from(panel.root.querySelectorAll('button'), (each) =>
      each.getAttribute('aria-label'),
    );
    expect(labels).not.toContain('Disconnect gone.example');
    expect(labels).toContain('Disconnect app.sovryn.example');
    wallet.change({ permissions: {} });
    await waitFor(() => expect(panel.text()).not.toContain('app.sovryn.example'));
    expect(panel.text()).toContain('10 USDRIF every 12 hours');
    expect(panel.text()).not.toContain('No sites are connected.');
  });

  test('name several addresses, and an unknown account, network and token without their names', async () => {
    await open({
      ...transfers,
      account: token,
      chainId: 999,
      tokenLabel: undefined,
      payees: [recipient, savings.address],
    });
    await panel.shows('10,000,000,000,000,000,000 base units every 12 hours');
    expect(lines().at(-1)).toEqual([
      '10,000,000,000,000,000,000 base units every 12 hours',
      expect.stringMatching(/^For transfers to 0x5[aA]\w+…\w{4}, 0x35\w+…\w{4}$/),
      '2,000,000,000,000,000,000 base units left now, 10,000,000,000,000,000,000 base units in all',
      until,
      expect.stringMatching(/^0x779\w…\w{4}$/),
    ]);
  });

  test('show no character of a symbol that would change the reading order', async () => {
    await open({ ...transfers, tokenLabel: { address: token, symbol: 'A\u202EB', decimals: 18 } });
    await panel.shows('10 A\\u{202e}B every 12 hours');
    expect(panel.text()).not.toContain('\u202E');
    expect(panel.root.innerHTML).not.toContain('\u202E');
  });

  test('are read in this view only', async () => {
    await open(payments);
    await panel.shows('0.0005 tRBTC a day');
    expect(called('permissions').length).toBeGreaterThan(0);
    for (const view of ['home', 'activity', 'settings'] as const) {
      panel.stop();
      wallet = fakeWallet({ granted: [payments] });
      panel = await showPanel(wallet, view);
      expect(called('permissions')).toEqual([]);
    }
  });

  test('are said to be unreadable where that is so, and the sites are listed', async () => {
    wallet = fakeWallet({ granted: [payments] });
    wallet.fail('permissions', -32603);
    panel = await showPanel(wallet, 'sites');
    await panel.shows('The list of what sites may spend couldn’t be read.');
    expect(panel.text()).toContain('app.sovryn.example');
    expect(panel.text()).not.toContain('developer text');
    wallet.change({});
    await panel.shows('0.0005 tRBTC a day');
    expect(panel.error()).toBe('');
  });
});

describe('a permission', () => {
  test.each(['unlocked', 'locked'] as const)(
    'is ended with one click where the wallet is %s',
    async (vault) => {
      await open(payments, calls);
      wallet.change({ vault });
      await panel.shows('0.0005 tRBTC a day');
      await panel.press(paysOut);
      await waitFor(() => expect(called('endPermission')).toEqual([[payments.context]]));
      // Sooner than the panel reads everything again by itself.
      await waitFor(() => expect(panel.text()).not.toContain('0.0005 tRBTC a day'), 10_000);
      expect(panel.text()).toContain('0.001 RBTC');
      expect(called('unlock')).toEqual([]);
      expect(called('disconnect')).toEqual([]);
    },
  );

  test('stays where it could not be ended, and an error says so', async () => {
    await open(payments);
    await panel.shows('0.0005 tRBTC a day');
    wallet.fail('endPermission', -32603);
    await panel.press(paysOut);
    await panel.shows('Something went wrong, and nothing was changed. Try again.');
    expect(panel.text()).toContain('0.0005 tRBTC a day');
  });

  test('is not ended by a click that was meant for what was there before', async () => {
    await open(payments);
    await waitFor(() => panel.clickAtOnce(paysOut));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(called('endPermission')).toEqual([]);
  });
});

describe('the purse of a site', () => {
  const purse: HeldPurse = {
    ...{ address: recipient, origin: 'https://game.example', account: account.address, chainId: 31 },
    ...{ balance: '0x2386f26fc10000', tokens: [] },
  };
  const openWith = async (vault: 'unlocked' | 'locked', ...purses: readonly HeldPurse[]) => {
    wallet = fakeWallet({ purses, vault });
    panel = await showPanel(wallet, 'sites');
  };
  const takesBack = 'Take back from game.example: 0.01 tRBTC';

  test('is listed below the site with what it holds, and is taken back with one click', async () => {
    await openWith('unlocked', purse);
    await panel.shows('Purse with 0.01 tRBTC');
    expect(lines().slice(-2)).toEqual([
      ['game.example'],
      ['Purse with 0.01 tRBTC', 'Main account · Rootstock Testnet'],
    ]);
    await panel.press(takesBack);
    await waitFor(() => expect(called('takeBack')).toEqual([[purse.address]]));
    await waitFor(() => expect(panel.text()).toContain('Taken back. The site gets no more of it.'), 10_000);
  });

  test('names its tokens, and says where nothing of it could be read', async () => {
    const held = { address: token, symbol: 'A\u202EB', decimals: 6, balance: '0xf4240' } as const;
    await openWith(
      'unlocked',
      { ...purse, tokens: [held] },
      { ...purse, address: token, chainId: 999, balance: null },
    );
    await panel.shows('Purse with 0.01 tRBTC + 1 A\\u{202e}B');
    expect(panel.text()).toContain('Purse with ?');
  });

  test('is not listed once it was taken back and is empty, nor while the wallet is locked', async () => {
    await openWith('unlocked', { ...purse, endedAt: 1, balance: '0x0' }, { ...purse, address: token });
    await panel.shows('Purse with 0.01 tRBTC');
    expect(lines().filter(([name]) => name?.startsWith('Purse'))).toHaveLength(1);
    wallet.change({ vault: 'locked' });
    await waitFor(() => expect(panel.text()).not.toContain('Purse with'));
  });

  test('stays where it could not be taken back, and an error says so', async () => {
    await openWith('unlocked', purse);
    await panel.shows('Purse with 0.01 tRBTC');
    wallet.fail('takeBack', -32603);
    await panel.press(takesBack);
    await panel.shows('Something went wrong, and nothing was changed. Try again.');
    expect(panel.text()).toContain('Purse with 0.01 tRBTC');
  });
});
