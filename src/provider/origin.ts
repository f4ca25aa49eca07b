import { own } from '../rpc/own.js';

/**
 * The origin of the page. In a sandboxed frame it is opaque (`null`), while `location.origin` would be the origin that
 * the frame was denied. It is read from the window's own property, which a prototype cannot fake; if a global variable of
 * the page has replaced that property, it is derived from the document.
 */
export function pageOrigin(): string {
  const { get } = own(Object.getOwnPropertyDescriptor(globalThis, 'origin'));
  if (get) return get.call(globalThis) as string;
  if (typeof Document !== 'function') return 'null';
  return Reflect.get(Document.prototype, 'domain', document) === '' ? 'null' : location.origin;
}
