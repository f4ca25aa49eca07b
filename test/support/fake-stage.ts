import type { OwnerAccount } from '../../src/approvals/owner.js';
import type { Stage, Step } from '../../src/ui/onboarding/stage.js';
import { english } from './english.js';
import { type FakeOwner, fakeOwner } from './fake-owner.js';
import { rendered } from './render.js';
import { waitFor } from './wait-for.js';

/** A stage on no page, which a test goes through step by step. */
export interface FakeStage extends Stage {
  readonly owner: FakeOwner;
  /** The title of the step that is shown. */
  title(): string;
  /** The content of the step. */
  content(): HTMLElement;
  /** Types into the field with this id. */
  type(id: string, text: string): void;
  /** Presses the main button. Resolves with the error that the person is shown, or `null`. */
  confirm(): Promise<string | null>;
  /** Presses the other button. */
  other(): void;
  /** Presses a button inside the step, as a person. */
  press(label: string): void;
  /** How the flow ended. */
  readonly ends: readonly (readonly [how: string, accounts?: readonly OwnerAccount[]])[];
}

export function fakeStage(): FakeStage {
  const ends: (readonly [how: string, accounts?: readonly OwnerAccount[]])[] = [];
  let step: Step | undefined;
  let root: HTMLElement | undefined;
  const shown = () => {
    if (!step) throw new Error('No step is shown.');
    return step;
  };
  const stage: FakeStage = {
    owner: fakeOwner(),
    words: english,
    signal: new AbortController().signal,
    ends,
    show(next) {
      step = next;
      root = rendered(next.subject);
      document.body.replaceChildren(root);
    },
    done: (accounts) => void ends.push(accounts ? ['done', accounts] : ['done']),
    erased: () => void ends.push(['erased']),
    cancel: () => void ends.push(['cancelled']),
    title: () => rendered(shown().title).textContent ?? '',
    content: () => root as HTMLElement,
    type(id, text) {
      const field = root?.querySelector<HTMLInputElement>(`#${id}`);
      if (!field) throw new Error(`The step has no field ${id}.`);
      field.value = text;
    },
    async confirm() {
      try {
        await shown().submit();
        return null;
      } catch (error) {
        return (error as Error).message;
      }
    },
    other: () => (shown().other?.act ?? stage.cancel)(),
    press(label) {
      const button = Array.from(root?.querySelectorAll('button') ?? []).find(
        ({ textContent }) => textContent === label,
      );
      if (!button) throw new Error(`The step has no button "${label}".`);
      const click = new MouseEvent('click', { bubbles: true });
      Object.defineProperty(click, 'isTrusted', { value: true });
      button.dispatchEvent(click);
    },
  };
  return stage;
}

/** Waits until the step with this title is shown. */
export const stepOf = (stage: FakeStage, title: string) =>
  waitFor(() => {
    if (stage.title() !== title) throw new Error(`The step is "${stage.title()}", not "${title}".`);
  });
