import type { Approvals } from './approvals/approvals.js';
import type { Following } from './following.js';
import type { LogRanges } from './service/logs/ranges.js';
import type { Network } from './service/networks.js';
import type { Service } from './service/service.js';
import type { ReadableSession, Session, WatchedAsset } from './session/session.js';
import type { Signing } from './signing.js';

/** What every method may use, before the core has loaded too. */
export interface InstantContext {
  /** Origin of the page that holds the provider. */
  readonly origin: string;
  readonly session: ReadableSession;
}

/** What a method may use once the core has loaded. A promise loads its chunk at the first call. */
export interface Context extends InstantContext {
  readonly session: Session;
  /** Configured and added networks, by chain id. */
  readonly networks: ReadonlyMap<number, Network>;
  /** Adds a network that a person has approved (EIP-3085). */
  addNetwork(network: Network): void;
  /** The active network. The methods below belong to its chain. */
  network(): Network;
  /** For what a page reads: repeated reads are answered from the cache. */
  reads(): Service;
  /** For what a person signs and sends: each read is a request, before those of the page. */
  sends(): Service;
  /** A client for a network that is not configured yet, to verify its chain id. */
  probe(network: Network): Service;
  /** Reads logs of any range, in several requests where needed. */
  logRanges(): Promise<LogRanges>;
  /** Subscriptions and filters. */
  following(): Promise<Following>;
  readonly approvals: Approvals;
  /** Whether the dialog sets up a wallet for a person who has none, or the page does. */
  readonly onboarding: 'dialog' | 'page';
  /** Adds a token that a person has approved (EIP-747). */
  watchAsset(chainId: number, asset: WatchedAsset): void;
  /** Everything that needs keys. */
  signing(): Promise<Signing>;
  now(): number;
}
