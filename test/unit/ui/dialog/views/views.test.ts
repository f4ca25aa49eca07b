// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest';
import type { Question } from '../../../../../src/approvals/question.js';
import { h } from '../../../../../src/ui/h.js';
import { english } from '../../../../support/english.js';
import * as questions from '../../../../support/questions.js';
import { rendered, viewOf } from '../../../../support/render.js';

/** The visible text, one line for each row, box, heading or paragraph. */
function read(question: Question): readonly string[] {
  const view = viewOf(question, english);
  const root = rendered(h('h2', {}, view.title), h('p', {}, view.lead), view.subject, view.more ?? null);
  const lines = Array.from(
    root.querySelectorAll('h2, h3, p, summary, dl > div, blockquote, .box, .choice'),
    (part) =>
      Array.from(
        part.children.length > 0 && part.matches('div') ? part.children : [part],
        (piece) => piece.textContent,
      ).join(': '),
  );
  return [...lines.filter((line) => line !== ''), `[${view.confirm}]`];
}

const payment = questions.payment.transaction;
const withCall = (data: `0x${string}`, label = {}) => read(questions.tokenCall(data, label));
const to = '0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd';

describe('transaction', () => {
  test('a payment shows amount, accounts, fee and total', () => {
    expect(read(questions.payment)).toEqual([
      'Send tRBTC',
      '0.25 tRBTC',
      'From: Main account0x27B1…1C26',
      `To: ${to}`,
      'Network: Rootstock Testnet',
      'Maximum fee: 0.00000137 tRBTC',
      'Maximum total: 0.25000137 tRBTC',
      'Details',
      'Balance: 20 tRBTCaccording to rpc.testnet.rootstock.io',
      'Nonce: Chosen when you confirm (next: 42)',
      'Gas limit: 21,000',
      'Gas price: 0.065164 Gwei',
      '[Send]',
    ]);
  });

  test('addresses have the checksum of the network (EIP-1191)', () => {
    const there = { ...questions.payment, network: questions.mainnet };
    expect(read(there)).toContain('To: 0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD');
  });

  test('a recipient that is an own account is labelled', () => {
    expect(read({ ...questions.payment, ownRecipient: true })).toContain(`To: Your own account${to}`);
  });

  test('signing without sending has its own lead and button', () => {
    const lines = read({ ...questions.payment, action: 'sign' });
    expect(lines).toContain('This is signed but not sent. app.sovryn.example can send it at any time.');
    expect(lines.at(-1)).toBe('[Sign]');
  });

  test('a deployment names a new contract as the recipient', () => {
    const lines = read({
      ...questions.payment,
      transaction: { ...payment, to: null, value: '0x0', data: '0x6001' },
    });
    expect(lines.slice(0, 3)).toEqual([
      'Deploy a contract',
      'From: Main account0x27B1…1C26',
      'To: New contract',
    ]);
    expect(lines).toContain('Data: 2 bytes');
    expect(lines).toContain('0x6001');
  });

  test('an undecoded call shows its selector and data', () => {
    const lines = read({ ...questions.payment, transaction: { ...payment, data: '0x1234567800' } });
    expect(lines.slice(0, 4)).toEqual([
      'Use a contract',
      '0.25 tRBTC',
      'From: Main account0x27B1…1C26',
      `Contract: ${to}`,
    ]);
    expect(lines).toContain('Method: 0x12345678');
    expect(lines).toContain('0x1234567800');
  });

  const word = questions.word;
  const own = word(questions.account.address);
  const other = word(questions.recipient);
  test.each<[string, `0x${string}`, object, string[]]>([
    [
      'transfer',
      `0xa9059cbb${other}${word(1234500n)}`,
      { symbol: 'USDT', decimals: 6 },
      ['Send tokens', '1.2345 USDT', `To: ${to}`, '[Send]'],
    ],
    [
      'transfer of an unknown token',
      `0xa9059cbb${other}${word(1234500n)}`,
      {},
      ['1,234,500 base units', '[Send]'],
    ],
    [
      'transferFrom',
      `0x23b872dd${own}${other}${word(5n)}`,
      { decimals: 0 },
      ['Move tokens', '5', 'Owner: 0x27B1FdB04752BbC536007a920D24acB045561C26', '[Send]'],
    ],
    [
      'approve',
      `0x095ea7b3${other}${word(5n)}`,
      { symbol: 'DOC', decimals: 1 },
      ['Allow spending', '0.5 DOC', `Spender: ${to}`, '[Confirm]'],
    ],
    [
      'approve of nothing',
      `0x095ea7b3${other}${word(0n)}`,
      {},
      ['With a limit of zero, the spender can’t take any more.'],
    ],
    [
      'approve without end',
      `0x095ea7b3${other}${'f'.repeat(64)}`,
      { symbol: 'DOC', decimals: 18 },
      ['Unlimited DOC'],
    ],
    [
      'increaseAllowance',
      `0x39509351${other}${word(5n)}`,
      {},
      ['Raise a spending limit', '5 base units', '[Confirm]'],
    ],
    ['decreaseAllowance', `0xa457c2d7${other}${word(5n)}`, {}, ['Lower a spending limit', '[Confirm]']],
    [
      'setApprovalForAll',
      `0xa22cb465${other}${word(1n)}`,
      {},
      ['Allow access to a whole collection', 'All tokens', `Operator: ${to}`],
    ],
    ['its withdrawal', `0xa22cb465${other}${word(0n)}`, {}, ['Withdraw access to a collection']],
    [
      'safeTransferFrom',
      `0x42842e0e${own}${other}${word(77n)}`,
      { symbol: 'PUNK' },
      ['Send a collectible', '#77 PUNK', `To: ${to}`],
    ],
    [
      'safeTransferFrom of several',
      `0xf242432a${own}${other}${word(77n)}${word(3n)}${word(160n)}${word(0n)}`,
      {},
      ['3 × #77'],
    ],
  ])('call (%s)', (_, data, label, expected) => {
    expect(withCall(data, label)).toEqual(expect.arrayContaining(expected));
  });

  test('symbol and decimals are labelled as the contract’s claim, unless the wallet knows the token', () => {
    const { call } = questions.tokenTransfer;
    const token = (more: object) =>
      read({
        ...questions.tokenTransfer,
        call: call && ({ ...call, token: { ...call.token, ...more } } as typeof call),
      });
    expect(token({})).toContainEqual(
      expect.stringMatching(
        /^Token: 0x779d.*The contract calls itself RIF\. It says its amounts have 18 decimals\.$/i,
      ),
    );
    expect(token({ known: true })).toContainEqual(
      expect.stringMatching(/^Token: 0x779d.*RIF, a token this wallet knows\.$/i),
    );
  });

  test.each<[string, bigint, { decimals?: number; known?: true }, string | null]>([
    [
      'more decimals than tokens have',
      10n ** 30n,
      { decimals: 36 },
      '1,000,000,000,000,000,000,000,000,000,000',
    ],
    ['an amount that reads as nothing', 10n ** 12n, { decimals: 18 }, '1,000,000,000,000'],
    ['an amount of a token that is not in the list', 1_234_500n, { decimals: 6 }, '1,234,500'],
    ['a token without decimals of its own', 7n, {}, null],
    ['a token that the wallet knows', 1n, { decimals: 18, known: true }, null],
  ])('%s: the base units stand beside the amount', (_, amount, label, units) => {
    const line = `Exact amount: ${units} base units`;
    for (const selector of ['a9059cbb', '39509351', 'a457c2d7']) {
      const lines = withCall(`0x${selector}${other}${word(amount)}`, label);
      if (units === null) expect(lines.join()).not.toContain('Exact amount');
      else if (selector !== '39509351' || amount < 2n ** 96n) expect(lines).toContain(line);
    }
  });

  test('an unlimited allowance also shows its base units, unless it is the greatest uint256', () => {
    const lines = withCall(`0x095ea7b3${other}${word(2n ** 96n - 1n)}`, { symbol: 'DOC', decimals: 18 });
    expect(lines).toEqual(
      expect.arrayContaining([
        'Unlimited DOC',
        'Exact amount: 79,228,162,514,264,337,593,543,950,335 base units',
      ]),
    );
    expect(withCall(`0x095ea7b3${other}${'f'.repeat(64)}`).join()).not.toContain('Exact amount');
  });

  test('a long symbol is truncated', () => {
    const lines = withCall(`0xa9059cbb${other}${word(5n)}`, { symbol: 'A'.repeat(5000), decimals: 0 });
    expect(lines[1]).toBe(`5 ${'A'.repeat(23)}…`);
  });

  test('value sent with a token call is shown', () => {
    const call = questions.tokenTransfer;
    const lines = read({ ...call, transaction: { ...call.transaction, value: '0xde0b6b3a7640000' } });
    expect(lines).toContain('Also sends: 1 tRBTC');
    expect(read(call).join()).not.toContain('Also sends');
  });
});

