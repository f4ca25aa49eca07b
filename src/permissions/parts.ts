import type { Approvals } from '../approvals/approvals.js';
import type { Keyring } from '../keyring/keyring.js';
import type { Observation, WalletEvent } from '../rpc/observation.js';
import type { Address, Hash } from '../rpc/schema.js';
import type { Network } from '../service/networks.js';
import type { Service } from '../service/service.js';
import type { Session } from '../session/session.js';
import type { NonceLocks } from '../transactions/account-ledger.js';
import type { Checkpoints } from '../transactions/checkpoints.js';
import type { Journal } from '../transactions/journal.js';
import type { ContactsOf, LookAlikes } from '../transactions/recipient.js';
import type { Grant } from './grant.js';
import type { History, Seen } from './history.js';
import type { Ledger } from './ledger.js';

/** The parts of a wallet that permissions use. */
export interface PermittingWallet {
  readonly session: Session;
  readonly keyring: Keyring;
  readonly journal: Journal;
  readonly checkpoints: Checkpoints;
  readonly nonceLocks: NonceLocks;
  readonly approvals: Approvals;
  readonly contacts: ContactsOf;
  readonly lookAlikes: LookAlikes;
  /** The service for what a dapp asks and sends. */
  readonly serviceOf: (chainId: number) => Service;
  /** The service for reads that may be answered from memory. */
  readonly readsOf: (chainId: number) => Service;
  /** Whether tabs of this origin can wait for one another, or there is only one. */
  readonly hasLocks: () => boolean;
  readonly networkOf: (chainId: number) => Network | undefined;
  /** A network's only endpoint, by itself. Default: over HTTP. */
  readonly endpoint?: ((network: Network) => Service) | undefined;
  readonly observation?: Observation | undefined;
  /** Milliseconds for which a send waits until a node has what this page has signed before. Default: two seconds. */
  readonly sendTimeout?: number | undefined;
  /** Whether the page is in no frame. */
  readonly isTop: () => boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The parts that permissions.ts shares with what it loads when that is needed: granting.ts, listing.ts and upkeep.ts. */
export interface PermissionParts extends PermittingWallet {
  /** The ledger of the vault's key, `null` for a vault without one. The keys must be unlocked, as for all of the vault. */
  readonly ledger: () => Promise<Ledger | null>;
  /** All grants that the vault has a record of, those that have ended too. */
  readonly recorded: () => Promise<readonly Grant[]>;
  /** The grants as the session lists them, which any script of the origin can write. */
  readonly listed: () => readonly Grant[];
  /** Whether a grant has ended: the session lists it no more, or its site is not connected as it was. */
  readonly hasEnded: (grant: Grant) => boolean;
  /** Whether a grant counts in this page: it has not ended, and its chain is configured here. */
  readonly isLive: (grant: Grant) => boolean;
  /** The records without those that have ended; those that this build cannot read stay. */
  readonly withoutEnded: (records: readonly Uint8Array[]) => readonly Uint8Array[];
  /** @param head hash of the newest block. Default: only transactions with twelve blocks on top count as mined */
  readonly historyOf: (grant: Grant, marks: ReadableLedger, head?: Hash | null) => Promise<History>;
  readonly seenOf: (chainId: number, account: Address) => Seen;
  readonly report: (what: WalletEvent.Permission['what'], grant: Grant) => void;
}

/** A ledger that makes no marks. While the keys are locked it is one that checks none. */
export type ReadableLedger = Pick<Ledger, 'read' | 'isSealed'>;
