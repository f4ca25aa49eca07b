// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PermissionQuestion, RequestedPermission } from '../../../../../src/approvals/question.js';
import { toQuantity } from '../../../../../src/rpc/hex.js';
import type { View } from '../../../../../src/ui/dialog/views/view.js';
import { loadView } from '../../../../../src/ui/dialog/views/views.js';
import { render } from '../../../../../src/ui/h.js';
import { dialog } from '../../../../../src/ui/index.js';
import { formatTime } from '../../../../../src/ui/pieces/amounts.js';
import { loadWords } from '../../../../../src/ui/words/all-words.js';
import { type Language, languages, loadDialogWords } from '../../../../../src/ui/words/words.js';
import { english } from '../../../../support/english.js';
import {
  callsPermission,
  permission,
  recipient,
  savings,
  token,
  tokenPermission,
} from '../../../../support/questions.js';
import { frameOf, viewOf } from '../../../../support/render.js';
import { waitFor } from '../../../../support/wait-for.js';

const [payments] = permission.permissions as readonly [RequestedPermission];
const [transfers] = tokenPermission.permissions as readonly [RequestedPermission];
const [calls] = callsPermission.permissions as readonly [RequestedPermission];
const of = (...permissions: readonly RequestedPermission[]): PermissionQuestion => ({
  ...permission,
  permissions,
});

let root: HTMLElement;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: payments.start * 1000 });
});
afterEach(() => {
  document.body.replaceChildren();
  vi.useRealTimers();
});

function show(question: PermissionQuestion, words = english): View {
  const view = viewOf(question, words);
  root = document.createElement('div');
  document.body.append(root);
  render([view.title, view.lead, view.subject, view.more], root);
  return view;
}

/** The values of every row with this term. */
const all = (term: string) =>
  Array.from(root.querySelectorAll('dl > div'))
    .filter((each) => each.firstChild?.textContent === term)
    .map((each) => each.lastChild?.textContent);
const row = (term: string) => all(term)[0];
const heroes = () => Array.from(root.querySelectorAll('.hero'), ({ textContent }) => textContent);
const errors = () =>
  Array.from(root.querySelectorAll('[role=alert]'), ({ textContent }) => textContent).filter(Boolean);
const field = (id: string) => root.querySelector(`#${id}`) as HTMLInputElement;
const type = async (id: string, text: string) => {
  field(id).value = text;
  field(id).dispatchEvent(new Event('input', { bubbles: true }));
  await Promise.resolve();
};
/** A time as the field for it has it. */
const local = (seconds: number) => {
  const date = new Date(seconds * 1000);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
};
const time = (seconds: number) => formatTime(String(seconds), english);

describe('a permission in its purse form', () => {
  const purse = { address: recipient, moved: [{ units: '0xc6f3b40b6c000' }], fee: '0x1319718a5000' } as const;

  test('says that the amount moves, to where, at which fee, and that it can be taken back', () => {
    const view = show({ ...of({ ...payments, isAdjustable: false }), purse });
    expect(heroes()).toEqual(['0.0035 tRBTC']);
    expect(root.textContent).toContain(
      'app.sovryn.example gets the whole amount in a purse, and can spend it without asking you. Take back what’s left at any time, under “Sites” in your wallet.',
    );
    expect(root.textContent).toContain('It can’t spend more than the purse has.');
    expect(row('Moved to the purse')).toBe('0.0035 tRBTC');
    expect(row('Maximum fee')).toBe('0.000021 tRBTC');
    expect(row('The purse')).toBe('0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd');
    expect(view.confirm).toBe('Move and allow');
    expect(view.answer?.()).toEqual({ approved: true });
  });

  test('names each token that moves, and says where nothing does', () => {
    const label = { address: token, symbol: 'RIF', decimals: 18, known: true } as const;
    show({ ...of(transfers), purse: { ...purse, moved: [{ units: '0xde0b6b3a7640000', token: label }] } });
    expect(row('Moved to the purse')).toBe('1 RIF');
    document.body.replaceChildren();
    show({ ...of(payments), purse: { ...purse, moved: [], fee: '0x0' } });
    expect([row('Moved to the purse'), row('Maximum fee')]).toEqual(['Nothing, it holds enough', undefined]);
  });
});

