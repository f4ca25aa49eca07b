// @vitest-environment happy-dom
import { afterEach, describe, expect, test } from 'vitest';
import type { TransactionQuestion } from '../../../../../src/approvals/question.js';
import type { View } from '../../../../../src/ui/dialog/views/view.js';
import { render } from '../../../../../src/ui/h.js';
import { english } from '../../../../support/english.js';
import * as questions from '../../../../support/questions.js';
import { viewOf } from '../../../../support/render.js';

const fee = (gasPrice: bigint) => ({
  gasPrice: `0x${gasPrice.toString(16)}` as const,
  fee: `0x${(gasPrice * 21_000n).toString(16)}` as const,
});
const choices = {
  fees: { slow: fee(60_000_000n), normal: fee(65_164_000n), fast: fee(90_000_000n) },
  minimum: '0x3938700',
  maximum: '0x5f5e100',
} as const;
const withChoices: TransactionQuestion = {
  ...questions.payment,
  transaction: { ...questions.payment.transaction, gasPrice: choices.fees.normal.gasPrice },
  choices,
};

let root: HTMLElement;
afterEach(() => root?.remove());

function show(question: TransactionQuestion): View {
  const view = viewOf(question, english);
  root = document.createElement('div');
  document.body.append(root);
  render([view.title, view.lead, view.subject, view.more], root);
  return view;
}

/** Chooses the option with this label, or types into the field with this id. */
const choose = async (label: string) => {
  const option = Array.from(root.querySelectorAll('label')).find((each) =>
    each.textContent?.startsWith(label),
  );
  const radio = option?.querySelector('input') as HTMLInputElement;
  radio.checked = true;
  radio.dispatchEvent(new Event('change', { bubbles: true }));
  await Promise.resolve();
};
const type = async (id: string, text: string) => {
  const field = root.querySelector(`#${id}`) as HTMLInputElement;
  field.value = text;
  field.dispatchEvent(new Event('input', { bubbles: true }));
  await Promise.resolve();
};
const row = (term: string) =>
  Array.from(root.querySelectorAll('dl > div')).find((each) => each.firstChild?.textContent === term)
    ?.lastChild?.textContent;

describe('the fee', () => {
  test('without a change is that of the question, and the answer names no price', () => {
    const view = show(withChoices);
    expect(view.answer?.()).toEqual({ approved: true });
    expect([row('Maximum fee'), row('Maximum total')]).toEqual(['0.00000137 tRBTC', '0.25000137 tRBTC']);
  });

  test('can be slow, normal or fast, and what is shown is what is answered', async () => {
    const view = show(withChoices);
    await choose('Fast');
    expect(view.answer?.()).toEqual({ approved: true, gasPrice: '0x55d4a80' });
    expect([row('Maximum fee'), row('Maximum total')]).toEqual(['0.00000189 tRBTC', '0.25000189 tRBTC']);
    await choose('Normal');
    expect(view.answer?.()).toEqual({ approved: true });
  });

  test('can be another price within the bounds', async () => {
    const view = show(withChoices);
    await choose('Custom');
    await type('price', '0.07');
    expect(view.answer?.()).toEqual({ approved: true, gasPrice: '0x42c1d80' });
    for (const wrong of ['0.05', '0.2', 'much', '']) {
      await type('price', wrong);
      expect(view.answer?.(), wrong).toBeNull();
    }
    await choose('Slow');
    expect(view.answer?.()).toMatchObject({ gasPrice: '0x3938700' });
  });

  test('the fee of a page that named a price is offered as such', async () => {
    const view = show({
      ...withChoices,
      transaction: { ...withChoices.transaction, gasPrice: '0x4c4b400' },
    });
    expect(root.textContent).toContain('Suggested by the site');
    expect(view.answer?.()).toEqual({ approved: true });
    await choose('Normal');
    expect(view.answer?.()).toMatchObject({ gasPrice: choices.fees.normal.gasPrice });
  });
});

describe('an allowance', () => {
  const requested = questions.tokenCall(
    `0x095ea7b3${questions.word(questions.recipient)}${questions.word(5_000_000n)}`,
    { symbol: 'USDC', decimals: 6 },
  );
  const editable = { ...requested, choices: { ...choices, allowance: '5000000' } };

  test('can be lowered, and the amount in large type is the one that is answered', async () => {
    const view = show(editable);
    expect(root.querySelector('.hero')?.textContent).toBe('5 USDC');
    await type('limit', '1.5');
    expect(root.querySelector('.hero')?.textContent).toBe('1.5 USDC');
    expect(view.answer?.()).toMatchObject({ approved: true, allowance: '1500000' });
    await type('limit', '');
    expect(view.answer?.()).not.toHaveProperty('allowance');
    expect(root.querySelector('.hero')?.textContent).toBe('5 USDC');
  });

  test('cannot be raised, nor be what is no amount', async () => {
    const view = show(editable);
    for (const wrong of ['5.000001', 'all', '1,000', '0.0000001']) {
      await type('limit', wrong);
      expect(view.answer?.(), wrong).toBeNull();
    }
  });

  test('without a limit shows none of it in large type once it is lowered', async () => {
    const unlimited = {
      ...questions.unlimitedApproval,
      choices: { ...choices, allowance: `${2n ** 256n - 1n}` },
    };
    show(unlimited);
    expect(root.querySelector('.hero')?.textContent).toBe('Unlimited USDRIF');
    await type('limit', '10');
    expect(root.querySelector('.hero')?.textContent).toBe('10 USDRIF');
    expect(root.querySelector('.hero')?.hasAttribute('data-tone')).toBe(false);
  });
});

