import { createElement, type FunctionComponent, options, render as renderTree, type VNode } from 'preact';
import { own } from '../rpc/own.js';
import { withOwnDocument } from './elements.js';
import type { Attributes, Component, Content, Elements } from './jsx.js';

export type { Content } from './jsx.js';

/**
 * The factory of JSX: Preact's `createElement` with properties that have no prototype, so that what a page adds to
 * `Object.prototype` becomes no attribute. An attribute that is `false`, `null` or `undefined` is absent. Attribute values
 * and text may be untrusted; tag and attribute names may not.
 */
export function h(tag: string, attributes: Attributes | null, ...content: readonly Content[]): VNode<never>;
export function h<Properties extends object>(
  component: FunctionComponent<Properties>,
  properties: Properties & { readonly key?: string | number | undefined },
  ...content: readonly Content[]
): VNode<never>;
export function h(type: unknown, attributes: object | null, ...content: readonly Content[]): Content {
  if (type === Fragment) return content;
  const owned = own(attributes ?? undefined) as Attributes;
  const properties = typeof type === 'string' ? asPreact(owned) : owned;
  const node = createElement(type as string, properties, ...(content as []));
  Object.setPrototypeOf(node.props, null);
  return node as unknown as VNode<never>;
}

/** The types of JSX: every element is {@link Content}. */
export declare namespace h {
  namespace JSX {
    type Element = Content;
    type ElementType = keyof Elements | Component;
    interface ElementChildrenAttribute {
      children: Content;
    }
    interface IntrinsicAttributes {
      key?: string | number | undefined;
    }
    interface IntrinsicElements extends Elements {}
  }
}

/** `<>…</>` is the array of what is in it. */
export const Fragment = null as unknown as (properties: { readonly children?: Content }) => Content;

function asPreact(attributes: Attributes): object {
  const properties: Record<string, unknown> = Object.create(null);
  for (const name in attributes) {
    const value = attributes[name];
    // Vite adds `__self` and `__source` while it serves.
    if (value === null || (value === false && name !== 'checked') || name.startsWith('__')) continue;
    properties[spelling[name] ?? name] = value === true && name.startsWith('data-') ? '' : value;
  }
  return properties;
}

/**
 * Names under which Preact receives some attributes. It sets a property where the element has one of that name, which
 * includes additions of a page to `Object.prototype`: these have a property of another name, or, in capitals, none. The
 * properties `spellcheck` and `translate` are booleans, and the attributes are not.
 */
const spelling: Readonly<Record<string, string>> = own({
  class: 'className',
  for: 'htmlFor',
  tabindex: 'tabIndex',
  inputmode: 'inputMode',
  novalidate: 'noValidate',
  spellcheck: 'SPELLCHECK',
  translate: 'TRANSLATE',
});

/** Fills the `{name}` places of a text, each in a `bdi` so that its writing direction cannot reorder the sentence. */
export const sentence = (words: string, values: Readonly<Record<string, Content>>): Content =>
  words.split(/\{(\w+)\}/).map((part, index) => (index % 2 ? h('bdi', {}, own(values)[part] ?? '') : part));

/** The text of some content, for a line or an attribute. Components have none. */
export function textOf(content: Content): string {
  if (typeof content === 'string' || typeof content === 'number') return String(content);
  if (Array.isArray(content)) return content.map(textOf).join('');
  return content ? textOf((content as VNode<{ children?: Content }>).props.children) : '';
}

/** Fills the places with plain text. */
export const fill = (words: string, values: Readonly<Record<string, string | number>>): string =>
  words.replace(/\{(\w+)\}/g, (_, name: string) => String(own(values)[name] ?? ''));

/** An SVG image of paths, hidden from assistive technology. Colours are attributes, so that it needs no style sheet. */
export const drawing = (className: string, size: number, shapes: readonly Attributes[]): VNode<never> =>
  h(
    'svg',
    { class: className, viewBox: `0 0 ${size} ${size}`, 'aria-hidden': 'true' },
    shapes.map((shape) => h('path', shape)),
  );

/**
 * Renders `content` into `root` in place of what was rendered there before; `null` unmounts it. The nodes are created by
 * the document's own methods, whatever elements of the page are named (`page.ts`).
 */
export function render(content: Content, root: Element): void {
  Object.setPrototypeOf(options, null);
  renderTree(content === null ? null : h(Root, {}, content), withOwnDocument(root));
}

/**
 * Preact reads optional members of one empty object that all components get as their context. Without a prototype, it
 * has none that a page adds to `Object.prototype`.
 */
const Root: FunctionComponent = ({ children }, context: object) => {
  Object.setPrototypeOf(context, null);
  return children;
};
