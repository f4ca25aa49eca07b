import type { Address, Hash, Log } from '../../../../src/rpc/schema.js';

/** Validated criteria of a log query, in lower case. Empty lists match anything. */
export interface Criteria {
  readonly addresses: readonly Address[];
  /** Alternatives by position; an empty list matches anything (docs/notes/service.md#filter-options-eth_newfilter-eth_getlogs). */
  readonly topics: readonly (readonly Hash[])[];
}

/** A bound of a range of blocks. */
export type Bound = 'latest' | 'earliest' | 'pending' | number;

export const matches = ({ addresses, topics }: Criteria, log: Log): boolean =>
  (addresses.length === 0 || addresses.includes(log.address)) &&
  topics.every((alternatives, position) => {
    const topic = log.topics[position];
    return alternatives.length === 0 || (topic !== undefined && alternatives.includes(topic));
  });

/** The criteria as fields of the engine's `eth_getLogs`, cut to four topics because the engine rejects a fifth. */
export const engineCriteria = ({ addresses, topics }: Criteria) => ({
  ...(addresses.length > 0 && { address: addresses }),
  topics: topics.slice(0, 4).map((alternatives) => (alternatives.length === 0 ? null : alternatives)),
});
