import type { DescribeCall } from '../approvals/abi-calls.js';
import type { Approvals } from '../approvals/approvals.js';
import type { Cover } from '../approvals/cover.js';
import type { PriceOptions } from '../assets/coin-prices.js';
import { lazy } from '../async/lazy.js';
import { createMutexes } from '../async/mutex.js';
import { contactKind } from '../contacts/kind.js';
import { createKeyring, type Keyring } from '../keyring/keyring.js';
import type { Signing } from '../methods/context.js';
import { throwNotLoaded } from '../rpc/not-loaded.js';
import type { Observation } from '../rpc/observation.js';
import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import type { Network } from '../service/networks.js';
import type { Service } from '../service/service.js';
import { withUnsettledJournal } from '../session/changes.js';
import { type Session, type SessionState, watchOnlyAccounts } from '../session/session.js';
import { isStanding } from '../session/standing.js';
import { withAccountsOf, withWatchOnly } from '../session/vault-accounts.js';
import { createPrivateFile } from '../storage/private-file.js';
import type { Storage } from '../storage/storage.js';
import { wholeObjects } from '../storage/whole-objects.js';
import type { NonceLocks } from '../transactions/account-ledger.js';
import { createJournal } from '../transactions/journal.js';
import type { Outbox } from '../transactions/outbox.js';
import type { ContactsOf, LookAlikes } from '../transactions/recipient.js';
import type { ChainRuntime } from './chain-runtime.js';