describe('a permission for payments', () => {
  test('leads with the most that it can cost, and shows limit, term, payees and reason', () => {
    const view = show(permission);
    expect(heroes()).toEqual(['0.0035 tRBTC']);
    expect(root.querySelector('.hero')?.id).toBe('amount');
    expect(root.textContent).toContain('Fees included');
    expect(root.textContent).toContain('Let this site spend without asking');
    expect(root.textContent).toContain(
      'If you allow it, app.sovryn.example won’t ask you again for this until it ends. You can end it sooner at any time, under “Sites” in your wallet.',
    );
    expect(row('At most')).toBe('0.0005 tRBTC a dayFees included');
    expect(row('Valid from')).toBe(time(payments.start));
    expect(row('Valid until')).toBe(time(payments.end));
    expect(row('Only for payments to')).toBe('0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd');
    expect(row('In the site’s own words, which aren’t checked')).toBe('Stakes of your games');
    expect(row('From')).toContain('Main account');
    expect(root.querySelectorAll('h3')).toHaveLength(1);
    expect(view.confirm).toBe('Allow');
    expect(view.answer?.()).toEqual({ approved: true });
  });

  test('names every payee, however many there are', () => {
    const payees = Array.from({ length: 12 }, (_, i) => `0x${String(i).padStart(40, '0')}` as const);
    show(of({ ...payments, payees }));
    expect(root.querySelectorAll('.blocks li')).toHaveLength(12);
    expect(root.querySelectorAll('.blocks details')).toHaveLength(0);
  });

  test('shows what is spent already', () => {
    show(permission);
    expect(row('Already spent of it')).toBeUndefined();
    show(of({ ...payments, spent: toQuantity(10n ** 14n) }));
    expect(row('Already spent of it')).toBe('0.0001 tRBTC');
  });

  test.each<[number | undefined, string]>([
    [undefined, '0.0005 tRBTC altogether'],
    [3600, '0.0005 tRBTC an hour'],
    [7200, '0.0005 tRBTC every 2 hours'],
    [43_200, '0.0005 tRBTC every 12 hours'],
    [90_000, '0.0005 tRBTC every 25 hours'],
    [86_400, '0.0005 tRBTC a day'],
    [259_200, '0.0005 tRBTC every 3 days'],
    [604_800, '0.0005 tRBTC a week'],
    [1_209_600, '0.0005 tRBTC every 2 weeks'],
    [5400, '0.0005 tRBTC every 90 minutes'],
    [3601, '0.0005 tRBTC every 3,601 seconds'],
  ])('has words for a period of %s seconds', (period, words) => {
    show(of({ ...payments, period }));
    expect(row('At most')).toBe(`${words}Fees included`);
  });

  test.each<[Language, string]>([
    ['en', '0.0005 tRBTC every 12 hours'],
    ['es', '0,0005 tRBTC cada 12 horas'],
    ['pt', '0,0005 tRBTC a cada 12 horas'],
  ])('has them in %s too', async (language, expected) => {
    show(of({ ...payments, period: 43_200 }), await loadWords(language));
    expect(root.querySelector('.rows strong')?.textContent).toBe(expected);
  });

  test('counts a last period that is shorter as a whole one', () => {
    show(of({ ...payments, end: payments.end - 1 }));
    expect(heroes()).toEqual(['0.0035 tRBTC']);
    show(of({ ...payments, end: payments.end + 1 }));
    expect(heroes()).toEqual(['0.004 tRBTC']);
  });
});

