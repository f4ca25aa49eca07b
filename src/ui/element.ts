import { createElement, createSvgElement } from './page.js';

/** The content of an element. A string becomes a text node, never markup; `null` and `false` add nothing. */
export type Content = Node | string | null | false | readonly Content[];

type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/** Builds an element. Attribute values and text may be untrusted; tag and attribute names may not. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes,
  ...content: readonly Content[]
): HTMLElementTagNameMap[Tag] {
  return fill(createElement(tag), attributes, content);
}

/** An SVG image of paths, hidden from assistive technology. Colours are attributes, so that it needs no style sheet. */
export function drawing(className: string, size: number, shapes: readonly Attributes[]): SVGElement {
  const make = (tag: string, attributes: Attributes, children: readonly Node[] = []) =>
    fill(createSvgElement(tag), attributes, children);
  const paths = shapes.map((shape) => make('path', shape));
  return make(
    'svg',
    { class: className, viewBox: `0 0 ${size} ${size}`, 'aria-hidden': 'true' },
    paths,
  ) as SVGElement;
}

function fill<E extends Element>(target: E, attributes: Attributes, content: readonly Content[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) target.setAttribute(name, value === true ? '' : value);
  }
  append(target, content);
  return target;
}

function append(target: Element, content: readonly Content[]): void {
  for (const item of content) {
    if (Array.isArray(item)) append(target, item);
    else if (item !== null && item !== false) target.append(item as Node | string);
  }
}

/** Fills the `{name}` places of a text, each in a `bdi` so that its writing direction cannot reorder the sentence. */
export const sentence = (words: string, values: Readonly<Record<string, Content>>): Content =>
  words.split(/\{(\w+)\}/).map((part, index) => (index % 2 ? element('bdi', {}, values[part] ?? '') : part));
