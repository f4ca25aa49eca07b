/**
 * The error class of the provider and its codes: EIP-1193 (4001–4902), EIP-1474 and JSON-RPC 2.0 (negative codes), and
 * geth's `3` for a revert. A `message` names the broken rule and the path of the value, shows at most an {@link excerpt}
 * of the value, and never contains a key, password, mnemonic or URL.
 */

/** All codes that callers can get (docs/notes/clients.md#error-codes). */
export const errorCode = {
  /** The call reverted; `data` is the revert payload as flat hex. */
  executionReverted: 3,
  userRejected: 4001,
  unauthorized: 4100,
  unsupportedMethod: 4200,
  disconnected: 4900,
  chainDisconnected: 4901,
  unrecognizedChain: 4902,
  /** The wallet does not have a required capability (EIP-5792, like the codes up to 5760). */
  unsupportedCapability: 5700,
  unsupportedChain: 5710,
  duplicateCalls: 5720,
  unknownCalls: 5730,
  callsTooLarge: 5740,
  atomicityNotSupported: 5760,
  /** Used for `filter not found`: viem re-creates a filter only on this code. */
  invalidInput: -32000,
  resourceNotFound: -32001,
  /** The endpoint is unreachable or refuses the request, or the browser's storage failed. */
  resourceUnavailable: -32002,
  transactionRejected: -32003,
  /** A limit of the wallet, HTTP 429, a quota, a size or a time. `data.retryAfter` (seconds) if known. */
  limitExceeded: -32005,
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  /** The service's reply is invalid. Never used for sending and signing, because libraries retry it. */
  internal: -32603,
} as const;

/** Every rejection of `request()` and of the wallet's own API: an `Error` with an integer `code` (EIP-1193). */
export class ProviderRpcError extends Error {
  override readonly name = 'ProviderRpcError';
  readonly code: number;
  readonly data?: unknown;
  /** For a revert, whose `data` is the payload: the service's own error. For other errors it is in `data`. */
  declare readonly service?: object;

  constructor(code: number, message: string, data?: unknown, service?: object) {
    super(message);
    this.code = code;
    if (data !== undefined) this.data = data;
    if (service) this.service = service;
  }
}

export const invalidRequest = (message: string) => new ProviderRpcError(errorCode.invalidRequest, message);

export const invalidParams = (message: string) => new ProviderRpcError(errorCode.invalidParams, message);

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

export const unauthorized = (message: string) => new ProviderRpcError(errorCode.unauthorized, message);

export const limitExceeded = (message: string, data?: unknown) =>
  new ProviderRpcError(errorCode.limitExceeded, message, data);

export const transactionRejected = (message: string, data?: unknown) =>
  new ProviderRpcError(errorCode.transactionRejected, message, data);

/** The service's reply to `method` breaks a rule. */
export const badReply = (method: string, rule: string, data?: unknown) =>
  new ProviderRpcError(errorCode.internal, `The service's reply to ${method} is wrong: ${rule}`, data);

export const isProviderRpcError = (error: unknown): error is ProviderRpcError =>
  error instanceof ProviderRpcError;

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
