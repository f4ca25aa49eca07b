import { errorCode, isProviderRpcError, ProviderRpcError } from './errors.js';
import { own } from './own.js';

/** Whether an error is that of a browser, a bundler, Node or our script tag where a module does not load. */
export const isNotLoaded = (error: unknown): boolean =>
  /import(ed module|ing a module|\(\))|load(ing)?( CSS)? chunk|SystemJS|JavaScript MIME|of another version|requested module|find module|module not found|preload CSS/i.test(
    `${(error as Error | undefined)?.message}`,
  );

/**
 * -32002 for a file of the wallet that did not load, or that failed while it did. The message shows nothing of the cause, which
 * may contain secrets; it is the error's `cause`.
 */
export function notLoaded(cause: unknown): ProviderRpcError {
  const error = new ProviderRpcError(errorCode.resourceUnavailable, sentenceFor(cause));
  return Object.defineProperty(error, 'cause', own({ value: cause, configurable: true, writable: true }));
}

/** For a load that failed: an error that has a code keeps it. @throws ProviderRpcError always */
export function throwNotLoaded(error: unknown): never {
  throw isProviderRpcError(error) ? error : notLoaded(error);
}

function sentenceFor(cause: unknown): string {
  if (!isNotLoaded(cause)) return 'The wallet could not start. The "cause" of this error says why.';
  if ('ServiceWorkerGlobalScope' in globalThis)
    return 'A service worker cannot load parts of the wallet later: bundle it into one file (inlineDynamicImports).';
  if (globalThis.location?.protocol === 'file:')
    return 'This page was opened as a file, for which browsers load no modules. Serve it over http.';
  if (globalThis.origin === 'null')
    return 'This frame has no origin, so the wallet did not load: its sandbox lacks allow-same-origin.';
  return 'A part of the wallet did not load: reload the page. Its files must be of one version, and allowed by the page.';
}
