import type { Address, Hash, Hex } from '../rpc/schema.js';
import type { AccessList } from '../rpc/transaction.js';

/**
 * One signed transaction and what became of it. Written before anything is sent, so that a crash, a lost reply or
 * a forgetful pool never loses a transaction, and never signs a second one for the same approval.
 */
export interface JournalEntry {
  readonly hash: Hash;
  readonly raw: Hex;
  readonly chainId: number;
  readonly from: Address;
  readonly to: Address | null;
  readonly nonce: Hex;
  /** wei */
  readonly value: Hex;
  readonly data: Hex;
  readonly gas: Hex;
  /** wei per gas; of type 2 the most that the price may be. */
  readonly gasPrice: Hex;
  /** Absent: legacy. */
  readonly transactionType?: '0x1' | '0x2';
  readonly accessList?: AccessList;
  /** Of type 2, where it is not the gas price. */
  readonly maxPriorityFeePerGas?: Hex;
  /** The origin that asked for it. */
  readonly origin: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** The page chose the nonce, or brought the signed bytes: there may be a gap below it. */
  readonly nonceChosen?: true;
  /**
   * - `signed`: stored here; no node is known to hold it.
   * - `sent`: a node has accepted it into its pool.
   * - `mined`: in block `blockHash`, and it succeeded.
   * - `reverted`: in block `blockHash`, and it failed: the fee was paid, nothing else happened.
   * - `replaced`: another transaction of the account has used its nonce.
   * - `refused`: the node's rules forbid it, in the node's own words (`reason`).
   * - `abandoned`: the person gave it up before any node was known to hold it.
   *
   * No state is final: a receipt found later corrects each of them.
   */
  readonly state: 'signed' | 'sent' | 'mined' | 'reverted' | 'replaced' | 'refused' | 'abandoned';
  /** An attempt to send it had no clear answer: some node may hold it although none has said so. */
  readonly maybeSent?: true;
  /** When a node last said that it takes this transaction later, milliseconds since 1970. */
  readonly deferredAt?: number;
  /** The block that it was prepared on: its hash tells this chain from another one with the same chain id. */
  readonly anchor?: { readonly number: Hex; readonly hash: Hash };
  /** Why it is not sent although its fate is open; see {@link holdOf}. */
  readonly held?: 'other-chain' | 'damaged';
  /** Of the block with this transaction or, when `replaced`, with the one that took its place. */
  readonly blockNumber?: Hex;
  readonly blockHash?: Hash;
  /** What was paid, wei: gas used × price. Only `mined` and `reverted`. */
  readonly fee?: Hex;
  /** Why it was refused, or why it reverted, where that is known. */
  readonly reason?: string;
  /** The transaction that used the nonce, where it is known. */
  readonly replacedBy?: Hash;
}

/** Its fate is open: it is sent again until it is mined, its nonce is used, or the chain refuses it. */
export const isOpen = ({ state }: JournalEntry): boolean => state === 'signed' || state === 'sent';

export const isMined = ({ state }: JournalEntry): boolean => state === 'mined' || state === 'reverted';

/** It ended here without proof that no node carried it out all the same: a later look at the chain may correct it. */
export const isUnproven = ({ state, replacedBy, createdAt }: JournalEntry, now: number): boolean =>
  (state === 'refused' || state === 'abandoned' || state === 'replaced') &&
  replacedBy === undefined &&
  now - createdAt < unprovenFor;
/** Milliseconds: a day. */
const unprovenFor = 86_400_000;

/** Milliseconds after which a transaction that no node has accepted is sent only when the person asks for it. */
const unaskedFor = 600_000;

/**
 * Why an open entry is not sent by itself. `old`: no node has accepted it for ten minutes, and the person may
 * have paid in another way meanwhile. `other-chain`: the endpoint serves another chain with the same id.
 * `damaged`: its bytes are not those of the transaction that was signed.
 */
export type Hold = 'old' | 'other-chain' | 'damaged';

export function holdOf(entry: JournalEntry, now: number): Hold | null {
  if (!isOpen(entry)) return null;
  if (entry.held) return entry.held;
  const since = Math.max(entry.createdAt, entry.deferredAt ?? 0);
  return entry.state === 'signed' && now - since > unaskedFor ? 'old' : null;
}

/** Two transactions of which the chain takes at most one. */
export const haveSameNonce = (a: JournalEntry, b: JournalEntry): boolean =>
  a.chainId === b.chainId && a.from === b.from && BigInt(a.nonce) === BigInt(b.nonce);
