import { errorCode, ProviderRpcError } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';
import { listenToPage } from '../elements.js';
import { bodyOfPage, prototypeOfPage } from '../page.js';

/**
 * Resolves once the page has a `<body>`: a script in its head may ask before. Also when `signal` aborts.
 * @throws ProviderRpcError -32002 for a page that has loaded without one
 */
export async function waitForBody(signal: AbortSignal): Promise<void> {
  const hasBody = () => bodyOfPage()?.localName === 'body';
  const isLoading = () => Reflect.get(prototypeOfPage(), 'readyState', document) === 'loading';
  if (!hasBody() && isLoading())
    await new Promise<void>((resolve) => {
      const stopped = new AbortController();
      const check = (): void => {
        if (!signal.aborted && !hasBody() && isLoading()) return;
        stopped.abort();
        observer.disconnect();
        resolve();
      };
      const observer = new MutationObserver(check);
      observer.observe(document, own({ childList: true, subtree: true }));
      listenToPage('readystatechange', check, stopped.signal);
      signal.addEventListener('abort', check, own({ signal: stopped.signal }));
      check();
    });
  if (!signal.aborted && !hasBody()) throw cannotShow('The page has no <body>');
}

/** -32002 for a window of the wallet that the page keeps from being shown. */
export const cannotShow = (reason: string): ProviderRpcError =>
  new ProviderRpcError(
    errorCode.resourceUnavailable,
    `${reason}, so the wallet's window could not be shown. Nothing was signed.`,
    own({ reason: 'not-shown' }),
  );
