import { errorCode, isProviderRpcError, ProviderRpcError } from './errors.js';

/** Errors that nothing needs before the core has loaded: apart from `errors.ts`, which every page loads. */

export const invalidRequest = (message: string) => new ProviderRpcError(errorCode.invalidRequest, message);

export const limitExceeded = (message: string, data?: unknown) =>
  new ProviderRpcError(errorCode.limitExceeded, message, data);

export const resourceUnavailable = (message: string, data?: unknown) =>
  new ProviderRpcError(errorCode.resourceUnavailable, message, data);

/** geth's message, which ethers recognises. `reason` is a sentence for a developer. */
export const methodNotFound = (method: string, reason?: string) => {
  const name = reason ? method : excerpt(method);
  const text = `The method ${name} does not exist / is not available`;
  return new ProviderRpcError(errorCode.methodNotFound, reason ? `${text}. ${reason}` : text);
};

/** A known method that the wallet or the service refuses. `reason` is a sentence for a developer. */
export const unsupportedMethod = (method: string, reason: string) =>
  new ProviderRpcError(
    errorCode.unsupportedMethod,
    `The method ${method} does not exist / is not available: not supported. ${reason}`,
  );

/** ethers 5 recognises a rejection only by the words "user denied" (docs/notes/clients.md#error-codes). */
export const userRejected = () =>
  new ProviderRpcError(
    errorCode.userRejected,
    'User rejected the request. (User denied the request in the wallet.)',
  );

/** Whether a person has refused, or has closed what asked them. */
export const isUserRejected = (error: unknown): boolean =>
  isProviderRpcError(error) && error.code === errorCode.userRejected;

/** The reason of a call that reverted, empty if it gave none; `undefined` for any other error. */
export const revertReason = (error: unknown): string | undefined =>
  isProviderRpcError(error) && error.code === errorCode.executionReverted
    ? error.message.replace(/^execution reverted:? ?/, '')
    : undefined;

export const unauthorized = (message: string) => new ProviderRpcError(errorCode.unauthorized, message);

export const transactionRejected = (message: string, data?: unknown) =>
  new ProviderRpcError(errorCode.transactionRejected, message, data);

/** The rule that a result in place of logs breaks. */
export const noLogs = 'not an array of logs';

/** The service's reply to `method` breaks a rule. */
export const badReply = (method: string, rule: string, data?: unknown) =>
  new ProviderRpcError(errorCode.internal, `The service's reply to ${method} is wrong: ${rule}`, data);

/** The name of a failure, for messages: its text may contain secrets. */
export const errorName = (error: unknown): string => (error instanceof Error ? error.name : 'unknown');

/**
 * Shortens a received value for a message: enough to recognise it, too little for a key or a mnemonic that was passed in
 * the wrong field.
 */
export function excerpt(value: unknown): string {
  const text = typeof value === 'string' ? value : describe(value);
  return text.length > 20 ? `${text.slice(0, 20)}… (${text.length} characters)` : text;
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'object' ? 'an object' : typeof value;
}
