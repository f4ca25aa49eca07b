import { own } from '../rpc/own.js';
import type { Address, Hash } from '../rpc/schema.js';
import type { Span } from '../service/logs/limits.js';
import type { Storage } from '../storage/storage.js';
import type { ReceivedPayment } from './received.js';

/** A block by which a later reading notices that the chain is another one. */
export interface Anchor {
  readonly number: number;
  readonly hash: Hash;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The blocks that were read for an account, and its balance. */
export interface KnownAccount {
  /** Blocks that were read, without those above the newest anchor: in order, with gaps between them. */
  readonly spans: readonly Span[];
  /** wei at the newest anchor, decimal. */
  readonly balance?: string;
}

/** How a balance in the chain's coin changed in some blocks, beside the payments that were found in them. */
export interface BalanceStep {
  readonly account: Address;
  /** wei, decimal: what own transactions spent there is in it. */
  readonly amount: string;
  readonly from: number;
  readonly to: number;
}

/** Everything that is known of one chain. */
export interface ReceivedRecord {
  /** A number that each write raises, by which one tab notices that another has written. */
  readonly revision: number;
  /** Oldest first. */
  readonly anchors: readonly Anchor[];
  /** The newest block of the last reading, up to which the blocks above the newest anchor were read. */
  readonly head: Anchor | null;
  readonly accounts: Readonly<Record<Address, KnownAccount>>;
  readonly payments: readonly ReceivedPayment[];
  readonly steps: readonly BalanceStep[];
}

export const emptyRecord: ReceivedRecord = {
  revision: 0,
  anchors: [],
  head: null,
  accounts: own({}),
  payments: [],
  steps: [],
};

/** The records of the chains. One of another form counts as none. */
export interface Records {
  load(chainId: number): Promise<ReceivedRecord>;
  /** Resolves with what is stored then: the newer one where another tab has written since `before` was loaded. */
  save(chainId: number, before: ReceivedRecord, after: ReceivedRecord): Promise<ReceivedRecord>;
}

export const createRecords = (storage: Pick<Storage, 'get' | 'update'>): Records => ({
  load: async (chainId) => readRecord(await storage.get('received', `${chainId}`)),
  async save(chainId, before, after) {
    const stored = await storage.update('received', `${chainId}`, (current) =>
      readRecord(current).revision === before.revision
        ? { ...after, revision: before.revision + 1 }
        : current,
    );
    return readRecord(stored);
  },
});

function readRecord(value: unknown): ReceivedRecord {
  const record = own(Object(value) as ReceivedRecord);
  const { revision, anchors, payments, steps, accounts } = record;
  const isWhole =
    Number.isSafeInteger(revision) &&
    [anchors, payments, steps].every(Array.isArray) &&
    Object(accounts) === accounts;
  return isWhole ? { ...record, accounts: own(accounts) } : emptyRecord;
}
