import type { Approvals } from '../approvals/approvals.js';
import type { Cover } from '../approvals/cover.js';
import type { SharedUnlock } from '../approvals/question.js';
import type { CoinPrice } from '../assets/coin-price.js';
import type { Names } from '../assets/names.js';
import type { Follower } from '../chain/follower.js';
import type { SharedService } from '../chain/tabs/shared-service.js';
import type { Book } from '../contacts/book.js';
import type { Keyring } from '../keyring/keyring.js';
import type { Permissions } from '../permissions/permissions.js';
import type { Purses } from '../purse/purses.js';
import type { Address, Hex } from '../rpc/schema.js';
import type { LogRanges } from '../service/logs/ranges.js';
import type { Network } from '../service/networks.js';
import type { Service } from '../service/service.js';
import type { ReadableSession, Session, WatchedAsset } from '../session/session.js';
import type { Signatures } from '../signatures/signatures.js';
import type { Filters } from '../subscriptions/filters/filters.js';
import type { Subscriptions } from '../subscriptions/subscriptions.js';
import type { Batches } from '../transactions/batches/batches.js';
import type { Journal } from '../transactions/journal.js';
import type { ContactsOf } from '../transactions/recipient.js';
import type { Submit } from '../transactions/submit.js';
import type { Transactions } from '../transactions/transactions.js';

/** The context of every method, available before the core has loaded. */
export interface InstantContext {
  /** Origin of the page that holds the provider. */
  readonly origin: string;
  readonly session: ReadableSession;
}

/** The context of a method once the core has loaded. A promise loads its chunk at the first call. */
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
  /** The queue of questions to the person. A chunk of its own. */
  approvals(): Promise<Approvals>;
  /** Whether the dialog sets up a wallet for a person who has none, or the page does. */
  readonly onboarding: 'dialog' | 'page';
  /** Adds a token that a person has approved (EIP-747). */
  watchAsset(chainId: number, asset: WatchedAsset): void;
  /** Everything that needs keys. */
  signing(): Promise<Signing>;
  now(): number;
}

/** Everything that needs keys, in one lazy chunk that loads with the first request that signs. */
export interface Signing {
  readonly keyring: Keyring;
  /** The lock of the keys, for questions. */
  readonly lock: Pick<Keyring, 'locked' | 'keeps' | 'unlock'> & {
    /** Shares unlocks from now on among the documents that serve a dapp. */
    sharedUnlock(origin: string): SharedUnlock;
  };
  readonly journal: Journal;
  /** The contacts, for questions and warnings. */
  readonly contacts: ContactsOf;
  /** The contacts in the vault. A chunk of its own. */
  readonly book: () => Promise<Book>;
  /** Permissions of sites to sign without a question. A chunk of its own. */
  readonly permissions: () => Promise<Permissions>;
  /** Purses, whose keys sites have. A chunk of its own. */
  readonly purses: () => Promise<Purses>;
  /** The permissions of a site, for the queue of questions; `null` for one that has none. */
  cover(site: Cover.Site, service: Service): Promise<Cover> | null;
  /** A chunk of its own, which messages do not need. */
  readonly transactions: () => Promise<Transactions>;
  /** The price of a chain's coin; `null` for none. @throws ProviderRpcError as a read of the service */
  coinPrice(chainId: number): Promise<CoinPrice | null>;
  /** Names of the RIF Name Service, a chunk of its own; `null` where the options switch them off. */
  readonly names: (() => Promise<Names>) | null;
  /** Signs messages and typed data. A chunk of its own, which payments do not need. */
  readonly signatures: () => Promise<Signatures>;
  /** Sends batches of calls (EIP-5792). A chunk of its own. */
  readonly batches: () => Promise<Batches>;
  /** Sends bytes that were signed elsewhere. */
  readonly submit: Submit;
  /** The signer of an EIP-191 message. @throws ProviderRpcError -32602 for an invalid signature */
  recoverMessage(message: Hex, signature: Hex): Promise<Address>;
  /** Starts the outboxes, for open transactions of earlier pages. */
  resume(): void;
  /** Stops sending what is open on a chain that was removed. The journal keeps it. */
  forget(chainId: number): void;
  close(): void;
}

/** Everything that follows the head of one chain: a lazy chunk, since most pages only read. */
export interface Following {
  /** Shared with the other tabs of the origin. */
  readonly service: SharedService;
  readonly follower: Follower;
  readonly subscriptions: Subscriptions;
  readonly filters: Filters;
  /** Ends all subscriptions and filters of the page; other watchers of the follower stay. */
  clear(): void;
  close(): void;
}
