import { own } from '../rpc/own.js';
import { prototypeOfPage } from './page.js';

/** More of the page's document. Apart from `page.ts`, which the script tag loads at once. */

export const isPageVisible = (): boolean =>
  Reflect.get(prototypeOfPage(), 'visibilityState', document) === 'visible';

/** Whether the keyboard goes to this document or to a frame in it. */
export const isPageFocused = (): boolean => prototypeOfPage().hasFocus.call(document);

export const createElement = <Tag extends keyof HTMLElementTagNameMap>(tag: Tag) =>
  withOwnDocument(prototypeOfPage().createElement.call(document, tag)) as HTMLElementTagNameMap[Tag];

export const listenToPage = (type: string, listener: () => void, signal: AbortSignal): void =>
  prototypeOfPage().addEventListener.call(document, type, listener, own({ signal }));

/** Gives the pointer back that a page has locked to one of its elements: no click would reach anything else. */
export const unlockPointer = (): void => {
  if (Reflect.get(prototypeOfPage(), 'pointerLockElement', document))
    prototypeOfPage().exitPointerLock.call(document);
};

export const elementAt = (x: number, y: number): Element | null =>
  prototypeOfPage().elementFromPoint.call(document, x, y);

/** The points inside the corners of a box, `inset` CSS pixels from its edges. */
export const cornersOf = (
  { left, top, right, bottom }: DOMRect,
  inset: number,
): readonly (readonly [x: number, y: number])[] =>
  [left + inset, right - inset].flatMap((x) => [top + inset, bottom - inset].map((y) => [x, y] as const));

/**
 * The `ownerDocument` of our elements, so that Preact too creates nodes with the prototype's methods. The options that
 * Preact passes are left out: a page could name a class of its own there (`is`).
 */
const ownDocument = {
  createElementNS: (namespace: string, tag: string): Element =>
    withOwnDocument(prototypeOfPage().createElementNS.call(document, namespace, tag)),
  createTextNode: (text: string): Text => prototypeOfPage().createTextNode.call(document, text),
};

export function withOwnDocument<E extends Element>(element: E): E {
  const descriptor = own({ value: ownDocument, configurable: true });
  return Object.defineProperty(element, 'ownerDocument', descriptor);
}
