// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RecordedTransaction } from '../../../../src/transactions/transactions.js';
import type { PanelView } from '../../../../src/ui/panel/context.js';
import { type FakeWallet, fakeWallet, transactions } from '../../../support/fake-wallet.js';
import { type ShownPanel, showPanel } from '../../../support/panel.js';
import { account, savings } from '../../../support/questions.js';
import { waitFor } from '../../../support/wait-for.js';

let wallet: FakeWallet;
let panel: ShownPanel;
const open = async (view?: PanelView, holds: Partial<FakeWallet['holds']> = {}) => {
  wallet = fakeWallet(holds);
  panel = await showPanel(wallet, view);
};
/** A button does nothing while another task runs. */
const pressUntil = (label: string, name: string) =>
  waitFor(
    async () => {
      if (called(name).length === 0) await panel.press(label);
      expect(called(name)).toHaveLength(1);
    },
    { timeout: 30_000 },
  );
const called = (name: string) => wallet.calls.filter(([each]) => each === name).map(([, ...args]) => args);

beforeEach(() => vi.stubGlobal('navigator', { ...navigator, storage: { persisted: async () => false } }));
afterEach(() => {
  panel?.stop();
  vi.unstubAllGlobals();
});

describe('home', () => {
  test('shows the account, its balance, its tokens, and that there is no backup', async () => {
    await open();
    for (const text of ['Main account', '0x27B1…1C26', '20.12345678', 'tRBTC', 'No backup yet', '1 waiting'])
      await panel.shows(text === '1 waiting' ? '2 waiting' : text);
    await panel.shows('1,234.5');
    await panel.shows('Not the RIF you may know');
    await panel.shows('PUNK #77');
    await panel.shows('Unknown');
  });

  test('shows base units beside the balance of a token that is not in the list, and beside no other', async () => {
    await open();
    await panel.shows('5,000,000,000,000,000,000 base units');
    expect(panel.text().match(/base units/g)).toHaveLength(1);
  });

  test('shows no listed token that the account lacks', async () => {
    const listed = { decimals: 18, listed: true, watched: false };
    await open('home', {
      tokens: [
        { ...listed, address: account.address, symbol: 'NONE', balance: 0n },
        { ...listed, address: savings.address, symbol: 'UNREAD', balance: null },
      ],
    });
    await panel.shows('No tokens here.');
    expect(panel.text()).not.toMatch(/NONE|UNREAD/);
  });

  test('goes on when the balance cannot be read, and says so', async () => {
    wallet = fakeWallet();
    wallet.fail('balance', -32002);
    panel = await showPanel(wallet);
    await panel.shows('The network can’t be reached right now.');
    wallet.change({});
    await panel.shows('20.12345678');
  });

  test('offers no new wallet where it could not find out whether there is one', async () => {
    wallet = fakeWallet();
    Object.assign(wallet, { vaultState: () => Promise.reject(new Error('No file')) });
    panel = await showPanel(wallet);
    await panel.shows('The wallet couldn’t be opened, and nothing was changed. Reload the page.');
    expect(panel.text()).not.toContain('Create a wallet');
  });

  test('locks, and leads to the view that unlocks', async () => {
    await open();
    await panel.press('Lock');
    await panel.press('Unlock');
    await panel.shows('Unlock your wallet');
    await panel.type('Wallet password', 'correct horse');
    await panel.submit();
    await waitFor(() => expect(called('unlock')).toEqual([['correct horse', { acceptUnproven: [] }]]));
    await panel.shows('20.12345678');
  });

  test('a vault that cannot be checked is asked about before it is unlocked', async () => {
    const accounts = [account.address];
    const data = { reason: 'vault-unproven', accounts, known: [], passkeys: ['Phone'], losesPassword: false };
    await open('home', { vault: 'locked' });
    await panel.press('Unlock');
    wallet.fail('unlock', -32002, data);
    await panel.type('Wallet password', 'correct horse');
    await panel.submit();
    await panel.shows('Are these your accounts?');
    await panel.shows('These aren’t the accounts you had here');
    await panel.shows('Phone');
    expect(called('unlock')).toEqual([['correct horse', { acceptUnproven: [] }]]);
    await panel.press('Back');
    await panel.shows('Unlock your wallet');
    expect(await wallet.vaultState()).toBe('locked');
  });

  test('a wrong password is reported without code or developer text', async () => {
    await open('home', { vault: 'locked' });
    await panel.press('Unlock');
    await panel.shows('Unlock your wallet');
    await panel.submit();
    await panel.shows('Enter your wallet password first.');
    wallet.fail('unlock', 4100);
    await panel.type('Wallet password', 'hunter2');
    await panel.submit();
    await panel.shows('The password is wrong.');
  });

  test('a passkey unlocks', async () => {
    await open('home', { vault: 'locked' });
    await panel.press('Unlock');
    await panel.press('Use a passkey');
    await waitFor(() => expect(called('unlock')).toEqual([[{ passkey: true }, { acceptUnproven: [] }]]));
  });
});

