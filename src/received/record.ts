import { own } from '../rpc/own.js';
import { type Address, type Hash, isAddress, isLowerAddress } from '../rpc/schema.js';
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
  /** The first block from which on its coins are known, where that is not the first of a span. */
  readonly coinsFrom?: number;
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
  const { revision, anchors, head, payments, steps, accounts } = own(Object(value) as ReceivedRecord);
  const known = Object.entries(Object(accounts)).map(
    ([account, each]) => [account, own(Object(each))] as const,
  );
  const isWhole =
    isHeight(revision) &&
    isListOf(anchors, isAnchor) &&
    (head === null || isAnchor(head)) &&
    isListOf(payments, isPayment) &&
    isListOf(steps, isStep) &&
    known.every(([account, each]) => isAddress(account) && isKnown(each as KnownAccount));
  if (!isWhole) return emptyRecord;
  return {
    ...{ revision, anchors, head },
    accounts: own(Object.fromEntries(known) as ReceivedRecord['accounts']),
    payments: payments.map(own),
    steps: steps.map(own),
  };
}

type Fields = Readonly<Record<string, unknown>>;

const isListOf = (value: unknown, isOne: (each: Fields) => boolean): boolean =>
  Array.isArray(value) && value.every((each) => isOne(own(Object(each) as Fields)));

const isHeight = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

const isHex = (value: unknown, digits = /^0x[0-9a-f]+$/): boolean =>
  typeof value === 'string' && digits.test(value);

const isHash = (value: unknown): boolean => isHex(value, /^0x[0-9a-f]{64}$/);

const isAnchor = (value: unknown): boolean => {
  const { number, hash, at } = own(Object(value) as Fields);
  return isHeight(number) && isHash(hash) && isHeight(at);
};

const isSpan = ({ from, to }: Fields): boolean => isHeight(from) && isHeight(to);

const isKnown = ({ spans, balance, coinsFrom }: Partial<KnownAccount>): boolean =>
  isListOf(spans, isSpan) &&
  (balance === undefined || /^\d+$/.test(`${balance}`)) &&
  (coinsFrom === undefined || isHeight(coinsFrom));

const isPayment = ({
  account,
  from,
  token,
  amount,
  tokenId,
  transaction,
  blockNumber,
  blockHash,
  logIndex,
}: Fields) =>
  [account, from].every(isLowerAddress) &&
  (token === null || isLowerAddress(token)) &&
  [amount, blockNumber, tokenId ?? '0x0', logIndex ?? '0x0'].every((each) => isHex(each)) &&
  isHash(transaction) &&
  isHash(blockHash);

const isStep = (step: Fields): boolean =>
  isSpan(step) && isLowerAddress(step.account) && /^-?\d+$/.test(`${step.amount}`);
