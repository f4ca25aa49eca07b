import type { Approvals } from '../approvals/approvals.js';
import type { QuestionNetwork } from '../approvals/question.js';
import type { Keyring } from '../keyring/keyring.js';
import type { Network } from '../service/networks.js';
import type { Service } from '../service/service.js';
import type { Session } from '../session/session.js';
import type { NonceLocks } from '../transactions/account-ledger.js';
import type { SignAndRecord } from '../transactions/approve-and-sign.js';
import type { Delivery } from '../transactions/delivery.js';
import type { Journal } from '../transactions/journal.js';
import type { ContactsOf, LookAlikes } from '../transactions/recipient.js';
import { isLive, type Purse } from './purse.js';

/** The parts of a wallet that purses use. */
export interface WalletParts {
  readonly session: Session;
  readonly keyring: Keyring;
  readonly journal: Journal;
  readonly nonceLocks: NonceLocks;
  readonly approvals: Approvals;
  readonly contacts: ContactsOf;
  readonly lookAlikes: LookAlikes;
  readonly delivery: () => Promise<Delivery>;
  readonly signAndRecord: () => Promise<SignAndRecord>;
  /** Starts the outbox of a chain, or makes it read the journal again. */
  readonly wake: (chainId: number) => void;
  /** The service for what a person waits for. @throws ProviderRpcError 4901 for a chain that is not configured */
  readonly serviceOf: (chainId: number) => Service;
  readonly networkOf: (chainId: number) => Network | undefined;
  readonly chainIds: () => Iterable<number>;
  /** A network as a question shows it. */
  readonly describe: (network: Network) => QuestionNetwork;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The records of purses in the vault, as stored now. */
export interface PurseRecords {
  /** @throws ProviderRpcError 4100 locked */
  all(): Promise<readonly Purse[]>;
  /** Stores purses in place of the present ones; if `change` throws, nothing is stored. */
  change(change: (purses: readonly Purse[]) => readonly Purse[]): Promise<void>;
}

export interface PurseParts extends WalletParts {
  readonly records: PurseRecords;
  /** A copy of the key of a purse, which the caller wipes. */
  readonly lendKey: (purse: Pick<Purse, 'account' | 'path'>) => Promise<Uint8Array>;
}

/** The live purse of a site for an account on a chain. */
export const liveOf = (
  purses: readonly Purse[],
  { origin, account, chainId }: Pick<Purse, 'origin' | 'account' | 'chainId'>,
): Purse | undefined =>
  purses.find(
    (each) => isLive(each) && each.origin === origin && each.account === account && each.chainId === chainId,
  );
