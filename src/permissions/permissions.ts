import type { Cover, PermittedTransaction } from '../approvals/cover.js';
import { lazy } from '../async/lazy.js';
import { wipe } from '../keyring/builtins.js';
import { invalidParams } from '../rpc/errors.js';
import { bytesToHex } from '../rpc/hex.js';
import type { Json } from '../rpc/message.js';
import { throwNotLoaded } from '../rpc/not-loaded.js';
import { own } from '../rpc/own.js';
import type { PermissionType } from '../rpc/permission-terms.js';
import type { Address, Hash } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import type { SessionState } from '../session/session.js';
import { isStanding } from '../session/standing.js';
import type { AccountLedger } from '../transactions/account-ledger.js';
import type { JournalEntry } from '../transactions/journal-entry.js';
import { type Accounted, type Cost, higherOf, isUnder, nothing } from './accounting.js';
import { admit } from './admission.js';
import { readCheckpoint } from './checkpoint.js';
import { allowedBy, costInPlace, isExpected } from './coverage.js';
import { decodeGrants, type Grant, type GrantedReply, readGrants, recordKinds } from './grant.js';
import type { GrantedPermission } from './granted.js';
import type { PermissionRequester } from './granting.js';
import { readHistory, type Seen } from './history.js';
import { createLedger, type Ledger } from './ledger.js';
import type { PermissionParts, PermittingWallet, ReadableLedger } from './parts.js';
import { isInChain, noSightings, noteHead, readBlocks, sealMined } from './sightings.js';

/**
 * Permissions of sites to sign without a question, and what is left of them. A permission is a record in the vault; that it still counts is
 * written in the session, so that it can be ended while the keys are locked. Spent is what the nonces of its account since
 * then cost, each explained (docs/notes/permissions.md).
 */
export interface Permissions {
  /** The permissions that have not ended, with what is left. While the keys are locked the marks are not checked. */
  list(): Promise<readonly GrantedPermission[]>;
  /**
   * Ends a permission, locked or not. Nothing is signed under it once this has resolved.
   * @throws ProviderRpcError -32602 for another context
   */
  end(context: Hash): Promise<void>;
  /**
   * Asks the person for permissions, all or none, and stores them in place of those like them.
   * @param params of `wallet_requestExecutionPermissions`
   * @throws ProviderRpcError -32602 naming the value; 4100 for an account that the site may not use; 4200 where tabs cannot wait
   * for one another; 4001 for a refusal; and as the service's request
   */
  request(params: Json, requester: PermissionRequester): Promise<readonly GrantedReply[]>;
  /**
   * Settles and adds up what was spent, as far as that is possible now, and tells which entries have to stay in the journal: those
   * of an account with a running permission, from the first one on that is not added up.
   */
  needed(): Promise<(entry: JournalEntry) => boolean>;
  /** The types that are granted, each with the rules that it takes; none where tabs cannot wait for one another. */
  ruleTypes(): Promise<readonly (readonly [type: PermissionType, rules: readonly string[]])[]>;
  /** The permissions of a site that have not ended, as it requested them. */
  granted(origin: string): Promise<readonly GrantedReply[]>;
  /** Begins to read what a permission of this site depends on. */
  cover(site: Cover.Site, service: Service): Cover;
  ledgerOf(chainId: number, from: Address): AccountLedger;
}

