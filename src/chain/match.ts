import { own } from '../rpc/own.js';
import type { Hex, Log, LogCriteria } from '../rpc/schema.js';
import { bloomBits, bloomHas } from './bloom.js';

/** Which logs are wanted: the rules of seed, "Filter options". */
export interface Matcher {
  /** False only if no log of the block with this bloom can match. */
  mayMatch(bloom: Hex | null | undefined): boolean;
  matches(log: Log): boolean;
}

export function createMatcher(given: LogCriteria): Matcher {
  const criteria = own(given);
  // `null` and `[]` at a position mean anything; a `null` inside an OR list says nothing (node-facts §1.8).
  const addresses = alternatives(criteria.address);
  const topics = (criteria.topics ?? []).map(alternatives);
  const bits = [addresses, ...topics]
    .filter((values) => values.length > 0)
    .map((values) => values.map(bloomBits));

  return {
    mayMatch: (bloom) => bits.every((position) => position.some((each) => bloomHas(bloom, each))),
    matches: (log) =>
      log.topics.length >= topics.length &&
      accepts(addresses, log.address) &&
      topics.every((values, at) => accepts(values, log.topics[at])),
  };
}

const alternatives = (value: Hex | null | undefined | readonly (Hex | null)[]): readonly Hex[] =>
  [value ?? []]
    .flat()
    .filter((each) => each !== null)
    .map((each) => each.toLowerCase() as Hex);

const accepts = (values: readonly Hex[], value: Hex | undefined): boolean =>
  values.length === 0 || (value !== undefined && values.includes(value.toLowerCase() as Hex));
