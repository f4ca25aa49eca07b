import type { Address, Hash, Hex } from '../rpc/schema.js';
import type { AccessList } from '../rpc/transaction.js';

/**
 * A signed transaction and its state. It is written before the transaction is sent, so that a crash, a lost reply or a
 * mempool that drops it neither loses the transaction nor makes the wallet sign a second one for the same approval.
 */
export interface JournalEntry {
  /** The hash of `raw`. */
  readonly hash: Hash;
  /** The signed bytes. */
  readonly raw: Hex;
  /** As a number, such as 30. */
  readonly chainId: number;
  /** The account that has signed. */
  readonly from: Address;
  /** `null` for a contract creation. */
  readonly to: Address | null;
  /** QUANTITY. */
  readonly nonce: Hex;
  /** wei */
  readonly value: Hex;
  /** Calldata, or the code of a new contract. */
  readonly data: Hex;
  /** The most gas that it may use, QUANTITY. */
  readonly gas: Hex;
  /** wei per gas; for type 2, `maxFeePerGas`. */
  readonly gasPrice: Hex;
  /** Absent: legacy. */
  readonly transactionType?: '0x1' | '0x2';
  /** Access list of types 1 and 2. */
  readonly accessList?: AccessList;
  /** For type 2, if it differs from the gas price. */
  readonly maxPriorityFeePerGas?: Hex;
  /** The origin that requested it. */
  readonly origin: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** The page chose the nonce, or passed the signed bytes: there may be a nonce gap below it. */
  readonly nonceChosen?: true;
  /** The pending transaction with the same nonce that the person saw this one replace. */
  readonly replaces?: Hash;
  /**
   * - `signed`: stored here; no node is known to have it.
   * - `sent`: a node has accepted it into its mempool.
   * - `mined`: included in block `blockHash`; it succeeded.
   * - `reverted`: included in block `blockHash`; it failed, and only the fee was paid.
   * - `replaced`: another transaction of the account has used its nonce.
   * - `refused`: the node's rules forbid it (`reason` is the node's own message).
   * - `abandoned`: given up before any node was known to have it.
   *
   * No state is final: a receipt found later corrects it.
   */
  readonly state: 'signed' | 'sent' | 'mined' | 'reverted' | 'replaced' | 'refused' | 'abandoned';
  /** A broadcast had no conclusive reply, so a node may have it. */
  readonly maybeSent?: true;
  /** When a node last replied that it accepts this transaction later, milliseconds since 1970. */
  readonly deferredAt?: number;
  /** A block from the time of the signature; it distinguishes chains with the same chain id. */
  readonly anchor?: { readonly number: Hex; readonly hash: Hash };
  /** Its place in the accounts of the permissions; absent for an account without any. */
  readonly ledger?: LedgerMark;
  /** Why it is not sent although it is open; see {@link holdOf}. */
  readonly held?: 'other-chain' | 'damaged' | 'page';
  /** The block of this transaction or, if `replaced`, of the one that used its nonce. */
  readonly blockNumber?: Hex;
  /** The block that it is in; absent while it is in none. */
  readonly blockHash?: Hash;
  /** Whether Bitcoin's miners have worked on its block and on those on top of it; only where the network is verified. */
  readonly proven?: true;
  /** Fee paid, wei: gas used × price. Only for `mined` and `reverted`. */
  readonly fee?: Hex;
  /** Its effects on the account beside its value, by its logs; only for `mined`. */
  readonly effects?: readonly Effect[];
  /** The contract that it created; only for `mined`. */
  readonly created?: Address;
  /** Why it was refused or reverted, if known. */
  readonly reason?: string;
  /** When a receipt showed that it was mined although it counted as refused, abandoned or replaced. Milliseconds since 1970. */
  readonly correctedAt?: number;
  /** The transaction that used the nonce, if known. */
  readonly replacedBy?: Hash;
}

