import { until } from '../until.js';
import type { Place } from './browser.js';

/**
 * A person in front of a document: reads what it shows and uses its controls by their visible names, with mouse and
 * keyboard. Sees into open shadow roots.
 */
export interface Person {
  /** What the document shows. */
  read(): Promise<string>;
  /** Waits until the document shows this, and returns the part that matches. */
  see(part: string | RegExp): Promise<string>;
  /** Clicks a button, link, tick box or disclosure, as soon as it can be pressed and stands still. */
  click(name: string | RegExp): Promise<void>;
  /** Types into the field whose label begins so, in place of what is there. */
  fill(label: string, text: string): Promise<void>;
  /** Waits for the wallet's dialog of this kind (`connect`, `transaction`, …), and returns a person who uses only that. */
  question(kind: string): Promise<Question>;
}

export interface Question extends Omit<Person, 'question'> {
  /** Clicks a button and waits until this dialog has closed. Returns what it showed before. */
  answer(button: string): Promise<string>;
}

/** Milliseconds. */
const interval = 50;
const timeout = 30_000;

export function personAt(place: Place): Person {
  const person = using(place, '');
  return {
    ...person,
    async question(kind) {
      const host = `[data-graft=${kind}]`;
      const isOpen = () => place.evaluate(hasDialog, host);
      // A window that has closed with its last question answers nothing.
      const isGone = () =>
        isOpen().then(
          (open) => !open,
          () => true,
        );
      const one = using(place, host);
      await until(isOpen, { timeout, interval, failure: `No question of kind ${kind}` }).catch(
        person.withPage,
      );
      return {
        ...one,
        async answer(button) {
          const text = await one.read();
          await one.click(button);
          await until(isGone, {
            timeout,
            interval,
            failure: 'The dialog stays',
          }).catch(one.withPage);
          return text;
        },
      };
    },
  };
}

/** @param host selector of the shadow root's host to which all is limited; empty for the whole document */
function using(place: Place, host: string) {
  const read = () => place.evaluate(readShown, host);

  async function reach(kind: 'button' | 'field', name: string | RegExp): Promise<void> {
    const pattern =
      typeof name === 'string' ? `^${literally(name)}${kind === 'field' ? '' : '$'}` : name.source;
    let last = '';
    await until(
      async () => {
        const at = await place.evaluate(aim, host, kind, pattern);
        const isStill = at !== null && JSON.stringify(at) === last;
        last = JSON.stringify(at);
        if (!isStill) return false;
        // A window of the wallet closes within the click that answers its last question.
        return place.clickAt(at.x, at.y).then(
          () => place.evaluate(isClicked).catch(() => true),
          () => place.evaluate(() => false).catch(() => true),
        );
      },
      { timeout, interval, failure: `No ${kind} ${name} can be reached` },
    ).catch(withPage);
  }

  /** Adds to an error what the document shows. */
  async function withPage(error: Error): Promise<never> {
    error.message += ` in:\n${await read().catch(() => '(nothing: the document does not answer)')}`;
    throw error;
  }

  return {
    read,
    withPage,
    async see(part: string | RegExp) {
      const pattern = typeof part === 'string' ? new RegExp(literally(part)) : part;
      const match = await until(async () => pattern.exec(await read()), {
        ...{ timeout, interval, failure: `${part} is not shown` },
      }).catch(withPage);
      return match[0];
    },
    click: (name: string | RegExp) => reach('button', name),
    async fill(label: string, text: string) {
      // A dialog that has just opened may take the focus back.
      const isReached = async () => {
        await reach('field', label);
        return place.evaluate(selectFocused);
      };
      await until(isReached, { timeout, interval, failure: `${label} keeps no focus` }).catch(withPage);
      await place.type(...(text === '' ? ['Backspace'] : text));
    },
  };
}

