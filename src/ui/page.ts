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
  prototype().createElement.call(document, tag) as HTMLElementTagNameMap[Tag];

export const createSvgElement = (tag: string): SVGElement =>
  prototype().createElementNS.call(document, 'http://www.w3.org/2000/svg', tag) as SVGElement;

export const listenToPage = (type: string, listener: () => void, signal: AbortSignal): void =>
  prototype().addEventListener.call(document, type, listener, own({ signal }));

export const elementAt = (x: number, y: number): Element | null =>
  prototype().elementFromPoint.call(document, x, y);