/**
 * An effect of a mined transaction on its account, by its logs. Each token is there at most once as `paid` or `received`: the sum of its
 * movements.
 */
export type Effect =
  | {
      readonly kind: 'paid' | 'received';
      /** The contract of the token; `null` for the chain's coin. */
      readonly token: Address | null;
      /** Base units, a QUANTITY; how many of a collectible. */
      readonly amount: Hex;
      readonly isCollectible?: boolean;
    }
  | {
      /** A right over tokens of the account, as the last log of the transaction has it. */
      readonly kind: 'allowed';
      readonly token: Address;
      /** The one that may move them. */
      readonly spender: Address;
      /** Base units, a QUANTITY: `0x0` took the right away; `all` is for every item of a collection. */
      readonly amount: Hex | 'all';
      readonly isCollectible?: boolean;
    };

/** A mark that only the wallet can make (docs/notes/permissions.md). */
export interface LedgerMark {
  /** Context of the permission that it was signed under; `null` where the person agreed. */
  readonly permission: Hash | null;
  /** The period of the permission in which it was signed, from 0. */
  readonly period: number;
  /** The most that it takes of the permission's amount: wei, or base units of its token. */
  readonly amount: Hex;
  /** The most that it takes of the permission's fees, wei. */
  readonly fees: Hex;
  /** HMAC-SHA-256 over the transaction and the other members, by a key of the vault. */
  readonly mac: Hex;
  /** HMAC-SHA-256 that a page of the wallet has seen it mined. */
  readonly mined?: Hex | undefined;
  /** The proven cost, once twelve blocks are on top of its own. */
  readonly settled?: {
    /** As in the mark. */
    readonly amount: Hex;
    readonly fees: Hex;
    /** Time of its block, Unix seconds. */
    readonly at: number;
    readonly mac: Hex;
  };
}

/** Prefix of the keys of an account's entries in the journal's store, or of those with one nonce. */
export const prefixOf = (chainId: number, from: Address, nonce?: Hex): string =>
  `${chainId}:${from}:${nonce === undefined ? '' : `${nonce.padStart(18, ' ')}:`}`;

/** The key of an entry there. */
export const keyOf = ({ chainId, from, nonce, hash }: JournalEntry): string =>
  `${prefixOf(chainId, from, nonce)}${hash}`;

/** It has no outcome yet: it is rebroadcast until it is mined, its nonce is used, or the chain refuses it. */
export const isOpen = ({ state }: JournalEntry): boolean => state === 'signed' || state === 'sent';

export const isMined = ({ state }: JournalEntry): boolean => state === 'mined' || state === 'reverted';

/**
 * It is settled here, or a page has it, but without proof that it was not mined, so its receipt is looked up for one more day.
 * @param now milliseconds since 1970
 */
export const isUnproven = ({ state, held, replacedBy, createdAt }: JournalEntry, now: number): boolean =>
  (state === 'refused' || state === 'abandoned' || state === 'replaced' || held === 'page') &&
  replacedBy === undefined &&
  now - createdAt < lookupPeriod;
/** Milliseconds: one day. */
const lookupPeriod = 86_400_000;

/** Milliseconds by which a recorded time may be ahead of the clock. */
export const maxClockDrift = 60_000;

/** Milliseconds during which a transaction that no node has accepted is sent automatically. */
const automaticSendPeriod = 600_000;

/**
 * Why an open transaction is not sent automatically.
 * - `old`: no node has accepted it for ten minutes, and the person may have paid in another way meanwhile.
 * - `other-chain`: the endpoint serves another chain with the same id.
 * - `damaged`: the stored bytes are not those that were signed.
 * - `page`: it was only signed, for a page, which may send it.
 */
export type Hold = 'old' | 'other-chain' | 'damaged' | 'page';