describe('a permission for a token', () => {
  test('shows the most of the token and of fees, in a period and in all', () => {
    show(tokenPermission);
    expect(heroes()).toEqual(['140 USDRIF']);
    expect(root.textContent).toContain('Plus at most 0.00014 tRBTC in fees');
    expect(row('At most')).toBe('10 USDRIF every 12 hoursPlus at most 0.00001 tRBTC every 12 hours in fees');
    expect(root.textContent).not.toContain('Fees included');
    expect(row('Token')).toContain('USDRIF, a token this wallet knows.');
    expect(row('Exact amount')).toBeUndefined();
  });

  test('says whether anyone can get it, or who', () => {
    show(tokenPermission);
    expect(row('Only for transfers to')).toBe('Anyone the site chooses');
    show(of({ ...transfers, payees: [recipient] }));
    expect(row('Only for transfers to')).toBe('0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd');
  });

  test('shows base units of a token without known decimals, which can be lowered', async () => {
    const view = show(of({ ...transfers, tokenLabel: undefined, amount: '0x1388' }));
    expect(heroes()).toEqual(['70,000 base units']);
    expect(row('At most')).toContain('5,000 base units every 12 hours');
    expect(root.textContent).toContain('Limit, in base units');
    await type('limit-0', '0.5');
    expect(view.answer?.()).toBeNull();
    await type('limit-0', '4999');
    expect(view.answer?.()).toEqual({ approved: true, permissions: [{ amount: '0x1387' }] });
  });

  test('shows base units beside an amount whose decimals the contract claims', async () => {
    show(of({ ...transfers, tokenLabel: { address: token, symbol: 'USDRIF', decimals: 18 } }));
    expect(row('Exact amount')).toBe('10,000,000,000,000,000,000 base units');
    await type('limit-0', '1');
    expect(row('Exact amount')).toBe('1,000,000,000,000,000,000 base units');
  });
});

describe('a permission for calls', () => {
  test('names the functions of each contract, by their four bytes where they have no name', () => {
    show(
      of({
        ...calls,
        contracts: [...(calls.contracts ?? []), { address: recipient, selectors: ['0x00000001'] }],
      }),
    );
    expect(row('At most')).toBe('0.001 tRBTC altogetherFees included');
    expect(Array.from(root.querySelectorAll('.blocks li small'), ({ textContent }) => textContent)).toEqual([
      'move 0x12345678, 0xabcdef01',
      '0x00000001',
    ]);
    expect(row('Only for calls of')).toContain('0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd');
  });

  test('cannot be lowered where the site takes no less', () => {
    const view = show(callsPermission);
    expect(root.querySelector('input')).toBeNull();
    expect(root.textContent).not.toContain('Allow less');
    expect(view.answer?.()).toEqual({ approved: true });
  });
});

describe('a lower amount', () => {
  test('is what is shown and answered', async () => {
    const view = show(permission);
    await type('limit-0', '0.0002');
    expect(view.answer?.()).toEqual({ approved: true, permissions: [{ amount: '0xb5e620f48000' }] });
    expect(heroes()).toEqual(['0.0014 tRBTC']);
    expect(row('At most')).toContain('0.0002 tRBTC a day');
    expect(errors()).toEqual([]);
  });

  test.each(['', '0.0005', ' 0.00050 '])('changes nothing where the field has %j', async (text) => {
    const view = show(permission);
    await type('limit-0', '0.0002');
    await type('limit-0', text);
    expect(view.answer?.()).toEqual({ approved: true });
    expect(heroes()).toEqual(['0.0035 tRBTC']);
    expect(errors()).toEqual([]);
  });

  test.each([
    ['0', 'Enter more than zero, or reject the request.'],
    ['0.000', 'Enter more than zero, or reject the request.'],
    ['0.000500000000000001', 'The site asks for no more than 0.0005 tRBTC.'],
    ['1', 'The site asks for no more than 0.0005 tRBTC.'],
    ['all', 'Enter a number without thousands separators.'],
    ['-1', 'Enter a number without thousands separators.'],
    ['0x1', 'Enter a number without thousands separators.'],
    ['1,000', 'Enter a number without thousands separators.'],
    ['0.0000000000000000001', 'Use at most 18 decimals.'],
  ])('cannot be %j, and an error says why', async (text, error) => {
    const view = show(permission);
    await type('limit-0', text);
    expect(view.answer?.()).toBeNull();
    expect(errors()).toEqual([error]);
    expect(field('limit-0').getAttribute('aria-invalid')).toBe('true');
    expect(heroes()).toEqual(['0.0035 tRBTC']);
    expect(root.querySelector('details [role=alert]')?.textContent ?? '').toBe('');
    await type('limit-0', '0.0001');
    expect(view.answer?.()).toMatchObject({ permissions: [{ amount: '0x5af3107a4000' }] });
    expect(field('limit-0').getAttribute('aria-invalid')).toBe('false');
  });
});

