import type { Address, Block, Hash, Hex, Transaction } from '../../../../src/rpc/schema.js';
import type { AccountQuota } from './account-quota.js';
import { checkReplacement, checkTotal, checkTransaction, type PoolRules } from './admission.js';
import type { SignedTransaction } from './decode.js';
import { type Engine, EngineError } from './engine.js';
import { Failure, poolRefusal } from './failure.js';

export declare namespace createPool {
  interface Options {
    readonly engine: Engine;
    readonly rules: () => PoolRules;
    readonly head: () => number;
    readonly now: () => number;
    /** Null when senders are not rate-limited. */
    readonly quota: AccountQuota | null;
    /** The age at which a transaction expires, in blocks and in milliseconds. */
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

export type Pool = ReturnType<typeof createPool>;

/**
 * The transaction pool, with the node's rules. Pending transactions are in the engine too, so that reads with the tag
 * `pending` include them. Transactions above a nonce gap are queued only here and are not found by hash; among queued
 * transactions with the same nonce, the latest replaces the others regardless of its price.
 */
export function createPool(options: createPool.Options) {
  const { engine, head, now, outdatedAfter, quota } = options;
  const pending = new Map<Hash, Entry>();
  const queued = new Map<Hash, Entry>();
  const entry = (transaction: SignedTransaction): Entry => ({ transaction, block: head(), at: now() });
  const isExpired = ({ block, at }: Entry) =>
    head() - block > outdatedAfter.blocks || now() - at >= outdatedAfter.milliseconds;
  const unexpired = (entries: Map<Hash, Entry>) =>
    [...entries.values()].filter((each) => !isExpired(each)).map(({ transaction }) => transaction);
  const pendingOf = (address: Address) => unexpired(pending).filter(({ from }) => from === address);
  const nonceOf = async (address: Address) =>
    BigInt((await engine.request('eth_getTransactionCount', [address, 'latest'])) as Hex);

  /** The first nonce after the sender's pending transactions. */
  const nextNonce = (address: Address, stateNonce: bigint) =>
    pendingOf(address).reduce((next, { nonce }) => (nonce >= next ? nonce + 1n : next), stateNonce);

  async function addPending(added: Entry, announce = true): Promise<void> {
    try {
      await engine.submit(added.transaction.raw);
    } catch (error) {
      if (error instanceof EngineError) throw poolRefusal(`transaction refused: ${error.message}`);
      throw error;
    }
    pending.set(added.transaction.hash, added);
    if (announce) await options.onPending(added.transaction);
  }

  async function remove(hash: Hash): Promise<void> {
    if (pending.delete(hash)) await engine.drop(hash);
    queued.delete(hash);
  }

  const removeAll = async () => {
    for (const each of [...pending.keys(), ...queued.keys()]) await remove(each);
  };

  /** Removes expired transactions. */
  const prune = async () => {
    for (const [hash, each] of [...pending, ...queued]) if (isExpired(each)) await remove(hash);
  };

  async function hasCode(address: Address | null): Promise<boolean> {
    if (address === null) return false;
    return ((await engine.request('eth_getCode', [address, 'latest'])) as Hex) !== '0x';
  }

  /** Checks and adds a transaction, and returns where it was added. @throws Failure */
  async function add(transaction: SignedTransaction): Promise<'pending' | 'queued'> {
    const { hash, from, to, nonce } = transaction;
    if (pending.has(hash)) throw poolRefusal('pending transaction with same hash already exists');
    if (queued.has(hash)) throw poolRefusal('queued transaction with same hash already exists');
    const [balance, stateNonce] = await Promise.all([
      engine.request('eth_getBalance', [from, 'latest']) as Promise<Hex>,
      nonceOf(from),
    ]);
    const sender = { balance: BigInt(balance), nonce: stateNonce, pending: pendingOf(from) };
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
    const toContract = quota !== null && !(to && quota.knows(to)) && (await hasCode(to));
    if (quota && !quota.accept({ transaction, replaced, nextNonce: next, blockGasLimit, toContract }))
      throw poolRefusal('account exceeds quota');
    checkTotal(transaction, sender, replaced);
    if (replaced) await remove(replaced.hash);
    await addPending(entry(transaction));
    return 'pending';
  }

  /** Moves the queued transactions that follow this one to pending, in nonce order. A rejected one is dropped. */
  async function promote({ from, nonce }: SignedTransaction): Promise<void> {
    for (let next = nonce + 1n; ; next += 1n) {
      const found = unexpired(queued).find((each) => each.from === from && each.nonce === next);
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
    prune,
    /** The account's virtual gas; null when it has none or quotas are off. */
    quotaOf: (address: Address) => quota?.find(address) ?? null,
    /** Finds a pending transaction. A queued one is not found (docs/notes/node.md#nonces-and-the-queue). */
    find(hash: Hash): SignedTransaction | undefined {
      const found = pending.get(hash);
      return found && !isExpired(found) ? found.transaction : undefined;
    },
    pending: () => unexpired(pending),
    queued: () => unexpired(queued),
    /** Adds a transaction. @throws Failure -32010 with the node's message */
    async admit(transaction: SignedTransaction): Promise<void> {
      await prune();
      if ((await add(transaction)) === 'pending') await promote(transaction);
    },
    /** Removes the transactions of a new block, and expired ones. */
    async removeMined({ transactions }: Block): Promise<void> {
      for (const { hash } of transactions as Transaction[]) {
        pending.delete(hash);
        queued.delete(hash);
      }
      await prune();
    },
    /** Removes and returns all pending transactions, for `restore`. Queued ones stay. */
    async takePending(): Promise<readonly SignedTransaction[]> {
      const all = unexpired(pending);
      for (const { hash } of all) await remove(hash);
      return all;
    },
    /** Adds transactions without the pool's checks, unless their nonce is used by now. `announce` calls `onPending` for each. */
    async restore(transactions: readonly SignedTransaction[], announce: boolean): Promise<void> {
      for (const transaction of transactions) {
        const { from, nonce, hash } = transaction;
        const stateNonce = await nonceOf(from);
        if (nonce < stateNonce || pending.has(hash)) continue;
        if (nonce > nextNonce(from, stateNonce)) queued.set(hash, entry(transaction));
        else await addPending(entry(transaction), announce);
      }
    },
    /** Removes transactions without any notice: all, or the one with this hash. */
    evict: (hash?: Hash) => (hash === undefined ? removeAll() : remove(hash)),
    /** Removes all transactions and account quotas, as a restart does. */
    restart() {
      quota?.clear();
      return removeAll();
    },
  };
}
