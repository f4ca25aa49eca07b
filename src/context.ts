import type { Approvals } from './approvals/approvals.js';
import type { Following } from './following.js';
import type { LogRanges } from './service/logs/ranges.js';
import type { Network } from './service/networks.js';
import type { Service } from './service/service.js';
import type { Session, WatchedAsset } from './session/session.js';
import type { Signing } from './signing.js';

/** What every method may use: enough to answer from what the page already knows. */
export interface InstantContext {
  /** Who asks: the origin of the page that holds the provider. */
  readonly origin: string;
  readonly session: Session;
}

/** What a method may use once the core has loaded. What is a promise here loads on first use. */
export interface Context extends InstantContext {
  /** Configured and added networks, by chain id. */
  readonly networks: ReadonlyMap<number, Network>;
  /** Remembers a network that a person agreed to add (EIP-3085). */
  addNetwork(network: Network): void;
  /** The active network and what is bound to it. */
  network(): Network;
  /** For what a page reads: what is known is not asked again. */
  service(): Service;
  /** For what is signed and sent: each read is a request. */
  direct(): Service;
  /** A service for a network that is not (yet) configured, to ask who it is. */
  probe(network: Network): Service;
  /** Logs of ranges that the active chain's service does not give at once: a chunk of its own. */
  logRanges(): Promise<LogRanges>;
  /** What follows the head of the active chain: a chunk of its own. */
  following(): Promise<Following>;
  readonly approvals: Approvals;
  /** Remembers a token that a person wants to see (EIP-747). */
  watchAsset(chainId: number, asset: WatchedAsset): void;
  /** What needs keys: the signer chunk. */
  signing(): Promise<Signing>;
  now(): number;
}
