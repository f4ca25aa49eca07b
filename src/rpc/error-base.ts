import { invalidParams, ProviderRpcError } from './errors.js';

/** A class of errors, such as viem's `BaseError`. */
export type ErrorClass = abstract new (...args: never) => Error;

/**
 * Makes every error of ours an instance of a library's class too, for libraries that trust no other: viem decodes
 * a revert at once when it is a `BaseError`, and asks three times more when it is not (docs/notes/clients.md#viem-repeats-a-revert).
 * Holds for all wallets of the page; of several classes the last one holds.
 *
 * @throws ProviderRpcError -32602 for what is no class of errors.
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
  // What viem reads of its own errors beside the message.
  Object.defineProperties(prototype, { details: text, shortMessage: text });
  if (Object.getPrototypeOf(prototype) !== base.prototype) Object.setPrototypeOf(prototype, base.prototype);
}
