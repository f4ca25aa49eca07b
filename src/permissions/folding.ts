import { toQuantity } from '../rpc/hex.js';
import type { Address, Hash } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import type { NonceLocks } from '../transactions/account-ledger.js';
import type { Checkpoints } from '../transactions/checkpoints.js';
import { readHead } from '../transactions/prepare.js';
import {
  type Accounted,
  type CountedTransactions,
  type Folded,
  isUnder,
  lastPeriodOf,
  type Schedule,
  sumOf,
} from './accounting.js';
import {
  type LedgerCheckpoint,
  type StoredCheckpoint,
  sealedTextOf,
  type WrittenCheckpoint,
} from './checkpoint.js';
import type { Grant } from './grant.js';
import type { FoundTransaction, History } from './history.js';
import type { Ledger } from './ledger.js';

/**
 * Settles what an account has spent under its permissions, and adds it up in a checkpoint, so that its entries are needed no more.
 * @throws as the service's request, and as the storage
 */
export async function foldAccount(
  chainId: number,
  account: Address,
  options: foldAccount.Options,
): Promise<void> {
  const { ledger, checkpoints, found } = options;
  const head = await readHead(options.service);
  for (let rounds = 0; rounds < maxRounds; rounds++) if (!(await options.settle(Number(head.number)))) break;
  await options.nonceLocks(
    chainId,
    account,
  )(async () => {
    const [grants, kept] = await Promise.all([options.grants(), options.kept()]);
    const [oldest] = [...grants].sort((a, b) => Number(BigInt(a.firstNonce) - BigInt(b.firstNonce)));
    if (!oldest) return;
    const history = await options.historyOf(oldest);
    // A claim on another permission's entries is of one permission alone.
    const claims = await Promise.all(
      kept.map(async (grant) => (await options.historyOf(grant)).accounted.filter(({ isClaim }) => isClaim)),
    );
    const accounted = [...history.accounted.filter(({ isClaim }) => !isClaim), ...claims.flat()];
    const { folded, next } = fold(
      { accounted, folded: history.folded },
      {
        next: history.next,
        grants: kept,
        found(nonce) {
          const accountedBy = found.get(nonce);
          return accountedBy && kept.flatMap((grant) => accountedBy(grant));
        },
      },
    );
    if (next === history.next) return;
    const checkpoint = await writeCheckpoint(
      { first: history.first, next, folded },
      chainId,
      account,
      ledger,
    );
    await checkpoints.write(chainId, account, checkpoint);
  });
}

/** Writes a checkpoint as it is stored, under a code of the ledger. {@link readCheckpoint} reads it. */
export async function writeCheckpoint(
  { first, next, folded }: LedgerCheckpoint,
  chainId: number,
  account: Address,
  ledger: Pick<Ledger, 'seal'>,
): Promise<StoredCheckpoint> {
  const written: WrittenCheckpoint = {
    ...{ first: toQuantity(first), next: toQuantity(next) },
    folded: folded.map((each) => ({
      ...each,
      ...{ amount: toQuantity(each.amount), fees: toQuantity(each.fees) },
    })),
  };
  const text = JSON.stringify(written);
  return { text, mac: await ledger.seal(sealedTextOf(chainId, account, text)) };
}

/** How often some of what is mined is settled before it is added up. */
const maxRounds = 16;

export declare namespace foldAccount {
  interface Options {
    readonly ledger: Ledger;
    readonly checkpoints: Checkpoints;
    readonly nonceLocks: NonceLocks;
    readonly service: Service;
    /** Transactions without an entry, as found on the chain. */
    readonly found: ReadonlyMap<bigint, FoundTransaction>;
    /** Settles some of what is mined. Resolves with whether any was. */
    readonly settle: (headHeight: number) => Promise<boolean>;
    /** The account's permissions that have not ended. */
    readonly grants: () => Promise<readonly Grant[]>;
    /** All that the vault has: one that has ended could be put back in the session. */
    readonly kept: () => Promise<readonly Grant[]>;
    readonly historyOf: (grant: Grant) => Promise<History>;
  }
}

/**
 * Adds up the transactions of the nonces from `next` on, as far as nothing can change them: each is settled, or is one of another
 * device that was found on the chain.
 */
export function fold(
  { accounted, folded }: CountedTransactions,
  { next, found, grants }: fold.Options,
): { readonly folded: readonly Folded[]; readonly next: bigint } {
  const byNonce = new Map<bigint, Accounted[]>();
  for (const each of accounted)
    if (!each.isFound) byNonce.set(each.nonce, [...(byNonce.get(each.nonce) ?? []), each]);
  const all = [...folded];
  for (let nonce = next; ; nonce++) {
    const rivals = byNonce.get(nonce) ?? [];
    const settled = rivals.filter(({ at }) => at !== null);
    const final = settled.length > 0 ? settled : rivals.length === 0 ? found(nonce) : undefined;
    if (!final) return { folded: merge(all, grants), next: nonce };
    for (const { permission, period, at, amount, fees } of final)
      if (permission !== null) all.push({ permission, uses: 1, period, at, amount, fees });
  }
}

export declare namespace fold {
  interface Options {
    /** The first nonce that is not in `folded`. */
    readonly next: bigint;
    /** Returns the cost of another device’s transaction with this nonce; `undefined` where none was found. */
    readonly found: (nonce: bigint) => readonly Accounted[] | undefined;
    /** The permissions of the account. */
    readonly grants: readonly Schedule[];
  }
}

/** Periods of a permission that stay apart; those before them count as the latest of them. */
const keptPeriods = 3;

/** Joins what counts in the same periods. Nothing counts in fewer of them than before. */
function merge(all: readonly Folded[], grants: readonly Schedule[]): readonly Folded[] {
  const byPermission = new Map<Hash, Map<number | null, Folded>>();
  for (const each of all) {
    const { permission, at } = each;
    const grant = grants.find((each) => isUnder(each, permission));
    const last = at === null ? null : grant ? lastPeriodOf(grant, { ...each, at }) : 0;
    const byPeriod = byPermission.get(permission) ?? new Map<number | null, Folded>();
    byPermission.set(permission, byPeriod.set(last, joined(each, byPeriod.get(last))));
  }
  return [...byPermission.values()].flatMap((byPeriod) => {
    const open = byPeriod.get(null);
    const apart = [...byPeriod].flatMap(([last, each]) => (last === null ? [] : [{ last, each }]));
    apart.sort((a, b) => b.last - a.last);
    const kept = apart.slice(0, keptPeriods).map(({ each }) => each);
    const past = apart
      .slice(keptPeriods)
      .reduce<Folded | undefined>((sum, { each }) => joined(each, sum), undefined);
    return [...(open ? [open] : []), ...kept, ...(past ? [past] : [])];
  });
}

const joined = (one: Folded, other: Folded | undefined): Folded =>
  other === undefined
    ? one
    : {
        ...one,
        ...sumOf([one, other]),
        uses: one.uses + other.uses,
        period: Math.max(one.period, other.period),
        at: one.at === null || other.at === null ? null : Math.max(one.at, other.at),
      };