describe('activity', () => {
  test('lists what was signed on this network, newest first, with its state', async () => {
    await open('activity');
    await panel.shows('Sent 0.25 tRBTC');
    const lines = Array.from(panel.root.querySelectorAll('.row'), (row) => [
      row.querySelector('.name')?.textContent,
      row.querySelector('.chip')?.textContent,
    ]);
    expect(lines).toEqual([
      ['Sent 0.25 tRBTC', 'Waiting'],
      ['Allowed spending', 'Waiting'],
      ['Sent 0.25 tRBTC', 'Replaced'],
      ['Deployed a contract', 'Refused'],
      ['Sent tokens', 'Failed'],
      ['Sent 0.25 tRBTC', 'Done'],
    ]);
  });

  test('shows which transactions are proven', async () => {
    const [one] = transactions as [RecordedTransaction];
    await open('activity', { transactions: [{ ...one, state: 'mined', proven: true }] });
    await panel.shows('Proven');
    pressRow(0);
    await panel.shows('Bitcoin’s miners have worked on its block');
  });

  test('shows 50, and 50 more with each press', async () => {
    const [one] = transactions as [RecordedTransaction];
    const hash = (i: number) => `0x${i.toString(16).padStart(64, '0')}` as const;
    await open('activity', {
      transactions: Array.from({ length: 120 }, (_, i) => ({ ...one, hash: hash(i) })),
    });
    const shown = () => panel.root.querySelectorAll('.row').length;
    const counts: number[] = [];
    for (const count of [50, 100]) {
      await waitFor(() => expect(shown()).toBe(count));
      counts.push(shown());
      await panel.press('Show older ones');
    }
    await waitFor(() => expect(shown()).toBe(120));
    expect(panel.text()).not.toContain('Show older ones');
  });

  const pressRow = (index: number) => {
    const click = Object.defineProperty(new MouseEvent('click', { bubbles: true }), 'isTrusted', {
      value: true,
    });
    panel.root.querySelectorAll<HTMLElement>('.row')[index]?.dispatchEvent(click);
  };
  const openEntry = async (index: number) => {
    await open('activity');
    await panel.shows('Sent 0.25 tRBTC');
    pressRow(index);
    await panel.shows('Hash');
  };

  test('a waiting one can be sped up, and what was sent in its place is shown', async () => {
    await openEntry(0);
    const [faster, slower] = [`0x${'7'.repeat(64)}`, `0x${'6'.repeat(64)}`] as const;
    await panel.press('Speed up');
    await waitFor(() => expect(called('speedUp')).toEqual([[slower]]));
    const waiting = transactions.find(({ hash }) => hash === slower) as RecordedTransaction;
    const list = [
      { ...waiting, supersededBy: faster },
      { ...waiting, hash: faster, value: '0x0' as const },
    ];
    wallet.change({ transactions: list });
    await panel.shows('0x7777');
    await panel.shows('A higher fee may');

    // The one before stays in the list, and cannot be taken for a second payment.
    await panel.press('Activity');
    await waitFor(() =>
      expect(Array.from(panel.root.querySelectorAll('.chip'), ({ textContent }) => textContent)).toEqual([
        'Waiting',
        'Replaced',
      ]),
    );
    await panel.press('Home');
    await panel.shows('1 waiting');
    await panel.press('Activity');
    await panel.shows('Replaced');
    pressRow(1);
    await panel.shows('only that one counts');
    expect(panel.text()).not.toContain('Speed up');
    await panel.press('Show the other one');
    await panel.shows('0x7777');
  });

  test('a waiting one can be cancelled, while it can be replaced', async () => {
    await openEntry(0);
    wallet.fail('cancel', -32602);
    await pressUntil('Cancel it', 'cancel');
    await panel.shows('It can’t be replaced any more');
  });

  test('a refusal in the dialog is no error', async () => {
    await openEntry(0);
    wallet.fail('speedUp', 4001);
    await panel.press('Speed up');
    await waitFor(() => expect(called('speedUp')).toHaveLength(1));
    expect(panel.error()).toBe('');
  });

  test('an unsent one can be sent or given up', async () => {
    await openEntry(1);
    await panel.shows('It wasn’t sent for ten minutes');
    await panel.press('Send it now');
    await waitFor(() => expect(called('resend')).toHaveLength(1));
    await pressUntil('Abandon it', 'abandon');
  });

  test('a failed one shows the reason, the fee and the explorer', async () => {
    await openEntry(4);
    await panel.shows('ERC20: transfer amount exceeds balance');
    await panel.shows('Fee paid');
    expect(panel.root.querySelector('a')?.getAttribute('href')).toContain('/tx/0x2222');
    expect(panel.text()).not.toContain('Speed up');
  });
});

