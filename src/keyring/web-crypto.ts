import { resourceUnavailable } from '../rpc/core-errors.js';
import { own } from '../rpc/own.js';

/** @throws ProviderRpcError -32002 on a page that was loaded over plain http, where browsers have no WebCrypto */
export function requireWebCrypto(): void {
  if (globalThis.crypto?.subtle === undefined)
    throw resourceUnavailable(
      'Keys need a page that is served over HTTPS (or from localhost): without it the browser has no WebCrypto.',
      own({ reason: 'needs-https' }),
    );
}