export function createSigning(options: createSigning.Options): Signing {
  const { name, storage, session, approvals, chain, chainIds, signIn, lockAfter, now, describeCall } =
    options;
  const journalCopy =
    storage.durable === false ? null : createPrivateFile(`${name}.journal.json`, wholeObjects);
  const granted = () => own(session.state()).granted ?? [];
  const keys = createKeyring({
    name,
    storage,
    idleTimeout: () => own(session.state()).lockAfter ?? lockAfter,
    keepsKeys: () => granted().length > 0,
    knownAccounts: () => session.state().accounts.map(({ address }) => address),
    async eraseRest() {
      session.reset();
      for (const store of ['calls', 'cursor', 'received', 'permits'] as const) await storage.clear(store);
      await journal.erase();
    },
  });
  const bookModule = lazy(() => import('../contacts/book.js').catch(throwNotLoaded));
  const book = lazy(async () => (await bookModule()).createBook({ keyring: keys, session }));
  /** Restores the session's accounts from the vault, at each unlock and after any other change of them. */
  const restoreAccounts = async () => {
    session.update(withAccountsOf(await keys.accounts()));
    const { contacts: isListed } = own(session.state());
    const isDue = isListed !== undefined || watchOnlyAccounts(session.state()).length > 0;
    if (!isDue && (await keys.records(contactKind)).length === 0) return;
    // The wallet is open also where its chunk does not load. Then it lists none, since a script may have written them.
    await book()
      .then((opened) => opened.restore())
      .catch(() => session.update(withWatchOnly([])));
  };
  const keyring: Keyring = {
    ...keys,
    async unlock(...args) {
      await keys.unlock(...args);
      await restoreAccounts();
    },
    async unlockShared(half) {
      await keys.unlockShared(half);
      await restoreAccounts();
    },
  };
  /** Whether this page may have opened an entry. Until it ends, no other page may call the journal settled. */
  let isJournalOpen = false;
  const unwatch = session.watch((state, previous) => {
    if (isJournalOpen && own(state).journal === 'settled') session.update(withUnsettledJournal);
    const addresses = (each: SessionState) =>
      JSON.stringify([each.accounts.map(({ address }) => address), watchOnlyAccounts(each)]);
    if (own(state).lockAfter !== own(previous).lockAfter) keys.rescheduleLock();
    if (addresses(state) !== addresses(previous) && !keys.locked()) restoreAccounts().catch(() => {});
  });
  const hasPermissions = (chainId: number, from: Address): boolean =>
    granted().some((each) => each.chainId === chainId && each.account === from);
  /** Whether a permission may cover a request, as far as the session tells while the keys are locked. */
  const mayCover = ({ origin, chainId, from, recipients }: Cover.Site): boolean => {
    const state = session.state();
    return granted().some(
      (each) =>
        each.origin === origin &&
        each.account === from &&
        each.chainId === chainId &&
        each.end > now() / 1_000 &&
        isStanding(state, each) &&
        recipients.every((address) => address !== null && each.recipients?.includes(address)),
    );
  };
  const journal = createJournal(storage, {
    ...(journalCopy && { name, copy: journalCopy }),
    now,
    // A running permission accounts for each transaction since it was granted.
    needed: async () => (granted().length > 0 ? (await permissions()).needed() : undefined),
    opening() {
      if (isJournalOpen) return;
      isJournalOpen = true;
      session.update(withUnsettledJournal);
    },
  });
  const nonceLocks: NonceLocks = createMutexes((chainId, from) => `graft:nonce:${chainId}:${from}`);
  const permissions = lazy(async () => {
    const { createPermitting } = await import('./permitting.js').catch(throwNotLoaded);
    return createPermitting({ ...options, keyring, journal, nonceLocks, contacts, lookAlikes });
  });
  const signAndRecord = lazy(async () =>
    (await import('../transactions/approve-and-sign.js')).createSignAndRecord({
      ...{ journal, keyring, nonceLocks, now },
      // Another tab may have granted one just now: then the chain explains what is signed here without a mark.
      ledgerOf: (chainId, from) =>
        hasPermissions(chainId, from) ? permissions().then((loaded) => loaded.ledgerOf(chainId, from)) : null,
    }),
  );
  const since = now();
  const outboxes = new Map<number, Promise<Outbox>>();

  const outbox = async (chainId: number): Promise<Outbox> => {
    const { background, following } = chain(chainId);
    const [{ follower }, dispatched] = await Promise.all([following(), dispatch()]);
    return dispatched.outbox(background, follower);
  };
  let closed = false;
  const wake = (chainId: number): void => {
    if (closed) return;
    const woken = outboxes.get(chainId) ?? outbox(chainId);
    outboxes.set(chainId, woken);
    woken.then(
      (outbox) => outbox.wake(),
      // The chunk did not load: the next wake asks for it again.
      () => outboxes.delete(chainId),
    );
  };
  const forget = (chainId: number): void => {
    outboxes.get(chainId)?.then(
      (outbox) => outbox.stop(),
      () => {},
    );
    outboxes.delete(chainId);
  };

  const dispatch = lazy(async () => {
    const { createDispatch } = await import('../transactions/dispatch.js');
    return createDispatch({ journal, wake, now, since });
  });
  const resume = () => {
    for (const chainId of chainIds()) wake(chainId);
  };
  // The browser may have lost the database, and the journal with it; unless the wallet was being erased.
  keys
    .resumeErase()
    .then(journal.restore)
    .then(
      (restored) => restored > 0 && resume(),
      () => {},
    );
  const delivery = async () => (await dispatch()).delivery;
  const names = options.names
    ? lazy(async () => (await import('../assets/names.js')).createNames(now))
    : null;
  const prices = lazy(async () =>
    (await import('../assets/coin-prices.js').catch(throwNotLoaded)).createCoinPrices({
      source: options.price.source,
      serviceOf: (chainId) => chain(chainId).reads.cached,
      now,
    }),
  );
  const coinPrice = async (chainId: number) => (await prices()).of(chainId);
  const nameOf = async (service: Service, address: Address) =>
    names && (await names()).nameOf(service, address);
  const contacts: ContactsOf = async () => {
    // A permission signs with keys that are kept beyond the lock.
    if (!keyring.keeps()) return null;
    const records = await keyring.records(contactKind);
    if (records.length === 0) return [];
    const { decodeContacts } = await bookModule();
    return decodeContacts(records).map(({ contact }) => contact);
  };
  const recipients = lazy(() => import('../transactions/recipient.js').catch(throwNotLoaded));
  const lookAlikes: LookAlikes = async (addresses, { network: { chainId } }) => {
    const [{ lookAlikeWarnings }, entries, ...parties] = await Promise.all([
      recipients(),
      journal.entries(),
      ...addresses.map(journal.parties),
    ]);
    const archived = parties.flat();
    const ownAddresses = session.state().accounts.map(({ address }) => address);
    return (contacts) => lookAlikeWarnings(addresses, { chainId, ownAddresses, contacts, entries, archived });
  };
  const sendOptions = {
    ...{ journal, delivery, keyring, approvals, wake, now, nameOf, describeCall, contacts },
    ...(options.price.questions && { coinPrice }),
    serviceOf: (chainId: number) => chain(chainId).person,
  };

  return {
    keyring,
    lock: {
      locked: keyring.locked,
      keeps: keyring.keeps,
      unlock: keyring.unlock,
      sharedUnlock(origin) {
        keyring.shareUnlocks(origin);
        return own({ half: keyring.unlockHalf, unlock: keyring.unlockShared, renew: keyring.renewShared });
      },
    },
    journal,
    contacts,
    book,
    permissions,
    cover: (site, service) =>
      mayCover(site) ? permissions().then((loaded) => loaded.cover(site, service)) : null,
    purses: lazy(async () => {
      const { createPursing } = await import('./pursing.js').catch(throwNotLoaded);
      return createPursing({ ...options, ...sendOptions, nonceLocks, signAndRecord, lookAlikes });
    }),
    transactions: lazy(async () => {
      const [{ createTransactions }, record] = await Promise.all([
        import('../transactions/transactions.js').catch(throwNotLoaded),
        signAndRecord().catch(throwNotLoaded),
      ]);
      return createTransactions({ ...sendOptions, signAndRecord: record });
    }),
    coinPrice,
    names,
    signatures: lazy(async () => {
      const { createSignatures } = await import('../signatures/signatures.js');
      return createSignatures({
        ...{ approvals, keyring, signIn, now, contacts, lookAlikes },
        onPermit: ({ account, network: { chainId } }, token, spender) =>
          import('../assets/signed-permits.js')
            .then(({ recordPermit }) =>
              recordPermit(storage, { chainId, account: account.address, token, spender, at: now() }),
            )
            // The person has approved the signature: a list that lacks it is no reason to refuse it.
            .catch(() => {}),
      });
    }),
    batches: lazy(async () => {
      const { createBatches } = await import('../transactions/batches/batches.js');
      return createBatches({
        ...sendOptions,
        signAndRecord: await signAndRecord(),
        serviceOf: (chainId) => chain(chainId).sends,
        readsOf: (chainId) => chain(chainId).reads.fresh,
        storage,
      });
    }),
    submit: async (...bytes) => (await dispatch()).submit(...bytes),
    recoverMessage: async (...args) => (await import('../keyring/message.js')).recoverMessage(...args),
    resume,
    forget,
    close() {
      closed = true;
      unwatch();
      for (const chainId of outboxes.keys()) forget(chainId);
      keyring.close();
    },
  };
}

export declare namespace createSigning {
  interface Options {
    /** Prefix of the stores, locks and files of this wallet, which tells wallets of one origin apart. */
    readonly name: string;
    readonly storage: Storage;
    readonly session: Session;
    readonly approvals: Approvals;
    /** @throws ProviderRpcError 4901 for a chain that is not configured (any more) */
    readonly chain: (chainId: number) => ChainRuntime;
    readonly chainIds: () => Iterable<number>;
    /** Whether a wallet's own site serves a dapp, whose page is around this document. */
    readonly isServed: boolean;
    readonly networkOf: (chainId: number) => Network | undefined;
    readonly observation?: Observation | undefined;
    readonly signIn: 'refuse' | 'warn';
    readonly price: PriceOptions;
    /** Whether names of the RIF Name Service are looked up. */
    readonly names: boolean;
    readonly describeCall?: DescribeCall | undefined;
    /** Milliseconds without a signature after which the keys lock. Default 900,000 (15 minutes). */
    readonly lockAfter?: number | undefined;
    /** Milliseconds since 1970. */
    readonly now: () => number;
  }
}
