import { shorten } from '../amounts.js';
import { explain, find, make } from '../dom.js';

/** The line below a card that says what became of the last action. It keeps its place when it is short. */
export interface Result {
  wait(text: string): void;
  /** `hex` is shown in short; all of it is the title. */
  good(text: string, hex: string): void;
  bad(error: unknown): void;
}

export function resultIn(id: string): Result {
  const output = find(id, HTMLOutputElement);
  const show = (state: string, ...content: (Node | string)[]) => {
    output.dataset.state = state;
    output.replaceChildren(...content);
  };
  return {
    wait: (text) => show('wait', text),
    good: (text, hex) => show('good', text, ' ', make('code', { title: hex }, shorten(hex, 6))),
    bad: (error) => show('bad', explain(error)),
  };
}
