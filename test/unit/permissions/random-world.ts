import { createApprovals } from '../../../src/approvals/approvals.js';
import { type Approved, mint, redeem, split } from '../../../src/approvals/approved.js';
import { createMutexes } from '../../../src/async/mutex.js';
import type { Keyring } from '../../../src/keyring/keyring.js';
import type { StoredCheckpoint } from '../../../src/permissions/checkpoint.js';
import { costUnder } from '../../../src/permissions/coverage.js';
import type { Grant } from '../../../src/permissions/grant.js';
import { createPermissions } from '../../../src/permissions/permissions.js';
import { ProviderRpcError } from '../../../src/rpc/errors.js';
import { toQuantity } from '../../../src/rpc/hex.js';
import { listedTokens } from '../../../src/rpc/known-contracts.js';
import { periodAt, totalOf } from '../../../src/rpc/permission-terms.js';
import type { Address, Hash, Hex } from '../../../src/rpc/schema.js';
import { tokenCall } from '../../../src/rpc/token-calls.js';
import { createNetworks, type Network } from '../../../src/service/networks.js';
import { createSession, type SessionMemory } from '../../../src/session/session.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import type { Storage } from '../../../src/storage/storage.js';
import { createSignAndRecord } from '../../../src/transactions/approve-and-sign.js';
import { checkpointKey, createCheckpoints } from '../../../src/transactions/checkpoints.js';
import { createDelivery } from '../../../src/transactions/delivery.js';
import { accepted, createJournal, reopened } from '../../../src/transactions/journal.js';
import { isMined, isOpen, type JournalEntry, keyOf } from '../../../src/transactions/journal-entry.js';
import { checkOldestOpen, chooseNonces, readAccountState } from '../../../src/transactions/nonces.js';
import { readHead, readQuantity } from '../../../src/transactions/prepare.js';
import { createRandom } from '../../support/random.js';
import { account, chainId, createChain, type SignedTransaction, signWithKey } from './random-chain.js';

/**
 * The one who works against the permissions. No world has one who writes the storage and runs the node, which nothing holds.
 * The design leaves out further worlds:
 *
 * - The one who writes the storage deletes no bytes that the nodes do not have (withheld, evicted, or not known to a node that
 *   lags): without its entry nothing shows that they exist, and their nonce is used again.
 * - The one who runs the node also moves the newest block's time. The clock alone holds the periods then, so it goes back only,
 *   and honest blocks have its time.
 * - A block that takes the place of another one has no earlier time than any before (see `createChain`).
 */
export type Adversary = 'none' | 'storage' | 'node';

/** Counts the events of a world, so that a test can tell that it was not an empty one. */
export interface WorldReport {
  readonly adversary: Adversary;
  readonly events: Readonly<Record<string, number>>;
  /** The violations, one sentence each. */
  readonly wrong: readonly string[];
  readonly story: readonly string[];
}

const origin = 'https://app.example';
/** Another site with permissions for the same payee. */
const otherOrigin = 'https://other.example';
const friend: Address = `0x${'5a'.repeat(20)}`;
const stranger: Address = `0x${'5b'.repeat(20)}`;
const token = listedTokens(chainId)[0]?.address as Address;
const begin = 1_700_000_000;
const connectedAt = 1;
const [network] = createNetworks([
  { chainId, url: ['https://one.example/key', 'https://two.example/key'] },
]) as [Network];
const questionNetwork = {
  ...{ chainId, name: 'Testnet', symbol: 'tRBTC', decimals: 18, testnet: true },
  source: 'one.example',
};

interface Logged {
  readonly transaction: SignedTransaction;
  /** Context of the permission that covered it without a question. */
  readonly permission: Hash | undefined;
  /** Context of the permission that it counts for, by a speed-up of the person. */
  readonly countsFor: Hash | undefined;
}

