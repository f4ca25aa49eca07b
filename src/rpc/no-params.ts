import { invalidParams } from './errors.js';
import type { Json } from './message.js';

/** For methods without params: `[]`, or nothing. Apart from `params.ts` so that the shell stays small. */
export function noParams(params: Json): readonly [] {
  const count = Array.isArray(params) ? params.length : Object.keys(params as object).length;
  if (count > 0) throw invalidParams(`params: at most 0 expected, received ${count}`);
  return [];
}
