import { h, render } from '../../src/ui/h.js';
import { App } from '../../src/ui/panel/app.js';
import type { PanelView } from '../../src/ui/panel/context.js';
import type { Preferences } from '../../src/ui/preferences.js';
import type { Words } from '../../src/ui/words/words.js';
import { english } from './english.js';
import type { FakeWallet } from './fake-wallet.js';
import { waitFor } from './wait-for.js';

/** The panel in an element of the page, used as a person does. */
export interface ShownPanel {
  readonly root: HTMLElement;
  readonly preferred: readonly Preferences[];
  text(): string;
  /** Waits until the text is shown. */
  shows(text: string): Promise<void>;
  /** Presses a button, as soon as it is there and can be pressed. */
  press(label: string): Promise<void>;
  /** Types into a field, as soon as it is there. */
  type(label: string, text: string): Promise<void>;
  /** Chooses an option of a list, as soon as the list is there. */
  choose(label: string, value: string): Promise<void>;
  /** Clicks a button at once, as a click does that was meant for what was there before. */
  clickAtOnce(label: string): void;
  /** Presses the main button of the form that is shown, as soon as it is there; of several, of the one at `index`. */
  submit(index?: number): Promise<void>;
  error(): string;
  stop(): void;
}

export async function showPanel(
  wallet: FakeWallet,
  view: PanelView = 'home',
  words: Words = english,
): Promise<ShownPanel> {
  const root = document.createElement('section');
  document.body.append(root);
  const preferred: Preferences[] = [];
  const properties = {
    wallet,
    words,
    start: view,
    preferences: {},
    prefer: (preferences: Preferences) => void preferred.push(preferences),
  };
  render(h(App, properties), root);
  await waitFor(() => {
    if (root.querySelector('.view')?.textContent === words.loading) throw new Error('It still loads.');
  });
  const trusted = (event: Event) => Object.defineProperty(event, 'isTrusted', { value: true });
  /** Waits until it is there and can be pressed. */
  const pressOn = async (find: () => HTMLElement): Promise<void> => {
    const ready = () => {
      const button = find();
      if (button.getAttribute('aria-disabled') === 'true') throw new Error('The button waits.');
      return button;
    };
    click(await waitFor(ready, { interval: 10 }));
  };
  const click = (button: HTMLElement): void => {
    for (const type of ['pointerdown', 'pointerup', 'click'])
      button.dispatchEvent(trusted(new MouseEvent(type, { bubbles: true })));
  };
  const buttonOf = (label: string): HTMLElement => {
    const button = Array.from(root.querySelectorAll<HTMLElement>('button, .button')).find(
      (each) => (each.getAttribute('aria-label') ?? each.textContent) === label,
    );
    if (!button) throw new Error(`There is no button "${label}" in "${root.textContent}".`);
    return button;
  };
  const labelled = (label: string): HTMLInputElement => {
    const found = Array.from(root.querySelectorAll('label')).find((each) => each.textContent === label);
    const field = found && root.querySelector<HTMLInputElement>(`#${found.htmlFor}`);
    if (!field) throw new Error(`There is no field "${label}".`);
    return field;
  };
  return {
    root,
    preferred,
    text: () => root.textContent ?? '',
    shows: (text) =>
      waitFor(() => {
        if (!root.textContent?.includes(text)) throw new Error(`"${text}" is not in "${root.textContent}"`);
      }),
    press: (label) => pressOn(() => buttonOf(label)),
    async type(label, text) {
      const field = await waitFor(() => labelled(label));
      field.value = text;
      field.dispatchEvent(new Event('input', { bubbles: true }));
    },
    async choose(label, value) {
      const field = await waitFor(() => labelled(label));
      field.value = value;
      field.dispatchEvent(new Event('change', { bubbles: true }));
    },
    clickAtOnce: (label) => click(buttonOf(label)),
    submit: (index = 0) =>
      pressOn(() => {
        const button = Array.from(root.querySelectorAll<HTMLElement>('form .confirm')).at(index);
        if (!button) throw new Error(`There is no form in "${root.textContent}".`);
        return button;
      }),
    error: () =>
      Array.from(root.querySelectorAll('.error'), ({ textContent }) => textContent)
        .filter(Boolean)
        .join(' '),
    stop() {
      render(null, root);
      root.remove();
    },
  };
}
