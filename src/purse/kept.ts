import type { PermittedTransaction } from '../approvals/cover.js';
import type { Cost } from '../permissions/accounting.js';
import { costUnder } from '../permissions/coverage.js';
import { limitExceeded, unauthorized } from '../rpc/core-errors.js';
import { toQuantity } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import { type PermissionTerms, periodAt } from '../rpc/permission-terms.js';
import { type Address, type Hex, isLowerAddress } from '../rpc/schema.js';
import type { Storage } from '../storage/storage.js';

/**
 * The purses whose keys this frame has, by the site that its browser attests, since dapps of one site share the storage. The keys
 * lie there in clear: without the wallet nothing could open them, and they are for small sums.
 */
export interface KeptPurses {
  of(origin: string): Promise<readonly KeptPurse[]>;
  /** Stores a purse in place of that with its address. The spending under the same terms still counts. */
  keep(origin: string, purse: Omit<KeptPurse, 'spent'>): Promise<void>;
  forget(origin: string, address: Address): Promise<void>;
  /**
   * Counts a transaction against the terms of a purse.
   * @throws ProviderRpcError 4100 if they do not cover it; -32005 if the limit of the period is used up
   */
  spend(origin: string, address: Address, transaction: PermittedTransaction, at: number): Promise<void>;
}

export interface KeptPurse {
  readonly address: Address;
  readonly chainId: number;
  readonly key: Uint8Array;
  readonly terms: readonly PermissionTerms[];
  /** The costs in the last period, for each of `terms`. */
  readonly spent: readonly Spent[];
}

/** Another build, or a damaged storage, may have left anything. */
const isSound = (value: unknown): value is KeptPurse => {
  const { address, key, terms, spent } = own(Object(value) as KeptPurse);
  return isLowerAddress(address) && key instanceof Uint8Array && Array.isArray(terms) && Array.isArray(spent);
};

interface Spent {
  readonly period: number;
  readonly amount: Hex;
  readonly fees: Hex;
}

/** @param storage with a store of its own for each partition, not that of the wallet */
export function createKeptPurses(storage: Storage): KeptPurses {
  const readList = (value: unknown): readonly KeptPurse[] =>
    Array.isArray(value) ? value.filter(isSound) : [];
  const change = (origin: string, next: (purses: readonly KeptPurse[]) => readonly KeptPurse[]) =>
    storage.update('vault', origin, (value) => {
      const left = next(readList(value));
      return left.length > 0 ? left : undefined;
    });
  return {
    of: async (origin) => readList(await storage.get('vault', origin)),
    async keep(origin, purse) {
      await change(origin, (all) => {
        const before = all.find(({ address }) => address === purse.address);
        const isSame = before && JSON.stringify(before.terms) === JSON.stringify(purse.terms);
        const others = all.filter((each) => each !== before);
        return [...others, { ...purse, spent: isSame ? before.spent : [] }];
      });
    },
    async forget(origin, forgotten) {
      await change(origin, (all) => all.filter(({ address }) => address !== forgotten));
    },
    async spend(origin, spending, transaction, at) {
      await change(origin, (all) =>
        all.map((purse) =>
          purse.address === spending ? { ...purse, spent: spentWith(purse, transaction, at) } : purse,
        ),
      );
    },
  };
}

/**
 * The costs with those of a transaction, in the present period of the first terms that it fits in.
 * @param at Unix seconds
 */
function spentWith(
  { terms, spent }: KeptPurse,
  transaction: PermittedTransaction,
  at: number,
): readonly Spent[] {
  const running = terms.filter(({ start, end }) => start <= at && at < end);
  if (running.length === 0)
    throw unauthorized('The term of this purse is over, or has not begun. Request another permission.');
  const covering = running.filter((each) => costUnder(each, transaction) !== null);
  if (covering.length === 0)
    throw unauthorized('The person has agreed to other payments and calls from this purse.');
  for (const each of covering) {
    const index = terms.indexOf(each);
    const period = periodAt(each, at);
    const cost = costUnder(each, transaction) as Cost;
    const before = spent[index]?.period === period ? (spent[index] as Spent) : unspent;
    const [amount, fees] = [BigInt(before.amount) + cost.amount, BigInt(before.fees) + cost.fees];
    if (amount > BigInt(each.amount) || fees > BigInt(each.fees ?? 0)) continue;
    const after = { period, amount: toQuantity(amount), fees: toQuantity(fees) };
    return terms.map((_, i) => (i === index ? after : (spent[i] ?? unspent)));
  }
  throw limitExceeded('The limit of this purse is used up for the present period.');
}

const unspent: Spent = { period: -1, amount: '0x0', fees: '0x0' };
