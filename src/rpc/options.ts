import { invalidParams } from './errors.js';

/** What may be asked of an option: a type as `typeof` names it, or an array. */
export type OptionType = 'string' | 'number' | 'boolean' | 'function' | 'object' | 'array';

/**
 * Checks the options that are given, by their names. Nothing of a value is shown: it may be a secret.
 * @throws ProviderRpcError -32602 naming the option that is of another type
 */
export function requireTypes(options: unknown, types: Readonly<Record<string, OptionType>>): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw invalidParams('options: expected an object');
  for (const [name, type] of Object.entries(types)) {
    const value = (options as Record<string, unknown>)[name];
    const is = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
    if (value !== undefined && is !== type) throw invalidParams(`${name}: expected the type ${type}`);
  }
}