describe('an earlier end', () => {
  const earlier = payments.start + 2 * 86_400;

  test('is what is shown and answered, with fewer periods', async () => {
    const view = show(permission);
    expect(field('end-0').value).toBe(local(payments.end));
    await type('end-0', local(earlier));
    expect(view.answer?.()).toEqual({ approved: true, permissions: [{ end: earlier }] });
    expect(heroes()).toEqual(['0.001 tRBTC']);
    expect(row('Valid until')).toBe(time(earlier));
  });

  test('is shown in the time zone of the person', () => {
    const offset = vi.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(300);
    const view = show(permission);
    expect(field('end-0').value).toBe('2026-11-27T07:00');
    expect(view.answer?.()).toEqual({ approved: true });
    offset.mockRestore();
  });

  test('lowers the fees in all too', async () => {
    show(tokenPermission);
    await type('end-0', local(earlier));
    expect(heroes()).toEqual(['40 USDRIF']);
    expect(root.textContent).toContain('Plus at most 0.00004 tRBTC in fees');
  });

  test('goes with a lower amount', async () => {
    const view = show(permission);
    await type('end-0', local(earlier));
    await type('limit-0', '0.0001');
    expect(view.answer?.()).toEqual({
      approved: true,
      permissions: [{ amount: '0x5af3107a4000', end: earlier }],
    });
    expect(heroes()).toEqual(['0.0002 tRBTC']);
  });

  test('changes nothing with the same minute, although the end has seconds', async () => {
    const view = show(of({ ...payments, end: payments.end + 59 }));
    await type('end-0', local(earlier));
    await type('end-0', local(payments.end));
    expect(view.answer?.()).toEqual({ approved: true });
    expect(row('Valid until')).toBe(time(payments.end + 59));
  });

  test.each<[string, string, string]>([
    ['the start', local(payments.start), `Choose a time after ${time(payments.start)}.`],
    ['before the start', local(payments.start - 86_400), `Choose a time after ${time(payments.start)}.`],
    ['later', local(payments.end + 60), `The site asks for no longer than ${time(payments.end)}.`],
    ['empty', '', 'Choose a date and a time.'],
  ])('cannot be %s, and an error says why', async (_, text, error) => {
    const view = show(permission);
    await type('end-0', text);
    expect(view.answer?.()).toBeNull();
    expect(errors()).toEqual([error]);
    expect(field('end-0').getAttribute('aria-invalid')).toBe('true');
    expect(heroes()).toEqual(['0.0035 tRBTC']);
  });

  test('cannot be past, although the term began before', async () => {
    vi.setSystemTime((payments.start + 86_400) * 1000);
    const view = show(permission);
    await type('end-0', local(payments.start + 86_400));
    expect(view.answer?.()).toBeNull();
    expect(errors()).toEqual([`Choose a time after ${time(payments.start + 86_400)}.`]);
    await type('end-0', local(payments.start + 86_460));
    expect(view.answer?.()).toMatchObject({ approved: true });
  });
});

