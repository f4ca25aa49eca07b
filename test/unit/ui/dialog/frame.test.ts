// @vitest-environment happy-dom
import { describe, expect, test, vi } from 'vitest';
import type { Warning } from '../../../../src/approvals/warning.js';
import { chooseWords } from '../../../../src/ui/words/words.js';
import { english } from '../../../support/english.js';
import * as questions from '../../../support/questions.js';
import { frameOf, viewOf } from '../../../support/render.js';

describe('createFrame', () => {
  test('an unlocked question has no password field and no severe style', () => {
    const { dialog, heading, confirm, password } = frameOf(questions.payment);
    expect(password).toBeNull();
    expect(heading.tabIndex).toBe(-1);
    const buttons = [...dialog.querySelectorAll('.actions > button')];
    expect(buttons.map(({ textContent }) => textContent)).toEqual(['Reject', 'Send']);
    expect(buttons[1]).toBe(confirm);
    expect(dialog.querySelector('#site')?.textContent).toBe('app.sovryn.exampleRootstock Testnet');
    expect(dialog.hasAttribute('data-severe')).toBe(false);
    expect(dialog.querySelectorAll('[autofocus]').length).toBe(0);
  });

  test('every id in aria-labelledby and aria-describedby exists', () => {
    for (const question of Object.values(questions.examples)) {
      const { dialog } = frameOf(question);
      const named = ['aria-labelledby', 'aria-describedby'].flatMap(
        (name) => dialog.getAttribute(name)?.split(' ') ?? [],
      );
      for (const id of named.filter((name) => name !== 'amount'))
        expect(dialog.querySelectorAll(`#${id}`).length).toBe(1);
      expect(dialog.querySelectorAll('#amount').length).toBeLessThanOrEqual(1);
    }
  });

  test('the labels of confirm and reject differ for every question', () => {
    for (const question of Object.values(questions.examples)) {
      const names = Array.from(
        frameOf(question).dialog.querySelectorAll('button'),
        ({ textContent }) => textContent,
      );
      // A question that only informs has one button, which closes it.
      expect(new Set(names).size).toBe(question.kind === 'pay-elsewhere' ? 1 : 2);
    }
  });

  test('a locked wallet shows a password field', () => {
    const { dialog, password } = frameOf({ ...questions.connect, locked: true });
    expect(password?.autocomplete).toBe('current-password');
    expect(dialog.querySelector('label[for=password]')?.textContent).toBe('Wallet password');
    expect(frameOf({ ...questions.unlock, locked: false }).password).not.toBeNull();
  });

  test('in a frame no saved password is filled in', () => {
    vi.spyOn(window, 'top', 'get').mockReturnValue({} as Window);
    expect(frameOf({ ...questions.connect, locked: true }).password?.autocomplete).toBe('off');
    vi.restoreAllMocks();
  });

  test('an error goes once the person corrects what was wrong', () => {
    const frame = frameOf({ ...questions.payment, locked: true });
    frame.showError('Wrong.');
    frame.dialog.querySelector('#password')?.dispatchEvent(new Event('input', { bubbles: true }));
    expect(frame.dialog.querySelector('#error')?.textContent).toBe('');
    expect(frame.dialog.querySelector('#password')?.getAttribute('aria-invalid')).toBe('false');
  });

  test('an error is announced, marks the field as invalid, and can be removed', () => {
    const frame = frameOf(questions.unlock);
    const alert = frame.dialog.querySelector('#error');
    expect(alert?.getAttribute('role')).toBe('alert');
    frame.showError('Wrong.');
    expect([alert?.textContent, frame.password?.getAttribute('aria-invalid')]).toEqual(['Wrong.', 'true']);
    frame.showError(null);
    expect([alert?.textContent, frame.password?.getAttribute('aria-invalid')]).toEqual(['', 'false']);
  });

  test('the content is inert while the frame is busy', () => {
    const frame = frameOf({ ...questions.connect, locked: true });
    frame.showBusy('Unlocking…');
    expect([frame.body.inert, frame.password?.readOnly]).toEqual([true, true]);
    frame.showBusy(null);
    expect([frame.body.inert, frame.password?.readOnly]).toEqual([false, false]);
  });

  test('a danger comes before everything that scrolls; cautions come after the details, then notices', () => {
    const warnings: Warning[] = [
      { code: 'replaces-transaction', severity: 'notice', detail: '0x12' },
      { code: 'high-fee', severity: 'caution' },
      { code: 'simulation-reverts', severity: 'danger', detail: '<i>paused</i>' },
    ];
    const { dialog, body } = frameOf({ ...questions.payment, warnings });
    const order = Array.from(
      dialog.querySelectorAll('.warnings strong, .rows dt, .hero'),
      ({ textContent }) => textContent,
    );
    const facts = [
      'This will fail',
      '0.25 tRBTC',
      'Network',
      'Unusually high fee',
      'Replaces another transaction',
    ];
    expect(order.filter((text) => facts.includes(text ?? ''))).toEqual(facts);
    expect(
      Array.from(dialog.querySelectorAll('.warnings [role]'), (part) => part.getAttribute('role')),
    ).toEqual(['alert', 'note', 'note']);
    expect(body.querySelector('[data-severity=danger]')).toBeNull();
    expect(dialog.querySelector('.detail')?.textContent).toBe('<i>paused</i>');
    expect(dialog.hasAttribute('data-severe')).toBe(true);
  });

  test('headlines of several dangers stay in view with their number, and the view begins with them in full', () => {
    const warnings: Warning[] = [
      { code: 'simulation-reverts', severity: 'danger', detail: 'paused' },
      { code: 'unlimited-approval', severity: 'danger' },
      { code: 'high-fee', severity: 'caution' },
    ];
    const { dialog, body } = frameOf({ ...questions.payment, warnings });
    const pinned = dialog.querySelector('.dangers');
    expect(pinned?.parentElement?.nextElementSibling).toBe(body);
    expect(pinned?.textContent).toBe('2 dangersThis will failNo limit');
    expect(Array.from(body.querySelectorAll('.explained strong'), (part) => part.textContent)).toEqual([
      'This will fail',
      'No limit',
    ]);
    expect(body.querySelector('.explained .detail')?.textContent).toBe('paused');
  });

  test.each(['paused\nnow', 'x'.repeat(121)])(
    'nor does a long detail scroll in what stays in view: %j',
    (detail) => {
      const warnings: Warning[] = [{ code: 'simulation-reverts', severity: 'danger', detail }];
      const { dialog, body } = frameOf({ ...questions.payment, warnings });
      expect(dialog.querySelector('.dangers')?.textContent).toBe('This will fail');
      expect(body.querySelector('.explained .detail')?.textContent).toBe(detail);
    },
  );

  test('the offer to read on stays while the same view is shown with another way of unlocking', () => {
    const question = { ...questions.payment, locked: true } as const;
    const view = viewOf(question, english);
    const { dialog, show, showUnread } = frameOf(question, english, view);
    showUnread(true);
    show(view, { unlockBy: 'passkey' });
    expect(dialog.querySelector('.rest')).not.toBeNull();
    show({ ...view });
    expect(dialog.querySelector('.rest')).toBeNull();
  });

  test('a payment without the coins can only be closed: the button looks and waits as any other', () => {
    const warnings: Warning[] = [{ code: 'insufficient-funds', severity: 'danger' }];
    const { dialog, confirm } = frameOf({ ...questions.payment, warnings, shortfall: '0x1' });
    expect(confirm.textContent).toBe('Close');
    expect(dialog.querySelector('.warnings [role=alert]')).toBeNull();
    expect(dialog.querySelector('#lead')?.textContent).toContain('receive some first');
    expect(dialog.hasAttribute('data-severe')).toBe(false);
  });

  test('a network that a page added is labelled in the header and in a warning with page and host', () => {
    const { dialog } = frameOf(questions.addedNetwork);
    expect(dialog.querySelector('#site > small')?.textContent).toBe(english.addedNetwork);
    expect(dialog.querySelector('.warnings .detail')?.textContent).toBe(
      'https://app.sovryn.example: rpc.evil.example',
    );
    expect(frameOf(questions.payment).dialog.textContent).not.toContain(english.addedNetwork);
  });

  test('insecure and internationalised host names are labelled', () => {
    const notes = (origin: string) =>
      Array.from(
        frameOf({ ...questions.connect, origin }).dialog.querySelectorAll('#site > small'),
        ({ textContent }) => textContent,
      );
    expect(notes('https://app.example')).toEqual([]);
    expect(notes('http://app.example')).toEqual([english.insecure]);
    expect(notes('https://xn--pple-43d.com')).toEqual([english.foreignLetters]);
  });
});

describe('chooseWords', () => {
  test('without overrides the texts are English', () => {
    expect(chooseWords(english)).toEqual(english);
  });

  test('overrides replace single texts', () => {
    const high = ['Teuer', 'Sehr.'] as const;
    const words = chooseWords(english, {
      language: 'de',
      reject: 'Ablehnen',
      warning: { ...english.warning, 'high-fee': high },
    });
    const { dialog } = frameOf(questions.payment, words);
    expect(dialog.querySelector('.actions > button')?.textContent).toBe('Ablehnen');
    expect(words.warning['high-fee']).toEqual(high);
    expect(words.warning['blind-signing']).toEqual(english.warning['blind-signing']);
  });
});
