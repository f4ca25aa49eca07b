/** `graft-wallet/inspect`: the requests, answers and costs of a wallet, as counts, as text and as a live panel. */
export type { WalletEvent } from '../rpc/observation.js';
export { type Inspection, inspect, type Observable } from './inspect.js';
export { inspector } from './inspector.js';
export type {
  HttpCounts,
  InspectedChain,
  InspectedRequest,
  InspectedSubscription,
  MethodCounts,
  PermissionCounts,
  QuestionCounts,
  Snapshot,
  TabCounts,
} from './snapshot.js';