export async function runWorld(
  seed: number,
  adversary: Adversary = (['none', 'storage', 'node'] as const)[seed % 3] as Adversary,
  steps = 40,
): Promise<WorldReport> {
  const random = createRandom(seed);
  const upTo = (max: number) => Math.floor(random() * (max + 1));
  const chance = (percent: number) => random() * 100 < percent;
  const pick = <T>(of: readonly T[]): T => of[upTo(of.length - 1)] as T;
  const isStorage = adversary === 'storage';
  const events: Record<string, number> = {};
  const story: string[] = [];
  const wrong: string[] = [];
  const tell = (event: string, details = '') => {
    events[event] = (events[event] ?? 0) + 1;
    story.push(details ? `${event}: ${details}` : event);
  };

  /** Milliseconds. The wallet's clock differs from it. */
  let time = begin * 1_000;
  let offset = 0;
  const now = () => time + offset;
  const skew = adversary === 'node' ? 0 : 90;
  const chain = createChain(upTo, () => Math.floor(time / 1_000) + upTo(2 * skew) - skew);
  for (let blocks = 0; blocks < 3; blocks++) chain.mine();
  if (adversary === 'node') chain.nodes[0].isLiar = true;

  const base = createMemoryStorage();
  const vault = new Map<number, readonly Uint8Array[]>();
  let text: string | null = JSON.stringify({
    accounts: [{ address: account, label: 'Account 1', path: null }],
    permissions: Object.fromEntries(
      [origin, otherOrigin].map((each) => [each, { accounts: [account], date: connectedAt }]),
    ),
  });
  /** Events of the session's memory that have not arrived. */
  const arriving: (() => void)[] = [];
  const arrive = () => {
    for (const each of arriving.splice(0)) each();
  };
  const readers = new Set<{ changed: () => void; owner: object }>();
  const nonceLocks = createMutexes((chainId: number, from: Address) => `graft:nonce:${chainId}:${from}`);
  let isLocked = false;
  /** The same for all permissions of a world: each counts only unexplained payments to its own payees. */
  const areForAnyone = chance(50);
  const signed: Logged[] = [];
  const grants = new Map<Hash, Grant>();
  const ended = new Set<Hash>();

  /** A page of the wallet, which a kill ends at one of its writes. */
  function createTab(name: string, origin: string) {
    const tab = { name, origin, isDead: false, killIn: -1 };
    const failed = () => new ProviderRpcError(-32002, 'The page has ended');
    const write = async <T>(task: () => T | Promise<T>): Promise<T> => {
      if (tab.isDead) throw failed();
      if (tab.killIn === 0) {
        tab.isDead = true;
        tell('kill', name);
        if (chance(50)) await task();
        throw failed();
      }
      if (tab.killIn > 0) tab.killIn--;
      return task();
    };
    const storage: Storage = {
      ...base,
      get: async (...args) => (tab.isDead ? Promise.reject(failed()) : base.get(...args)),
      all: async (...args) => (tab.isDead ? Promise.reject(failed()) : base.all(...args)),
      update: (...args) => write(() => base.update(...args)),
      put: (...args) => write(() => base.put(...args)),
      remove: (...args) => write(() => base.remove(...args)),
      clear: (...args) => write(() => base.clear(...args)),
    };
    const memory: SessionMemory = {
      read: () => text,
      write(value) {
        if (tab.isDead) return;
        text = value;
        for (const reader of readers)
          if (reader.owner !== tab) arriving.push(() => readers.has(reader) && reader.changed());
      },
      watch(changed) {
        const reader = { changed, owner: tab };
        readers.add(reader);
        return () => readers.delete(reader);
      },
    };
    const session = createSession({ memory, origin, initialChainId: chainId, chainIds: [chainId] });
    const requireKeys = () => {
      if (isLocked || tab.isDead) throw new ProviderRpcError(4100, 'The wallet is locked.');
    };
    const copies = (records: readonly Uint8Array[]) => records.map((each) => Uint8Array.from(each));
    const keyring = {
      locked: () => isLocked,
      keeps: () => !isLocked,
      async records(kind: number) {
        requireKeys();
        return copies(vault.get(kind) ?? []);
      },
      changeRecords: (kind: number, change: (records: readonly Uint8Array[]) => readonly Uint8Array[]) =>
        write(() => {
          requireKeys();
          const changed = copies(change(copies(vault.get(kind) ?? [])));
          vault.set(kind, changed);
          return copies(changed);
        }),
      async signTransaction(approved: Approved<Keyring.TransactionSubject>, nonce: Hex) {
        requireKeys();
        const { permission } = approved;
        const { type: _type, from: _from, ...fields } = redeem(approved);
        const transaction = signWithKey({ ...fields, nonce });
        signed.push({ transaction, permission, countsFor: permission ?? replacing });
        if (permission !== undefined && ended.has(permission))
          wrong.push(`nonce ${Number(nonce)} was signed under a permission that had ended`);
        return { raw: transaction.raw, hash: transaction.hash };
      },
    } as unknown as Keyring;
    const journal = createJournal(storage, { now });
    let route = upTo(1);
    const service = chain.service(network, () => (adversary === 'node' || !chance(20) ? route : upTo(1)));
    const permissions = createPermissions({
      sendTimeout: 0,
      checkpoints: createCheckpoints(storage),
      ...{ session, keyring, journal, nonceLocks, now },
      contacts: async () => [],
      lookAlikes: async () => () => [],
      approvals: {
        request: (...args: Parameters<typeof approvals.request>) => approvals.request(...args),
      } as typeof approvals,
      serviceOf: () => service,
      readsOf: () => service,
      hasLocks: () => true,
      networkOf: (id) => (id === chainId ? network : undefined),
      endpoint: ({ urls }) => chain.service(network, () => (urls[0]?.includes('one') ? 0 : 1)),
      isTop: () => true,
    });
    const hasPermissions = () => (session.state().granted ?? []).length > 0;
    const approvals = createApprovals({
      // The person grants permissions, and refuses all else.
      approver: () => ({ ask: async ({ kind }) => ({ approved: kind === 'permission' }) }),
      lock: async () => ({ locked: () => isLocked, unlock: async () => {} }),
      cover: (site, of) => {
        if (!hasPermissions()) return null;
        const cover = permissions.cover(site, of);
        return Promise.resolve({
          find: (...args: Parameters<typeof cover.find>) =>
            cover.find(...args).catch((error: unknown) => {
              wrong.push(`find has thrown: ${error}`);
              throw error;
            }),
        });
      },
    });
    const signAndRecord = createSignAndRecord({
      ...{ journal, keyring, nonceLocks, now },
      ledgerOf: (id, from) => {
        session.update((state) => state);
        if (!hasPermissions()) return null;
        const ledger = permissions.ledgerOf(id, from);
        return Promise.resolve({
          admit: (signing: Parameters<typeof ledger.admit>[0]) =>
            ledger.admit(signing).catch((error: unknown) => {
              if (!tab.isDead && (error as ProviderRpcError).code !== 4100)
                wrong.push(`admit has thrown: ${error}`);
              throw error;
            }),
        });
      },
    });
    const delivery = createDelivery({
      journal,
      now,
      broadcast: Object.assign(async () => ({ kind: 'accepted' }) as const, { isInFlight: () => false }),
    });
    const close = () => session.close();
    const turn = () => {
      route = upTo(1);
    };
    return { tab, session, permissions, approvals, signAndRecord, delivery, journal, service, close, turn };
  }
  type Tab = ReturnType<typeof createTab>;
  /** The permission that the replacement which the person signs now counts for. */
  let replacing: Hash | undefined;

  let names = 0;
  const tabs = [createTab('tab 0', origin), createTab('tab 1', origin)] as [Tab, Tab, ...Tab[]];
  if (isStorage && chance(50)) tabs.push(createTab('tab 2', otherOrigin));
  const revive = () => {
    for (const [at, { tab, close }] of tabs.entries())
      if (tab.isDead) {
        close();
        tabs[at] = createTab(`tab ${at}.${++names}`, tab.origin);
      }
  };

  const submit = (transaction: SignedTransaction): boolean =>
    chain.submit(transaction, upTo(1), isStorage || chance(60));
  const entryOf = (hash: string) => signed.find(({ transaction }) => transaction.hash === hash)?.transaction;

  const permissionRequest = (isToken: boolean) => {
    const isPeriodic = chance(60);
    const amount = toQuantity(BigInt(2 + upTo(8)) * 10n ** 13n);
    const kind = isToken ? 'erc20-token' : 'native-token';
    return {
      chainId: toQuantity(chainId),
      to: account,
      permission: {
        type: `${kind}-${isPeriodic ? 'periodic' : 'allowance'}`,
        isAdjustmentAllowed: true,
        data: {
          ...(isPeriodic
            ? { periodAmount: amount, periodDuration: pick([3_600, 7_200, 86_400]) }
            : { allowanceAmount: amount }),
          ...(isToken && { tokenAddress: token, feeAmount: toQuantity(BigInt(1 + upTo(4)) * 10n ** 13n) }),
        },
      },
      rules: [
        {
          type: 'expiry',
          data: { timestamp: Math.floor(now() / 1_000) + 3_600 * (2 + upTo(chance(70) ? 400 : 20)) },
        },
        ...(isToken && areForAnyone ? [] : [{ type: 'payee', data: { addresses: [friend] } }]),
      ],
    };
  };

  async function grant(tab: Tab): Promise<void> {
    const isToken = chance(35);
    const requests = chance(20)
      ? [permissionRequest(true), permissionRequest(false)]
      : [permissionRequest(isToken)];
    try {
      await tab.permissions.request(requests as never, {
        origin: tab.tab.origin,
        network: () => questionNetwork,
      });
    } catch (error) {
      return tell('not granted', String(error));
    } finally {
      // Those that were stored count, whatever became of the page.
      const { granted = [] } = JSON.parse(text ?? '{}') as { granted?: readonly Grant[] };
      for (const each of granted)
        if (!grants.has(each.context)) {
          grants.set(each.context, each);
          const { type, amount, period, replaced, context } = each;
          const at = `${type} ${BigInt(amount)} per ${period}`;
          tell('granted', `${tab.tab.name} ${context.slice(0, 8)} ${at}, in place of ${replaced.length}`);
        }
    }
  }

  const live = () => {
    const { granted = [] } = JSON.parse(text ?? '{}') as { granted?: readonly Grant[] };
    return granted;
  };

  /** A payment of the site, about as large as something that is left. */
  function subjectOf(
    terms: Grant | undefined,
    share = pick([1n, 2n, 5n, 10n, 20n, 30n, 45n, 60n, 95n, 100n]),
  ): Keyring.TransactionSubject {
    const limit = BigInt(terms?.amount ?? 10n ** 13n);
    const gas = BigInt(terms?.token ? 50_000 : pick([21_000, 21_000, 60_000]));
    const gasPrice = BigInt(1 + upTo(9)) * 10_000_000n;
    const whole = (limit * share) / 100n;
    const common = { type: 'transaction', from: account, chainId, gas: toQuantity(gas) } as const;
    const price = { gasPrice: toQuantity(gasPrice) };
    const to = chance(95) ? friend : stranger;
    if (terms?.token)
      return { ...common, ...price, to: token, value: '0x0', data: tokenCall('transfer', to, whole) };
    const fee = gas * gasPrice;
    return { ...common, ...price, to, value: toQuantity(whole > fee ? whole - fee : 0n), data: '0x' };
  }

  async function send(
    tab: Tab,
    subjects: readonly Keyring.TransactionSubject[],
    isWithheld = false,
  ): Promise<'sent' | string> {
    const { origin } = tab.tab;
    const { service, journal, delivery, approvals } = tab;
    try {
      const recipients = subjects.map(({ to }) => to);
      const permits = approvals.permits({ origin, chainId, from: account, recipients }, service);
      if (!permits) return 'none';
      const [latest, pending, head] = await Promise.all([
        readQuantity(service, 'eth_getTransactionCount', [account, 'latest']),
        readQuantity(service, 'eth_getTransactionCount', [account, 'pending']),
        readHead(service),
        checkOldestOpen({ journal, service, chainId, from: account }, Promise.resolve(delivery)),
      ]);
      const counts = { latest, pending, at: now() };
      const state = await readAccountState({ journal, delivery, service, chainId, from: account, counts });
      const choice = chooseNonces(subjects.length, state.counts, state.entries);
      if (choice.replaces || choice.overrides || choice.othersPending + choice.gaps > 0)
        return 'asked: nonce';
      if (choice.nonces.some((nonce) => BigInt(nonce) < BigInt(state.counts.pending))) return 'asked: nonce';
      const approved = await permits.approve({ origin, network: questionNetwork }, subjects, {
        warnings: [],
        head,
        latest: state.counts.latest,
        nonces: choice.nonces,
      });
      if (!approved) return 'asked';
      if (chance(20)) await pause();
      const anchor = { number: head.number as Hex, hash: head.hash as Hash };
      const plan = {
        chainId,
        from: account,
        origin,
        counts: state.counts,
        anchor,
        head,
        chosen: undefined,
      };
      const entries = await tab.signAndRecord(split(approved), plan);
      if (!entries) return 'asked: at last';
      for (const entry of entries)
        if (!tab.tab.isDead && !isWithheld && !chance(isStorage ? 0 : 10)) await deliver(tab, entry);
      const mark = entries[0]?.ledger;
      return `sent nonce ${entries.map(({ nonce }) => Number(nonce))} of ${subjects.map(({ value }) => BigInt(value))} under ${mark?.permission?.slice(0, 8)} in period ${mark?.period}`;
    } catch (error) {
      return `failed: ${String(error).slice(0, 80)}`;
    }
  }

  /** Lets what other tabs do come first. */
  async function pause(): Promise<void> {
    for (let turns = upTo(60); turns > 0; turns--) await Promise.resolve();
  }

  async function deliver(tab: Tab, entry: JournalEntry): Promise<void> {
    const transaction = entryOf(entry.hash);
    if (!transaction || !submit(transaction)) return;
    tab.journal.noteTaken(chainId, transaction.raw);
    await tab.journal.change(entry, accepted).catch(() => {});
  }

  /** Sends what is open, and reads the outcomes, as the outbox of a page does. */
  async function follow(tab: Tab): Promise<void> {
    const { journal, delivery, service } = tab;
    try {
      for (const entry of await journal.entriesOf(chainId, account)) {
        const { blockHash } = entry;
        if (isOpen(entry)) {
          await deliver(tab, entry);
          const after = await delivery.check(entry, service);
          const used = BigInt(await readQuantity(service, 'eth_getTransactionCount', [account, 'latest']));
          if (isOpen(after) && BigInt(entry.nonce) < used) await delivery.resolve(after, service, 1);
        } else if (isMined(entry) || blockHash) {
          const block = (await service.request('eth_getBlockByNumber', [entry.blockNumber, false])) as {
            hash: Hash;
          } | null;
          if (blockHash && block?.hash !== blockHash) await journal.change(entry, reopened(blockHash));
        }
      }
    } catch (error) {
      tell('not followed', String(error).slice(0, 60));
    }
  }

  /** Adds up what is settled, and takes the entries of that out of the journal, as the archive does. */
  async function foldAndArchive({ permissions, journal }: Tab): Promise<void> {
    try {
      const isNeeded = await permissions.needed();
      const entries = await journal.entriesOf(chainId, account);
      const archived = entries.filter((entry) => entry.ledger && !isNeeded(entry));
      if (archived.length > 0) tell('added up', `${archived.length}`);
      for (const entry of archived)
        if (chance(90)) await base.update('journal', keyOf(entry), () => undefined);
    } catch (error) {
      tell('not added up', String(error).slice(0, 60));
    }
  }

  /** The person speeds an open payment up, or cancels it. */
  async function replace(tab: Tab, isCancel = chance(50)): Promise<void> {
    try {
      const entries = await tab.journal.entriesOf(chainId, account);
      const open = entries.filter(isOpen);
      const entry = open.length > 0 ? pick(open) : undefined;
      if (!entry) return;
      const price = (BigInt(entry.gasPrice) * BigInt(pick([14, 15, 30]))) / 10n + 1n;
      const subject: Keyring.TransactionSubject = {
        ...{ type: 'transaction', from: account, chainId, gasPrice: toQuantity(price), gas: entry.gas },
        ...(isCancel
          ? { to: account, value: '0x0', data: '0x' }
          : { to: entry.to, value: entry.value, data: entry.data }),
      };
      const latest = await readQuantity(tab.service, 'eth_getTransactionCount', [account, 'latest']);
      const head = await readHead(tab.service);
      const before = signed.find(({ transaction }) => transaction.hash === entry.hash);
      replacing = isCancel ? undefined : before?.countsFor;
      const chosen = { nonce: entry.nonce, replaces: entry.hash };
      const counts = { latest, pending: latest, at: now() };
      const anchor = { number: head.number as Hex, hash: head.hash as Hash };
      const plan = {
        chainId,
        from: account,
        origin,
        counts,
        anchor,
        head,
        chosen,
      };
      const made = await tab.signAndRecord([mint(subject)], plan);
      if (!made) return;
      tell(isCancel ? 'cancel' : 'speed-up', `nonce ${Number(entry.nonce)}`);
      for (const each of made) if (!tab.tab.isDead) await deliver(tab, each);
    } catch (error) {
      tell('not replaced', String(error).slice(0, 60));
    } finally {
      replacing = undefined;
    }
  }

  /** The same account in another browser pays somebody, sometimes in place of a pending payment. */
  function sendElsewhere(isRival = chance(30)): void {
    const nonce = isRival ? chain.tip().count : chain.pendingCount(upTo(1));
    const isCovered = chance(40) && adversary !== 'none';
    const {
      type: _type,
      from: _from,
      ...fields
    } = {
      ...subjectOf(live()[0]),
      ...(isCovered ? { to: friend } : { to: stranger, data: '0x' as const }),
      ...(isRival && { gasPrice: toQuantity(1_000_000_000n) }),
    };
    const transaction = signWithKey({ ...fields, nonce: toQuantity(nonce) });
    if (!submit(transaction)) return;
    tell('elsewhere', `nonce ${nonce} ${isCovered ? 'covered' : 'other'} ${BigInt(fields.value)}`);
  }

  let snapshot: readonly JournalEntry[] = [];
  const olderVersions: JournalEntry[] = [];
  const olderCheckpoints: StoredCheckpoint[] = [];
  /** Writes the journal's store, as a script of the origin can. */
  async function tamper(): Promise<void> {
    const entries = (await base.all('journal')) as JournalEntry[];
    olderVersions.push(...entries);
    const areKnown = entries.every(({ hash }) => chain.isKnown(hash));
    if (chance(15)) {
      snapshot = entries;
      return;
    }
    if (chance(15) && areKnown && snapshot.length > 0) {
      await base.clear(
        'journal',
        snapshot.map((entry) => [keyOf(entry), entry]),
      );
      return tell('journal put back', `${snapshot.length} of ${entries.length}`);
    }
    const at = checkpointKey(chainId, account);
    const checkpoint = await base.get('archive', at);
    if (checkpoint !== undefined) olderCheckpoints.push(checkpoint as StoredCheckpoint);
    if (chance(20) && olderCheckpoints.length > 0) {
      const { text, mac } = pick(olderCheckpoints);
      const [what, stored] = pick<[string, unknown]>([
        ['put back', { text, mac }],
        ['put back', { text, mac }],
        ['deleted', undefined],
        ['altered', { text: text.replace(/"0x/, '"0x1'), mac }],
        ['emptied', { text: text.replace(/"folded":\[.*\]/, '"folded":[]'), mac }],
      ]);
      if (what === 'altered' || (what === 'emptied' && /"folded":\[\{/.test(text)))
        if ((stored as StoredCheckpoint).text === text) wrong.push(`a checkpoint was not ${what}`);
      await base.update('archive', at, () => stored);
      return tell(`checkpoint ${what}`);
    }
    const entry = entries.length > 0 ? pick(entries) : undefined;
    if (!entry || !chain.isKnown(entry.hash)) return;
    const key = keyOf(entry);
    const nonce = `nonce ${Number(entry.nonce)}`;
    const happening = upTo(11);
    if (happening > 9) {
      const other = pick(entries);
      const isDisplaced = chance(50);
      await base.put('journal', [[isDisplaced ? key : `${key}+`, other]]);
      tell('under another key', `nonce ${Number(other.nonce)} ${isDisplaced ? 'under' : 'beside'} ${nonce}`);
    } else if (happening < 3) {
      await base.remove('journal', [[key, entry]]);
      tell('deleted', nonce);
    } else if (happening < 4) {
      const older = pick(olderVersions);
      await base.put('journal', [[keyOf(older), older]]);
      tell('put back', `nonce ${Number(older.nonce)} ${older.state}`);
    } else if (happening < 7 && entry.ledger) {
      const { ledger } = entry;
      const other = pick(entries).ledger ?? ledger;
      const [what, altered] = pick<[string, unknown]>([
        ['no permission', { ...ledger, permission: null }],
        ['permission in a list', { ...ledger, permission: [ledger.permission] }],
        ['no amount', { ...ledger, amount: '0x0' }],
        ['later period', { ...ledger, period: ledger.period - 1 }],
        ['period as text', { ...ledger, period: `${ledger.period}` }],
        ['permission as an object', { ...ledger, permission: Object(ledger.permission) }],
        [
          'all as objects',
          Object.fromEntries(Object.entries(ledger).map(([name, value]) => [name, Object(value)])),
        ],
        [
          'settlement as objects',
          {
            ...ledger,
            settled:
              ledger.settled &&
              Object.fromEntries(
                Object.entries(ledger.settled).map(([name, value]) => [
                  name,
                  name === 'mac' ? value : Object(value),
                ]),
              ),
          },
        ],
        ['mark of another', other],
        ['settlement of another', { ...ledger, settled: other.settled }],
        [
          'settled for nothing',
          { ...ledger, settled: { amount: '0x0', fees: '0x0', at: 1, mac: ledger.mac } },
        ],
        ['no object', 'a text'],
        ['nothing', null],
      ]);
      await base.put('journal', [[key, { ...entry, ledger: altered }]]);
      tell('mark altered', `${nonce} ${what}`);
    } else {
      const change = pick<object>([
        { value: '0x0' },
        { gasPrice: '0x0' },
        { value: '0x0', gasPrice: '0x0', gas: '0x0' },
        { to: stranger },
        { state: 'mined' },
        { state: 'refused' },
        { state: 'abandoned' },
        { state: 'signed' },
        { blockNumber: '0x1' },
        { createdAt: 0 },
        { nonce: toQuantity(Number(entry.nonce) + 1) },
        { replacedBy: `0x${'11'.repeat(32)}`, state: 'replaced' },
      ]);
      await base.put('journal', [[key, { ...entry, ...change }]]);
      tell('entry altered', `${nonce} ${JSON.stringify(change)}`);
    }
  }

  /** Several steps of the one who writes the storage, each of which would be too rare. */
  async function attack(tab: Tab): Promise<void> {
    const terms = live()[0];
    const isKnown = ({ hash }: JournalEntry) => chain.isKnown(hash);
    const all = ((await base.all('journal')) as JournalEntry[]).filter(isKnown);
    const open = all.filter(isOpen);
    const put = (entry: JournalEntry, change: object) =>
      base.put('journal', [[keyOf(entry), { ...entry, ...change }]]);
    const remove = (entry: JournalEntry) => base.update('journal', keyOf(entry), () => undefined);
    const attacks: Record<string, () => Promise<unknown>> = {
      async 'cheap before it is settled'() {
        for (const entry of all) await put(entry, { value: '0x0', gasPrice: '0x0', gas: '0x0', data: '0x' });
        for (let blocks = 0; blocks < 13; blocks++) chain.mine();
      },
      async 'cancelled and deleted'() {
        await replace(tab, true);
        for (const entry of open) await remove(entry);
      },
      async 'refused and without a mark'() {
        for (const entry of open) await put(entry, { state: 'refused', ledger: undefined });
        await send(tab, [subjectOf(terms, 1n)]);
        for (const entry of open) await remove(entry);
      },
      async 'paid elsewhere, then not'() {
        sendElsewhere(true);
        chain.mine();
        for (const entry of open) await remove(entry);
        await send(tab, [subjectOf(terms, 1n)]);
        chain.reorganize(1 + upTo(3), 'all');
      },
      async 'mined by another of its nonce'() {
        await replace(tab, true);
        chain.mine();
        for (const entry of open) await remove(entry);
        for (const entry of (await base.all('journal')) as JournalEntry[])
          await put(entry, { state: 'mined' });
      },
      async 'in place of what was withheld in this tab'() {
        const other = pick(tabs.filter((each) => each !== tab && !each.tab.isDead));
        await calm(tab);
        const small = await signedBy(() => send(tab, [subjectOf(terms, 1n)], true));
        if (!small || !other) return;
        await put(small, { state: 'abandoned' });
        const large = await signedBy(() => send(other, [subjectOf(terms, 90n)]));
        if (large && large.nonce === small.nonce) {
          tell('signed in its place');
          await remove(large);
          await put(small, { state: 'sent' });
        }
        // Otherwise a later step would send it.
        return () => remove(small);
      },
      async 'mined in place of an orphan'() {
        await calm(tab);
        const small = await signedBy(() => send(tab, [subjectOf(terms, 1n)]));
        for (let blocks = 0; blocks < 4; blocks++) chain.mine();
        await follow(tab);
        const place = [...chain.blocks()].find(({ mined }) =>
          mined.some(({ transaction }) => transaction.hash === small?.hash),
        );
        if (!small || !place) return;
        // The tab looks where it is.
        await send(tab, [subjectOf(terms, 1n)]);
        const mined = (await base.get('journal', keyOf(small))) as JournalEntry | undefined;
        const orphans = chain.reorganize(chain.tip().height - place.height + 1, 'none');
        for (const each of (await base.all('journal')) as JournalEntry[])
          if (orphans.has(each.hash)) await remove(each);
        if (!mined || !orphans.has(small.hash)) return;
        const large = await signedBy(() => send(pick([tab, ...tabs]), [subjectOf(terms, 90n)]));
        for (let blocks = 0; blocks < 3; blocks++) chain.mine();
        if (!large || large.nonce !== small.nonce) return;
        tell('signed in its place');
        await remove(large);
        await base.put('journal', [[keyOf(small), mined]]);
      },
      async 'the marks of two permissions swapped'() {
        const other = tabs.find((each) => each.tab.origin !== tab.tab.origin && !each.tab.isDead);
        if (!other) return;
        const coinsOf = ({ tab: { origin } }: Tab) =>
          live().find((each) => each.origin === origin && each.token === undefined);
        for (const each of [tab, other]) if (!coinsOf(each)) await grant(each);
        await calm(tab);
        const both = [tab, other].flatMap((each) => coinsOf(each) ?? []);
        const [less] = both.sort((a, b) => Number(BigInt(a.amount) - BigInt(b.amount)));
        if (both.length < 2 || !less) return;
        const share = () => subjectOf(less, 60n);
        const subject = share();
        const one = await signedBy(() => send(tab, [subject], true));
        if (!one) return;
        await remove(one);
        const two = await signedBy(() => send(other, [subject]));
        if (two?.hash !== one.hash) return;
        tell('two marks of one payment');
        for (let blocks = 0; blocks < 2; blocks++) chain.mine();
        await follow(other);
        if (chance(30)) for (let blocks = 0; blocks < 14; blocks++) chain.mine();
        const mined = (await base.get('journal', keyOf(two))) as JournalEntry | undefined;
        if (!mined) return;
        await put(mined, { ledger: one.ledger });
        tell('swapped', await send(other, [share()]));
        if (chance(30)) await foldAndArchive(other);
        await put(mined, { ledger: two.ledger });
        tell('swapped', await send(tab, [share()]));
      },
    };
    /** Lets nothing be open, as far as that is possible. */
    async function calm(tab: Tab): Promise<void> {
      for (const node of chain.nodes) node.isDown = false;
      for (let blocks = 0; blocks < 14; blocks++) chain.mine();
      await follow(tab);
    }
    /** The entry that a send has added, if it has been signed. */
    async function signedBy(sending: () => Promise<string>): Promise<JournalEntry | undefined> {
      const before = new Set(((await base.all('journal')) as JournalEntry[]).map(({ hash }) => hash));
      await sending();
      return ((await base.all('journal')) as JournalEntry[]).find(({ hash }) => !before.has(hash));
    }
    const name = pick(Object.keys(attacks));
    const undo = await attacks[name]?.();
    tell(`attack: ${name}`);
    for (const share of [90n, 45n, 45n]) {
      const result = await send(tab, [subjectOf(terms, share)]);
      tell(result.startsWith('sent') ? 'sent' : result.replace(/:.*/, ''), result);
    }
    if (typeof undo === 'function') await undo();
    chain.mine();
    chain.mine();
  }

  async function end(tab: Tab): Promise<void> {
    const some = live();
    if (some.length === 0) return;
    const { context } = pick(some);
    const locks = chance(30);
    if (locks) isLocked = true;
    try {
      await tab.permissions.end(context);
      // A page that was killed has ended nothing.
      if (tab.tab.isDead) return;
      ended.add(context);
      tell('ended', `${tab.tab.name} ${context.slice(0, 8)}${locks ? ', locked' : ''}`);
    } catch (error) {
      tell('not ended', String(error).slice(0, 60));
    } finally {
      isLocked = false;
    }
  }

  const costOf = (
    grant: Grant,
    { transaction, gasUsed, hasSucceeded }: ReturnType<typeof minedOf>[number],
  ) => {
    const fee = gasUsed * BigInt(transaction.gasPrice);
    if (!grant.token) return { amount: (hasSucceeded ? BigInt(transaction.value) : 0n) + fee, fees: 0n };
    // A permission that this one has replaced may have had other payees.
    const { amount = 0n } = costUnder({ ...grant, payees: undefined }, transaction) ?? {};
    return { amount: hasSucceeded ? amount : 0n, fees: fee };
  };
  const minedOf = () =>
    [...chain.blocks()].flatMap(({ mined, time: at }) => mined.map((each) => ({ ...each, at })));
  const logOf = (hash: string) => signed.find(({ transaction }) => transaction.hash === hash);

  /** Compares what is mined with each permission's limits. */
  function checkLimits(): void {
    const mined = minedOf().map((each) => ({ ...each, log: logOf(each.transaction.hash) }));
    for (const each of grants.values()) {
      if (!mined.some(({ log }) => log?.permission === each.context)) continue;
      const of = [each.context, ...each.replaced] as (Hash | undefined)[];
      const sums = new Map<number, bigint>();
      const feeSums = new Map<number, bigint>();
      const owners = new Set<number>();
      let all = 0n;
      for (const { log, at, ...rest } of mined) {
        if (!log?.permission || !of.includes(log.permission)) continue;
        const { amount, fees } = costOf(each, { ...rest, at });
        const period = periodAt(each, at);
        sums.set(period, (sums.get(period) ?? 0n) + amount);
        feeSums.set(period, (feeSums.get(period) ?? 0n) + fees);
        if (log.permission === each.context) owners.add(period);
        all += amount;
      }
      const name = each.context.slice(0, 8);
      for (const period of owners) {
        if ((sums.get(period) ?? 0n) > BigInt(each.amount))
          wrong.push(`period ${period} of ${name} has ${sums.get(period)} of ${BigInt(each.amount)}`);
        if (each.fees && (feeSums.get(period) ?? 0n) > BigInt(each.fees))
          wrong.push(
            `period ${period} of ${name} has fees of ${feeSums.get(period)} of ${BigInt(each.fees)}`,
          );
      }
      if (all > totalOf(each, each.amount)) wrong.push(`the term of ${name} has ${all}`);
    }
  }

  async function step(): Promise<void> {
    const tab = pick(tabs);
    if (chance(30)) arrive();
    if (chance(6)) tab.tab.killIn = upTo(3);
    if (live().length === 0 && chance(60)) await grant(tab);
    const happening = random() * 100;
    if (happening < 30) {
      const count = chance(20) ? 2 + upTo(1) : 1;
      const of = live();
      const terms = of.length > 0 ? pick(of) : undefined;
      const sends = (chance(35) ? tabs : [tab]).map(async (each) => {
        const result = await send(
          each,
          Array.from({ length: count }, () => subjectOf(terms)),
        );
        tell(result.startsWith('sent') ? 'sent' : result.replace(/:.*/, ''), `${each.tab.name} ${result}`);
      });
      if (chance(5)) sends.push(pause().then(() => end(pick(tabs))));
      await Promise.all(sends);
    } else if (happening < 52) {
      time += upTo(60_000);
      chain.mine();
    } else if (happening < 57) {
      const depth = 1 + upTo(11);
      chain.reorganize(depth, isStorage ? 'all' : 'some');
      tell('reorganisation', `${depth}`);
    } else if (happening < 62) await follow(tab);
    else if (happening < 66) await replace(tab);
    else if (happening < 69) sendElsewhere();
    else if (happening < 72) {
      if (!isStorage) chain.evict(upTo(1));
    } else if (happening < 75) {
      const node = pick(chain.nodes);
      if (!isStorage && !node.isLiar) node.lag = upTo(3);
      node.isDown = chance(25);
      tab.turn();
    } else if (happening < 79) {
      time += pick([600, 3_000, 3_600, 7_200, 86_400, 90_000]) * 1_000;
      if (chance(60)) chain.mine();
      tell('later');
    } else if (happening < 82) {
      // To just before or after an edge of a period.
      const of = live();
      const terms = of.length > 0 ? pick(of) : undefined;
      if (terms?.period) {
        const next = terms.start + (periodAt(terms, Math.floor(time / 1_000)) + 1) * terms.period;
        time = Math.max(time, (next + upTo(60) - 40) * 1_000);
        tell('edge');
      }
    } else if (happening < 85) {
      const hours = upTo(6) - (adversary === 'node' ? 6 : 3);
      offset = hours * 3_600_000;
      tell('clock', `${hours} h`);
    } else if (happening < 88) await grant(tab);
    else if (happening < 89) await end(tab);
    else if (happening < 94) {
      for (let blocks = 12; blocks >= 0; blocks--) {
        time += upTo(60_000);
        chain.mine();
      }
      await follow(tab);
      tell('twelve blocks');
      if (chance(60)) await foldAndArchive(tab);
    } else if (isStorage) await tamper();
    else time += upTo(30_000);
    if (isStorage && chance(12)) await tamper();
    if (isStorage && chance(12)) await attack(pick(tabs));
    revive();
    checkLimits();
  }

  await grant(tabs[0]);
  arrive();
  for (let at = 0; at < steps && wrong.length === 0; at++) await step();

  if (adversary === 'none' && wrong.length === 0) await checkExactness();
  for (const { close } of tabs) close();
  return { adversary, events, wrong, story };

  /** Settles all, and compares what is left with what was mined. */
  async function checkExactness(): Promise<void> {
    for (const { tab } of tabs) tab.killIn = -1;
    for (const node of chain.nodes) {
      node.lag = 0;
      node.isDown = false;
    }
    offset = 0;
    arrive();
    const [tab] = tabs;
    for (let round = 0; round < 60; round++) {
      await follow(tab);
      const open = (await tab.journal.entriesOf(chainId, account)).filter((entry) => !isMined(entry));
      const newest = [...chain.blocks()].find(({ mined }) => mined.length > 0);
      const isDeep = chain.isIdle() && chain.tip().height - (newest?.height ?? 0) >= 12;
      if (open.every(({ state }) => state === 'replaced') && isDeep) break;
      time += 30_000;
      chain.mine();
    }
    // A permission that was granted while the clock was ahead has begun.
    const starts = [...grants.values()].map(({ start }) => start * 1_000);
    time = Math.max(time + 3_600_000, ...starts) + 120_000;
    chain.mine();
    const mined = minedOf();
    // A nonce that another device has taken counts the most that could be mined there.
    const own = new Set(signed.map(({ transaction }) => transaction.nonce));
    if (mined.some(({ transaction }) => !logOf(transaction.hash) && own.has(transaction.nonce))) return;
    for (const each of await tab.permissions.list()) {
      const terms = grants.get(each.context) as Grant;
      // More than is left: what was spent at most is read again.
      const subject = { ...subjectOf(terms), gas: toQuantity(21_000n) };
      const amount = BigInt(terms.amount);
      const tooMuch = terms.token
        ? { ...subject, to: token, data: tokenCall('transfer', friend, amount + 1n) }
        : { ...subject, to: friend, value: terms.amount };
      tell('settled', await send(tab, [tooMuch]));
      const listed = (await tab.permissions.list()).find(({ context }) => context === each.context);
      if (!listed) continue;
      const of = [terms.context, ...terms.replaced] as (Hash | undefined)[];
      const present = periodAt(terms, Math.floor(now() / 1_000));
      let [inPeriod, inAll] = [0n, 0n];
      for (const { at, ...rest } of mined) {
        const log = logOf(rest.transaction.hash);
        if (!log?.countsFor) continue;
        // A payment under another permission counts too if this one would cover it, at its maximum cost.
        const isClaim = !of.includes(log.countsFor);
        if (isClaim && BigInt(log.transaction.nonce) < BigInt(terms.firstNonce)) continue;
        const cost = isClaim
          ? (costUnder(terms, log.transaction)?.amount ?? 0n)
          : costOf(terms, { ...rest, at }).amount;
        if (isClaim) tell('claimed');
        inAll += cost;
        if (periodAt(terms, at) === present) inPeriod += cost;
      }
      const rest = (limit: bigint, spent: bigint) => (limit > spent ? limit - spent : 0n);
      const leftInAll = rest(totalOf(terms, terms.amount), inAll);
      const leftInPeriod = rest(amount, inPeriod);
      const left = [leftInPeriod, leftInAll].sort((a, b) => Number(a - b))[0];
      tell('exact');
      if (BigInt(listed.left) !== left || BigInt(listed.leftInAll) !== leftInAll)
        wrong.push(
          `${each.context.slice(0, 8)} has ${left} and ${leftInAll} left, shown as ${BigInt(listed.left)} and ${BigInt(listed.leftInAll)}`,
        );
    }
  }
}
