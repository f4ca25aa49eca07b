import type { Address, Hash, Hex } from '../rpc/schema.js';
import type { AccountQuota } from './account-quota.js';
import { checkReplacement, checkTotal, checkTransaction, type PoolRules } from './admission.js';
import type { SignedTransaction } from './decode.js';
import { type Engine, EngineError } from './engine.js';
import { Failure, poolRefusal } from './failure.js';

/**
 * The transaction pool, with the node's rules. What is pending is also in the engine, so that reads with the tag
 * `pending` see it. What is queued above a nonce gap is only here and cannot be found by its hash; there the
 * last transaction with a nonce displaces the others, whatever it pays.
 */
export interface Pool {
  /** @throws Failure -32010 in the node's words */
  admit(transaction: SignedTransaction): Promise<void>;
  /** Pending only: a queued transaction is accepted, and yet not found (docs/notes/node.md#nonces-and-the-queue). */
  find(hash: Hash): SignedTransaction | undefined;
  pending(): readonly SignedTransaction[];
  queued(): readonly SignedTransaction[];
  /** The sender's virtual gas; null where it is unknown or unlimited. */
  quotaOf(address: Address): ReturnType<AccountQuota['find']>;
  /** The nonce after the sender's last pending transaction. */
  nextNonce(address: Address, stateNonce: bigint): bigint;
  /** Drops what is too old. */
  prune(): Promise<void>;
  /** After a block: forgets what it took, and drops what is too old. */
  settle(mined: readonly Hash[]): Promise<void>;
  /** Takes everything pending out, to `restore` it later; what is queued stays. */
  withdraw(): Promise<readonly SignedTransaction[]>;
  /** Puts back without the pool's checks, as far as the nonces still fit; `announce` as newly pending. */
  restore(transactions: readonly SignedTransaction[], announce: boolean): Promise<void>;
  /** Forgets transactions, as the node does without a word: all, or the one. */
  evict(hash?: Hash): Promise<void>;
  /** Forgets everything that is only in memory: transactions and quotas. */
  restart(): Promise<void>;
}

export declare namespace createPool {
  interface Options {
    readonly engine: Engine;
    readonly rules: () => PoolRules;
    readonly head: () => number;
    readonly now: () => number;
    /** Null where accounts may send what they like. */
    readonly quota: AccountQuota | null;
    /** Blocks and milliseconds after which a transaction is forgotten. */
    readonly outdatedAfter: { readonly blocks: number; readonly milliseconds: number };
    /** Awaited before the transaction's admission resolves. */
    readonly onPending: (transaction: SignedTransaction) => Promise<void>;
  }
}

interface Entry {
  readonly transaction: SignedTransaction;
  readonly block: number;
  readonly at: number;
}

