// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest';
import { headless } from '../../../../../packages/kit/src/testing/index.js';
import type { CallsQuestion, CallsStatusQuestion, Question } from '../../../../../src/approvals/question.js';
import { toQuantity } from '../../../../../src/rpc/hex.js';
import { dialog } from '../../../../../src/ui/index.js';
import { english } from '../../../../support/english.js';
import {
  account,
  payment,
  recipient,
  token,
  tokenTransfer,
  unlimitedApproval,
} from '../../../../support/questions.js';
import { frameOf, rendered, viewOf } from '../../../../support/render.js';
import { waitFor } from '../../../../support/wait-for.js';

const { id, origin, network, locked } = payment;
const base = { id, origin, network, locked, account };
const batch: CallsQuestion = {
  ...base,
  kind: 'calls',
  calls: [payment, unlimitedApproval, tokenTransfer],
  fee: '0x826299e00',
  total: '0x3782db1f7e6e200',
  balance: payment.balance,
  warnings: [
    { code: 'unlimited-approval', severity: 'danger', detail: '#2' },
    { code: 'simulation-unavailable', severity: 'caution', detail: '#3' },
  ],
};
const status: CallsStatusQuestion = {
  ...base,
  kind: 'calls-status',
  calls: (['succeeded', 'reverted', 'dropped', 'pending'] as const).map((state, i) => ({
    hash: `0x${`${i + 1}`.repeat(64)}`,
    to: i === 1 ? null : recipient,
    value: '0xde0b6b3a7640000',
    state,
  })),
  warnings: [],
};

const linesOf = (question: Question): readonly string[] => {
  const { body } = frameOf(question);
  return Array.from(body.querySelectorAll('h2, h3, summary, .lead, .hero, dl > div, .warnings li'), (part) =>
    Array.from(part.matches('div') ? part.children : [part], (piece) => piece.textContent).join(': '),
  ).filter((line) => line !== '');
};