const literally = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Runs in the page: the texts that are rendered, those of each shadow root after the texts around it. */
function readShown(host: string): string {
  const texts: string[] = [];
  const visit = (root: Document | ShadowRoot) => {
    for (const part of root instanceof Document ? [root.body] : root.children) {
      // biome-ignore lint/performance/useDomNodeTextContent: what is closed or hidden is not to be read
      if (part instanceof HTMLElement && part.localName !== 'style') texts.push(part.innerText);
    }
    for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot) visit(shadowRoot);
  };
  const limit = host === '' ? document : document.querySelector(host)?.shadowRoot;
  if (limit) visit(limit);
  return texts.join('\n');
}

interface Aim {
  readonly control: Element;
  /** Whether the button went down on the control. */
  isMet?: boolean;
  /** Whether it was clicked: the button went up there too. */
  isClicked?: boolean;
}

type AimingWindow = Window & { aim?: Aim | undefined; hasGuard?: true };

/**
 * Runs in the page: scrolls a control into view and returns its centre; `null` while it cannot be used. Until
 * {@link isClicked} was called, a click that meets something else, because the page has moved since, is kept from it.
 */
function aim(host: string, kind: 'button' | 'field', pattern: string): { x: number; y: number } | null {
  const page = window as AimingWindow;
  if (!page.hasGuard) {
    page.hasGuard = true;
    const guard = (event: Event) => {
      if (!page.aim) return;
      const isOnIt = event.composedPath().includes(page.aim.control);
      if (event.type === 'pointerdown') page.aim.isMet = isOnIt;
      if (event.type === 'click') page.aim.isClicked = isOnIt;
      if (page.aim.isMet) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'])
      window.addEventListener(type, guard, { capture: true });
  }
  const name = new RegExp(pattern);
  const selector =
    kind === 'field' ? 'input, textarea' : 'button, a, summary, input[type=checkbox], input[type=radio]';
  const nameOf = (control: HTMLElement) =>
    (
      control.ariaLabel ??
      (control as HTMLInputElement).labels?.[0]?.textContent ??
      control.textContent ??
      ''
    ).trim();
  const limit = host === '' ? document : document.querySelector(host)?.shadowRoot;
  const roots: (Document | ShadowRoot)[] = limit ? [limit] : [];
  for (const root of roots) {
    for (const control of root.querySelectorAll<HTMLElement>(selector)) {
      if (!name.test(nameOf(control))) continue;
      if (control.matches(':disabled') || control.ariaDisabled === 'true') {
        // A question is approved only after its end has been in view.
        if (control.matches('.confirm'))
          for (const area of root.querySelectorAll('.dangers, .body')) area.scrollTo(0, area.scrollHeight);
        continue;
      }
      control.scrollIntoView({ block: 'nearest', behavior: 'instant' });
      const { left, top, width, height } = control.getBoundingClientRect();
      const at = { x: left + width / 2, y: top + height / 2 };
      const hit = root.elementFromPoint(at.x, at.y);
      if (!hit || !control.contains(hit)) continue;
      page.aim = { control };
      return at;
    }
    for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot) roots.push(shadowRoot);
  }
  return null;
}

/** Runs in the page: whether the control was clicked. In a document that the click has led to, it was. */
async function isClicked(): Promise<boolean> {
  const page = window as AimingWindow;
  const { aim } = page;
  // The last event may come after the driver has said that it is sent.
  for (let waited = 0; aim && aim.isClicked === undefined && waited < 300; waited += 10)
    await new Promise((resolve) => setTimeout(resolve, 10));
  page.aim = undefined;
  return aim ? aim.isClicked === true : true;
}

/** Runs in the page. */
const hasDialog = (host: string): boolean =>
  document.querySelector(host)?.shadowRoot?.querySelector('dialog')?.open === true;

/** Runs in the page: selects all in the focused field. Returns whether there is one. */
function selectFocused(): boolean {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  if (!(focused instanceof HTMLInputElement || focused instanceof HTMLTextAreaElement)) return false;
  focused.select();
  return true;
}
