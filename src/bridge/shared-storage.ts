import { randomToken } from './protocol.js';

/**
 * Whether this frame has the storage that the wallet's own windows have. Where it has another one, it has no wallet, and
 * must never offer to make one.
 *
 * In another site's page no frame has it, and a `credentialless` frame has it nowhere. `document.hasStorageAccess()` does
 * not show it: it is about cookies, and true where they are allowed. A cookie shows it: a frame in another site's page cannot
 * set one for its own site only. It is deleted at once; nothing relies on its value. Its name is not known before,
 * since sibling hosts may set cookies that this one reads, and other frames of the wallet do the same meanwhile; `__Host-`
 * keeps siblings from setting this one.
 *
 * In WebKit no frame has it in a page of another origin, of its own site or not, although the cookie can be set
 * (docs/notes/browsers.md#storage). HTML fixes what each engine says as its vendor.
 */
export function sharesStorage(): boolean {
  if ((window as { credentialless?: boolean }).credentialless === true) return false;
  if (navigator.vendor === 'Apple Computer, Inc.') return false;
  const cookie = `__Host-graft-${randomToken()}=1`;
  try {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in Firefox 115 and Safari 16.4
    document.cookie = `${cookie}; Path=/; Secure; SameSite=Strict`;
    const isSet = document.cookie.split('; ').includes(cookie);
    // biome-ignore lint/suspicious/noDocumentCookie: as above
    document.cookie = `${cookie}; Path=/; Secure; SameSite=Strict; Max-Age=0`;
    return isSet;
  } catch {
    // A sandboxed frame.
    return false;
  }
}