describe('message', () => {
  test('a message shows its text and the account', () => {
    expect(read(questions.greeting)).toEqual([
      'Sign a message',
      'app.sovryn.example asks you to sign this text. Signing doesn’t move anything by itself.',
      'Welcome to Sovryn!\n\nSign this message to accept the terms of service.\n\nNonce: 8f1c2a',
      'Account: Main account0x27B1…1C26',
      '[Sign]',
    ]);
  });

  test('bytes that are not text are shown as hex (message-010)', () => {
    const lines = read({ ...questions.greeting, text: null, bytes: `0x${'ab'.repeat(32)}` });
    expect(lines[1]).toContain('aren’t text');
    expect(lines[2]).toBe(`0x${'ab'.repeat(32)}`);
  });

  test('a sign-in shows all of its fields', () => {
    const lines = read(questions.signIn);
    for (const shown of [
      'Sign in',
      'This proves to app.sovryn.example that the account is yours.',
      'Sign in to the trading app.',
      'Site: https://app.sovryn.example',
      'Address: https://app.sovryn.example/login',
      'Chain ID: 31',
      'Nonce: 32891756',
      'Issued: 2026-11-02T16:25:24Z',
      'Valid until: 2026-11-03T16:25:24Z',
      'Resources: https://app.sovryn.example/terms',
      '[Sign in]',
    ])
      expect(lines).toContain(shown);
  });
});

