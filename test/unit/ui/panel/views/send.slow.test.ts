// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeWallet, fakeWallet } from '../../../../support/fake-wallet.js';
import { type ShownPanel, showPanel } from '../../../../support/panel.js';
import { account, recipient, token } from '../../../../support/questions.js';
import { waitFor } from '../../../../support/wait-for.js';

const checksummed = '0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd';
let wallet: FakeWallet;
let panel: ShownPanel;
const sent = () => wallet.calls.filter(([name]) => name === 'send').map(([, payment]) => payment);

beforeEach(async () => {
  wallet = fakeWallet();
  panel = await showPanel(wallet, 'send');
  await panel.shows('Balance: 20.12345678 tRBTC');
});
afterEach(() => panel.stop());

describe('sending coins', () => {
  test('coins for an address: the dialog asks, and the transaction is shown', async () => {
    await panel.type('To', checksummed);
    await panel.type('Amount', '0.25');
    await panel.shows('0.00000137 tRBTC');
    await panel.submit();
    await waitFor(() =>
      expect(sent()).toEqual([
        { from: account.address, to: recipient, value: '0x3782dace9d90000', gasPrice: '0x3e252e0' },
      ]),
    );
    await panel.shows('Hash');
  });

  test('coins for a name: it is shown with the address that it leads to', async () => {
    await panel.type('To', 'alice.rsk');
    await panel.shows('Looking up the name…');
    await panel.shows(checksummed);
    await panel.type('Amount', '1');
    await panel.shows('Fast');
    await panel.submit();
    await waitFor(() => expect(sent()).toMatchObject([{ to: 'alice.rsk', value: '0xde0b6b3a7640000' }]));
  });

  test.each([
    ['nobody.rsk', 'No one has this name.'],
    ['zero.rsk', 'This name has no address. Ask for the address itself.'],
    ['0x1234', 'This isn’t an address'],
    [checksummed.replace('5aAe', '5aae'), 'A letter or digit of this address is wrong. Copy it again.'],
    [account.address, 'You’re sending from this account.'],
  ])('%s: %s', async (to, text) => {
    await panel.type('To', to);
    await panel.shows(text);
    expect(sent()).toEqual([]);
  });

  test('a name that cannot be looked up is reported', async () => {
    wallet.fail('resolveName', -32002);
    await panel.type('To', 'alice.rsk');
    await panel.shows('The name couldn’t be looked up.');
  });

  test.each([
    ['0', 'Enter more than zero.'],
    ['1,234', '“1,234” could mean two amounts. Write 1234 or 1.234.'],
    ['1,234.5', 'Enter a number, such as 0.25, without thousands separators.'],
    ['0.0000000000000000001', 'Use at most 18 decimals.'],
    ['lots', 'Enter a number'],
    ['21', 'You have 20.12345678 tRBTC. With the fee, you need 0.87654458 tRBTC more'],
  ])('the amount %s: %s', async (amount, text) => {
    await panel.type('To', checksummed);
    await panel.type('Amount', amount);
    await panel.shows(text);
    await panel.submit();
    await waitFor(() => expect(panel.error()).not.toBe(''));
    expect(sent()).toEqual([]);
  });

  test('nothing at all is explained', async () => {
    await panel.submit();
    await panel.shows('Enter an address or a name.');
    await panel.shows('Enter an amount.');
  });

  test('the most leaves the fee', async () => {
    await panel.type('To', checksummed);
    await panel.shows('0.00000137 tRBTC');
    await panel.press('Max');
    const field = panel.root.querySelector('#amount-field') as HTMLInputElement;
    await waitFor(() => expect(field.value).toBe('20.123455420568345678'));
    expect(panel.error()).toBe('');
  });

  test('another speed has another price', async () => {
    await panel.type('To', checksummed);
    await panel.type('Amount', '1');
    await panel.shows('Fast');
    const fast = Array.from(panel.root.querySelectorAll('.choice')).find((each) =>
      each.textContent?.startsWith('Fast'),
    );
    fast?.querySelector('input')?.dispatchEvent(new Event('change', { bubbles: true }));
    await waitFor(() =>
      expect(panel.root.querySelectorAll<HTMLInputElement>('input[type=radio]')[2]?.checked).toBe(true),
    );
    await panel.submit();
    await waitFor(() => expect(sent()).toMatchObject([{ gasPrice: '0x55d4a80' }]));
  });

  test.each([
    [4001, 'Not sent.'],
    [-32003, 'The network refused it. Nothing was sent.'],
    [-32002, 'The network can’t be reached right now.'],
    [-32603, 'Something went wrong, and nothing was changed.'],
  ])('the wallet refuses with %i: %s', async (code, text) => {
    await panel.type('To', checksummed);
    await panel.type('Amount', '1');
    await panel.shows('Fast');
    wallet.fail('send', code);
    await panel.submit();
    await panel.shows(text);
    expect(panel.text()).not.toMatch(/developer text|-32|4001/);
  });
});

describe('sending a token', () => {
  test('a token that is not in the list has its amount in base units too', async () => {
    await panel.choose('Asset', recipient);
    await panel.shows('5,000,000,000,000,000,000 base units');
    await panel.type('Amount', '1.5');
    await panel.shows('1,500,000,000,000,000,000 base units');
    await panel.choose('Asset', token);
    await panel.shows('Balance: 1,234.5 RIF');
    expect(panel.text()).not.toContain('base units');
  });

  test('is a call of its transfer', async () => {
    await panel.choose('Asset', token);
    await panel.type('To', checksummed);
    await panel.type('Amount', '12.5');
    await panel.shows('Balance: 1,234.5 RIF');
    await panel.shows('Fast');
    await panel.submit();
    await waitFor(() =>
      expect(sent()).toMatchObject([
        {
          to: token,
          data: `0xa9059cbb${recipient.slice(2).padStart(64, '0')}${(125n * 10n ** 17n).toString(16).padStart(64, '0')}`,
        },
      ]),
    );
    expect(sent()[0]).not.toHaveProperty('value');
  });

  test('its fee is paid in coins, and what is lacking is named', async () => {
    wallet.change({ balance: 1n });
    await panel.choose('Asset', token);
    await panel.type('To', checksummed);
    await panel.type('Amount', '1');
    await panel.shows('The fee is paid in tRBTC: you need 0.00000137 tRBTC more.');
    await panel.submit();
    await waitFor(() => expect(panel.error()).not.toBe(''));
    expect(sent()).toEqual([]);
  });

  test('the most is all of it', async () => {
    await panel.choose('Asset', token);
    await panel.shows('Balance: 1,234.5 RIF');
    await panel.press('Max');
    const field = panel.root.querySelector('#amount-field') as HTMLInputElement;
    await waitFor(() => expect(field.value).toBe('1234.5'));
  });
});