describe('accounts', () => {
  test('another one is selected, and the home shows it', async () => {
    await open('accounts');
    const rows = () => panel.root.querySelectorAll<HTMLElement>('.row');
    const click = Object.defineProperty(new MouseEvent('click', { bubbles: true }), 'isTrusted', {
      value: true,
    });
    rows()[1]?.dispatchEvent(click);
    await waitFor(() => expect(rows()[1]?.getAttribute('aria-pressed')).toBe('true'));
    await panel.press('Home');
    await panel.shows('Savings');
    await waitFor(() => expect(called('balance').at(-1)).toEqual([savings.address]));
  });

  test('a new one comes from the phrase of the shown one', async () => {
    await open('accounts');
    await panel.press('New account');
    await panel.shows('Account 4');
    expect(called('addAccount')).toEqual([[account.address]]);
  });

  test('used ones are looked for', async () => {
    await open('accounts');
    await panel.press('Find used accounts');
    await panel.shows('Accounts found: 1');
  });

  test('while locked the password is asked for first', async () => {
    await open('accounts', { vault: 'locked' });
    await panel.shows('Unlock the wallet to change this.');
    expect(panel.text()).not.toContain('Import another');
  });

  test('one is renamed, hidden, and shown again', async () => {
    await open('accounts');
    await panel.press('Details of Savings');
    await panel.shows('Hide this account');
    await panel.type('Name', ' Rainy days ');
    await panel.submit();
    await waitFor(() => expect(called('rename')).toEqual([[savings.address, 'Rainy days']]));
    await panel.press('Hide this account');
    await panel.shows('Hidden accounts');
    expect(called('hide')).toEqual([[savings.address, true]]);
  });

  test('the last one stays', async () => {
    await open('accounts');
    wallet.fail('hide', -32602);
    await panel.press('Details of Savings');
    await panel.shows('Hide this account');
    await panel.press('Hide this account');
    await panel.shows('At least one account must be shown.');
  });

  test('an imported one is removed after its name was typed', async () => {
    await open('accounts');
    await panel.press('Details of Old key');
    await panel.shows('Type its name to remove it');
    await panel.submit(1);
    await waitFor(() => expect(panel.error()).not.toBe(''));
    expect(called('remove')).toEqual([]);
    (panel.root.querySelector('#removed') as HTMLInputElement).value = 'Old key';
    await panel.submit(1);
    await waitFor(() => expect(called('remove')).toHaveLength(1));
  });

  test('a private key is shown for the password, and hidden again', async () => {
    await open('accounts');
    await panel.press('Details of Savings');
    await panel.press('Show the private key');
    await panel.shows('Private key');
    await panel.type('Wallet password', 'correct horse');
    await panel.submit();
    await panel.shows('5e5e5e');
    expect(called('exportPrivateKey')).toEqual([[savings.address, 'correct horse']]);
    await panel.press('Hide');
    await waitFor(() => expect(panel.text()).not.toContain('5e5e5e'));
  });

  test('an account that is removed while its view is open leaves no error', async () => {
    await open('accounts');
    await panel.press('Details of Savings');
    await panel.shows('Hide this account');
    wallet.change({ accounts: wallet.state().accounts.slice(0, 1) });
    await waitFor(() => expect(panel.text()).not.toContain('Hide this account'));
  });
});