describe('several permissions', () => {
  test('lead with one sum of coins with all fees, and one of each token', () => {
    show(of(payments, transfers, calls, { ...transfers, period: undefined }));
    expect(heroes()).toEqual(['0.00465 tRBTC', '150 USDRIF']);
    expect(root.querySelectorAll('#amount')).toHaveLength(1);
    expect(Array.from(root.querySelectorAll('h3'), ({ textContent }) => textContent)).toEqual([
      'The most this can cost in all',
      ...['#1 Payments', '#2 Token transfers', '#3 Contract calls', '#4 Token transfers'],
    ]);
  });

  test('with two tokens have a sum of each, and one of fees', () => {
    const other = {
      ...transfers,
      token: recipient,
      tokenLabel: { address: recipient, symbol: 'RIF', decimals: 18 },
    } as const;
    show(of(transfers, other));
    expect(heroes()).toEqual(['140 USDRIF', '140 RIF']);
    expect(root.textContent).toContain('Plus at most 0.00028 tRBTC in fees');
  });

  test('are lowered one by one, and answered in order', async () => {
    const view = show(of(payments, calls, { ...payments, payees: [savings.address] }));
    expect(heroes()).toEqual(['0.008 tRBTC']);
    await type('limit-2', '0.0001');
    expect(heroes()).toEqual(['0.0052 tRBTC']);
    expect(view.answer?.()).toEqual({ approved: true, permissions: [{}, {}, { amount: '0x5af3107a4000' }] });
    expect(root.querySelector('#limit-1')).toBeNull();
    await type('limit-0', 'x');
    expect(view.answer?.()).toBeNull();
    await type('limit-0', '');
    expect(view.answer?.()).toMatchObject({ permissions: { length: 3 } });
  });
});

describe('the reason that a site gives', () => {
  test('stays text, in a place of its own', () => {
    show(of({ ...payments, justification: '<b>Free</b><img src=x>' }));
    const reason = row('In the site’s own words, which aren’t checked');
    expect(reason).toBe('<b>Free</b><img src=x>');
    expect(root.querySelector('b, img')).toBeNull();
    const place = Array.from(root.querySelectorAll('bdi')).filter((each) => each.textContent === reason);
    expect(place).toHaveLength(1);
  });

  test('is left out where it says nothing', () => {
    show(of({ ...payments, justification: undefined }));
    expect(root.textContent).not.toContain('In the site’s own words');
  });
});

test('no text of the site changes the reading order, or hides what comes after it', async () => {
  const { attachShadow } = Element.prototype;
  let shadow: ShadowRoot | undefined;
  Element.prototype.attachShadow = function (this: Element, init) {
    shadow = attachShadow.call(this, init);
    return shadow;
  };
  const ended = new AbortController();
  try {
    await Promise.all([loadDialogWords('en'), loadView('permission')]);
    const question = of(
      { ...payments, justification: `safe\u202Eefas\n\n\n\n\n<i>end</i>` },
      {
        ...calls,
        contracts: [{ address: token, selectors: ['0x12345678'], names: { '0x12345678': 'mo\u200Bve' } }],
      },
      { ...transfers, tokenLabel: { address: token, symbol: 'US\u2066D', decimals: 18 } },
    );
    void dialog().ask(question, { signal: ended.signal, unlock: async () => {} });
    await waitFor(() => expect(shadow?.textContent).toContain('safe'));
    const text = shadow?.textContent ?? '';
    for (const shown of ['safe\\u{202e}efas\n[↵×5]\n<i>end</i>', 'mo\\u{200b}ve', 'US\\u{2066}D'])
      expect(text).toContain(shown);
    expect(text).not.toMatch(/[\u202e\u200b\u2066]/);
    expect(shadow?.querySelector('i')).toBeNull();
  } finally {
    ended.abort();
    Element.prototype.attachShadow = attachShadow;
  }
});

test.each(languages)('every text of the view is there in %s', async (language) => {
  for (const question of [permission, tokenPermission, callsPermission]) {
    show(question, await loadWords(language));
    expect(root.textContent).not.toMatch(/undefined|\{\w+\}|NaN|\[object/);
  }
});

test.each([
  ['permission-to-anyone', undefined, 'Anyone can be paid'],
  ['permission-allowance', 'USDRIF', 'Can take more than the limit'],
] as const)('the warning %s has words', (code, detail, headline) => {
  const { dialog } = frameOf({ ...tokenPermission, warnings: [{ code, severity: 'danger', detail }] });
  expect(dialog.querySelector('.dangers')?.textContent).toContain(headline);
  if (detail) expect(dialog.querySelector('.detail')?.textContent).toBe(detail);
});
