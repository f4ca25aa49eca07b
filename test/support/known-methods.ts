import { methodFacts, methodNames } from '../../src/rpc/method-facts/method-facts.js';
import { type Unsupported, unsupportedRows } from '../../src/rpc/method-facts/unsupported-rows.js';

export const unsupported = new Map<string, Unsupported>(Object.entries(unsupportedRows));

/** All methods with a row: those that are answered, and those that are not. */
export const knownMethods: readonly string[] = [...methodNames(), ...unsupported.keys()];

/** The access of a method; `undefined` for a name without a row. */
export function accessOf(name: string): 'public' | 'account' | 'refused' | 'absent' | undefined {
  if (methodNames().includes(name)) return methodFacts(name).access ?? 'public';
  return unsupported.get(name)?.access;
}
