/** `graft-kit/local`: a local service that behaves like a hosted Rootstock node, for tests and demos. Node.js only. */

export type { Hex } from '../../../../src/rpc/schema.js';
export { type Assumption, assumptions } from './assumptions.js';
export type { Mining, ReorgOptions } from './chain.js';
export type { Controls, LocalNode, LocalService, NodeControls, NodeOptions } from './controls.js';
export { type Dialect, dialects, type Switches } from './dialect.js';
export { type Engine, EngineError, type EngineSettings, type StartEngine } from './engine.js';
export type {
  ActualReply,
  Faults,
  GarbledReply,
  Intercept,
  InterceptedRequest,
  Interception,
  RequestSelection,
  ScriptedReply,
  SendError,
  SendFault,
  SendSelection,
  TransactionCountOverride,
} from './faults.js';
export type { Lie } from './lies.js';
export type { LoggedCall, RequestLog } from './requests.js';
export { createLocalService } from './service.js';
