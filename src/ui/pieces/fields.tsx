import type { RefObject } from 'preact';
import { type Content, h } from '../h.js';
import type { Attributes } from '../jsx.js';

type Input = RefObject<HTMLInputElement | null>;

/** A field for a secret. The typed text never enters the markup. */
export const passwordField = (
  id: string,
  label: string,
  ref: Input,
  autocomplete: 'new-password' | 'current-password' | 'off',
  note?: string,
): Content => labelled(id, label, note, { type: 'password', autocomplete, spellcheck: 'false', ref });

/** A field for one line of text. */
export const textField = (
  id: string,
  label: string,
  ref: Input,
  value = '',
  note?: string,
  placeholder?: string,
): Content =>
  labelled(id, label, note, {
    type: 'text',
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
    defaultValue: value,
    placeholder,
    ref,
  });

/** A field for a file that the person chooses. */
export const fileField = (id: string, label: string, ref: Input, note?: string): Content =>
  labelled(id, label, note, { type: 'file', accept: '.json,application/json,text/plain', ref });

const labelled = (id: string, label: string, note: string | undefined, attributes: Attributes): Content => (
  <div class="field">
    <label for={id}>{label}</label>
    {note !== undefined && <small id={`${id}-note`}>{note}</small>}
    <input id={id} aria-describedby={note === undefined ? undefined : `${id}-note`} {...attributes} />
  </div>
);

/** A button that acts on a person's click only: one that a script of the page makes is ignored. */
export const button = (
  label: Content,
  act: () => void,
  attributes: Readonly<Record<string, string | boolean | undefined>> = {},
): Content => (
  <button type="button" {...attributes} onClick={(event) => event.isTrusted && act()}>
    {label}
  </button>
);

/** A button that looks like a link, for less frequent actions. */
export const link = (label: Content, act: () => void): Content => button(label, act, { class: 'link' });
