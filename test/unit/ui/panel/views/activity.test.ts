// @vitest-environment happy-dom
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ListedPayment, Received } from '../../../../../src/received/received.js';
import { checksumAddress } from '../../../../../src/rpc/address.js';
import type { Effect } from '../../../../../src/transactions/journal-entry.js';
import type { RecordedTransaction } from '../../../../../src/transactions/transactions.js';
import { shortAddress } from '../../../../../src/ui/pieces/address.js';
import { formatDate, formatDay } from '../../../../../src/ui/pieces/amounts.js';
import { loadWords } from '../../../../../src/ui/words/all-words.js';
import type { Words } from '../../../../../src/ui/words/words.js';
import { english } from '../../../../support/english.js';
import {
  type FakeWallet,
  fakeWallet,
  payment,
  received,
  toldTransactions,
  transactions,
} from '../../../../support/fake-wallet.js';
import { type ShownPanel, showPanel } from '../../../../support/panel.js';
import { recipient, savings } from '../../../../support/questions.js';
import { waitFor } from '../../../../support/wait-for.js';

const [sent] = transactions as [RecordedTransaction];
const rif = '0x19f64674d8a5b4e652319f5e239efd3bc969a1fe';
const usdrif = '0x8dbf326e12a9ff37ed6ddf75ada548c2640a6482';
const collection = '0x779ded0c9e1022225f8e0630b35a9b54be713737';
const unlisted = '0x1111111111111111111111111111111111111111';
const date = formatDate(sent.createdAt, english);
const spender = shortAddress(recipient, 31);

let wallet: FakeWallet;
let panel: ShownPanel;

async function open(holds: Partial<FakeWallet['holds']> = {}, words: Words = english) {
  wallet = fakeWallet({ transactions: [], ...holds });
  panel = await showPanel(wallet, 'activity', words);
}
const holding = (more: Partial<Received>): Pick<FakeWallet['holds'], 'received'> => ({
  received: { ...received, payments: [], changes: [], hasGap: false, ...more },
});
const did = (...effects: readonly Effect[]): Partial<FakeWallet['holds']> => ({
  transactions: [{ ...sent, data: '0x12345678', value: '0x0', effects }],
});
const called = (name: string) => wallet.calls.filter(([each]) => each === name).map(([, ...args]) => args);
const names = () =>
  Array.from(panel.root.querySelectorAll('.view > .cards .name'), ({ textContent }) => textContent);
const lines = () =>
  Array.from(panel.root.querySelectorAll('.view > .cards > li'), (line) =>
    Array.from(line.querySelectorAll('.name, small, .chip'), ({ textContent }) => textContent),
  );
const rows = () =>
  Array.from(panel.root.querySelectorAll('.rows > div'), (row) =>
    Array.from(row.children, ({ textContent }) => textContent),
  );
const pressLine = (text: string) =>
  waitFor(() => {
    const line = Array.from(panel.root.querySelectorAll<HTMLElement>('.row')).find((each) =>
      each.textContent?.includes(text),
    );
    if (!line) throw new Error(`No line has "${text}": ${panel.text()}`);
    line.dispatchEvent(
      Object.defineProperty(new MouseEvent('click', { bubbles: true }), 'isTrusted', { value: true }),
    );
  });

afterEach(() => {
  vi.useRealTimers();
  panel?.stop();
});

