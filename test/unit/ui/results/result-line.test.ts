// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Answer, Approver, CallsQuestion } from '../../../../src/approvals/question.js';
import type { RecordedTransaction } from '../../../../src/transactions/transactions.js';
import type { Look } from '../../../../src/ui/preferences.js';
import { showResults } from '../../../../src/ui/results/result-line.js';
import { usualWait } from '../../../../src/ui/results/summary.js';
import { attachedShadows } from '../../../support/attached-shadows.js';
import { type FakeWallet, fakeWallet } from '../../../support/fake-wallet.js';
import { connect, payment, tokenTransfer } from '../../../support/questions.js';
import { hashOf, sentFor } from '../../../support/sent-transactions.js';
import { waitFor } from '../../../support/wait-for.js';

const roots = attachedShadows();

const unlock = async () => {};
const approves: Approver['ask'] = async () => ({ approved: true });

let wallet: FakeWallet;
let destroyed: AbortController;
let entries: readonly RecordedTransaction[];

beforeEach(() => {
  entries = [];
  wallet = fakeWallet({ transactions: entries });
  destroyed = new AbortController();
});
afterEach(() => {
  destroyed.abort();
  vi.useRealTimers();
  document.body.replaceChildren();
  roots.length = 0;
});

/** Follows a question that was approved. Returns the approver, which asks with the line from then on. */
function approved(
  question: typeof payment | CallsQuestion = payment,
  ask = approves,
  look: Look = {},
): Approver {
  const approver: Approver = { ask };
  const source = { look, wallet, signal: destroyed.signal };
  showResults(source, approver, ask, question, Date.now());
  return approver;
}

/** Changes the journal, as the wallet does when it has signed, sent or found a transaction. */
function record(...changed: readonly RecordedTransaction[]): void {
  entries = [...entries.filter(({ hash }) => changed.every((each) => each.hash !== hash)), ...changed];
  wallet.change({ transactions: entries });
}

const host = () => document.querySelector('[data-graft=result]');
const root = () => (host() ? (roots.at(-1)?.querySelector('.result') ?? null) : null);
const text = () => root()?.querySelector('[role=status]')?.textContent?.trim() ?? null;
const shows = (expected: string | null) => waitFor(() => expect(text()).toBe(expected));
const buttonsOf = () =>
  Array.from(
    root()?.querySelectorAll('button') ?? [],
    (each) => each.getAttribute('aria-label') ?? each.textContent,
  );

/** A click of a person: scripted ones are ignored. */
function click(name: string): void {
  const button = Array.from(root()?.querySelectorAll('button') ?? []).find(
    (each) => (each.getAttribute('aria-label') ?? each.textContent) === name,
  );
  const event = new MouseEvent('click', { bubbles: true });
  Object.defineProperty(event, 'isTrusted', { value: true });
  button?.dispatchEvent(event);
}

/** An approver whose answer waits. */
const held = () => {
  const answers: ((given: Answer) => void)[] = [];
  const ask: Approver['ask'] = () => new Promise((resolve) => answers.push(resolve));
  return { ask, answer: (given: Answer) => answers.shift()?.(given) };
};

const sent = 'Sent. It’s on its way…';
const slow = 'Still on its way. This takes longer than usual.';
const done = 'Done. It’s in a block.';

