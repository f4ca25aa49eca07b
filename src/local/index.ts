/** `graft-wallet/local`: the seed's service on this machine, for tests and demos. Node only. */

export type { Hex } from '../rpc/schema.js';
export { type Assumption, assumptions } from './assumptions.js';
export type { Mining, ReorgOptions } from './chain.js';
export type { Controls, LocalNode, LocalService, NodeControls, NodeOptions } from './controls.js';
export { type Dialect, dialects, type Switches } from './dialect.js';
export { type Engine, EngineError, type EngineSettings, type StartEngine } from './engine.js';
export type {
  Asked,
  CountClaim,
  Faults,
  Garble,
  Intercept,
  ScriptedReply,
  SendError,
  SendFault,
  Truth,
  Verdict,
  Which,
  WhichSends,
} from './faults.js';
export type { LoggedCall, RequestLog } from './requests.js';
export { createLocalService } from './service.js';
