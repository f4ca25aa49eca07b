import { own } from './own.js';
import type { Hex, Log, LogCriteria } from './schema.js';

/**
 * Tests logs against criteria by the node's rules: `null` or an empty list matches any topic, `null` among alternatives is
 * ignored, and there may be more positions than the log has topics if the surplus positions match anything.
 */
export function matchesCriteria(given: LogCriteria): (log: Log) => boolean {
  const criteria = own(given);
  const addresses = alternatives(criteria.address);
  const topics = (criteria.topics ?? []).map(alternatives);
  return (log) =>
    accepts(addresses, log.address) && topics.every((values, at) => accepts(values, log.topics[at]));
}

/** The values that a position accepts, in lower case; empty if it accepts any. */
export const alternatives = (value: Hex | null | undefined | readonly (Hex | null)[]): readonly Hex[] =>
  [value ?? []]
    .flat()
    .filter((each) => each !== null)
    .map((each) => each.toLowerCase() as Hex);

const accepts = (values: readonly Hex[], value: Hex | undefined): boolean =>
  values.length === 0 || (value !== undefined && values.includes(value.toLowerCase() as Hex));