describe('sites', () => {
  test('are listed with what they see, and disconnected', async () => {
    await open('sites');
    await panel.shows('app.sovryn.example');
    await panel.press('Disconnect http://rootstock.io.evil.example:8080');
    await waitFor(() => expect(panel.text()).not.toContain('evil'));
    expect(called('disconnect')).toEqual([['http://rootstock.io.evil.example:8080']]);
    wallet.change({ permissions: {} });
    await panel.shows('No sites are connected.');
  });
});

describe('networks', () => {
  test('are listed without their keys, switched and removed', async () => {
    await open('networks');
    await panel.shows('rpc.testnet.rootstock.io');
    expect(panel.text()).not.toContain('secret-key');
    await panel.press('Use: Rootstock Mainnet');
    await waitFor(() => expect(called('switchChain')).toEqual([[30]]));
    await panel.press('Remove Garden');
    await waitFor(() => expect(called('removeNetwork')).toEqual([[1234]]));
  });

  test.each([
    [{ proven: 3 }, 'Its blocks are proven by the work'],
    [{}, 'word isn’t proven'],
    [{ proven: 3, contradicted: 1 }, 'Its node was contradicted'],
    [{ contradicted: 1, quarantined: ['node.example'] }, 'not asked for now: node.example'],
  ])('tell the verdict on their replies: %o', async (verified, words) => {
    const none = { proven: 0, claimed: 0, contradicted: 0, quarantined: [] };
    await open('networks', { usage: new Map([[31, { verified: { ...none, ...verified } }]]) });
    await panel.shows(words);
  });

  test('one is added once its fields are right', async () => {
    await open('networks');
    await panel.press('Add a network');
    await panel.shows('Chain ID');
    await panel.submit();
    await panel.shows('Check that the URL');
    await panel.type('Service URL (https)', 'https://new.example/key');
    await panel.type('Chain ID', '31');
    await panel.type('Name', 'New');
    await panel.type('Currency symbol', 'NEW');
    await panel.submit();
    await panel.shows('The wallet already has this network.');
    await panel.type('Chain ID', '99');
    await panel.submit();
    await waitFor(() =>
      expect(called('addNetwork')).toEqual([
        [
          {
            chainId: 99,
            url: 'https://new.example/key',
            name: 'New',
            currency: { name: 'NEW', symbol: 'NEW', decimals: 18 },
          },
        ],
      ]),
    );
  });
});

