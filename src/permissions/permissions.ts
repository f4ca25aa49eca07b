import type { Approvals } from '../approvals/approvals.js';
import { type Approved, redeem } from '../approvals/approved.js';
import type { Cover, PermittedTransaction } from '../approvals/cover.js';
import type { QuestionNetwork } from '../approvals/question.js';
import { knownToken } from '../assets/known-contracts.js';
import { randomBytes, wipe } from '../keyring/builtins.js';
import type { Keyring } from '../keyring/keyring.js';
import { unsupportedMethod } from '../rpc/core-errors.js';
import { invalidParams } from '../rpc/errors.js';
import { bytesToHex, toQuantity } from '../rpc/hex.js';
import type { Json } from '../rpc/message.js';
import { throwNotLoaded } from '../rpc/not-loaded.js';
import type { Observation, WalletEvent } from '../rpc/observation.js';
import { own } from '../rpc/own.js';
import { type PermissionType, permissionTypes, totalOf } from '../rpc/permission-terms.js';
import { checkTransaction } from '../rpc/results.js';
import type { Address, Hash, Hex, Transaction } from '../rpc/schema.js';
import { createService } from '../service/client.js';
import type { Network } from '../service/networks.js';
import type { Service } from '../service/service.js';
import type { Session, SessionGrant } from '../session/session.js';
import type { AccountLedger, NonceLocks } from '../transactions/account-ledger.js';
import type { Checkpoints } from '../transactions/checkpoints.js';
import type { Journal } from '../transactions/journal.js';
import { type JournalEntry, nonceOf } from '../transactions/journal-entry.js';
import { findByNonce, receiptOf } from '../transactions/lookup.js';
import { type Accounted, type Cost, higherOf, nothing, type Spending, spendingOf } from './accounting.js';
import { admit, type Coverage, periodNow } from './admission.js';
import type { Succession } from './ask.js';
import { readCheckpoint } from './checkpoint.js';
import { codeDigestOf } from './contract-code.js';
import { allowedBy, costInPlace, isExpected } from './coverage.js';
import { counts, endedBetween } from './ended.js';
import {
  areAlike,
  decodeGrants,
  encodeGrant,
  type Grant,
  type PermissionReply,
  readGrants,
  recordKinds,
} from './grant.js';
import type { GrantedPermission } from './granted.js';
import { type History, readHistory, sealSeen, settledDepth, type Witness } from './history.js';
import { createLedger, type Ledger } from './ledger.js';

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
  request(params: Json, requester: Permissions.Requester): Promise<readonly GrantedReply[]>;
  /**
   * Settles and adds up what was spent, as far as that is possible now, and tells which entries have to stay in the journal: those
   * of an account with a running permission, from the first one on that is not added up.
   */
  needed(): Promise<(entry: JournalEntry) => boolean>;
  /** The types that are granted, each with the rules that it takes; none where tabs cannot wait for one another. */
  readonly ruleTypes: readonly (readonly [type: PermissionType, rules: readonly string[]])[];
  /** The permissions of a site that have not ended, as it requested them. */
  granted(origin: string): readonly GrantedReply[];
  /** Begins to read what a permission of this site depends on. */
  cover(site: Cover.Site, service: Service): Cover;
  ledgerOf(chainId: number, from: Address): AccountLedger;
}

/** A granted permission as the site gets it (ERC-7715). There is no contract that redeems it: the wallet itself signs. */
export interface GrantedReply extends PermissionReply {
  readonly context: Hash;
  readonly dependencies: readonly [];
}

export declare namespace Permissions {
  /** The site, as it was when the request arrived. */
  interface Requester {
    readonly origin: string;
    /** The network of a chain id; `undefined` for one that the wallet does not have, or that a page added. */
    readonly network: (chainId: number) => QuestionNetwork | undefined;
    readonly signal?: AbortSignal | undefined;
  }
}

