/**
 * The rows of bad-inputs.json that nothing can ask yet, and why. `bad-inputs.waits.test.ts` holds each against its
 * proof: a row that has become reachable must move into the table.
 */

/** What a row waits for, or what this provider decided instead. */
export type Obstacle =
  /** `net_version` is answered here (issue 2, point 2), from the configuration. */
  | 'own net_version'
  /** Back ends hard-code chain ids: another one in a sign-in message is a warning, not a refusal. */
  | 'sign-in chain is a warning';

export const notYet: Readonly<Record<string, Obstacle>> = {
  'siwe-008': 'sign-in chain is a warning',
  'value-062': 'own net_version',
};

/** Of rows that are run: the part of `behaviour` that no check looks at, because nothing shows it yet. */
export const clausesNotYet: Readonly<Record<string, string>> = {
  'value-027': 'emits a warning',
};