export function holdOf(entry: JournalEntry, now: number): Hold | null {
  if (!isOpen(entry)) return null;
  if (entry.held) return entry.held;
  const since = Math.max(entry.createdAt, entry.deferredAt ?? 0);
  // After the clock was set back the age is unknown.
  const isOld = now - since > automaticSendPeriod || since - now > maxClockDrift;
  return entry.state === 'signed' && isOld ? 'old' : null;
}

/** Open and not held: it is sent automatically until it is mined. */
export const isPending = (entry: JournalEntry, now: number): boolean =>
  isOpen(entry) && holdOf(entry, now) === null;

/** Whether the chain can include at most one of the two. */
export const haveSameNonce = (a: JournalEntry, b: JournalEntry): boolean =>
  a.chainId === b.chainId && a.from === b.from && BigInt(a.nonce) === BigInt(b.nonce);

/** Entries of a chain that stay in the journal: those signed last, and those in the highest blocks. */
export const newestKept = 50;

/** A recipient or a called contract of archived transactions on one chain. */
export interface Party {
  readonly address: Address;
  readonly chainId: number;
  /** Whether one of them that paid it, or gave it a right, was mined. */
  readonly isPaid: boolean;
}

/** How many archived transactions of an origin there are on a chain, about. */
export interface ArchivedCount {
  readonly chainId: number;
  readonly origin: string;
  readonly count: number;
}

/** Keys of the archive's store. */
export const archiveKeys = {
  /** The key of an entry; those of a chain are ordered from the newest on. */
  entry: (entry: JournalEntry) => `entry:${entry.chainId}:${placeOf(entry)}`,
  entriesOf: (chainId: number) => `entry:${chainId}:`,
  /** The key of a record that has the key of the entry with this hash. */
  hash: (hash: Hash) => `hash:${hash}`,
  /** The key of the hashes of entries with one nonce: one of them was mined, or another transaction has used the nonce. */
  nonce: ({ chainId, from, nonce }: Pick<JournalEntry, 'chainId' | 'from' | 'nonce'>) =>
    `nonce:${chainId}:${from}:${nonceOf(nonce)}`,
  party: ({ address, chainId }: Pick<Party, 'address' | 'chainId'>) =>
    `${archiveKeys.partiesLike(address)}${address}:${chainId}`,
  partiesLike: (address: Address) => `party:${endsOf(address)}:`,
  counts: 'count:',
  count: (chainId: number, origin: string) => `count:${chainId}:${origin}`,
};

/** Digits at each end that wallets show and people compare; a made-up address has the same ones. */
const comparedDigits = 4;

/** The part of an address that people compare. */
const endsOf = (address: Address): string =>
  `${address.slice(2, 2 + comparedDigits)}${address.slice(-comparedDigits)}`;

/** Whether an address is another one that people take for this one. */
export const isLookAlike = (a: Address, b: Address): boolean => a !== b && endsOf(a) === endsOf(b);

/** Orders entries as text from the newest on: by time, then by nonce. */
function placeOf({ createdAt, nonce, hash }: JournalEntry): string {
  const age = maxTime - Math.min(Math.max(0, Math.floor(createdAt) || 0), maxTime);
  return `${`${age}`.padStart(16, '0')}:${(maxNonce - nonceOf(nonce)).toString(16).padStart(17, '0')}:${hash}`;
}

/** Milliseconds: the largest time of a `Date`. */
const maxTime = 8.64e15;
const maxNonce = 2n ** 64n;

/** A nonce that is damaged, or over 64 bits, counts as 0. */
export function nonceOf(nonce: Hex): bigint {
  return /^0x[0-9a-f]{1,16}$/i.test(nonce) ? BigInt(nonce) : 0n;
}

/** Orders entries from the newest on. */
export function newestFirst(one: JournalEntry, other: JournalEntry): number {
  if (one.createdAt !== other.createdAt) return other.createdAt - one.createdAt;
  const [a, b] = [placeOf(one), placeOf(other)];
  return a < b ? -1 : Number(a > b);
}