describe('the gas price', () => {
  test('the price of the choice is shown, once', async () => {
    show(withChoices);
    expect(row('Gas price')).toBe('0.065164 Gwei');
    await choose('Fast');
    expect(row('Gas price')).toBe('0.09 Gwei');
    expect(root.textContent).not.toContain('0.065164 Gwei');
  });
});

describe('a payment that the balance does not cover', () => {
  test('can only be closed, and says what is lacking', () => {
    const view = show({ ...withChoices, balance: '0x0', shortfall: questions.payment.total });
    expect(view).toMatchObject({ informs: true, confirm: 'Close' });
    expect(view.answer?.()).toEqual({ approved: false });
    expect(root.textContent).toContain(
      'This needs 0.25000137 tRBTC, but the account has 0 tRBTC. You’re 0.25000137 tRBTC short',
    );
    expect(root.querySelector('input')).toBeNull();
  });
});

describe('the recipient', () => {
  const { recipient } = questions;
  test.each([
    [{ name: 'alice.rsk' }, 'alice.rsk'],
    [{ known: 'PowPeg bridge' }, 'PowPeg bridge'],
  ])('is named: %j', (more, name) => {
    show({ ...questions.payment, recipient: { address: recipient, ...more } });
    expect(row('To')).toContain(name);
    expect(row('To')).toContain('0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd');
  });

  test('a recipient that resembles another one is shown with it, both in full', () => {
    show({ ...questions.payment, recipient: { address: recipient, resembles: questions.account.address } });
    expect(row('Don’t confuse with')).toContain('0x27B1FdB04752BbC536007a920D24acB045561C26');
  });

  test('the recipient of a token is named too', () => {
    show({ ...questions.tokenTransfer, recipient: { address: recipient, name: 'alice.rsk' } });
    expect(row('To')).toContain('alice.rsk');
  });
});

describe('a replacement', () => {
  test.each([
    ['speed-up', 'Send again with a higher fee'],
    ['cancel', 'Cancel a transaction'],
  ] as const)('%s', (replacement, title) => {
    show({ ...questions.payment, replacement });
    expect(root.textContent).toContain(title);
  });
});

test('a call that the page’s ABI describes shows its name and its arguments', () => {
  show({
    ...questions.payment,
    transaction: { ...questions.payment.transaction, data: '0x12345678' },
    described: {
      name: 'plant',
      contract: 'Garden',
      arguments: [{ name: 'kind', type: 'string', value: '<b>leaf</b>' }],
    },
  });
  expect(row('Contract')).toContain('Garden');
  expect(root.textContent).toContain('kind string');
  expect(root.textContent).toContain('<b>leaf</b>');
});

describe('a call that a file explains', () => {
  const explained = () => root.querySelector('.explained');
  const field = (label: string) =>
    Array.from(explained()?.querySelectorAll('.blocks > div') ?? []).find(
      (each) => each.querySelector('dt')?.textContent === label,
    )?.textContent;

  test('shows its purpose and who says so, and each value with what the wallet knows of it', () => {
    show(questions.explainedCall);
    expect(explained()?.querySelector('h3')?.textContent).toBe('Lock tokensAs Sovryn describes it');
    expect(field('Amount')).toMatch(/^Amount1\.5 USDC.*calls itself USDC/);
    expect(field('At most')).toMatch(/^At mostUnlimited “All”/);
    expect(field('Fee')).toBe('Fee0.00001 tRBTC');
    expect(field('For')).toMatch(/^ForAlice0x5aAe/);
    expect(field('Locked until')).toContain('2026');
    expect(field('Rate')).toBe('Ratevariable (2)');
    expect(field('Certificate')).toMatch(/^Certificate#77/);
    expect(field('Into')).toContain('iUSDC');
  });

  test('shows the arguments that it leaves out, and its hash among the details', () => {
    show(questions.explainedCall);
    expect(explained()?.querySelector('.fields')?.textContent).toBe('referral bytes0xc0ffee');
    expect(row('Hash of the description')).toContain('5a5a');
    root.remove();
    const { described } = questions.explainedCall;
    const all = { ...described, explained: { ...described?.explained, unexplained: [] } } as typeof described;
    show({ ...questions.explainedCall, described: all });
    expect(explained()?.textContent).not.toContain('Not explained');
  });

  test('shows markup as text', () => {
    const { described } = questions.explainedCall;
    const intent = '<img src=x onerror=alert(1)>';
    const marked = { ...described, explained: { ...described?.explained, intent } } as typeof described;
    show({ ...questions.explainedCall, described: marked });
    expect(explained()?.querySelector('img')).toBeNull();
    expect(explained()?.textContent).toContain(intent);
  });
});
