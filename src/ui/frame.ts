import type { Question } from '../approvals/question.js';
import type { Warning } from '../approvals/warning.js';
import { type Content, element } from './element.js';
import { badge, mark } from './fields.js';
import { readSite } from './site.js';
import type { View } from './views/view.js';
import type { Words } from './words.js';

/** The dialog around every view: origin, network, warnings, password field and the two buttons. */
export interface Frame {
  readonly dialog: HTMLDialogElement;
  readonly heading: HTMLElement;
  readonly body: HTMLElement;
  readonly password: HTMLInputElement | null;
  readonly confirm: HTMLButtonElement;
  readonly reject: HTMLButtonElement;
  /** Shows an error and announces it to assistive technology; `null` removes it. */
  showError(text: string | null): void;
  /** Announces a running operation and makes the content inert; `null` ends it. */
  showBusy(text: string | null): void;
}

export function createFrame(question: Question, view: View, words: Words): Frame {
  const isUnlock = question.kind === 'unlock';
  const severe = question.warnings.some(({ severity }) => severity === 'danger');
  const error = element('p', { class: 'error', id: 'error', role: 'alert' });
  const status = element('p', { class: 'unseen', role: 'status' });
  const password =
    question.locked || isUnlock
      ? element('input', {
          type: 'password',
          id: 'password',
          autocomplete: 'current-password',
          'aria-describedby': 'error',
        })
      : null;
  const heading = element('h2', { id: 'title', tabindex: '-1' }, view.title);
  const reject = element('button', { type: 'button' }, isUnlock ? words.cancel : words.reject);
  const confirm = element('button', { type: 'button', class: 'confirm' }, view.confirm);
  const body = element(
    'div',
    { class: 'body' },
    heading,
    element('p', { class: 'lead', id: 'lead' }, view.lead),
    view.subject,
    warningList(question.warnings, ['danger'], words),
    view.more ?? null,
    warningList(question.warnings, ['caution', 'notice'], words),
  );
  const dialog = element(
    'dialog',
    {
      lang: words.language,
      dir: words.direction,
      'aria-labelledby': 'title',
      'aria-describedby': 'site lead amount',
      'data-severe': severe,
    },
    headerOf(question, words),
    body,
    element(
      'div',
      { class: 'foot' },
      password !== null && [
        element('label', { for: 'password' }, words.password),
        !isUnlock && element('small', {}, words.passwordHint),
        password,
      ],
      error,
      status,
      element('div', { class: 'actions' }, reject, confirm),
    ),
  );
  return {
    dialog,
    heading,
    body,
    password,
    confirm,
    reject,
    showError(text) {
      error.textContent = text;
      password?.setAttribute('aria-invalid', String(text !== null));
    },
    showBusy(text) {
      status.textContent = text;
      dialog.toggleAttribute('data-busy', text !== null);
      body.inert = text !== null;
      if (password !== null) password.readOnly = text !== null;
    },
  };
}

/** The requesting origin and the network, with a note on an insecure or internationalised host name. */
function headerOf({ origin, network }: Question, words: Words): HTMLElement {
  const site = readSite(origin);
  return element(
    'div',
    { class: 'head', id: 'site' },
    element(
      'span',
      { class: 'site', dir: 'ltr' },
      site.before,
      element('b', {}, site.registrable),
      site.after,
    ),
    badge(network, words),
    network.addedBy !== undefined && element('small', {}, words.addedNetwork),
    !site.secure && element('small', {}, words.insecure),
    site.foreign && element('small', {}, words.foreignLetters),
  );
}

function warningList(
  warnings: readonly Warning[],
  severities: readonly Warning['severity'][],
  words: Words,
): Content {
  const shown = warnings.filter(({ severity }) => severities.includes(severity));
  return (
    shown.length > 0 &&
    element(
      'ul',
      { class: 'warnings', 'aria-label': words.warnings },
      shown.map(({ code, severity, detail }) => {
        const [headline, text] = words.warning[code];
        return element(
          'li',
          { 'data-severity': severity },
          mark(severity),
          element(
            'div',
            // Screen readers announce an alert at once, a note in reading order.
            { role: severity === 'danger' ? 'alert' : 'note' },
            element('strong', {}, headline),
            element('p', {}, text),
            detail !== undefined && element('p', { class: 'detail', dir: 'auto' }, detail),
          ),
        );
      }),
    )
  );
}
