/**
 * The one error class that leaves the provider, and the codes it may carry.
 *
 * Sources: EIP-1193 (4001–4902), EIP-1474 and JSON-RPC 2.0 (negative codes), geth's `3` for a revert.
 * Obligations: `message` is for a person, names the rule that was broken and the path of the value that
 * broke it, shows of what it received only an {@link excerpt}, and never carries a key, password, mnemonic or URL.
 */

/** The codes callers may see. What each means to each client library: README, "Errors". */
export const errorCode = {
  /** The call reverted; `data` is the revert payload as flat hex. */
  executionReverted: 3,
  userRejected: 4001,
  unauthorized: 4100,
  unsupportedMethod: 4200,
  disconnected: 4900,
  chainDisconnected: 4901,
  unrecognizedChain: 4902,
  /** EIP-5792, from here to 5760: a batch asks for a capability that the wallet has not. */
  unsupportedCapability: 5700,
  unsupportedChain: 5710,
  duplicateCalls: 5720,
  unknownCalls: 5730,
  callsTooLarge: 5740,
  atomicityNotSupported: 5760,
  /** Only `filter not found`: viem re-creates a filter on this code and no other. */
  invalidInput: -32000,
  resourceNotFound: -32001,
  /** The endpoint is unreachable or refuses, or a prompt of that kind is already pending. */
  resourceUnavailable: -32002,
  transactionRejected: -32003,
  /** A limit: ours, HTTP 429, quota, size or time. `data.retryAfter` (seconds) where known. */
  limitExceeded: -32005,
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  /** The service's reply is wrong. Never used on the send and sign paths: libraries retry it. */
  internal: -32603,
} as const;

/** Every rejection of `request()` and of the wallet's own API: an `Error` with an integer `code` (EIP-1193). */
export class ProviderRpcError extends Error {
  override readonly name = 'ProviderRpcError';
  readonly code: number;
  readonly data?: unknown;
  /** Of a revert, whose `data` is the payload: what the service said. Elsewhere that stands in `data`. */
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

/** geth's words, by which ethers knows it. `reason`, of a known name, is a sentence for a developer. */
export const methodNotFound = (method: string, reason?: string) => {
  const name = reason ? method : excerpt(method);
  const text = `The method ${name} does not exist / is not available`;
  return new ProviderRpcError(errorCode.methodNotFound, reason ? `${text}. ${reason}` : text);
};

/** Known, and refused by policy or by the service's own list. `reason` is a sentence for a developer. */
export const unsupportedMethod = (method: string, reason: string) =>
  new ProviderRpcError(
    errorCode.unsupportedMethod,
    `The method ${method} does not exist / is not available: not supported. ${reason}`,
  );

/** ethers 5 recognises a refusal only by the words "user denied" (docs/notes/clients.md#error-codes). */
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

/** The service broke its contract in its answer to `method`. */
export const badReply = (method: string, rule: string, data?: unknown) =>
  new ProviderRpcError(errorCode.internal, `The service's reply to ${method} is wrong: ${rule}`, data);

export const isProviderRpcError = (error: unknown): error is ProviderRpcError =>
  error instanceof ProviderRpcError;

/**
 * What a message may show of a received value: enough to recognise it by, and too little to be a key or a
 * mnemonic that was put into the wrong field.
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