describe('the line of a transaction', () => {
  const allowed = { kind: 'allowed', token: rif, spender: recipient } as const;
  test.each<[string, readonly Effect[]]>([
    [
      'Paid 12 tRIF, received 0.0001 tRBTC',
      [
        { kind: 'paid', token: rif, amount: '0xa688906bd8b00000' },
        { kind: 'received', token: null, amount: '0x5af3107a4000' },
      ],
    ],
    [`Allowed ${spender} to spend up to 5 tRIF`, [{ ...allowed, amount: '0x4563918244f40000' }]],
    [
      `Allowed ${spender} to spend all your USDRIF`,
      [{ ...allowed, token: usdrif, amount: `0x8${'0'.repeat(63)}` }],
    ],
    [`Withdrew the right of ${spender} over tRIF`, [{ ...allowed, amount: '0x0' }]],
    [
      'Allowed Savings to move every item of PUNK',
      [{ ...allowed, token: collection, spender: savings.address, amount: 'all', isCollectible: true }],
    ],
    [
      'Allowed Savings to move an item of PUNK',
      [{ ...allowed, token: collection, spender: savings.address, amount: '0x1', isCollectible: true }],
    ],
    [
      'Withdrew a right over PUNK',
      [
        {
          ...{ ...allowed, token: collection, spender: `0x${'0'.repeat(40)}` },
          ...{ amount: '0x0', isCollectible: true },
        },
      ],
    ],
    ['Paid 3 items of PUNK', [{ kind: 'paid', token: collection, amount: '0x3', isCollectible: true }]],
    [
      'Received an unlisted token (0x1111…1111)',
      [{ kind: 'received', token: unlisted, amount: '0xa688906bd8b00000' }],
    ],
    [
      `Allowed ${spender} to spend an unlisted token (0x1111…1111)`,
      [{ ...allowed, token: unlisted, amount: `0x${'f'.repeat(64)}` }],
    ],
    [
      // A page had it watched under the symbol of another token.
      `Received an unlisted token (${spender})`,
      [{ kind: 'received', token: recipient, amount: '0xa688906bd8b00000' }],
    ],
  ])('says: %s', async (text, effects) => {
    await open(did(...effects));
    await waitFor(() => expect(names()).toEqual([text]));
  });

  test('begins with its value, and tells two effects at most', async () => {
    await open({
      transactions: [
        {
          ...sent,
          effects: [
            { kind: 'received', token: rif, amount: '0xa688906bd8b00000' },
            { kind: 'received', token: usdrif, amount: '0xa688906bd8b00000' },
          ],
        },
      ],
    });
    await waitFor(() => expect(names()).toEqual(['Paid 0.25 tRBTC, received 12 tRIF and more']));
  });

  test('names a new contract first', async () => {
    await open({
      transactions: [
        {
          ...sent,
          ...{ to: null, value: '0x0', created: recipient },
          effects: [{ kind: 'received', token: rif, amount: '0xa688906bd8b00000' }],
        },
      ],
    });
    await waitFor(() => expect(names()).toEqual(['Deployed a contract, received 12 tRIF']));
  });

  test('asks for the watched tokens only if a token is not a known one', async () => {
    await open(did({ kind: 'paid', token: rif, amount: '0x1' }));
    await waitFor(() => expect(names()).toHaveLength(1));
    expect(called('tokens')).toEqual([]);
  });

  test.each([
    ['es', 'Pagaste 12 tRIF, recibiste 0,0001 tRBTC'],
    ['pt', 'Pagou 12 tRIF, recebeu 0,0001 tRBTC'],
  ] as const)('is translated: %s', async (language, text) => {
    const effects = [
      { kind: 'paid', token: rif, amount: '0xa688906bd8b00000' },
      { kind: 'received', token: null, amount: '0x5af3107a4000' },
    ] as const;
    await open(did(...effects), await loadWords(language));
    await waitFor(() => expect(names()).toEqual([text]));
  });

  test('reads no member that a page has added to all objects', async () => {
    const right: Effect = { ...allowed, amount: '0xa688906bd8b00000' };
    Object.assign(Object.prototype, { isCollectible: true, imitates: 'X', doubt: 'nothing', tokenId: '0x1' });
    try {
      await open({
        transactions: [
          { ...sent, effects: [{ kind: 'paid', token: rif, amount: '0xa688906bd8b00000' }] },
          { ...sent, hash: `0x${'2'.repeat(64)}`, value: '0x0', effects: [right] },
        ],
        ...holding({ payments: [payment('d')] }),
      });
      await waitFor(() =>
        expect(names()).toEqual([
          'Received 0.5 tRBTC',
          `Allowed ${spender} to spend up to 12 tRIF`,
          'Paid 0.25 tRBTC, paid 12 tRIF',
        ]),
      );
    } finally {
      for (const name of ['isCollectible', 'imitates', 'doubt', 'tokenId'])
        Reflect.deleteProperty(Object.prototype, name);
    }
  });
});

describe('the details of a transaction', () => {
  test('have a row for each effect, and the spenders in full', async () => {
    await open({ transactions: toldTransactions });
    await pressLine('Paid 12 tRIF');
    await panel.shows('Hash');
    expect(rows().slice(0, 3)).toEqual([
      ['Paid', '12 tRIF'],
      ['Received', '0.001 tRBTC'],
      ['Right withdrawn', `tRIFSpender: ${spender}`],
    ]);
    expect(panel.text()).toContain(`Spender${checksumAddress(recipient, 31)}`);
  });

  test('have the address of a new contract, to copy', async () => {
    await open({ transactions: toldTransactions });
    await pressLine('Deployed a contract');
    await panel.shows(`New contract${checksumAddress(recipient, 31)}`);
    expect(panel.root.querySelector('[aria-label="Copy address"]')).not.toBeNull();
  });
});

