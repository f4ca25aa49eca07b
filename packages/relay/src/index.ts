/**
 * `graft-relay`: a relay between the browsers of one app and a hosted node, as a handler of the fetch API. For a
 * server on Node.js see `graft-relay/node`.
 */

export type { JwtOptions, TokenAlgorithm } from './access/auth.js';
export type { LimitOptions } from './access/limits.js';
export type { MethodOptions } from './access/policy.js';
export { type Accepted, createRelay, type Peer, type Relay, type SavedConnection } from './handler.js';
export type { RelayNetwork, RelayOptions } from './options/config.js';