describe('the line', () => {
  test('appears once the transaction is in the journal, and follows it into a block', async () => {
    approved();
    expect(host()).toBeNull();
    record(sentFor(payment, { state: 'signed' }));
    await shows('Sending…');
    record(sentFor(payment));
    await shows(sent);
    expect(root()?.getAttribute('data-tone')).toBe('waiting');
    record(sentFor(payment, { state: 'mined' }));
    await shows(done);
    expect(buttonsOf()).toEqual(['Close']);
  });

  test('is a polite live region in a closed shadow root, which is there before its text, and takes no focus', async () => {
    const field = document.createElement('input');
    document.body.append(field);
    field.focus();
    approved();
    record(sentFor(payment));
    await waitFor(() => expect(host()).not.toBeNull());
    expect(text()).toBe('');
    const region = root()?.querySelector('[role=status]');
    await shows(sent);
    expect(root()?.querySelector('[role=status]')).toBe(region);
    expect(region?.getAttribute('aria-live')).toBe('polite');
    expect(host()?.shadowRoot).toBeNull();
    expect(root()?.querySelector('dialog, [aria-modal], [tabindex]')).toBeNull();
    expect(document.activeElement).toBe(field);
  });

  test('says why a transaction failed, and stays', async () => {
    approved();
    record(sentFor(payment, { state: 'reverted', reason: 'paused' }));
    await shows('It failed. Only the fee was paid. The contract’s reason: paused');
    expect(root()?.getAttribute('data-tone')).toBe('bad');
  });

  test('takes the page’s language and words', async () => {
    approved(payment, approves, { language: 'es', words: { resultSent: 'Va {done}' } });
    record(sentFor(payment));
    await shows('Va {done}');
    expect(root()?.getAttribute('lang')).toBe('es');
    expect(buttonsOf()).toEqual(['Cerrar']);
  });

  test('goes at a click on its button, and nothing of the transaction brings it back', async () => {
    approved();
    record(sentFor(payment));
    await shows(sent);
    click('Close');
    await shows(null);
    record(sentFor(payment, { state: 'mined' }));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(host()).toBeNull();
  });

  test.each([
    ['the wallet is destroyed', () => destroyed.abort()],
    ['the page goes away', () => window.dispatchEvent(new Event('pagehide'))],
  ])('goes when %s', async (_, happens) => {
    approved();
    record(sentFor(payment));
    await shows(sent);
    happens();
    expect(host()).toBeNull();
  });

  test('shows nothing for a wallet that was destroyed before', async () => {
    destroyed.abort();
    approved();
    record(sentFor(payment));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(host()).toBeNull();
  });

  test.each([
    ['is only signed', { ...payment, action: 'sign' as const }],
    ['the balance does not cover', { ...payment, shortfall: '0x1' as const }],
  ])('shows nothing for a transaction that %s', async (_, question) => {
    approved(question);
    record(sentFor(question));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(host()).toBeNull();
  });

  test('waits with a refusal, because the wallet may ask again with a better price', async () => {
    vi.useFakeTimers();
    approved();
    record(sentFor(payment, { state: 'refused', reason: 'transaction underpriced' }));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(text()).toBe('Sending…');
    await vi.advanceTimersByTimeAsync(1_500);
    expect(text()).toBe('The network refused it. The fee was too low.');
  });

  test('closes itself some seconds after a success only', async () => {
    vi.useFakeTimers();
    approved();
    record(sentFor(payment, { state: 'mined' }));
    await vi.advanceTimersByTimeAsync(11_000);
    expect(text()).toBe(done);
    // A person who is elsewhere reads it later.
    const visibility = vi
      .spyOn(Object.getPrototypeOf(document), 'visibilityState', 'get')
      .mockReturnValue('hidden');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(text()).toBe(done);
    visibility.mockRestore();
    await vi.advanceTimersByTimeAsync(4_000);
    expect(host()).toBeNull();

    approved(tokenTransfer);
    record(sentFor(tokenTransfer, { hash: hashOf('b'), state: 'reverted' }));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(text()).toBe('It failed. Only the fee was paid.');
  });
});

