import type { Address, Hash, Log } from '../rpc/schema.js';

/** Read and lower-cased: which logs are wanted. Empty means any. */
export interface Criteria {
  readonly addresses: readonly Address[];
  /** Per position: any of these; empty or absent means anything (docs/notes/service.md#filter-options-eth_newfilter-eth_getlogs). */
  readonly topics: readonly (readonly Hash[])[];
}

export const matches = ({ addresses, topics }: Criteria, log: Log): boolean =>
  (addresses.length === 0 || addresses.includes(log.address)) &&
  topics.every((wanted, position) => {
    const topic = log.topics[position];
    return wanted.length === 0 || (topic !== undefined && wanted.includes(topic));
  });

/** Almost the same for the engine, in the fields of `eth_getLogs`: it refuses a fifth topic, which no log has. */
export const engineCriteria = ({ addresses, topics }: Criteria) => ({
  ...(addresses.length > 0 && { address: addresses }),
  topics: topics.slice(0, 4).map((wanted) => (wanted.length === 0 ? null : wanted)),
});
