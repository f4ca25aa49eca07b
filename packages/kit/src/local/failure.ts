import type { Hex } from '../../../../src/rpc/schema.js';

/**
 * A JSON-RPC error with the node's code and message (docs/notes/node.md#replies). `form` is the framing of the reply:
 * `call` echoes the request's id; `unread` has the string `"null"` as its id, as for a parse error; `bare` has neither
 * `jsonrpc` nor `id`, and replaces the reply to a whole batch.
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: number;
  readonly data: Hex | undefined;
  readonly form: 'call' | 'unread' | 'bare';

  constructor(
    code: number,
    message: string,
    options: { data?: Hex | undefined; form?: Failure['form'] | undefined } = {},
  ) {
    super(message);
    this.code = code;
    this.data = options.data;
    this.form = options.form ?? 'call';
  }
}

/** The HTTP status of an error: 400 for three codes, else 200 (docs/notes/node.md#http-status). */
export const httpStatusOf = (code: number): number =>
  code === -32602 || code === -32600 || code === -32700 ? 400 : 200;

export const bare = (code: number, message: string) => new Failure(code, message, { form: 'bare' });
export const invalidParam = (message: string) => new Failure(-32602, message);
export const wrongParamCount = () => new Failure(-32602, 'method parameters invalid');
export const parseFailure = () => new Failure(-32700, 'JSON parse error', { form: 'unread' });
export const internal = () => new Failure(-32603, 'Internal server error');
export const unexpected = () => bare(-32099, 'Unexpected error');
export const methodNotFound = () => new Failure(-32601, 'method not found');
export const methodDisabled = (method: string) =>
  new Failure(-32601, `the method ${method} does not exist/is not available`);
export const filterNotFound = () => new Failure(-32000, 'filter not found');
export const poolRefusal = (message: string) => new Failure(-32010, message);
export const blockNotFound = (what: string) => new Failure(-32600, `Block ${what} not found`);
export const reverted = (message: string, data: Hex) =>
  new Failure(-32015, `VM Exception while processing transaction: ${message}`, { data });
