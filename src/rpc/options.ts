import { invalidParams } from './errors.js';
import { own } from './own.js';

/** The types an option can be required to have: those of `typeof`, and an array. */
export type OptionType = 'string' | 'number' | 'boolean' | 'function' | 'object' | 'array';

/**
 * Checks the types of the options that are set. The message does not show a value: it may be a secret.
 * @throws ProviderRpcError -32602 naming the option of a wrong type
 */
export function requireTypes(options: unknown, types: Readonly<Record<string, OptionType>>): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw invalidParams('options: expected an object');
  const given = own(options as Record<string, unknown>);
  for (const [name, type] of Object.entries(types)) {
    const value = given[name];
    const is = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
    if (value !== undefined && is !== type) throw invalidParams(`${name}: expected the type ${type}`);
  }
}
