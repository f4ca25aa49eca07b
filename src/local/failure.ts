import type { Hex } from '../rpc/schema.js';

/**
 * A refusal in the node's words (docs/notes/node.md#replies). `form` tells how the reply is framed: `call` echoes the
 * request's id; `unread` has the string `"null"` for id, as the node's parser answers; `bare` has neither
 * `jsonrpc` nor `id` and replaces a whole batch.
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: number;
  readonly data: Hex | undefined;
  readonly form: 'call' | 'unread' | 'bare';

  constructor(code: number, message: string, options: { data?: Hex; form?: Failure['form'] } = {}) {
    super(message);
    this.code = code;
    this.data = options.data;
    this.form = options.form ?? 'call';
  }
}

/** The three codes that travel as HTTP 400 (docs/notes/node.md#http-status); every other one travels as 200. */
export const httpStatusOf = (code: number): number =>
  code === -32602 || code === -32600 || code === -32700 ? 400 : 200;

export const invalidParam = (message: string) => new Failure(-32602, message);
export const wrongParamCount = () => new Failure(-32602, 'method parameters invalid');
export const parseFailure = () => new Failure(-32700, 'JSON parse error', { form: 'unread' });
export const internal = () => new Failure(-32603, 'Internal server error');
export const unexpected = () => new Failure(-32099, 'Unexpected error', { form: 'bare' });
export const methodNotFound = () => new Failure(-32601, 'method not found');
export const methodDisabled = (method: string) =>
  new Failure(-32601, `the method ${method} does not exist/is not available`);
export const filterNotFound = () => new Failure(-32000, 'filter not found');
export const poolRefusal = (message: string) => new Failure(-32010, message);
export const blockNotFound = (what: string) => new Failure(-32600, `Block ${what} not found`);
export const reverted = (message: string, data: Hex) =>
  new Failure(-32015, `VM Exception while processing transaction: ${message}`, { data });
