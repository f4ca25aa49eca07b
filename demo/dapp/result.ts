import { shorten } from '../amounts.js';
import { explain, find, make } from '../dom.js';

/** The line below a card that shows the state of its last action. */
export interface Result {
  wait(text: string): void;
  /** Shows a success with a shortened hash or address; the full one is the tooltip. */
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
