import { own } from './rpc/own.js';

/**
 * Who the page is. Not `location.origin`: in a sandboxed frame that is the origin which the frame was denied. Read as
 * the window's own property, so that no prototype answers for it; where a script of the page has a variable of that
 * name, which takes the property's place, from the document.
 */
export function pageOrigin(): string {
  const { get } = own(Object.getOwnPropertyDescriptor(globalThis, 'origin'));
  if (get) return get.call(globalThis) as string;
  if (!Object.hasOwn(globalThis, 'document')) return 'null';
  return Reflect.get(Document.prototype, 'domain', document) === '' ? 'null' : location.origin;
}
