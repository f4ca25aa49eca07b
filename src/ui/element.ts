import { createElement, createSvgElement } from './page.js';

/** What an element may hold. Text becomes text nodes: nothing here can turn a string into markup. */
export type Content = Node | string | null | false | readonly Content[];

type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/** Builds an element. Attribute names are ours; values and text may come from anywhere. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes,
  ...content: readonly Content[]
): HTMLElementTagNameMap[Tag] {
  return fill(createElement(tag), attributes, content);
}

/** A drawing of strokes or shapes; never read out. Colours are attributes: no style is needed. */
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

/** The words with values in their places, each isolated so that its direction cannot reorder the sentence. */
export const sentence = (words: string, values: Readonly<Record<string, Content>>): Content =>
  words.split(/\{(\w+)\}/).map((part, index) => (index % 2 ? element('bdi', {}, values[part] ?? '') : part));