describe('the list', () => {
  test('has what came in among what was sent, the newest first', async () => {
    await open({ transactions: toldTransactions, received });
    await panel.shows('PUNK');
    await waitFor(() =>
      expect(names()).toEqual([
        'Received 0.5 tRBTC',
        'Deployed a contract',
        `Allowed ${spender} to spend all your tRIF`,
        'Received an item of PUNK',
        'Paid 12 tRIF, received 0.001 tRBTC and more',
        '0.3 tRBTC left the account, not from this browser',
        'Sent 0.25 tRBTC',
        'Allowed spending',
        'Sent 0.25 tRBTC',
        'Deployed a contract',
        'Sent tokens',
        'Sent 0.25 tRBTC',
        'Received 12.5 tRIF',
        'Received 0.3 tRBTC',
      ]),
    );
    expect(panel.text()).not.toContain(english.noActivity);
  });

  test('has for a payment its sender, its time, and whether it may be undone', async () => {
    const at = sent.createdAt;
    const payments = [
      payment('a', { confirmations: 12, at: at + 1 }),
      payment('b', { confirmations: 11, at: at + 2 }),
      payment('c', { confirmations: 0, from: savings.address, at: at + 3 }),
    ];
    await open(holding({ payments }));
    await waitFor(() =>
      expect(lines()).toEqual([
        ['Received 0.5 tRBTC', `From Savings, about ${date}`, 'Arriving'],
        ['Received 0.5 tRBTC', `From ${spender}, about ${date}`, 'Arriving'],
        ['Received 0.5 tRBTC', `From ${spender}, about ${date}`, 'Received'],
      ]),
    );
  });

  test('leaves out a payment of an own transaction that tells it by its effects', async () => {
    const payments = [
      payment('1', { transaction: sent.hash, token: rif }),
      payment('1', { transaction: sent.hash, token: unlisted, doubt: 'unlisted' }),
    ];
    const effects: readonly Effect[] = [
      { kind: 'received', token: rif, amount: '0x6f05b59d3b20000' },
      { kind: 'received', token: unlisted, amount: '0x1' },
    ];
    await open({ ...did(...effects), ...holding({ payments }) });
    await panel.shows('Shows what came in since');
    expect(names()).toEqual([expect.stringMatching(/^Received 0\.5 tRIF, received an unlisted token/)]);
    expect(panel.root.querySelector('details')).toBeNull();
    wallet.change({ transactions: [sent] });
    await waitFor(() => expect(names()).toEqual(['Received 0.5 tRIF', 'Sent 0.25 tRBTC']));
  });

  test('has the coins that contracts paid in an own transaction in its line', async () => {
    const paid = payment('1', { account: sent.from, transaction: sent.hash, token: null });
    await open({
      ...did({ kind: 'paid', token: rif, amount: '0xa688906bd8b00000' }),
      ...holding({
        payments: [
          { ...paid, amount: '0x5af3107a4000' },
          { ...paid, from: unlisted, amount: '0x5af3107a4000' },
        ],
      }),
    });
    await waitFor(() => expect(names()).toEqual(['Paid 12 tRIF, received 0.0002 tRBTC']));
  });

  test('has changes without a payment, between two times', async () => {
    const { changes } = received;
    await open(holding({ changes }));
    const time = (milliseconds: number | undefined) => formatDate(milliseconds ?? 0, english);
    await waitFor(() =>
      expect(lines()).toEqual([
        [
          '0.3 tRBTC left the account, not from this browser',
          `Between ${time(changes[1]?.from)} and ${time(changes[1]?.to)}`,
          'Savings',
        ],
        [
          'Received 0.3 tRBTC',
          `Between ${time(changes[0]?.from)} and ${time(changes[0]?.to)}, by a contract or in a way that can’t be shown here`,
          'Main account',
        ],
      ]),
    );
  });

  test('shows 50 lines, whatever they are, and an older one that waits', async () => {
    const payments = Array.from({ length: 120 }, (_, index) =>
      payment('a', { logIndex: `0x${index.toString(16)}`, at: sent.createdAt + index }),
    );
    await open({ transactions: [{ ...sent, state: 'sent' }], ...holding({ payments }) });
    await waitFor(() => expect(names()).toHaveLength(51));
    await panel.press('Show older ones');
    await waitFor(() => expect(names()).toHaveLength(101));
    await panel.press('Show older ones');
    await waitFor(() => expect(names()).toHaveLength(121));
    expect(panel.text()).not.toContain('Show older ones');
  });
});