export function createPermissions(options: createPermissions.Options): Permissions {
  const { session, keyring, journal, checkpoints, nonceLocks, isTop, now } = options;
  const { endpoint = (network: Network) => createService({ network }) } = options;
  /** Transactions of nonces that the journal does not explain, as found on the chain, by account. */
  const found = new Map<string, Map<bigint, PermittedTransaction>>();
  const foundOf = (chainId: number, account: Address): Map<bigint, PermittedTransaction> => {
    const key = `${chainId}:${account}`;
    const known = found.get(key) ?? new Map<bigint, PermittedTransaction>();
    found.set(key, known);
    return known;
  };

  /** Transactions that this page has seen mined, and by account and nonce the one that it has signed last or that a node has. */
  const mined = new Set<Hash>();
  const signedLast = new Map<string, Map<bigint, Hash>>();
  const lastOf = (chainId: number, account: Address): Map<bigint, Hash> => {
    const key = `${chainId}:${account}`;
    const known = signedLast.get(key) ?? new Map<bigint, Hash>();
    signedLast.set(key, known);
    return known;
  };

  const witnessOf = (chainId: number, account: Address): Witness => ({
    hasMined: (hash) => mined.has(hash) || journal.hasSeenMined(hash),
    hasPending: (nonce, hash) => lastOf(chainId, account).get(nonce) === hash,
  });

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

  /** Whether a chain is configured, and not added by a page. */
  const isOwnNetwork = (chainId: number): boolean => {
    const network = options.networkOf(chainId);
    return network !== undefined && network.addedBy === undefined;
  };

  /** Two endpoints of a network on different hosts, each by itself; none where there are no two. */
  const hosts = new Map<Network, readonly Service[]>();
  const hostsOf = (chainId: number): readonly Service[] => {
    const network = options.networkOf(chainId) as Network;
    const byHost = new Map(network.urls.map((url) => [new URL(url).host, url]));
    const [one, other] = [...byHost.values()];
    if (one === undefined || other === undefined) return [];
    const known = hosts.get(network) ?? [one, other].map((url) => endpoint({ ...network, urls: [url] }));
    hosts.set(network, known);
    return known;
  };

  /** Contexts of those that this page has seen end. A script that writes the storage can list them again. */
  const gone = new Set<Hash>();

  /** Whether a grant still counts: the session lists it, and its site is connected as it was. */
  const isLive = (grant: Grant): boolean =>
    !gone.has(grant.context) && counts(session.state(), grant) && isOwnNetwork(grant.chainId);

  const report = (what: WalletEvent.Permission['what'], grant: Grant): void =>
    options.observation?.by?.permission(what, grant);
  session.watch((state, previous) => {
    const ended = endedBetween(previous, state);
    if (ended.length === 0) return;
    for (const grant of ended) report('ended', grant);
    // One whose site or account has gone does not come back with it.
    for (const { context } of ended) gone.add(context);
    sessionWithout([...gone]);
    void dropEnded();
  });

  /** Deletes the records of what has ended: while the keys are locked they stay, and the next grant deletes them. */
  const dropEnded = async (): Promise<void> => {
    if (!keyring.keeps()) return;
    await keyring.changeRecords(recordKinds.grant, withoutEnded).catch(() => {});
  };

  /** The grants as the session lists them, which any script of the origin can write. */
  const listedGrants = (): readonly Grant[] => readGrants(session.state().granted ?? []);

  /** All grants that the vault has a record of, those that have ended too. */
  const recorded = async (): Promise<readonly Grant[]> =>
    decodeGrants(await keyring.records(recordKinds.grant));

  const grants = async (): Promise<readonly Grant[]> => (await recorded()).filter(isLive);

  const isOf =
    ({ origin, chainId, from }: Cover.Site) =>
    (grant: Grant): boolean =>
      grant.origin === origin && grant.account === from && grant.chainId === chainId;

  /** The account's transactions. */
  const historyOf = async (
    grant: Grant,
    marks: Reading,
    entries: readonly JournalEntry[] | Promise<readonly JournalEntry[]>,
  ): Promise<History> => {
    const { chainId, account } = grant;
    // Read after the entries: those that it has may have left the journal meanwhile.
    const own = await entries;
    const checkpoint = await readCheckpoint(
      await checkpoints.read(chainId, account),
      chainId,
      account,
      marks,
    );
    return readHistory(grant, {
      ...{ entries: own, checkpoint, ledger: marks },
      found: foundOf(chainId, account),
      witness: witnessOf(chainId, account),
    });
  };

  const admission = async (
    grant: Grant,
    signing: Omit<AccountLedger.Signing, 'permission'>,
    marks: Ledger,
  ): Promise<Coverage> =>
    admit(grant, signing, await historyOf(grant, marks, signing.entries), Math.floor(now() / 1_000));

  /** Replaces the most that mined transactions of an account could cost by what they did. */
  const settleFor = async (
    chainId: number,
    account: Address,
    marks: Ledger,
    headHeight: number,
  ): Promise<boolean> => {
    const { settle } = await import('./settlement.js');
    return settle({
      headHeight,
      entries: await journal.entriesOf(chainId, account),
      grants: await recorded(),
      ...{ ledger: marks, journal },
      service: options.readsOf(chainId),
      hosts: () => hostsOf(chainId),
    });
  };

  /**
   * Reads the transactions of these nonces from the chain. One that has no entry counts once twelve blocks are on top of it: it
   * could still leave the chain, and then one of ours whose entry was deleted could have its nonce.
   * Resolves with whether all were found.
   */
  const explain = async (
    service: Service,
    { chainId, from }: Cover.Site,
    missing: readonly bigint[],
    { headHeight, latest }: Pick<Cover.Facts, 'headHeight' | 'latest'>,
    marks: Ledger,
  ): Promise<boolean> => {
    const entries = await journal.entriesOf(chainId, from);
    const read = await Promise.all(entries.map(marks.read));
    const all = await Promise.all(
      missing.map(async (nonce) => {
        const isUsed = nonce < latest;
        const ours = entries.filter((_, at) => read[at]?.nonce === nonce);
        for (const { hash } of ours)
          if (await isThere(service, hash, isUsed)) {
            if (isUsed) mined.add(hash);
            else lastOf(chainId, from).set(nonce, hash);
            return true;
          }
        const other = isUsed ? await findByNonce(service, from, toQuantity(nonce)) : null;
        if (!other || headHeight - Number(other.blockNumber) < settledDepth) return false;
        const { to, value, input, gas, gasPrice } = other.transaction;
        foundOf(chainId, from).set(nonce, {
          ...{ chainId, value, gas, gasPrice },
          // Nodes may write addresses with a checksum.
          to: to && (to.toLowerCase() as Address),
          data: input.toLowerCase() as Hex,
        });
        return true;
      }),
    );
    return all.every(Boolean);
  };

  const grantsOf = async (chainId: number, account: Address): Promise<readonly Grant[]> =>
    (await grants()).filter((grant) => grant.chainId === chainId && grant.account === account);

  /** Adds up what an account has spent, so that its old entries are needed no more. */
  const foldUp = async (chainId: number, account: Address, marks: Ledger): Promise<void> => {
    const { foldAccount } = await import('./folding.js');
    await foldAccount(chainId, account, {
      ...{ ledger: marks, checkpoints, nonceLocks },
      service: options.readsOf(chainId),
      found: foundOf(chainId, account),
      settle: (headHeight) => settleFor(chainId, account, marks, headHeight),
      grants: () => grantsOf(chainId, account),
      kept: async () =>
        (await recorded()).filter((grant) => grant.chainId === chainId && grant.account === account),
      historyOf: (grant) => historyOf(grant, marks, journal.entriesOf(chainId, account)),
    });
  };

  const sessionWithout = (contexts: readonly Hash[]) =>
    session.update((state) => {
      const granted = (state.granted ?? []).filter(({ context }) => !contexts.includes(context));
      const { granted: _, ...rest } = state;
      return granted.length > 0 ? { ...rest, granted } : rest;
    });

  /** The grants that count, and what reads the marks. While the keys are locked: as the session lists them, unchecked. */
  const visible = async (): Promise<{ readonly listed: readonly Grant[]; readonly marks: Reading }> => {
    const marks = keyring.keeps() ? await ledger() : null;
    const listed = marks ? await grants() : listedGrants().filter(isLive);
    return { listed, marks: marks ?? trusting };
  };

  const succeed = async (grant: Grant): Promise<Succession> => {
    const { listed, marks } = await visible();
    const old = listed.find((each) => areAlike(each, grant));
    if (!old) return { grant, spent: null };
    const next = succeeding(grant, old);
    const history = await historyOf(old, marks, journal.entriesOf(grant.chainId, grant.account));
    return { grant: next, spent: spendingOf(next, history, 0).inPeriod };
  };

  /**
   * Stores what the person has agreed to: first in the vault, where without an entry of the session it covers nothing. Under the
   * lock, since one of two that are alike takes the place of the other.
   */
  const store = async (approved: Approved<readonly Grant[]>): Promise<void> => {
    const [first] = approved.subject;
    if (first) await nonceLocks(first.chainId, first.account)(() => storeAlone(redeem(approved)));
  };

  const storeAlone = async (agreed: readonly Grant[]): Promise<void> => {
    session.update((state) => state);
    const [key] = await keyring.records(recordKinds.ledgerKey);
    if (!key) {
      const made = randomBytes(32);
      const kept = await keyring.changeRecords(recordKinds.ledgerKey, (records) =>
        records.length > 0 ? records : [made],
      );
      for (const each of [made, ...kept]) wipe(each);
    } else wipe(key);
    const before = await grants();
    const granted = agreed.map((grant) => {
      const old = before.find((each) => areAlike(each, grant));
      return old && !grant.replaced.includes(old.context) ? succeeding(grant, old) : grant;
    });
    const isReplaced = ({ context }: { readonly context: Hash }) =>
      granted.some(({ replaced }) => replaced.includes(context));
    await keyring.changeRecords(recordKinds.grant, (records) => [
      ...withoutEnded(records).filter((bytes) => !decodeGrants([bytes]).some(isReplaced)),
      ...granted.map(encodeGrant),
    ]);
    session.update((state) => ({
      ...state,
      granted: [...(state.granted ?? []).filter((each) => !isReplaced(each)), ...granted.map(listed)],
    }));
    for (const grant of granted) report('granted', grant);
  };

  return {
    async list() {
      const { listed, marks } = await visible();
      const clock = Math.floor(now() / 1_000);
      const running = listed.filter(({ end }) => end > clock);
      return Promise.all(
        running.map(async (grant) => {
          const history = await historyOf(grant, marks, journal.entriesOf(grant.chainId, grant.account));
          const period = periodNow(grant, history, { clock, headTime: clock }) ?? 0;
          return describe(grant, spendingOf(grant, history, period));
        }),
      );
    },
    async end(context) {
      const listed = session.state().granted ?? [];
      const ended = listed.find((each) => each.context === context);
      if (!ended) throw invalidParams('context: there is no such permission');
      await nonceLocks(ended.chainId, ended.account)(async () => sessionWithout([context]));
      await dropEnded();
    },
    async request(params, { origin, network: networkOf, signal }) {
      const [{ readRequested }, { askForPermissions }] = await Promise.all([
        import('./requested.js'),
        import('./ask.js'),
      ]).catch(throwNotLoaded);
      const { requests, account, network, stillAllowed } = readRequested(params, {
        ...{ origin, session, network: networkOf },
        now: now(),
      });
      const { chainId } = network;
      if (!options.hasLocks())
        throw unsupportedMethod(
          'wallet_requestExecutionPermissions',
          'This browser has no Web Locks, without which two tabs could spend one limit twice.',
        );
      const connectedAt = session.state().permissions[origin]?.date as number;
      const granted = await askForPermissions(requests, {
        ...{ origin, account, network, signal, stillAllowed, journal, now, connectedAt, succeed, store },
        service: options.serviceOf(chainId),
        approvals: options.approvals,
      });
      return granted.map(replyOf);
    },
    async needed() {
      // Another tab may have been granted one since.
      session.update((state) => state);
      const marks = keyring.keeps() ? await ledger() : null;
      const all = marks ? await grants() : listedGrants();
      const next = new Map<string, bigint>();
      for (const { chainId, account } of all) {
        const key = `${chainId}:${account}`;
        if (next.has(key)) continue;
        // Entries that cannot be settled now stay.
        if (marks) await foldUp(chainId, account, marks).catch(() => {});
        const stored = await checkpoints.read(chainId, account);
        const checkpoint = await readCheckpoint(stored, chainId, account, marks ?? trusting);
        next.set(key, checkpoint?.next ?? 0n);
      }
      return ({ ledger, chainId, from, nonce }) => {
        const first = next.get(`${chainId}:${from}`);
        return ledger !== undefined && first !== undefined && nonceOf(nonce) >= first;
      };
    },
    ruleTypes: options.hasLocks()
      ? permissionTypes.map((type) => [
          type,
          type === 'graft-contract-calls' ? ['expiry'] : ['expiry', 'payee'],
        ])
      : [],
    granted: (origin) =>
      listedGrants()
        .filter((grant) => grant.origin === origin && grant.end > now() / 1_000 && isLive(grant))
        .map(replyOf),
    cover(site, service) {
      const listed = listedGrants().filter(isOf(site));
      const contracts = new Set(
        listed.flatMap((grant) => (grant.contracts ?? []).map(({ address }) => address)),
      );
      // Read beside the preparation of the transactions.
      const codes = new Map(
        [...contracts].map((address) => [address, codeDigestOf(service, address).catch(() => null)]),
      );
      const hasSameCode = async (grant: Grant, transactions: readonly PermittedTransaction[]) => {
        if (!grant.contracts) return true;
        const called = new Set(transactions.map(({ to }) => to as Address));
        const same = [...called].map(async (to) => (await codes.get(to)) === grant.code[to]);
        return (await Promise.all(same)).every(Boolean);
      };
      return {
        async find(transactions, { warnings, headHeight, headTime, latest, nonces }) {
          try {
            const marks = await ledger();
            if (!isTop() || !marks || !warnings.every(isExpected)) return null;
            const short: Grant[] = [];
            for (const grant of (await grants()).filter(isOf(site))) {
              const admit = async () => {
                const entries = await journal.entriesOf(site.chainId, site.from);
                const signing = { transactions, entries, headTime };
                return admission(
                  grant,
                  { ...signing, nonces: nonces.map(toQuantity), latest: toQuantity(latest) },
                  marks,
                );
              };
              let admitted = await admit();
              if (
                admitted.kind === 'unexplained' &&
                (await explain(service, site, admitted.missing, { headHeight, latest }, marks))
              )
                admitted = await admit();
              // Each time, some of what was spent at most turns out to have cost less.
              while (
                admitted.kind === 'short' &&
                (await settleFor(site.chainId, site.from, marks, headHeight))
              )
                admitted = await admit();
              if (admitted.kind === 'covered' && (await hasSameCode(grant, transactions))) {
                const { chainId, from } = site;
                void sealSeen(chainId, from, { journal, ledger: marks, witness: witnessOf(chainId, from) });
                return grant.context;
              }
              if (admitted.kind === 'short') short.push(grant);
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
        // Another tab may have ended it, and the event of that may not have arrived yet.
        session.update((state) => state);
        const marks = await ledger();
        if (!marks) return permission === undefined ? async (entries) => entries : null;
        const all = await grantsOf(chainId, from);
        if (permission === undefined) endByAllowances(all, transactions);
        /** The permission of a mark, or the one in its place. */
        const grantOf = ({ permission: context }: Accounted) =>
          all.find((each) => [each.context, ...each.replaced].some((one) => one === context));
        /** The marks under permissions of what has the nonce already: with a new transaction, either of the two may be mined. */
        const rivals = await Promise.all(
          nonces.map(async (nonce) => {
            const same = entries.filter((entry) => BigInt(entry.nonce) === BigInt(nonce));
            const read = await Promise.all(same.map(marks.read));
            return read.filter((mark) => mark !== null && grantOf(mark) !== undefined) as Accounted[];
          }),
        );
        let costs: readonly (Cost | null)[] = [];
        let period = 0;
        let used: Grant | undefined;
        if (permission !== undefined) {
          const grant = all.find(({ context }) => context === permission);
          if (!grant || rivals.flat().some((rival) => grantOf(rival) !== grant)) return null;
          const admitted = await admission(grant, signing, marks);
          if (admitted.kind === 'short') report('short', grant);
          if (admitted.kind !== 'covered') return null;
          used = grant;
          ({ costs, period } = admitted);
        }
        /** Counts the highest of those that have its nonce, since their entries may be deleted. */
        const terms = transactions.map((transaction, at): Parameters<Ledger['mark']>[1] => {
          const [before] = rivals[at] ?? [];
          const cost =
            costs[at] ?? (before ? costInPlace(grantOf(before) as Grant, from, transaction) : nothing);
          const highest = (rivals[at] ?? []).reduce<Cost>(higherOf, cost);
          if (permission !== undefined) return { permission, period, ...highest };
          return before
            ? { permission: before.permission, period: before.period, ...highest }
            : signedByPerson;
        });
        return (signed) => {
          if (used) report('used', used);
          for (const { nonce, hash } of signed) lastOf(chainId, from).set(BigInt(nonce), hash);
          return Promise.all(
            signed.map(async (entry, at) => ({
              ...entry,
              ledger: await marks.mark(entry, terms[at] ?? signedByPerson),
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

  /** The records without those that have ended, and those that this build cannot read. */
  function withoutEnded(records: readonly Uint8Array[]): readonly Uint8Array[] {
    return records.filter((bytes) => {
      const [grant] = decodeGrants([bytes]);
      return grant === undefined || isLive(grant);
    });
  }
}

/** Whether a node has a transaction: in a block, or anywhere. */
async function isThere(service: Service, hash: Hash, inBlock: boolean): Promise<boolean> {
  if (inBlock) return (await receiptOf(service, hash)) !== null;
  const known = await service.request('eth_getTransactionByHash', [hash], { check: checkTransaction });
  return (known as Transaction | null)?.hash === hash;
}

const listed = (grant: Grant): Grant & SessionGrant => {
  const { token, payees = [], contracts } = grant;
  const recipients = token ? [token] : (contracts?.map(({ address }) => address) ?? payees);
  return { ...grant, recipients };
};

const replyOf = ({ request, context }: Grant): GrantedReply => ({ ...request, context, dependencies: [] });

const signedByPerson = { permission: null, period: 0, amount: 0n, fees: 0n } as const;

type Reading = Pick<Ledger, 'read' | 'isSealed'>;

/** A grant in place of one like it: what that has spent counts. */
const succeeding = (grant: Grant, old: Grant): Grant => ({
  ...grant,
  firstNonce: old.firstNonce,
  replaced: [...old.replaced, old.context].slice(-maxReplaced),
  formerly: recipientsBefore(old),
});

function recipientsBefore({ contracts, payees, formerly = [] }: Grant): Grant['formerly'] {
  const recipients = contracts?.map(({ address }) => address) ?? payees;
  if (!recipients || formerly === 'anyone') return 'anyone';
  return [...new Set([...formerly, ...recipients])].slice(-maxFormer);
}

/** Payees of replaced permissions. */
const maxFormer = 200;

/** Permissions of one kind whose spending counts after they were replaced. */
const maxReplaced = 16;

/** Reads marks without checking them, for what is shown while the keys are locked. */
const trusting: Reading = {
  async read({ nonce, ledger }) {
    if (!ledger) return null;
    const { permission, period, amount, fees } = ledger;
    return own({ nonce: BigInt(nonce), permission, period, amount: BigInt(amount), fees: BigInt(fees) });
  },
  isSealed: async () => true,
};

function describe(grant: Grant, { inPeriod, inAll }: Spending): GrantedPermission {
  const {
    firstNonce: _first,
    connectedAt: _connected,
    replaced: _replaced,
    formerly: _formerly,
    code: _code,
    request: _request,
    ...terms
  } = grant;
  const left = (limit: bigint, spent: bigint): Hex => toQuantity(limit > spent ? limit - spent : 0n);
  const leftInAll = left(totalOf(grant, grant.amount), inAll.amount);
  const leftInPeriod = left(BigInt(grant.amount), inPeriod.amount);
  const label = grant.token && knownToken(grant.chainId, grant.token);
  return {
    ...terms,
    ...(grant.token && label && { tokenLabel: { address: grant.token, ...label, known: true as const } }),
    left: BigInt(leftInPeriod) < BigInt(leftInAll) ? leftInPeriod : leftInAll,
    ...(grant.fees && { feesLeft: left(BigInt(grant.fees), inPeriod.fees) }),
    leftInAll,
  };
}

export declare namespace createPermissions {
  interface Options {
    readonly session: Session;
    readonly keyring: Keyring;
    readonly journal: Journal;
    readonly checkpoints: Checkpoints;
    readonly nonceLocks: NonceLocks;
    readonly approvals: Approvals;
    /** The service for what a dapp asks and sends. */
    readonly serviceOf: (chainId: number) => Service;
    /** The service for reads that may be answered from memory. */
    readonly readsOf: (chainId: number) => Service;
    /** Whether tabs of this origin can wait for one another, or there is only one. */
    readonly hasLocks: () => boolean;
    readonly networkOf: (chainId: number) => Network | undefined;
    /** A network's only endpoint, by itself. Default: over HTTP. */
    readonly endpoint?: ((network: Network) => Service) | undefined;
    readonly observation?: Observation | undefined;
    /** Whether the page is in no frame. */
    readonly isTop: () => boolean;
    /** Milliseconds since 1970. */
    readonly now: () => number;
  }
}
