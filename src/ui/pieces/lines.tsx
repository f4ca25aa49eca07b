import { type Content, h } from '../h.js';

/** The line of an error, which assistive technology announces at once. */
export const errorLine = (text: Content): Content => (
  <p class="error" role="alert">
    {text}
  </p>
);

/** A quiet line that is announced when it changes. */
export const statusLine = (text: Content): Content => (
  <p class="soft" role="status">
    {text}
  </p>
);

/** A note in a box of its own. */
export const note = (text: Content): Content => (
  <p class="note" role="note">
    {text}
  </p>
);

/** A word in a frame, whose colour says whether it is good. */
export const chip = (word: string, state: 'good' | 'bad' | 'open' | 'none'): Content => (
  <span class="chip" data-state={state}>
    {word}
  </span>
);

/** A link to another site, drawn as a button. */
export const siteLink = (label: string, href: string): Content => (
  <a class="button" href={href} target="_blank" rel="noreferrer">
    {label}
  </a>
);