export function createPool(options: createPool.Options): Pool {
  const { engine, head, now, outdatedAfter, quota } = options;
  const pending = new Map<Hash, Entry>();
  const queued = new Map<Hash, Entry>();
  const entry = (transaction: SignedTransaction): Entry => ({ transaction, block: head(), at: now() });
  const isOutdated = ({ block, at }: Entry) =>
    head() - block > outdatedAfter.blocks || now() - at >= outdatedAfter.milliseconds;
  const listed = (entries: Map<Hash, Entry>) =>
    [...entries.values()].filter((each) => !isOutdated(each)).map(({ transaction }) => transaction);
  const of = (address: Address) => listed(pending).filter(({ from }) => from === address);
  const nonceOf = async (address: Address) =>
    BigInt((await engine.request('eth_getTransactionCount', [address, 'latest'])) as Hex);

  const nextNonce = (address: Address, stateNonce: bigint) =>
    of(address).reduce((next, { nonce }) => (nonce >= next ? nonce + 1n : next), stateNonce);

  async function enter(added: Entry, announce = true): Promise<void> {
    try {
      await engine.submit(added.transaction.raw);
    } catch (error) {
      if (error instanceof EngineError) throw poolRefusal(`transaction refused: ${error.message}`);
      throw error;
    }
    pending.set(added.transaction.hash, added);
    if (announce) await options.onPending(added.transaction);
  }

  async function leave(hash: Hash): Promise<void> {
    if (pending.delete(hash)) await engine.drop(hash);
    queued.delete(hash);
  }

  const leaveAll = async () => {
    for (const each of [...pending.keys(), ...queued.keys()]) await leave(each);
  };

  const prune = async () => {
    for (const [hash, each] of [...pending, ...queued]) if (isOutdated(each)) await leave(hash);
  };

  async function codeAt(address: Address | null): Promise<boolean> {
    if (address === null) return false;
    return ((await engine.request('eth_getCode', [address, 'latest'])) as Hex) !== '0x';
  }

  /** Where the transaction went. @throws Failure */
  async function add(transaction: SignedTransaction): Promise<'pending' | 'queued'> {
    const { hash, from, to, nonce } = transaction;
    if (pending.has(hash)) throw poolRefusal('pending transaction with same hash already exists');
    if (queued.has(hash)) throw poolRefusal('queued transaction with same hash already exists');
    const [balance, stateNonce] = await Promise.all([
      engine.request('eth_getBalance', [from, 'latest']) as Promise<Hex>,
      nonceOf(from),
    ]);
    const sender = { balance: BigInt(balance), nonce: stateNonce, pending: of(from) };
    const rules = options.rules();
    checkTransaction(transaction, sender, rules);
    const replaced = checkReplacement(transaction, sender, rules);
    const next = nextNonce(from, stateNonce);
    if (nonce > next) {
      const same = ({ transaction: other }: Entry) => other.from === from && other.nonce === nonce;
      for (const [other, each] of queued) if (same(each)) queued.delete(other);
      queued.set(hash, entry(transaction));
      return 'queued';
    }
    const { blockGasLimit } = rules;
    const toContract = quota !== null && !(to && quota.knows(to)) && (await codeAt(to));
    if (quota && !quota.accept({ transaction, replaced, nextNonce: next, blockGasLimit, toContract }))
      throw poolRefusal('account exceeds quota');
    checkTotal(transaction, sender, replaced);
    if (replaced) await leave(replaced.hash);
    await enter(entry(transaction));
    return 'pending';
  }

  /** Moves what was queued behind a transaction, one after the other. What is refused now is dropped. */
  async function promote({ from, nonce }: SignedTransaction): Promise<void> {
    for (let next = nonce + 1n; ; next += 1n) {
      const found = listed(queued).find((each) => each.from === from && each.nonce === next);
      if (!found) return;
      queued.delete(found.hash);
      try {
        if ((await add(found)) === 'queued') return;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        return;
      }
    }
  }

  return {
    nextNonce,
    quotaOf: (address) => quota?.find(address) ?? null,
    prune,
    find: (hash) => {
      const found = pending.get(hash);
      return found && !isOutdated(found) ? found.transaction : undefined;
    },
    pending: () => listed(pending),
    queued: () => listed(queued),
    async admit(transaction) {
      await prune();
      if ((await add(transaction)) === 'pending') await promote(transaction);
    },
    async settle(mined) {
      for (const hash of mined) {
        pending.delete(hash);
        queued.delete(hash);
      }
      await prune();
    },
    async withdraw() {
      const all = listed(pending);
      for (const { hash } of all) await leave(hash);
      return all;
    },
    async restore(transactions, announce) {
      for (const transaction of transactions) {
        const { from, nonce, hash } = transaction;
        const stateNonce = await nonceOf(from);
        if (nonce < stateNonce || pending.has(hash)) continue;
        if (nonce > nextNonce(from, stateNonce)) queued.set(hash, entry(transaction));
        else await enter(entry(transaction), announce);
      }
    },
    evict: (hash) => (hash === undefined ? leaveAll() : leave(hash)),
    restart: () => {
      quota?.clear();
      return leaveAll();
    },
  };
}

/** The pool by sender and nonce, as `txpool_content` and `txpool_inspect` show it (docs/notes/node.md#methods-listed-by-name-only). */
export function bySender<T>(
  transactions: readonly SignedTransaction[],
  show: (transaction: SignedTransaction) => T,
): Record<string, Record<string, T[]>> {
  const shown: Record<string, Record<string, T[]>> = {};
  for (const transaction of transactions) {
    const sender = transaction.from.slice(2);
    const nonce = transaction.nonce.toString();
    const before = shown[sender] ?? {};
    shown[sender] = { ...before, [nonce]: [...(before[nonce] ?? []), show(transaction)] };
  }
  return shown;
}
