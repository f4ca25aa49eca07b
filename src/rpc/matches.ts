import { own } from './own.js';
import type { Hex, Log, LogCriteria } from './schema.js';

/**
 * Whether a log matches `criteria` by the node's rules: a position matches anything where it is
 * `null` or an empty list, a `null` among alternatives counts for nothing, and criteria may be longer than the log's
 * topics as long as the surplus positions match anything.
 */
export function matches(given: LogCriteria): (log: Log) => boolean {
  const criteria = own(given);
  const addresses = alternatives(criteria.address);
  const topics = (criteria.topics ?? []).map(alternatives);
  return (log) =>
    accepts(addresses, log.address) && topics.every((values, at) => accepts(values, log.topics[at]));
}

/** The values that one position accepts, in lower case; none where it accepts any. */
export const alternatives = (value: Hex | null | undefined | readonly (Hex | null)[]): readonly Hex[] =>
  [value ?? []]
    .flat()
    .filter((each) => each !== null)
    .map((each) => each.toLowerCase() as Hex);

const accepts = (values: readonly Hex[], value: Hex | undefined): boolean =>
  values.length === 0 || (value !== undefined && values.includes(value.toLowerCase() as Hex));