describe('a payment that came in', () => {
  const openPayment = async (more: Partial<ListedPayment>, text: string) => {
    await open(holding({ payments: [payment('d', more)] }));
    await pressLine(text);
    await panel.shows('Payment received');
    await panel.shows('Hash');
  };

  test('is shown with its parties, its block, and a link', async () => {
    await openPayment({ token: rif, confirmations: 3 }, 'Received 0.5 tRIF');
    expect(panel.text()).toContain('It has 3 of 12 confirmations.');
    expect(panel.text()).toContain(checksumAddress(recipient, 31));
    expect(panel.text()).toContain('Main account');
    expect(panel.text()).toContain(`TokentRIF${checksumAddress(rif, 31)}`);
    expect(rows()).toEqual([
      ['Amount', '0.5 tRIF'],
      ['When', `About ${date}`],
      ['Block', '100000000'],
      ['Hash', '0xdddd…dddd'],
    ]);
    expect(panel.root.querySelector('a')?.href).toContain(`/tx/0x${'d'.repeat(64)}`);
    expect(panel.text()).toContain('Copy');
  });

  test('is an item of a collection, with its number', async () => {
    await openPayment({ token: collection, amount: '0x1', tokenId: '0x4d' }, 'Received an item of PUNK');
    await waitFor(() => expect(rows()[0]).toEqual(['Amount', 'an item of PUNK #77']));
  });

  test('is not taken for one on another network', async () => {
    await openPayment({}, 'Received 0.5 tRBTC');
    wallet.change({ chainId: 30 });
    await waitFor(() => expect(panel.text()).not.toContain('Hash'));
    expect(panel.text()).not.toContain('0.5');
  });

  test('has no link and no button to copy once there is a doubt', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await openPayment({}, 'Received 0.5 tRBTC');
    expect(panel.root.querySelectorAll('a')).toHaveLength(1);
    vi.setSystemTime(Date.now() + 300_000);
    wallet.change(holding({ payments: [payment('d', { doubt: 'look-alike' })] }));
    await panel.shows('Its sender looks like an address you paid, but it’s a different one.');
    expect(panel.root.querySelectorAll('a')).toHaveLength(0);
    expect(panel.text()).not.toContain('Copy');
  });
});

describe('payments that may be meant to deceive', () => {
  const doubtful = () =>
    Array.from(panel.root.querySelectorAll('details li'), (line) =>
      Array.from(line.querySelectorAll('.name, small, p'), ({ textContent }) => textContent),
    );

  test('are collapsed at the end, with a reason each, and nothing to press', async () => {
    await open({ received });
    await panel.shows('Payments that may be meant to deceive: 3');
    expect(panel.root.querySelector('details')?.open).toBe(false);
    expect(panel.text()).toContain('Don’t copy their addresses, and don’t visit their websites.');
    const from = (address: string) => `From ${address}, about ${date}`;
    expect(doubtful()).toEqual([
      [
        'Received 0.000000000000000001 tRBTC',
        from(shortAddress('0x5aae00000000000000000000000000000000eaed', 31)),
        'Its sender looks like an address you paid, but it’s a different one.',
      ],
      ['Received 0 tRIF', from(spender), 'It paid nothing. It only puts its sender in your list.'],
      ['Received an unlisted token (0x1111…1111)', from(spender), 'Anyone can make a token, with any name.'],
    ]);
    expect(panel.root.querySelectorAll('details :is(a, button, [title])')).toHaveLength(0);
  });

  test('are drawn 50 at a time, however many there are', async () => {
    const payments = Array.from({ length: 1000 }, (_, index) =>
      payment('a', { token: unlisted, doubt: 'unlisted', logIndex: `0x${index.toString(16)}` }),
    );
    await open(holding({ payments }));
    await panel.shows('Payments that may be meant to deceive: 1,000');
    expect(panel.root.querySelectorAll('*').length).toBeLessThan(1_000);
    expect(doubtful()).toHaveLength(50);
    await panel.press('Show older ones');
    await waitFor(() => expect(doubtful()).toHaveLength(100));
    expect(called('tokens')).toEqual([]);
    expect(names()).toEqual([]);
  });
});