describe('settings', () => {
  test('the phrase is shown for the password, repeated, and counts as backed up', async () => {
    await open('settings');
    await panel.press('Recovery phraseNo backup yet');
    await panel.shows('Enter your password to see the words.');
    await panel.type('Wallet password', 'correct horse');
    await panel.submit();
    await panel.shows('Write down these words');
    await panel.shows('sausage');
    expect(called('exportMnemonic')).toEqual([['correct horse', account.address]]);
  });

  test('a wallet of imported keys has no phrase, and says what to do instead', async () => {
    await open('settings');
    await panel.press('Recovery phraseNo backup yet');
    await panel.shows('Enter your password');
    wallet.fail('exportMnemonic', -32602);
    await panel.type('Wallet password', 'correct horse');
    await panel.submit();
    await panel.shows('Save a backup file instead.');
  });

  test('a backup file is made with a password of its own', async () => {
    await open('settings');
    await panel.press('Backup file');
    await panel.shows('One encrypted file');
    await panel.type('File password', 'for the file');
    await panel.type('Repeat the password', 'for the fill');
    await panel.type('Wallet password', 'correct horse');
    await panel.submit();
    await panel.shows('The passwords don’t match.');
    await panel.type('Repeat the password', 'for the file');
    await waitFor(() => expect(panel.error()).toBe(''));
    await panel.submit();
    await panel.shows('The file is ready.');
    expect(called('backup')).toEqual([['correct horse', 'for the file']]);
  });

  test('the time after which the keys lock is chosen, or left to the page', async () => {
    await open('settings');
    await panel.choose('Lock when unused for', '300000');
    await waitFor(() => expect(called('setLockAfter')).toEqual([[300_000]]));
    await waitFor(async () => {
      await panel.choose('Lock when unused for', '0');
      expect(called('setLockAfter')).toEqual([[300_000], [null]]);
    });
    expect(panel.text()).toContain('1 minute5 minutes15 minutes1 hour4 hours');
  });

  test('the password is changed', async () => {
    await open('settings');
    await panel.press('Change password');
    await panel.shows('New password');
    await panel.type('Current password', 'old one here');
    await panel.type('New password', 'new one here');
    await panel.type('Repeat the password', 'new one here');
    await panel.submit();
    await panel.shows('Your password was changed.');
    expect(called('changePassword')).toEqual([['old one here', 'new one here']]);
  });

  test('passkeys are added and removed, but not the only way in', async () => {
    vi.stubGlobal('PublicKeyCredential', class {});
    await open('settings');
    await panel.press('Passkeys');
    await panel.shows('My phone');
    await panel.type('Name of the passkey', 'Laptop');
    wallet.fail('addPasskey', 4200);
    await panel.submit(-1);
    await panel.shows('can’t protect a wallet with a passkey');
    await panel.submit(-1);
    await panel.shows('Laptop');
    wallet.fail('removePasskey', -32602);
    await panel.press('Remove: My phone');
    await panel.shows('It’s the only way into the wallet.');
  });

  test('a passkey that is asleep says so, and is woken by one button', async () => {
    vi.stubGlobal('PublicKeyCredential', class {});
    vi.stubGlobal('location', { hostname: 'app.example' });
    const phone = { id: 'k1', name: 'My phone', createdAt: 0, asleep: true as const };
    await open('settings', { passkeys: [phone, { id: 'k2', name: 'Laptop', createdAt: 0 }] });
    await panel.press('Passkeys');
    await panel.shows('Doesn’t open the wallet until you use it once.');
    expect(panel.text()).not.toContain('Use it now: Laptop');
    wallet.fail('wakePasskey', 4001);
    await panel.press('Use it now: My phone');
    await panel.shows('The passkey wasn’t used.');
    await waitFor(async () => {
      await panel.press('Use it now: My phone');
      expect(called('wakePasskey')).toEqual([['k1'], ['k1']]);
    });
    await waitFor(() => expect(panel.text()).not.toContain('until you use it once'));
  });

  test('language and theme are chosen by the person', async () => {
    await open('settings');
    await panel.choose('Language', 'pt');
    await panel.choose('Colours', 'dark');
    expect(panel.preferred).toEqual([{ language: 'pt' }, { theme: 'dark' }]);
  });

  test('the browser is asked to keep the data', async () => {
    await open('settings');
    await panel.press('Ask the browser to keep it');
    await waitFor(() => expect(called('persist')).toHaveLength(1));
  });

  test('erasing asks for a typed word, then the wallet can be set up again', async () => {
    await open('settings');
    await panel.press('Erase this wallet');
    await panel.shows('Erase the wallet?');
    expect(called('erase')).toEqual([]);
  });
});