export function createPermissions(options: PermittingWallet): Permissions {
  const { session, keyring, journal, checkpoints, nonceLocks, now } = options;
  const seenBy = new Map<string, Seen>();
  const seenOf = (chainId: number, account: Address): Seen => {
    const key = `${chainId}:${account}`;
    const known = seenBy.get(key) ?? { ...noSightings(), pending: new Map(), found: new Map() };
    seenBy.set(key, known);
    return known;
  };

  /** The ledger of the vault's key. Another vault has another key. */
  let opened: { readonly key: string; readonly ledger: Promise<Ledger> } | undefined;
  const ledger = async (): Promise<Ledger | null> => {
    const [key] = await keyring.records(recordKinds.ledgerKey);
    if (!key) return null;
    const text = bytesToHex(key);
    if (opened?.key !== text) opened = { key: text, ledger: createLedger(key) };
    const { ledger } = opened;
    wipe(key);
    return ledger;
  };

  /** Contexts of those that this page has seen end. A script that writes the storage can list them again. */
  const gone = new Set<Hash>();

  const hasEnded = (grant: Grant): boolean => gone.has(grant.context) || !counts(session.state(), grant);

  /** Whether a grant has not ended, and its chain is configured: not added by a page. */
  const isLive = (grant: Grant): boolean => {
    const network = options.networkOf(grant.chainId);
    return !hasEnded(grant) && network !== undefined && network.addedBy === undefined;
  };

  const report: PermissionParts['report'] = (what, grant) => options.observation?.by?.permission(what, grant);
  session.watch((state, previous) => {
    const ended = listedIn(previous).filter((grant) => counts(previous, grant) && !counts(state, grant));
    if (ended.length === 0) return;
    for (const grant of ended) report('ended', grant);
    // One whose site or account has gone does not come back with it.
    for (const { context } of ended) gone.add(context);
    sessionWithout([...gone]);
    void dropEnded();
  });

  const sessionWithout = (contexts: readonly Hash[]) =>
    session.update((state) => {
      const granted = (state.granted ?? []).filter(({ context }) => !contexts.includes(context));
      const { granted: _, ...rest } = state;
      return granted.length > 0 ? { ...rest, granted } : rest;
    });

  /** Deletes the records of what has ended: while the keys are locked they stay, and the next grant deletes them. */
  const dropEnded = async (): Promise<void> => {
    if (!keyring.keeps()) return;
    await keyring.changeRecords(recordKinds.grant, withoutEnded).catch(() => {});
  };

  const withoutEnded = (records: readonly Uint8Array[]): readonly Uint8Array[] =>
    records.filter((bytes) => {
      const [grant] = decodeGrants([bytes]);
      return grant === undefined || !hasEnded(grant);
    });

  const recorded = async (): Promise<readonly Grant[]> =>
    decodeGrants(await keyring.records(recordKinds.grant));

  const grantsOf = async (chainId: number, account: Address): Promise<readonly Grant[]> =>
    (await recorded()).filter(
      (grant) => grant.chainId === chainId && grant.account === account && isLive(grant),
    );

  /** @param entries the journal's entries of the account. Default: as they are now */
  const historyOf = async (
    grant: Grant,
    marks: ReadableLedger,
    head: Hash | null = null,
    entries?: readonly JournalEntry[],
  ) => {
    const { chainId, account } = grant;
    const all = entries ?? (await journal.entriesOf(chainId, account));
    // Read after the entries: those that it has may have left the journal meanwhile.
    const stored = await checkpoints.read(chainId, account);
    return readHistory(grant, {
      ...{ entries: all, seen: seenOf(chainId, account), head, ledger: marks },
      claim: async (...of) => (await upkeep()).claim(...of),
      checkpoint: await readCheckpoint(stored, chainId, account, marks),
    });
  };

  const parts: PermissionParts = {
    ...options,
    ...{ ledger, recorded, hasEnded, isLive, withoutEnded, historyOf, seenOf, report },
    listed: () => listedIn(session.state()),
  };
  const upkeep = lazy(async () => (await import('./upkeep.js')).createUpkeep(parts));
  const listing = () => import('./listing.js').catch(throwNotLoaded);
  const clock = () => Math.floor(now() / 1_000);

  return {
    list: async () => (await listing()).listPermissions(parts),
    async end(context) {
      const ended = session.state().granted?.find((each) => each.context === context);
      if (!ended) throw invalidParams('context: there is no such permission');
      await nonceLocks(ended.chainId, ended.account)(async () => sessionWithout([context]));
      await dropEnded();
    },
    async request(params, requester) {
      const { requestPermissions } = await import('./granting.js').catch(throwNotLoaded);
      return requestPermissions(params, requester, parts);
    },
    needed: async () => (await upkeep()).needed(),
    ruleTypes: async () => (await listing()).listRuleTypes(parts),
    granted: async (origin) => (await listing()).listGranted(origin, parts),
    cover({ origin, chainId, from, recipients }, service) {
      const isContract = (address: Address | null) =>
        listedIn(session.state()).some(
          (each) =>
            each.origin === origin && each.contracts?.some((contract) => contract.address === address),
        );
      // Read beside the preparation of the transactions.
      const codes = new Map(
        [...new Set(recipients)].filter(isContract).map((address) => [address, codeOf(service, address)]),
      );
      const hasSameCode = async (
        { contracts, code }: Grant,
        transactions: readonly PermittedTransaction[],
      ) => {
        for (const { to } of contracts ? transactions : [])
          if ((await codes.get(to)) !== code[to as Address]) return false;
        return true;
      };
      const seen = seenOf(chainId, from);
      /** Reads the blocks of the payments that are wanted. */
      const look = async (isWanted: (hash: Hash) => boolean) => {
        const open = (await journal.entriesOf(chainId, from)).filter(({ ledger }) => ledger && !ledger.mined);
        const blocks = await readBlocks(
          service,
          open.filter(({ hash }) => isWanted(hash)),
        ).catch(() => []);
        return { payments: open.map(({ hash }) => hash), blocks };
      };
      const began = now();
      // The newest block is usually the one of a send just before, or its child.
      const looking = look((hash) => (seen.seenAt.get(hash) ?? 0) < began - blockInterval).catch(() => null);
      return {
        async find(transactions, { warnings, ...facts }) {
          const { head } = facts;
          try {
            const marks = await ledger();
            if (!options.isTop() || !marks || !warnings.every(isExpected)) return null;
            const looked = await looking;
            // The person may have unlocked the wallet meanwhile.
            const isRecent = now() - began < maxSightingAge;
            if (looked) noteHead(seen, head, looked.payments, isRecent ? looked.blocks : [], now());
            const short: Grant[] = [];
            for (const grant of await grantsOf(chainId, from)) {
              if (grant.origin !== origin) continue;
              const judge = async () =>
                admit(grant, { transactions, ...facts }, await historyOf(grant, marks, head.hash), clock());
              const send = { chainId, from, service, ledger: marks, ...facts };
              let coverage = await judge();
              if (coverage.kind === 'unexplained') {
                const { payments, blocks } = await look((hash) => !isInChain(seen, hash, head.hash));
                noteHead(seen, head, payments, blocks, now());
                coverage = await judge();
              }
              const known = coverage;
              if (known.kind === 'unexplained' || known.kind === 'short')
                coverage = await upkeep().then(
                  ({ improve }) => improve(known, judge, send),
                  () => known,
                );
              if (coverage.kind === 'short') short.push(grant);
              if (coverage.kind !== 'covered' || !(await hasSameCode(grant, transactions))) continue;
              // The signature does not wait for it.
              void sealMined(coverage.unsealed, marks, journal);
              return grant.context;
            }
            for (const grant of short) report('short', grant);
            return null;
          } catch {
            // The service or the storage failed: the person is asked.
            return null;
          }
        },
      };
    },
    ledgerOf: (chainId, from) => ({
      async admit(signing) {
        const { transactions, nonces, entries, permission } = signing;
        const seen = seenOf(chainId, from);
        // Another tab may have ended it, and the event of that may not have arrived yet.
        session.update((state) => state);
        const marks = await ledger();
        if (!marks) return permission === undefined ? async (entries) => entries : null;
        const all = await grantsOf(chainId, from);
        if (permission === undefined) endByAllowances(all, transactions);
        /** The permission of a mark, or the one in its place. */
        const grantOf = (mark: Accounted) => all.find((each) => isUnder(each, mark.permission));
        /** The marks under permissions of what has the nonce already: with a new transaction, either of the two may be mined. */
        const rivals = await Promise.all(
          nonces.map(async (nonce) => {
            const same = entries.filter((entry) => BigInt(entry.nonce) === BigInt(nonce));
            const read = await Promise.all(same.map(marks.read));
            return read.filter((mark) => mark !== null && grantOf(mark) !== undefined) as Accounted[];
          }),
        );
        let costs: readonly Cost[] = [];
        let period = 0;
        const used = all.find(({ context }) => context === permission);
        if (permission !== undefined) {
          if (!used || rivals.flat().some((rival) => grantOf(rival) !== used)) return null;
          const judge = async () =>
            admit(used, signing, await historyOf(used, marks, signing.head.hash, entries), clock());
          let coverage = await judge();
          if (coverage.kind === 'unexplained') {
            // A payment that this page has signed just before is on its way.
            const { missing } = coverage;
            await upkeep().then(
              ({ taken }) => taken(missing, signing.latest, seen),
              () => {},
            );
            coverage = await judge();
          }
          if (coverage.kind === 'short') report('short', used);
          if (coverage.kind !== 'covered') return null;
          ({ costs, period } = coverage);
        }
        /** Counts the highest of those that have its nonce, since their entries may be deleted. */
        const terms = transactions.map((transaction, at): Ledger.Terms => {
          const before = rivals[at] ?? [];
          const [first] = before;
          const cost =
            costs[at] ?? (first ? costInPlace(grantOf(first) as Grant, from, transaction) : nothing);
          const highest = before.reduce<Cost>(higherOf, cost);
          if (permission !== undefined) return { permission, period, ...highest };
          return { permission: first?.permission ?? null, period: first?.period ?? 0, ...highest };
        });
        return (signed) => {
          if (used) report('used', used);
          for (const { nonce, hash, raw } of signed)
            seen.pending.set(BigInt(nonce), {
              ...{ hash, at: now() },
              isThere: () => journal.hasTaken(chainId, raw),
            });
          return Promise.all(
            signed.map(async (entry, at) => ({
              ...entry,
              ledger: await marks.mark(entry, terms[at] as Ledger.Terms),
            })),
          );
        };
      },
    }),
  };

  /** Ends permissions for calls of contracts that these transactions let take tokens: it would no longer be what was agreed to. */
  function endByAllowances(all: readonly Grant[], transactions: readonly PermittedTransaction[]): void {
    const allowed = transactions.map(allowedBy);
    const ended = all.filter(({ contracts }) => contracts?.some(({ address }) => allowed.includes(address)));
    if (ended.length > 0) sessionWithout(ended.map(({ context }) => context));
  }
}

/** Whether a session lists a permission, and its site is connected as it was. */
const counts = (state: SessionState, grant: Grant): boolean =>
  (own(state).granted ?? []).some(({ context }) => context === grant.context) && isStanding(state, grant);

/** The grants as the session lists them, which any script of the origin can write. */
const listedIn = (state: SessionState): readonly Grant[] => readGrants(own(state).granted ?? []);

/** Milliseconds between two blocks, about. */
const blockInterval = 30_000;
/** Milliseconds for which a send believes what was read from blocks when it began. */
const maxSightingAge = 10_000;

/** The digest of a contract's code; `null` where it could not be read. Never rejects. */
const codeOf = async (service: Service, address: Address | null): Promise<Hash | null> => {
  try {
    const { codeDigestOf } = await import('./contract-code.js');
    return address && (await codeDigestOf(service, address));
  } catch {
    return null;
  }
};
