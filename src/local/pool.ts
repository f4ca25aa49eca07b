import type { Address, Hash, Hex } from '../rpc/schema.js';
import { checkReplacement, checkTotal, checkTransaction, type PoolRules } from './admission.js';
import type { SignedTransaction } from './decode.js';
import { type Engine, EngineError } from './engine.js';
import { poolRefusal } from './failure.js';

/**
 * The transaction pool, with the node's rules (node-facts §1.7, §5). What is pending is also in the engine,
 * so that reads with the tag `pending` see it; what is queued (a nonce gap) is only here, invisible.
 */
export interface Pool {
  /** @throws Failure -32010 in the node's words */
  admit(transaction: SignedTransaction): Promise<void>;
  /** Pending only: a queued transaction is accepted, and yet not found (node-facts §1.7). */
  find(hash: Hash): SignedTransaction | undefined;
  pending(): readonly SignedTransaction[];
  queued(): readonly SignedTransaction[];
  /** The nonce after the sender's last pending transaction. */
  nextNonce(address: Address, stateNonce: bigint): bigint;
  /** After a block: forgets what it took, promotes what waited for it, drops what is too old. */
  settle(mined: readonly Hash[]): Promise<void>;
  /** Takes everything pending out, to `restore` it later; what is queued stays. */
  withdraw(): Promise<readonly SignedTransaction[]>;
  /** Puts back without the pool's checks, as far as the nonces still fit; `announce` as newly pending. */
  restore(transactions: readonly SignedTransaction[], announce: boolean): Promise<void>;
  /** Forgets transactions, as the node does without a word: all, or the one. */
  evict(hash?: Hash): Promise<void>;
}

export declare namespace createPool {
  interface Options {
    readonly engine: Engine;
    readonly rules: () => PoolRules;
    readonly head: () => number;
    readonly now: () => number;
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
  const { engine, head, now, outdatedAfter } = options;
  const pending = new Map<Hash, Entry>();
  const queued = new Map<Hash, Entry>();
  const entry = (transaction: SignedTransaction): Entry => ({ transaction, block: head(), at: now() });
  const listed = (entries: Map<Hash, Entry>) => [...entries.values()].map(({ transaction }) => transaction);
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

  async function promote(address: Address, stateNonce: bigint): Promise<void> {
    for (;;) {
      const next = nextNonce(address, stateNonce);
      const found = [...queued.values()].find(
        ({ transaction }) => transaction.from === address && transaction.nonce === next,
      );
      if (!found) return;
      queued.delete(found.transaction.hash);
      await enter(found);
    }
  }

  return {
    nextNonce,
    find: (hash) => pending.get(hash)?.transaction,
    pending: () => listed(pending),
    queued: () => listed(queued),
    async admit(transaction) {
      const { hash, from, nonce } = transaction;
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
      if (nonce > nextNonce(from, stateNonce)) {
        queued.set(hash, entry(transaction));
        return;
      }
      checkTotal(transaction, sender, replaced);
      if (replaced) await leave(replaced.hash);
      await enter(entry(transaction));
      await promote(from, stateNonce);
    },
    async settle(mined) {
      for (const hash of mined) pending.delete(hash);
      const tooOld = ({ block, at }: Entry) =>
        head() - block > outdatedAfter.blocks || now() - at > outdatedAfter.milliseconds;
      for (const [hash, each] of [...pending, ...queued]) if (tooOld(each)) await leave(hash);
      const waiting = new Set(listed(queued).map(({ from }) => from));
      for (const address of waiting) await promote(address, await nonceOf(address));
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
    async evict(hash) {
      if (hash !== undefined) return leave(hash);
      for (const each of [...pending.keys(), ...queued.keys()]) await leave(each);
    },
  };
}

/** The pool by sender and nonce, as `txpool_content` and `txpool_inspect` show it (node-facts §9.2). */
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