describe('the button that speeds a transaction up', () => {
  const waiting = () => sentFor(payment, { createdAt: Date.now() - usualWait - 1 });
  /** Follows a payment that was approved before the usual wait. */
  async function late(ask = approves): Promise<Approver> {
    const approver: Approver = { ask };
    showResults({ wallet, signal: destroyed.signal }, approver, ask, payment, 0);
    record(waiting());
    await shows(slow);
    return approver;
  }

  test('comes once the wait is longer than usual', async () => {
    vi.useFakeTimers();
    approved();
    record(sentFor(payment));
    await vi.advanceTimersByTimeAsync(usualWait - 1_000);
    expect([text(), buttonsOf()]).toEqual([sent, ['Close']]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect([text(), buttonsOf()]).toEqual([slow, ['Speed up', 'Close']]);
  });

  test.each([
    ['no node has taken it', { state: 'signed' }],
    ['it is on hold', { state: 'sent', hold: 'other-chain' }],
  ] as const)('is missing while %s', async (_, more) => {
    const approver: Approver = { ask: approves };
    showResults({ wallet, signal: destroyed.signal }, approver, approves, payment, 0);
    record({ ...waiting(), ...more });
    await waitFor(() => expect(text()).toMatch(/./));
    expect(buttonsOf()).toEqual(['Close']);
  });

  test('starts wallet.speedUp, once, and not by a script', async () => {
    await late();
    root()?.querySelector<HTMLElement>('.fast')?.click();
    expect(wallet.calls).toEqual([]);
    click('Speed up');
    click('Speed up');
    await waitFor(() => expect(wallet.calls).toEqual([['speedUp', hashOf('a')]]));
  });

  test('says nothing of a refusal, and names a failure until there is news', async () => {
    await late();
    wallet.fail('speedUp', 4001);
    click('Speed up');
    await waitFor(() => expect(wallet.calls).toHaveLength(1));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(text()).toBe(slow);
    wallet.fail('speedUp', -32602);
    click('Speed up');
    await shows('It can’t be sped up right now.');
    record({ ...waiting(), state: 'mined' });
    await shows(done);
  });

  test('leads to the line of the transaction at the higher price, mined at either', async () => {
    const approver = await late();
    const faster = { ...payment, replacement: 'speed-up' } as const;
    await approver.ask(faster, { signal: new AbortController().signal, unlock });
    // It stays for as long as the other one is not signed.
    await shows(slow);
    record({ ...waiting(), supersededBy: hashOf('b') }, sentFor(payment, { hash: hashOf('b') }));
    await shows(sent);
    record({ ...waiting(), state: 'mined' }, sentFor(payment, { hash: hashOf('b'), state: 'replaced' }));
    await shows(done);
  });
});

describe('another question', () => {
  test('has the line make room while it is open', async () => {
    const { ask, answer } = held();
    const approver = approved(payment, ask);
    record(sentFor(payment));
    await shows(sent);
    const asked = approver.ask(connect, { signal: new AbortController().signal, unlock });
    expect(root()?.hasAttribute('data-away')).toBe(true);
    record(sentFor(payment, { state: 'mined' }));
    answer({ approved: false });
    expect(await asked).toEqual({ approved: false });
    await shows(done);
    expect(root()?.hasAttribute('data-away')).toBe(false);
  });

  test('brings the line back where it fails, and its error goes to the page', async () => {
    const approver = approved(payment, () => Promise.reject(new Error('no page')));
    record(sentFor(payment));
    await shows(sent);
    const asked = approver.ask(connect, { signal: new AbortController().signal, unlock });
    await expect(asked).rejects.toThrow('no page');
    await waitFor(() => expect(root()?.hasAttribute('data-away')).toBe(false));
  });

  test('takes the line over where it sends something, even the same again', async () => {
    const approver = approved();
    record(sentFor(payment, { state: 'mined' }));
    await shows(done);
    await approver.ask(payment, { signal: new AbortController().signal, unlock });
    await shows(null);
    record(sentFor(payment, { hash: hashOf('b'), nonce: '0x2b' }));
    await shows(sent);
    expect(document.querySelectorAll('[data-graft=result]')).toHaveLength(1);
  });

  test('approved before the code had loaded is followed by the same line', async () => {
    const approver: Approver = { ask: approves };
    const source = { wallet, signal: destroyed.signal };
    for (const question of [payment, tokenTransfer])
      showResults(source, approver, approves, question, Date.now());
    record(sentFor(payment), sentFor(tokenTransfer, { hash: hashOf('b'), state: 'mined', nonce: '0x2b' }));
    await shows(done);
    expect(document.querySelectorAll('[data-graft=result]')).toHaveLength(1);
  });
});

describe('a batch', () => {
  const batch: CallsQuestion = {
    ...{ id: '1', kind: 'calls', origin: payment.origin, network: payment.network, locked: false },
    ...{ account: payment.account, calls: [payment, tokenTransfer], warnings: [] },
    ...{ fee: payment.fee, total: payment.total, balance: payment.balance },
  } as const;
  const second = (more: Partial<RecordedTransaction> = {}) =>
    sentFor(tokenTransfer, { hash: hashOf('b'), nonce: '0x2b', ...more });

  test('is one line for all of its transactions', async () => {
    approved(batch);
    record(sentFor(payment), second());
    await shows(sent);
    record(sentFor(payment, { state: 'mined' }));
    await shows('1 of 2 in a block. The others are on their way…');
    record(second({ state: 'mined' }));
    await shows('Done. All 2 are in a block.');
  });

  test('stays the subject when one of its transactions is sped up', async () => {
    const approver = approved(batch);
    record(sentFor(payment, { state: 'mined' }), second());
    await shows('1 of 2 in a block. The others are on their way…');
    const { transaction } = tokenTransfer;
    const faster = {
      ...tokenTransfer,
      transaction: { ...transaction, nonce: '0x2b' },
      replacement: 'speed-up',
    };
    await approver.ask(faster as typeof payment, { signal: new AbortController().signal, unlock });
    record(second({ state: 'replaced' }), second({ hash: hashOf('c'), state: 'mined' }));
    await shows('Done. All 2 are in a block.');
  });
});
