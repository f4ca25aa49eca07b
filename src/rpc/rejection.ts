import { errorCode, isProviderRpcError, ProviderRpcError } from './errors.js';

/**
 * What `request()` rejects with, whatever was thrown on the way.
 *
 * After -32603 viem sends or signs three times more, and after -32000, -32601 and -32602 it sends once more by
 * another method: each could be a dialog more (docs/notes/clients.md#a-second-method-after-a-refused-send). Where a person is asked, a fault of ours
 * and what the service said to a question on the way are told as -32002. What the wallet itself finds wrong with
 * params or with a reply is found before it asks, and keeps its code.
 */
export function rejectionOf(error: unknown, args: unknown): ProviderRpcError {
  if (isProviderRpcError(error)) {
    const { code, message, data } = error;
    return sendsAgain.includes(code) && saidByService(data) && asksPerson(args)
      ? new ProviderRpcError(errorCode.resourceUnavailable, message, data)
      : error;
  }
  // Its own text is not shown: nobody has checked it for secrets.
  return new ProviderRpcError(
    asksPerson(args) ? errorCode.resourceUnavailable : errorCode.internal,
    'Internal error of the wallet.',
  );
}

const sendsAgain: readonly number[] = [-32603, -32000, -32601, -32602];

const saidByService = (data: unknown): boolean =>
  (data as { serviceCode?: number } | null | undefined)?.serviceCode !== undefined;

function asksPerson(args: unknown): boolean {
  try {
    return /^(eth_s(end|ign)|personal_sign|wallet_send)/.test((args as { method: string }).method);
  } catch {
    return false;
  }
}