describe('calls', () => {
  test('a batch starts with one line per call and the total cost', () => {
    const lines = linesOf(batch);
    const to = '0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd';
    expect(lines.slice(0, 2)).toEqual([
      'Send 3 transactions',
      'app.sovryn.example wants to send these one after another. Each is separate: if one fails, the others still go through.',
    ]);
    expect(lines.slice(2, 7)).toEqual([
      '#1 Send tRBTC: 0.25 tRBTC',
      '#2 Allow spending: Unlimited USDRIF',
      '#3 Send tokens: 1,234.5 RIF1,234,500,000,000,000,000,000 base units',
      expect.stringMatching(/^Maximum fee: 0\.0000\d+ tRBTC$/),
      expect.stringMatching(/^Maximum total: 0\.25\d+ tRBTC$/),
    ]);
    const parts = ['#1 Send tRBTC', '0.25 tRBTC', `To: ${to}`, '#2 Allow spending', 'Unlimited USDRIF'];
    for (const line of [...parts, `Spender: ${to}`, '#3 Send tokens', '1,234.5 RIF'])
      expect(lines).toContain(line);
    expect(lines.at(-1)).toMatch(/^Not tested.*#3$/);
  });

  test('each call is expanded with its own fee, below the danger, which names its call', () => {
    const lines = linesOf(batch);
    expect(lines.filter((line) => line.startsWith('Maximum fee'))).toHaveLength(4);
    const { body, dialog } = frameOf(batch);
    expect(dialog.querySelector('.dangers')?.textContent).toMatch(/^No limit.*#2$/);
    expect(body.querySelectorAll('.body > details[open]')).toHaveLength(3);
  });

  test('ids are unique and nothing is loaded', () => {
    const { dialog } = frameOf(batch);
    const ids = Array.from(dialog.querySelectorAll('[id]'), ({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
    expect(dialog.querySelectorAll('img, link, script, style, [style], [src], [href]')).toHaveLength(0);
  });

  test('text is never parsed as markup', () => {
    const symbol = '<img src=x>';
    const call = tokenTransfer.call as NonNullable<typeof tokenTransfer.call>;
    const hostile = { ...tokenTransfer, call: { ...call, token: { address: token, symbol, decimals: 0 } } };
    const view = viewOf({ ...batch, calls: [hostile as never] }, english);
    expect(rendered(view.subject, view.more ?? null).querySelector('img')).toBeNull();
  });
});

describe('calls with prices to choose from', () => {
  const gasOf = (question: CallsQuestion) =>
    question.calls.reduce((sum, { transaction }) => sum + BigInt(transaction.gas), 0n);
  const fee = (gasPrice: bigint) => ({
    gasPrice: toQuantity(gasPrice),
    fee: toQuantity(gasPrice * gasOf(batch)),
  });
  const priced: CallsQuestion = {
    ...batch,
    fee: fee(65_164_000n).fee,
    choices: {
      fees: { slow: fee(60_000_000n), normal: fee(65_164_000n), fast: fee(90_000_000n) },
      minimum: '0x3938700',
      maximum: '0x5f5e100',
    },
  };
  const choose = async (root: Element, label: string) => {
    const option = Array.from(root.querySelectorAll('label')).find((each) =>
      each.textContent?.startsWith(label),
    );
    const radio = option?.querySelector('input') as HTMLInputElement;
    radio.checked = true;
    radio.dispatchEvent(new Event('change', { bubbles: true }));
    await Promise.resolve();
  };

  test('one choice changes the cost of all of them, and is what is answered', async () => {
    const view = viewOf(priced, english);
    const { body } = frameOf(priced, english, view);
    const cost = () =>
      Array.from(body.querySelectorAll('dl > div'), ({ textContent }) => textContent).filter((text) =>
        /^Maximum (?:fee|total)/.test(text ?? ''),
      );
    // Of each call alone no cost is shown: it would be that of another price.
    expect(cost()).toEqual(['Maximum fee0.00000919 tRBTC', 'Maximum total0.25000919 tRBTC']);
    expect(view.answer?.()).toEqual({ approved: true });
    await choose(body, 'Fast');
    expect(cost()).toEqual(['Maximum fee0.00001269 tRBTC', 'Maximum total0.25001269 tRBTC']);
    expect(view.answer?.()).toEqual({ approved: true, gasPrice: '0x55d4a80' });
    expect(body.textContent).toContain('Gas price0.09 Gwei');
    expect(body.textContent).not.toContain('0.065164 Gwei');
  });
});

describe('calls-status', () => {
  test('each call is listed with its state', () => {
    const lines = linesOf(status);
    expect(lines.filter((line) => /^#/.test(line))).toEqual([
      '#1 Done',
      '#2 Failed',
      '#3 Not sent',
      '#4 Waiting',
    ]);
    expect(lines).toContain(`Transaction: 0x${'1'.repeat(64)}`);
    expect(lines).toContain('Amount: 1 tRBTC');
    expect(lines).toContain('To: New contract');
  });

  test('closing is the only action', async () => {
    const roots: ShadowRoot[] = [];
    const { attachShadow } = Element.prototype;
    Element.prototype.attachShadow = function (this: Element, init) {
      const root = attachShadow.call(this, init);
      roots.push(root);
      return root;
    };
    const abort = new AbortController();
    const session = { signal: abort.signal, unlock: async () => {} };
    const answered = dialog({ words: english }).ask(status, session);
    await waitFor(() => expect(roots[0]?.querySelector('button')).toBeTruthy());
    Element.prototype.attachShadow = attachShadow;
    const buttons = Array.from(roots[0]?.querySelectorAll('button') ?? [], (each) => each.textContent);
    expect(buttons).toEqual(['Close']);
    abort.abort();
    await answered;
    await waitFor(() => expect(document.querySelector('[data-graft]')).toBeNull());
  });
});

test('the headless approver answers both', async () => {
  const { signal } = new AbortController();
  for (const question of [batch, status])
    expect(await headless().ask(question, { signal, unlock: async () => {} })).toEqual({ approved: true });
});
