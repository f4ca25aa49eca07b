import { errorCode, isProviderRpcError, ProviderRpcError } from './errors.js';
import { asksPerson, isSend } from './method-facts/wallet-facts.js';
import { isNotLoaded, notLoaded } from './not-loaded.js';

/**
 * Converts anything thrown into the error of `request()`.
 *
 * viem repeats a send or a signature three times after -32603, and once with another method after -32000, -32601 and
 * -32602; each repetition could open another dialog (docs/notes/clients.md#a-second-method-after-a-refused-send). Where a
 * person is asked or something is sent, internal errors and errors of the service therefore become -32002. Errors that the wallet
 * itself finds in params or replies are found before the dialog, and keep their codes.
 */
export function rejectionOf(error: unknown, args: unknown): ProviderRpcError {
  if (isProviderRpcError(error)) {
    const { code, message, data } = error;
    return codesThatLibrariesRetry.includes(code) && saidByService(data) && asksOrSends(args)
      ? new ProviderRpcError(errorCode.resourceUnavailable, message, data)
      : error;
  }
  if (isNotLoaded(error)) return notLoaded(error);
  // The text of an unknown error is not shown: it may contain secrets.
  return new ProviderRpcError(
    asksOrSends(args) ? errorCode.resourceUnavailable : errorCode.internal,
    'Internal error of the wallet.',
  );
}

const codesThatLibrariesRetry: readonly number[] = [-32603, -32000, -32601, -32602];

const saidByService = (data: unknown): boolean =>
  (data as { serviceCode?: number } | null | undefined)?.serviceCode !== undefined;

function asksOrSends(args: unknown): boolean {
  try {
    const { method } = args as { readonly method: string };
    return asksPerson(method) || isSend(method);
  } catch {
    return false;
  }
}
