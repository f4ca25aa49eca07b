import type { Behaviour } from './behaviour.js';
import { outageBehaviours } from './behaviours/outages.js';
import { revertBehaviours } from './behaviours/reverts.js';
import { sessionBehaviours } from './behaviours/session.js';
import { signingBehaviours } from './behaviours/signing.js';
import { pendingBehaviours, transactionBehaviours } from './behaviours/transactions.js';
import { watchingBehaviours } from './behaviours/watching.js';
import type { Dialect } from './rig.js';

/** In which the service has a part that its dialect decides. */
const served: readonly Behaviour[] = [
  ...transactionBehaviours,
  ...revertBehaviours,
  ...pendingBehaviours,
  ...watchingBehaviours,
];

/** In the order of the table; each can run alone, and after any other. */
export const behaviours: readonly Behaviour[] = [
  ...sessionBehaviours,
  ...signingBehaviours,
  ...served,
  ...outageBehaviours,
];

/** What no dialect decides runs on one of them. */
export const behavioursOn: Readonly<Record<Dialect, readonly Behaviour[]>> = {
  seed: behaviours,
  node: served,
};
