/**
 * The error class of the provider and its codes: EIP-1193 (4001–4902), EIP-1474 and JSON-RPC 2.0 (negative codes), and
 * geth's `3` for a revert. A `message` names the broken rule and the path of the value, shows at most an `excerpt` of the
 * value, and never contains a key, password, mnemonic or URL. Errors that a page can get only after the core has loaded are
 * in `core-errors.ts`, which keeps the shell small.
 */

/** All codes that callers can get (docs/notes/clients.md#error-codes). */
export const errorCode = {
  /** The call reverted; `data` is the revert payload as flat hex. */
  executionReverted: 3,
  /** The person refused, or closed the dialog. */
  userRejected: 4001,
  /** The page was not given the account, the wallet is locked, or the password is wrong. */
  unauthorized: 4100,
  /** A known method that is refused; the message says why. */
  unsupportedMethod: 4200,
  /** The device is offline, or the wallet of the page was closed. */
  disconnected: 4900,
  /** The chain cannot be reached, its endpoint serves another chain, or the chain was switched meanwhile. */
  chainDisconnected: 4901,
  /** The chain is not known. */
  unrecognizedChain: 4902,
  /** The wallet does not have a required capability (EIP-5792, like the codes up to 5760). */
  unsupportedCapability: 5700,
  /** A batch of calls is for a chain that the wallet does not have (EIP-5792). */
  unsupportedChain: 5710,
  /** A batch of calls has an id that is taken (EIP-5792). */
  duplicateCalls: 5720,
  /** There is no batch of calls with this id (EIP-5792). */
  unknownCalls: 5730,
  /** A batch has more than 16 calls (EIP-5792). */
  callsTooLarge: 5740,
  /** A batch must be atomic, which no account here can do (EIP-5792). */
  atomicityNotSupported: 5760,
  /** Used for `filter not found`: viem re-creates a filter only on this code. */
  invalidInput: -32000,
  /** There is no such block. */
  resourceNotFound: -32001,
  /** The endpoint is unreachable or refuses the request, or the browser's storage failed. */
  resourceUnavailable: -32002,
  /** The chain would refuse, or has refused, the transaction. */
  transactionRejected: -32003,
  /** A limit of the wallet, HTTP 429, a quota, a size or a time. `data.retryAfter` (seconds) if known. */
  limitExceeded: -32005,
  /** The service's reply is not JSON. */
  parseError: -32700,
  /** The argument is not a request. */
  invalidRequest: -32600,
  /** There is no such method. */
  methodNotFound: -32601,
  /** A param or an argument is wrong; the message names it. */
  invalidParams: -32602,
  /** The service's reply is invalid. Never used for sending and signing, because libraries retry it. */
  internal: -32603,
} as const;

/** Every rejection of `request()` and of the wallet's own API: an `Error` with an integer `code` (EIP-1193). */
export class ProviderRpcError extends Error {
  /** The same for all of them, also where several copies of the class are loaded. */
  override readonly name = 'ProviderRpcError';
  /** One of {@link errorCode}, or another integer from the service. */
  readonly code: number;
  /** For a revert the payload, hexadecimal; else an object, with `reason` where programs may need one word. */
  readonly data?: unknown;
  /** For a revert, whose `data` is the payload: the service's own error. For other errors it is in `data`. */
  declare readonly service?: object;

  /** For mocks: the wallet makes its own. */
  constructor(code: number, message: string, data?: unknown, service?: object) {
    super(message);
    this.code = code;
    if (data !== undefined) this.data = data;
    if (service) this.service = service;
  }

  /**
   * The error of JSON-RPC, for `JSON.stringify`: an `Error` has no message there.
   *
   * @example
   * try {
   *   await wallet.provider.request({ method: 'eth_requestAccounts' });
   * } catch (error) {
   *   console.log(JSON.stringify(error)); // {"code":4001,"message":"…"}
   * }
   */
  toJSON(): { readonly code: number; readonly message: string; readonly data?: unknown } {
    const { code, message, data } = this;
    return data === undefined ? { code, message } : { code, message, data };
  }
}

/** The error of every request after the page has closed its wallet. */
export const walletClosed = () =>
  new ProviderRpcError(errorCode.disconnected, 'The wallet of this page was closed.');

export const invalidParams = (message: string) => new ProviderRpcError(errorCode.invalidParams, message);

/**
 * Whether a caught value is an error of the wallet, for TypeScript too.
 *
 * @example
 * try {
 *   await wallet.provider.request({ method: 'eth_requestAccounts' });
 * } catch (error) {
 *   if (!isProviderRpcError(error) || error.code !== errorCode.userRejected) throw error;
 * }
 */
export const isProviderRpcError = (error: unknown): error is ProviderRpcError =>
  error instanceof ProviderRpcError;