describe('typed-data', () => {
  test('typed data shows application, network and every field', () => {
    expect(read(questions.typedData)).toEqual(
      expect.arrayContaining([
        'Sign data',
        'For: Ether Mail · 1',
        'Network: Rootstock Testnet',
        'Mail',
        'from.name string: Cow',
        `to[0].wallet address: ${to}`,
        '[Sign]',
      ]),
    );
  });

  test('a missing domain is stated', () => {
    const lines = read({ ...questions.typedData, version: 'V1', domain: {} });
    expect(lines).toEqual(expect.arrayContaining(['For: No application named', 'Network: –']));
  });

  test('a domain of another chain shows its chain id', () => {
    expect(read({ ...questions.typedData, domain: { chainId: '1' } })).toContain('Network: 1');
  });

  test('a permit shows spender, amount, token and deadline', () => {
    const lines = read(questions.permit);
    expect(lines.slice(0, 5)).toEqual([
      'Allow spending',
      'With this signature, the spender can take this much of your tokens without asking again.',
      'Unlimited',
      `Spender: ${to}`,
      expect.stringMatching(/^Token: 0x779/),
    ]);
    expect(lines).toContainEqual(expect.stringMatching(/^Signature valid until: .*2026/));
  });

  test('a permit can have an amount and neither token nor deadline', () => {
    const permit = {
      spender: questions.recipient,
      token: null,
      amount: '5000',
      units: '5000',
      deadline: null,
    } as const;
    const lines = read({ ...questions.permit, permit });
    // An allowance of Permit2 ends itself.
    expect(read({ ...questions.permit, permit, primaryType: 'PermitSingle' })).toContain(
      'Valid until: No expiry',
    );
    expect(lines).toEqual(expect.arrayContaining(['5,000 base units', 'Signature valid until: No expiry']));
  });
});

describe('other questions', () => {
  test('each shows its values and its confirm button', () => {
    expect(read(questions.connect).at(-1)).toBe('[Connect]');
    expect(read(questions.switchChain)).toEqual(
      expect.arrayContaining(['Now: Rootstock Testnet', 'Then: Rootstock', '[Switch]']),
    );
    expect(read(questions.addChain)).toEqual(
      expect.arrayContaining([
        'Rootstock Regtest',
        'Chain ID: 33',
        'Served by: localhost:4444',
        '[Add network]',
      ]),
    );
    expect(read(questions.watchAsset)).toEqual(
      expect.arrayContaining(['USDRIF', 'Decimals: 18', '[Add token]']),
    );
    expect(read(questions.unlock)).toEqual([
      'Unlock your wallet',
      'Your keys stay on this device.',
      '[Unlock]',
    ]);
  });

  test('no view loads anything', () => {
    for (const question of Object.values(questions.examples)) {
      const { title, lead, subject, more = null } = viewOf(question, english);
      expect(
        rendered(title, lead, subject, more).querySelectorAll(
          'img, link, script, style, [style], [src], [href]',
        ).length,
      ).toBe(0);
    }
  });

  test('connect shares the ticked accounts, at least one', () => {
    const view = viewOf(questions.connect, english);
    const ticks = rendered(view.subject).querySelectorAll('input');
    expect(view.answer?.()).toEqual({ approved: true, accounts: [questions.account.address] });
    for (const tick of ticks) tick.checked = true;
    expect(view.answer?.()).toMatchObject({ accounts: { length: 2 } });
    for (const tick of ticks) tick.checked = false;
    expect(view.answer?.()).toBeNull();
  });
});

