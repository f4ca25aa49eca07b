/**
 * The rows of bad-inputs.json that nothing can ask yet, and why. `bad-inputs.test.ts` holds each against its
 * proof: a row that has become reachable must move into the table.
 */

/** What a row waits for, or what this provider decided instead. */
export type Obstacle =
  /** `src/bridge` (issue "isolation"): there is no other window to speak to. */
  | 'no bridge'
  /** One request is one POST: the service's batches are "not shown" (seed, Transport). */
  | 'no batches'
  /** Ranged `eth_getLogs` (issue 4, point 5). */
  | 'no ranges'
  /** Log filters are the provider's own (architecture): no node is asked for their changes. */
  | 'own filters'
  /** `net_version` is answered here (issue 2, point 2), from the configuration. */
  | 'own net_version';

export const notYet: Readonly<Record<string, Obstacle>> = {
  'channel-001': 'no bridge',
  'channel-003': 'no bridge',
  'channel-004': 'no bridge',
  'channel-005': 'no bridge',
  'channel-006': 'no bridge',
  'channel-007': 'no bridge',
  'reply-034': 'no batches',
  'reply-035': 'no batches',
  'reply-036': 'no batches',
  'value-055': 'no ranges',
  'value-056': 'own filters',
  'value-062': 'own net_version',
};

/** Of rows that are run: the part of `behaviour` that no check looks at, because nothing shows it yet. */
export const clausesNotYet: Readonly<Record<string, string>> = {
  'value-027': 'emits a warning',
};
