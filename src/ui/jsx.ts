import type { ComponentChildren, VNode } from 'preact';

/** The content of an element. A string becomes a text node, never markup; `null`, `undefined` and `false` add nothing. */
export type Content = VNode<never> | string | number | null | undefined | false | readonly Content[];

export type Attributes = Readonly<Record<string, Value | ((event: never) => unknown) | Reference>>;
type Value = string | number | boolean | null | undefined;
type Reference = { readonly current: unknown };

/** The tags that views use, and the attributes of each. */
export interface Elements extends Record<PlainTag, Common> {
  a: Common & {
    href: string;
    target?: '_blank' | undefined;
    rel?: 'noreferrer' | undefined;
    download?: string | undefined;
  };
  button: Common & { type: 'button' };
  details: Common & { open?: boolean | undefined };
  form: Common & { novalidate?: boolean | undefined; onSubmit?: Listener | undefined };
  input: Field<HTMLInputElement> & {
    type?: 'text' | 'search' | 'password' | 'checkbox' | 'radio' | 'datetime-local' | undefined;
    name?: string | undefined;
    inputmode?: 'decimal' | undefined;
    placeholder?: string | undefined;
    readOnly?: boolean | undefined;
    checked?: boolean | undefined;
    defaultChecked?: boolean | undefined;
  };
  label: Common & { for?: string | undefined };
  option: Common & { value: string | number };
  path: Attributes;
  progress: Common & { value: number; max: number };
  rect: Common & Record<'x' | 'y' | 'width' | 'height', number>;
  select: Field<HTMLSelectElement>;
  svg: Common & { viewBox: string; preserveAspectRatio?: 'none' | undefined };
  textarea: Field<HTMLTextAreaElement> & { rows: string };
  th: Common & { scope: 'col' };
}

type PlainTag =
  | ('b' | 'bdi' | 'blockquote' | 'code' | 'i' | 'p' | 'small' | 'span' | 'strong' | 'wbr')
  | ('dd' | 'div' | 'dl' | 'dt' | 'fieldset' | 'figure' | 'h2' | 'h3' | 'header' | 'legend' | 'li' | 'nav')
  | ('ol' | 'section' | 'summary' | 'table' | 'tbody' | 'td' | 'thead' | 'tr' | 'ul');

/** Attributes of every element. One that is `false`, `null` or `undefined` is absent. */
interface Common {
  key?: string | number | undefined;
  ref?: Reference | undefined;
  children?: Content | undefined;
  class?: string | undefined;
  id?: string | null | undefined;
  dir?: 'ltr' | 'rtl' | 'auto' | undefined;
  inert?: boolean | undefined;
  role?: string | undefined;
  tabindex?: string | number | undefined;
  title?: string | undefined;
  translate?: 'no' | undefined;
  'aria-current'?: 'page' | undefined;
  'aria-hidden'?: 'true' | undefined;
  'aria-label'?: string | undefined;
  'aria-live'?: 'polite' | undefined;
  onClick?: Listener | undefined;
  onInput?: Listener | undefined;
  onKeyDown?: Listener<KeyboardEvent> | undefined;
  [name: `data-${string}`]: Value;
}

/** Attributes of elements that a person fills in or chooses from. */
interface Field<E extends HTMLElement> extends Omit<Common, 'onInput'> {
  value?: string | number | undefined;
  autocomplete?: 'off' | 'current-password' | 'new-password' | undefined;
  autocapitalize?: 'none' | undefined;
  spellcheck?: 'false' | undefined;
  'aria-describedby'?: string | undefined;
  'aria-invalid'?: string | undefined;
  onInput?: Listener<Targeted<E>> | undefined;
  onChange?: Listener<Targeted<E>> | undefined;
}

type Listener<E = Event> = (event: E) => unknown;
type Targeted<E> = Event & { readonly currentTarget: E };

/** A component of Preact or of ours. */
export type Component = (properties: never) => Content | ComponentChildren;
