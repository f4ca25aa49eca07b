import { invalidParams, ProviderRpcError } from './errors.js';

/** A class of errors, such as viem's `BaseError`. */
export type ErrorClass = abstract new (...args: never) => Error;

/**
 * Makes `ProviderRpcError` a subclass of a library's error class: viem decodes a revert at once if it is a `BaseError`,
 * and repeats the request three times if not (docs/notes/clients.md#viem-repeats-a-revert). Applies to all wallets of the
 * page; the last call wins.
 *
 * @throws ProviderRpcError -32602 if the argument is not a class of errors
 */
export function joinErrors(base: ErrorClass): void {
  if (typeof base !== 'function' || !(base.prototype instanceof Error))
    throw invalidParams('errorBase: expected a class of errors');
  const { prototype } = ProviderRpcError;
  const text: PropertyDescriptor & ThisType<Error> = {
    configurable: true,
    get() {
      return this.message;
    },
  };
  // Fields that viem reads from its errors.
  Object.defineProperties(prototype, { details: text, shortMessage: text });
  if (Object.getPrototypeOf(prototype) !== base.prototype) Object.setPrototypeOf(prototype, base.prototype);
}
