import { own } from '../rpc/own.js';

/**
 * Members of the page's document, read from its prototype: an element such as `<img name=body>` shadows the member of
 * that name on `document` (DOM clobbering), but not on the prototype.
 */
const prototype = (): Document => Object.getPrototypeOf(document) as Document;

export const bodyOfPage = (): HTMLElement => Reflect.get(prototype(), 'body', document) as HTMLElement;

export const isPageVisible = (): boolean =>
  Reflect.get(prototype(), 'visibilityState', document) === 'visible';

export const createElement = <Tag extends keyof HTMLElementTagNameMap>(tag: Tag) =>
  withOwnDocument(prototype().createElement.call(document, tag)) as HTMLElementTagNameMap[Tag];

export const listenToPage = (type: string, listener: () => void, signal: AbortSignal): void =>
  prototype().addEventListener.call(document, type, listener, own({ signal }));

export const elementAt = (x: number, y: number): Element | null =>
  prototype().elementFromPoint.call(document, x, y);

/**
 * What Preact takes for the document of our elements, so that it too creates nodes with the prototype's methods. The
 * options that it passes are left out: a page could name a class of its own there (`is`).
 */
const ownDocument = {
  createElementNS: (namespace: string, tag: string): Element =>
    withOwnDocument(prototype().createElementNS.call(document, namespace, tag)),
  createTextNode: (text: string): Text => prototype().createTextNode.call(document, text),
};

export function withOwnDocument<E extends Element>(element: E): E {
  const descriptor = own({ value: ownDocument, configurable: true });
  return Object.defineProperty(element, 'ownerDocument', descriptor);
}
