import type { ComponentChildren, VNode } from 'preact';

/** The content of an element. A string becomes a text node, never markup; `null`, `undefined` and `false` add nothing. */
export type Content = VNode<never> | string | number | null | undefined | false | readonly Content[];

export type Attributes = Readonly<Record<string, Value | ((event: never) => unknown) | Reference>>;
type Value = string | number | boolean | null | undefined;
type Reference = { readonly current: unknown };

/** The tags that views use, and the attributes of each. */
export interface Elements extends Record<PlainTag, Common> {
  a: Common & { href: string; target?: '_blank'; rel?: 'noreferrer'; download?: string };
  button: Common & { type: 'button' };
  details: Common & { open?: boolean };
  form: Common & { novalidate?: boolean; onSubmit?: Listener };
  input: Field<HTMLInputElement> & {
    type?: 'text' | 'search' | 'password' | 'checkbox' | 'radio';
    name?: string;
    inputmode?: 'decimal';
    placeholder?: string;
    readOnly?: boolean;
    checked?: boolean;
    defaultChecked?: boolean;
  };
  label: Common & { for?: string };
  option: Common & { value: string | number };
  path: Attributes;
  progress: Common & { value: number; max: number };
  rect: Common & Record<'x' | 'y' | 'width' | 'height', number>;
  select: Field<HTMLSelectElement>;
  svg: Common & { viewBox: string; preserveAspectRatio?: 'none' };
  textarea: Field<HTMLTextAreaElement> & { rows: string };
  th: Common & { scope: 'col' };
}

type PlainTag =
  | ('b' | 'bdi' | 'blockquote' | 'code' | 'i' | 'p' | 'small' | 'span' | 'strong' | 'wbr')
  | ('dd' | 'div' | 'dl' | 'dt' | 'fieldset' | 'figure' | 'h2' | 'h3' | 'header' | 'legend' | 'li' | 'nav')
  | ('ol' | 'section' | 'summary' | 'table' | 'tbody' | 'td' | 'thead' | 'tr' | 'ul');

/** Attributes of every element. One that is `false`, `null` or `undefined` is absent. */
interface Common {
  key?: string | number;
  ref?: Reference;
  children?: Content;
  class?: string | undefined;
  id?: string | null;
  dir?: 'ltr' | 'rtl' | 'auto';
  inert?: boolean;
  role?: string;
  tabindex?: string | number;
  title?: string;
  translate?: 'no';
  'aria-current'?: 'page' | undefined;
  'aria-hidden'?: 'true';
  'aria-label'?: string | undefined;
  'aria-live'?: 'polite';
  onClick?: Listener | undefined;
  onInput?: Listener;
  onKeyDown?: Listener<KeyboardEvent>;
  [name: `data-${string}`]: Value;
}

/** Attributes of elements that a person fills in or chooses from. */
interface Field<E extends HTMLElement> extends Omit<Common, 'onInput'> {
  value?: string | number;
  autocomplete?: 'off' | 'current-password' | 'new-password';
  autocapitalize?: 'none';
  spellcheck?: 'false';
  'aria-describedby'?: string | undefined;
  'aria-invalid'?: string;
  onInput?: Listener<Targeted<E>>;
  onChange?: Listener<Targeted<E>>;
}

type Listener<E = Event> = (event: E) => unknown;
type Targeted<E> = Event & { readonly currentTarget: E };

/** A component of Preact or of ours. */
export type Component = (properties: never) => Content | ComponentChildren;