describe('a payment that another wallet makes', () => {
  test('shows its code, its recipient and the account', () => {
    const view = viewOf(questions.payElsewhere, english);
    expect(rendered(view.subject).querySelector('[role=img]')?.getAttribute('aria-label')).toBe(
      'Scan this code with the wallet that has its key.',
    );
    expect(rendered(view.subject).textContent).toContain('Cold wallet');
    expect(rendered(view.subject).textContent).toContain('Alice');
    expect(view.answer?.()).toEqual({ approved: false });
  });

  test('has no code for what it cannot show', () => {
    const { uri: _uri, ...question } = questions.payElsewhere;
    const { subject } = viewOf(question, english);
    expect(rendered(subject).querySelector('[role=img]')).toBeNull();
    expect(rendered(subject).textContent).toContain('A code can’t show this call.');
  });

  test('is in base units for a token without decimals, and shows an address that it may be mistaken for', () => {
    const address = questions.token;
    const { subject } = viewOf(
      {
        ...questions.payElsewhere,
        token: { address },
        recipient: {
          address: questions.recipient,
          resembles: questions.savings.address,
          resembledContact: 'Bob',
        },
      },
      english,
    );
    expect(rendered(subject).querySelector('.hero')?.textContent).toBe('250,000,000,000,000,000 base units');
    expect(rendered(subject).textContent).toContain('Don’t confuse withBob');
  });
});

test('a payment to a contact has the person’s own name first, and about how much it is', () => {
  const text = rendered(viewOf(questions.contactPayment, english).subject).textContent;
  expect(text).toContain('Alice (alice.rsk)');
  expect(text).toContain('About 24,691.36 USD');
});

test('an account to look at is marked where accounts are shared, and not chosen', () => {
  const view = viewOf(questions.connectWatchOnly, english);
  const [, watched] = Array.from(rendered(view.subject).querySelectorAll('.choice'));
  expect(watched?.textContent).toContain('Only to look at');
  expect(view.answer?.()).toEqual({ approved: true, accounts: [questions.account.address] });
});

describe('connect with a sign-in', () => {
  const question = questions.connectAndSignIn;
  /** Text of the view. Preact redraws it in a later task. */
  const open = () => {
    const view = viewOf(question, english);
    const root = rendered(view.subject, view.more ?? null);
    const [main, savings, watched] = root.querySelectorAll('input') as unknown as HTMLInputElement[];
    const tick = async (input: HTMLInputElement | undefined, checked: boolean) => {
      if (input) input.checked = checked;
      input?.dispatchEvent(new Event('change', { bubbles: true }));
      await new Promise((resolve) => setTimeout(resolve));
    };
    const shown = () => ({
      signer: root.querySelector('.blocks .own .name')?.textContent ?? null,
      text: root.querySelector('.box')?.textContent ?? null,
      answer: view.answer?.(),
    });
    return { main, savings, watched, tick, shown };
  };

  test('all fields of the sign-in are shown, with the accounts', () => {
    const lines = read(question);
    for (const shown of [
      'Connect and sign in',
      'This proves to app.sovryn.example that the account is yours.',
      'Sign in to the trading app.',
      'Sign in: Main account0x27B1…1C26',
      'Site: https://app.sovryn.example',
      'Address: https://app.sovryn.example',
      'Chain ID: 31',
      'Nonce: 32891756',
      'Issued: 2026-11-02T16:25:24Z',
      'The exact message',
      '[Sign in]',
    ])
      expect(lines).toContain(shown);
  });

  test('the exact message is that of the first ticked account with a key; without one there is no answer', async () => {
    const { main, savings, watched, tick, shown } = open();
    const [first, second] = question.signIn?.messages ?? [];
    const { account, savings: other } = questions;
    const looked = question.accounts[2]?.address;
    expect(shown()).toEqual({
      ...{ signer: account.label, text: first?.text },
      answer: { approved: true, accounts: [account.address] },
    });
    await tick(savings, true);
    expect(shown()).toMatchObject({ signer: account.label, text: first?.text });
    await tick(watched, true);
    await tick(main, false);
    expect(shown()).toEqual({
      ...{ signer: other.label, text: second?.text },
      answer: { approved: true, accounts: [other.address, looked] },
    });
    await tick(savings, false);
    expect(shown()).toEqual({ signer: null, text: null, answer: null });
    await tick(main, true);
    expect(shown()).toEqual({
      ...{ signer: account.label, text: first?.text },
      answer: { approved: true, accounts: [account.address, looked] },
    });
  });
});