describe('the reading', () => {
  const since = `Shows what came in since ${formatDay(received.since?.at ?? 0, english)}.`;

  test('starts when the view opens, for all accounts, and shows own transactions meanwhile', async () => {
    wallet = fakeWallet({ transactions });
    let end = (_: Received): void => undefined;
    Object.assign(wallet, { received: () => new Promise<Received>((resolve) => (end = resolve)) });
    panel = await showPanel(wallet, 'activity');
    await panel.shows('Reading what came in…');
    expect(names()).toHaveLength(transactions.length);
    end(received);
    await panel.shows('Received 12.5 tRIF');
    expect(panel.text()).not.toContain('Reading what came in…');
  });

  test('waits for the list: what was signed here is shown before the chain is read', async () => {
    wallet = fakeWallet({ transactions, received });
    panel = await showPanel(wallet, 'home');
    const { received: read, transactions: list } = wallet;
    const steps: string[] = [];
    let end = (): void => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    Object.assign(wallet, {
      async transactions(...args: Parameters<typeof list>) {
        steps.push('list');
        await held;
        return list(...args);
      },
      received(...args: Parameters<typeof read>) {
        steps.push(`reading beside ${names().length} lines`);
        return read(...args);
      },
    });
    await panel.press('Activity');
    await waitFor(() => expect(steps).toContain('list'));
    await panel.shows(english.loading);
    end();
    await panel.shows('Received 12.5 tRIF');
    expect(steps).toEqual(['list', `reading beside ${transactions.length} lines`]);
  });

  test('says from when on it knows, and goes further back', async () => {
    await open(holding({}));
    await panel.shows(since);
    expect(called('received')).toEqual([[{ further: false }]]);
    await panel.press('Look further back');
    await waitFor(() => expect(called('received')).toEqual([[{ further: false }], [{ further: true }]]));
    wallet.change(holding({ since: { blockNumber: '0x1', at: 0 } }));
    await panel.press('Look further back');
    await waitFor(() => expect(panel.text()).not.toContain('Look further back'));
  });

  test('says that blocks between visits are missing, and reads them', async () => {
    await open(holding({ hasGap: true }));
    await panel.shows('Blocks between two visits aren’t read yet.');
    expect(panel.text()).not.toContain('Look further back');
    wallet.change(holding({}));
    await panel.press('Read them');
    await panel.shows('Look further back');
    expect(panel.text()).not.toContain('Blocks between two visits');
    expect(called('received').at(-1)).toEqual([{ further: true }]);
  });

  test('says that it failed, keeps what was sent, and tries again', async () => {
    wallet = fakeWallet({ transactions, received });
    wallet.fail('received', -32005);
    panel = await showPanel(wallet, 'activity');
    await panel.shows('Check your connection and try again.');
    expect(names()).toHaveLength(transactions.length);
    expect(panel.text()).not.toContain('developer text');
    await panel.press('Try again');
    await panel.shows('Received 12.5 tRIF');
    expect(panel.error()).toBe('');
    wallet.fail('received', -32002);
    await panel.press('Read them');
    await waitFor(() => expect(panel.error()).toContain('Check your connection'));
    expect(panel.text()).toContain('Received 12.5 tRIF');
    expect(panel.text()).not.toContain('Try again');
    await panel.press('Read them');
    await waitFor(() => expect(panel.error()).toBe(''));
    expect(called('received').map(([options]) => options)).toEqual(
      [false, false, true, true].map((further) => ({ further })),
    );
  });

  test('is repeated after five minutes, and not for a view that opens again at once', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await open(holding({ payments: [payment('d')] }));
    await pressLine('Received 0.5 tRBTC');
    await panel.shows('Payment received');
    await panel.press('Back');
    await panel.shows('Received 0.5 tRBTC');
    expect(called('received')).toHaveLength(1);
    vi.setSystemTime(Date.now() + 299_000);
    wallet.change({});
    await panel.press('Activity');
    await panel.shows('Received 0.5 tRBTC');
    expect(called('received')).toHaveLength(1);
    vi.setSystemTime(Date.now() + 2_000);
    wallet.change({});
    await waitFor(() => expect(called('received')).toHaveLength(2));
    await panel.press('Home');
    await panel.shows('Tokens');
    vi.setSystemTime(Date.now() + 31_000);
    await panel.press('Activity');
    await waitFor(() => expect(called('received')).toHaveLength(3));
  });

  test('is done for each network, and forgets that of another one', async () => {
    await open(holding({ payments: [payment('d')] }));
    await panel.shows('Received 0.5 tRBTC');
    wallet.change({ chainId: 30, ...holding({}) });
    await waitFor(() => expect(called('received')).toHaveLength(2));
    await waitFor(() => expect(names()).toEqual([]));
  });
});

test('the texts say the same in other languages', async () => {
  for (const language of ['es', 'pt'] as const) {
    const words = await loadWords(language);
    await open({ transactions: toldTransactions, received }, words);
    for (const text of [words.unreadBlocks, words.readBlocks, words.doubts['look-alike'], words.activityNote])
      await panel.shows(text);
    await panel.shows(words.arriving);
    expect(panel.text()).not.toMatch(/Received|Blocks|Anyone|\{\w+\}/);
    panel.stop();
  }
});
