import { bloomBits, bloomHas } from './bloom.js';
import { alternatives, matchesCriteria } from './matches.js';
import { own } from './own.js';
import type { Hex, Log, LogCriteria } from './schema.js';

/** Tests logs, and the blooms of their blocks, against criteria. */
export interface Matcher {
  /** False if no log of a block with this bloom can match. */
  mayMatch(bloom: Hex | null | undefined): boolean;
  matches(log: Log): boolean;
}

export function createMatcher(given: LogCriteria): Matcher {
  const criteria = own(given);
  const bits = [criteria.address, ...(criteria.topics ?? [])]
    .map(alternatives)
    .filter((values) => values.length > 0)
    .map((values) => values.map(bloomBits));

  return {
    mayMatch: (bloom) => bits.every((position) => position.some((each) => bloomHas(bloom, each))),
    matches: matchesCriteria(criteria),
  };
}