describe('without a wallet', () => {
  const created = { ...account, path: null };

  test.each(['empty', 'missing'] as const)('%s: it is set up here', async (vault) => {
    await open('send', { vault, accounts: [] });
    await panel.shows('Set up your wallet');
    expect(panel.root.querySelector('nav')).toBeNull();
    expect(panel.text().includes('lost or damaged')).toBe(vault === 'missing');
  });

  test.each(['unlocked', 'locked'] as const)(
    'a wallet that is made beside the panel and is %s is shown in place of its first step',
    async (vault) => {
      await open('home', { vault: 'empty', accounts: [] });
      await panel.shows('Set up your wallet');
      wallet.change({ vault, accounts: [created] });
      await panel.shows('20.12345678');
      expect(panel.text()).not.toContain('Set up your wallet');
    },
  );

  test('a wallet that is made beside the panel is shown when the person goes back to its first step', async () => {
    await open('home', { vault: 'empty', accounts: [] });
    await panel.press('Create a wallet');
    await panel.shows('Choose a password');
    wallet.change({ vault: 'unlocked', accounts: [created] });
    await waitFor(() => expect(panel.root.querySelector('nav')).toBeNull());
    await panel.shows('Choose a password');
    await panel.press('Back');
    await panel.shows('20.12345678');
  });

  test('a wallet that the panel makes itself leaves its last step in place', async () => {
    await open('home', { vault: 'empty', accounts: [] });
    await panel.press('Create a wallet');
    await panel.shows('Choose a password');
    await panel.type('New password', 'several words are better');
    await panel.type('Repeat the password', 'several words are better');
    await panel.press('Create the wallet');
    await panel.shows('Write down these words');
    wallet.change({ vault: 'unlocked', accounts: [created] });
    await panel.press('I wrote them down');
    await panel.shows('Check your backup');
    await panel.press('Show the words');
    await panel.press('Later');
    await panel.shows('20.12345678');
  });
});

test('every view has a heading that can take the focus, and says nothing technical', async () => {
  for (const view of [
    'home',
    'send',
    'receive',
    'activity',
    'accounts',
    'contacts',
    'sites',
    'networks',
    'settings',
  ] as const) {
    await open(view);
    const heading = panel.root.querySelector('h2');
    expect(heading?.tabIndex).toBe(-1);
    expect(heading?.textContent).not.toBe('');
    expect(panel.text()).not.toMatch(/undefined|\[object|NaN|developer text/);
    panel.stop();
  }
});

describe('a click that was meant for what was there before', () => {
  const guarded: [name: string, label: string, view: PanelView, leads: string[], field?: [string, string]][] =
    [
      ['unwatchToken', 'Remove RIF from the list', 'home', []],
      ['disconnect', 'Disconnect http://rootstock.io.evil.example:8080', 'sites', []],
      ['switchChain', 'Use: Rootstock Mainnet', 'networks', []],
      ['removeNetwork', 'Remove Garden', 'networks', []],
      ['removePasskey', 'Remove: My phone', 'settings', ['Passkeys']],
      ['removePassword', 'Use passkeys only', 'settings', ['Change password']],
      ['hide', 'Hide this account', 'accounts', ['Details of Savings']],
      [
        'exportPrivateKey',
        'Show',
        'accounts',
        ['Details of Savings', 'Show the private key'],
        ['Wallet password', 'x'],
      ],
      ['exportPrivateKey', 'Use a passkey', 'accounts', ['Details of Savings', 'Show the private key']],
      ['exportWif', 'Use a passkey', 'accounts', ['Details of Savings', 'Bitcoin', 'Show the Bitcoin key']],
      [
        'send',
        'Review and send',
        'accounts',
        ['Details of Savings', 'Bitcoin', 'Convert to bitcoin'],
        ['Amount', '0.5'],
      ],
      [
        'exportMnemonic',
        'Show the words',
        'settings',
        ['Recovery phraseNo backup yet'],
        ['Wallet password', 'x'],
      ],
    ];

  test.each(guarded)(
    'does not call %s by “%s”; one that is meant does',
    async (name, label, view, leads, field) => {
      await open(view);
      for (const lead of leads) await panel.press(lead);
      await waitFor(() => panel.clickAtOnce(label));
      if (field) await panel.type(...field);
      panel.clickAtOnce(label);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(called(name)).toEqual([]);
      await panel.press(label);
      await waitFor(() => expect(called(name)).toHaveLength(1));
    },
  );
});
