import 'fake-indexeddb/auto';
import { mnemonicToAccount, privateKeyToAddress } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Credential } from '../../../src/approvals/owner.js';
import { createBook } from '../../../src/contacts/book.js';
import { createKeyring, type Keyring } from '../../../src/keyring/keyring.js';
import type { VaultTraces } from '../../../src/keyring/vault/traces.js';
import type { Network } from '../../../src/service/networks.js';
import type { Service } from '../../../src/service/service.js';
import { createSession, type Session, type SessionMemory } from '../../../src/session/session.js';
import { createVolatileMemory } from '../../../src/session/volatile-memory.js';
import { createIdbStorage } from '../../../src/storage/idb.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import type { Storage } from '../../../src/storage/storage.js';
import { type Accounts, createAccounts } from '../../../src/wallet/accounts.js';
import { createVaultFunctions } from '../../../src/wallet/vault-functions.js';
import { createFakeAuthenticator, type FakeAuthenticator } from '../../support/fake-authenticator.js';
import { createTestClock } from '../keyring/clock.js';
import {
  devicesOf,
  keptIn,
  type OldVault,
  oldAccounts,
  oldVaults,
  type Place,
  putBack,
  oldPassword as recordedPassword,
} from '../keyring/old-vaults.js';
import { quickKdf, opening as recordsOf, works } from '../keyring/profile.js';
import { createMemoryTraces } from '../keyring/traces.js';

/**
 * The power fails at each step at which something is stored, just before it takes effect and right after. Whatever was
 * being done, exactly the old or the new state opens afterwards, and the wallet works on. Each operation begins from two
 * of the six states, in turn; with `npm run soak kills` from all of them.
 */
const isAll = process.env.KILLS === 'all';
if (isAll) vi.setConfig({ testTimeout: 600_000 });

const words = 'test test test test test test test test test test test junk';
const otherWords = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const importedKey = `0x${'11'.repeat(32)}`;
const importedAddress = '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a';
const [oldPassword, newPassword, filePassword] = [
  'the old password',
  'the new password',
  'the file password',
];
const passkey = { passkey: true } as const;
const network = { chainId: 31, coinType: 37310 } as Network;

beforeEach(() => vi.stubGlobal('location', { hostname: 'app.example' }));
afterEach(() => vi.unstubAllGlobals());

interface Page {
  readonly accounts: Accounts;
  readonly keyring: Keyring;
  readonly session: Session;
}

let made = 0;

interface Saved {
  readonly vault: readonly (readonly [key: string, value: unknown])[];
  readonly sentinel: ReturnType<VaultTraces['sentinel']>;
  readonly copy: unknown;
  readonly session: string | null;
  readonly authenticator: FakeAuthenticator;
}

async function load(
  storage: Storage,
  { vault, sentinel, copy, session, authenticator }: Saved,
): Promise<Machine> {
  const machine = createMachine(storage, authenticator);
  await storage.put('vault', vault);
  if (sentinel) machine.traces.setSentinel(sentinel);
  if (copy) await machine.traces.setCopy(copy);
  if (session) machine.memory.write(session);
  return machine;
}

/** A browser profile on a machine whose power can fail. */
function createMachine(storage: Storage, authenticator = createFakeAuthenticator()) {
  const name = `machine-${++made}`;
  const traces = createMemoryTraces();
  const memory = createVolatileMemory();
  const clock = createTestClock();
  const journal = { copy: 'entries' as string | null };
  const pages: Keyring[] = [];
  let left = Number.POSITIVE_INFINITY;
  let takesEffect = false;

  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    left -= 1;
    if (left > 0) return work();
    if (left === 0 && takesEffect) await work();
    throw new DOMException('The power failed', 'AbortError');
  };
  const stepNow = (work: () => void): void => {
    left -= 1;
    if (left > 0 || (left === 0 && takesEffect)) work();
  };
  const failingStorage: Storage = {
    ...storage,
    update: (store, key, next) => step(() => storage.update(store, key, next)),
    put: (store, records) => step(() => storage.put(store, records)),
    clear: (store, records) => step(() => storage.clear(store, records)),
  };
  const failingTraces: VaultTraces = {
    ...traces,
    setSentinel: (sentinel) => stepNow(() => traces.setSentinel(sentinel)),
    dropSentinel: () => stepNow(traces.dropSentinel),
    setCopy: (record) => step(() => traces.setCopy(record)).catch(() => {}),
    dropCopy: () => step(traces.dropCopy),
  };
  const failingMemory: SessionMemory = {
    ...memory,
    write: (value) => stepNow(() => memory.write(value)),
    remove: () => stepNow(() => memory.remove?.()),
  };

  return {
    storage,
    traces,
    memory,
    journal,
    /** What lies on the machine, from which others can begin. */
    async save(): Promise<Saved> {
      const vault: [string, unknown][] = [];
      for (const key of ['slot-a', 'slot-b', 'pointer', 'attempts']) {
        const value = await storage.get('vault', key);
        if (value !== undefined) vault.push([key, value]);
      }
      return {
        vault,
        sentinel: traces.sentinel(),
        copy: await traces.copy(),
        session: memory.read(),
        authenticator,
      };
    },
    authenticator,
    page(): Page {
      const session = createSession({
        memory: failingMemory,
        origin: 'https://app.example',
        initialChainId: 31,
        chainIds: [31],
      });
      const keyring = createKeyring({
        name,
        storage: failingStorage,
        traces: failingTraces,
        authenticator,
        clock,
        kdf: quickKdf,
        knownAccounts: () => session.state().accounts.map(({ address }) => address),
        async eraseRest() {
          session.reset();
          for (const store of ['journal', 'calls', 'cursor'] as const) await failingStorage.clear(store);
          await step(async () => {
            journal.copy = null;
          });
        },
      });
      pages.push(keyring);
      const service = () => undefined as unknown as Service;
      return {
        keyring,
        session,
        accounts: {
          ...createAccounts({
            keyring,
            session,
            book: async () => createBook({ keyring, session }),
            network: () => network,
            service,
            ownSite: true,
            changed() {},
          }),
          ...createVaultFunctions(keyring),
        },
      };
    },
    cut(at: number, effect: boolean) {
      left = at;
      takesEffect = effect;
    },
    /** Restores the power, and resolves with whether it had failed. */
    restore(): boolean {
      const failed = left <= 0;
      left = Number.POSITIVE_INFINITY;
      for (const keyring of pages.splice(0)) keyring.close();
      return failed;
    },
    stop() {
      this.restore();
      storage.close();
    },
  };
}

type Machine = ReturnType<typeof createMachine>;

/** How a wallet with two accounts lies on the machine before the operation. */
const states: Readonly<Record<string, (machine: Machine) => Promise<void>>> = {
  'written once': async ({ page }) => {
    await page().accounts.importPrivateKey(importedKey, { password: oldPassword });
  },
  'written twice': async ({ page }) => {
    const { accounts } = page();
    await accounts.importMnemonic(words, { password: oldPassword });
    await accounts.importPrivateKey(importedKey);
  },
  'written twice and unlocked since': async (machine) => {
    await states['written twice']?.(machine);
    await machine.page().accounts.unlock(oldPassword);
  },
  'without its second copy': async (machine) => {
    await states['written twice']?.(machine);
    machine.traces.lose('copy');
  },
  'without its sentinel': async (machine) => {
    await states['written twice']?.(machine);
    machine.traces.lose('sentinel');
  },
  'lost but for the second copy': async (machine) => {
    await states['written twice']?.(machine);
    await machine.storage.clear('vault');
  },
};

interface Operation {
  readonly name: string;
  /** Whether it begins with an open vault. */
  readonly unlocked: boolean;
  /** Done before, with a page that is open. */
  prepare?(page: Page): Promise<void>;
  run(page: Page, given: { readonly backup: string }): Promise<unknown>;
  /** What is there now; fails where it is neither the old nor the new state. */
  judge(machine: Machine): Promise<'old' | 'new'>;
}

/** Which of the credentials open the wallet. */
async function opening(machine: Machine, ...credentials: Credential[]): Promise<boolean[]> {
  const opened: boolean[] = [];
  for (const credential of credentials) {
    const { keyring } = machine.page();
    opened.push(await works(keyring, credential));
    keyring.close();
  }
  return opened;
}

async function addressesIn(machine: Machine, credential: Credential): Promise<readonly string[]> {
  const { keyring } = machine.page();
  await keyring.unlock(credential);
  const accounts = await keyring.accounts();
  keyring.close();
  return accounts.map(({ address }) => address);
}

const hasOld = async (machine: Machine, credential: Credential = oldPassword) =>
  expect(await addressesIn(machine, credential)).toContain(importedAddress);

/** Exactly one of two passwords, the second with `addresses` as the wallet's accounts. */
async function oneOf(machine: Machine, addresses?: readonly string[]): Promise<'old' | 'new'> {
  const opened = await opening(machine, oldPassword, newPassword);
  expect(opened.filter(Boolean)).toHaveLength(1);
  if (opened[0]) await hasOld(machine);
  else if (addresses) expect(await addressesIn(machine, newPassword)).toEqual(addresses);
  else await hasOld(machine, newPassword);
  return opened[0] ? 'old' : 'new';
}

const replacementKey = `0x${'33'.repeat(32)}` as const;
const replacementAddress = privateKeyToAddress(replacementKey).toLowerCase();
const backupAddress = mnemonicToAccount(otherWords, {
  path: "m/44'/37310'/0'/0/0" as never,
}).address.toLowerCase();

const operations: readonly Operation[] = [
  {
    name: 'a change of the password',
    unlocked: false,
    run: ({ accounts }) => accounts.changePassword(oldPassword, newPassword),
    judge: (machine) => oneOf(machine),
  },
  {
    name: 'a change of the password by a passkey',
    unlocked: false,
    prepare: async ({ accounts }) => void (await accounts.addPasskey('x')),
    run: ({ accounts }) => accounts.changePassword(passkey, newPassword),
    async judge(machine) {
      expect(await opening(machine, passkey)).toEqual([true]);
      return oneOf(machine);
    },
  },
  {
    name: 'a replacement by a private key',
    unlocked: false,
    run: ({ accounts }) =>
      accounts.importPrivateKey(replacementKey, { password: newPassword, replace: true }),
    judge: (machine) => oneOf(machine, [replacementAddress]),
  },
  {
    name: 'a replacement by a phrase and a passkey',
    unlocked: false,
    run: ({ accounts }) => accounts.importMnemonic(otherWords, { passkey: { name: 'x' }, replace: true }),
    async judge(machine) {
      const opened = await opening(machine, oldPassword, passkey);
      expect(opened.filter(Boolean)).toHaveLength(1);
      if (opened[0]) await hasOld(machine);
      else expect(await addressesIn(machine, passkey)).toHaveLength(1);
      return opened[0] ? 'old' : 'new';
    },
  },
  {
    name: 'a replacement by a backup file',
    unlocked: false,
    run: ({ accounts }, { backup }) =>
      accounts.restore(backup, filePassword, { password: newPassword, replace: true }),
    judge: (machine) => oneOf(machine, [backupAddress, importedAddress]),
  },
  {
    name: 'the enrolment of a passkey',
    unlocked: true,
    run: ({ accounts }) => accounts.addPasskey('x'),
    async judge(machine) {
      const listed = await machine.page().accounts.passkeys();
      expect(await opening(machine, oldPassword, passkey)).toEqual([true, listed.length === 1]);
      await hasOld(machine);
      return listed.length === 1 ? 'new' : 'old';
    },
  },
  {
    name: 'the removal of a passkey',
    unlocked: true,
    prepare: async ({ accounts }) => void (await accounts.addPasskey('x')),
    async run({ accounts }) {
      const [first] = await accounts.passkeys();
      await accounts.removePasskey(first?.id as string);
    },
    async judge(machine) {
      const listed = await machine.page().accounts.passkeys();
      expect(await opening(machine, oldPassword, passkey)).toEqual([true, listed.length === 1]);
      await hasOld(machine);
      return listed.length === 1 ? 'old' : 'new';
    },
  },
  {
    name: 'the removal of the password',
    unlocked: true,
    prepare: async ({ accounts }) => void (await accounts.addPasskey('x')),
    run: ({ accounts }) => accounts.removePassword(),
    async judge(machine) {
      const [byPassword, byPasskey] = await opening(machine, oldPassword, passkey);
      expect(byPasskey).toBe(true);
      await hasOld(machine, passkey);
      return byPassword ? 'old' : 'new';
    },
  },
  {
    name: 'an erasure',
    unlocked: false,
    run: ({ accounts }) => accounts.erase(),
    async judge(machine) {
      const { keyring, session } = machine.page();
      const state = await keyring.state();
      expect(['locked', 'empty']).toContain(state);
      if (state === 'locked') {
        await hasOld(machine);
        return 'old';
      }
      await keyring.resumeErase();
      for (const store of ['vault', 'journal', 'calls', 'cursor'] as const)
        expect([store, await machine.storage.all(store)]).toEqual([store, []]);
      expect([machine.traces.sentinel(), await machine.traces.copy(), machine.journal.copy]).toEqual([
        null,
        null,
        null,
      ]);
      expect([machine.memory.read(), session.state().accounts]).toEqual([null, []]);
      return 'new';
    },
  },
];

let points = 0;

/** Cuts the power at every step, with and without its effect, and judges what is there afterwards. */
async function interrupt(
  saved: Saved,
  open: () => Storage,
  { unlocked, run, judge }: Operation,
  backup: string,
): Promise<void> {
  const seen = new Set<string>();
  for (const effect of [false, true])
    for (let at = 1; ; at++) {
      const machine = await load(open(), saved);
      const page = machine.page();
      if (unlocked) await page.accounts.unlock(oldPassword);
      machine.cut(at, effect);
      const told = await run(page, { backup }).then(
        () => true,
        () => false,
      );
      const failed = machine.restore();
      const found = await judge(machine);
      expect([at, effect, told && found === 'old']).toEqual([at, effect, false]);
      await goOn(machine, found);
      machine.stop();
      if (!failed) {
        expect([told, found]).toEqual([true, 'new']);
        break;
      }
      points += 1;
      seen.add(found);
    }
  expect(seen).toEqual(new Set(['old', 'new']));
}

/** Whatever was left, the next operations work. */
async function goOn(machine: Machine, found: 'old' | 'new'): Promise<void> {
  const { accounts, keyring } = machine.page();
  if ((await keyring.state()) === 'empty') {
    await accounts.importMnemonic(otherWords, { password: 'the next password' });
  } else {
    const listed = await accounts.passkeys();
    const credential = found === 'old' ? oldPassword : listed.length > 0 ? passkey : null;
    for (const each of credential === null ? [newPassword, oldPassword] : [credential])
      if (await works(keyring, each)) {
        await accounts.changePassword(each, 'the next password');
        break;
      }
  }
  expect(await opening(machine, 'the next password')).toEqual([true]);
  // No record is left that anything else opens.
  expect([await recordsOf(oldPassword, machine), await recordsOf(newPassword, machine)]).toEqual([[], []]);
}

async function createBackup(): Promise<string> {
  const machine = createMachine(createMemoryStorage());
  const { accounts } = machine.page();
  const { address } = await accounts.importMnemonic(otherWords, { password: oldPassword });
  expect(address).toBe(backupAddress);
  await accounts.importPrivateKey(importedKey);
  const backup = await accounts.backup(oldPassword, filePassword);
  machine.stop();
  return backup;
}

let databases = 0;
const storages = {
  memory: createMemoryStorage,
  IndexedDB: () => createIdbStorage({ name: `kill-${++databases}` }),
} as const;

describe.each(operations)('$name', (operation) => {
  const kinds = ['memory', 'IndexedDB'] as const;
  const starts = Object.keys(states)
    .map((state, index) => [state, kinds[index % 2] as (typeof kinds)[number]] as const)
    .filter((_, index) => isAll || index % 3 === operations.indexOf(operation) % 3);
  test.each(starts)(
    'an operation on a vault that is %s, in %s, survives an end at every step',
    async (state, kind) => {
      const machine = createMachine(createMemoryStorage());
      await states[state]?.(machine);
      machine.restore();
      if (operation.prepare) {
        const page = machine.page();
        await page.accounts.unlock(oldPassword);
        await operation.prepare(page);
        machine.restore();
      }
      const saved = await machine.save();
      await interrupt(saved, storages[kind], operation, await createBackup());
    },
    60_000,
  );
});

describe('a creation', () => {
  const ways = {
    'with a password': ({ accounts }: Page) => accounts.create(newPassword),
    'with a passkey': ({ accounts }: Page) => accounts.importMnemonic(words, { passkey: { name: 'x' } }),
    'from a backup file': ({ accounts }: Page, backup: string) =>
      accounts.restore(backup, filePassword, { password: newPassword }),
  };

  test.each(
    Object.keys(ways).flatMap((way) =>
      (['memory', 'IndexedDB'] as const).map((kind) => [way as keyof typeof ways, kind] as const),
    ),
  )('%s, in %s, happened or can begin again', async (way, kind) => {
    const backup = await createBackup();
    const credential = way === 'with a passkey' ? passkey : newPassword;
    for (const effect of [false, true])
      for (let at = 1; ; at++) {
        const machine = createMachine(storages[kind]());
        machine.cut(at, effect);
        const told = await ways[way](machine.page(), backup).then(
          () => true,
          () => false,
        );
        const failed = machine.restore();
        if (failed) points += 1;
        const next = machine.page();
        const state = await next.keyring.state();
        expect(['locked', 'empty']).toContain(state);
        if (told) expect(state).toBe('locked');
        if (state === 'empty') await ways[way](next, backup);
        machine.restore();
        expect(await opening(machine, credential)).toEqual([true]);
        machine.stop();
        if (!failed) break;
      }
  });
});

/** How a vault of an earlier version lies on the machine, and what unlocks it. */
interface OldState {
  readonly vault: OldVault;
  readonly without?: readonly Place[];
  /** The device whose passkey unlocks it; else the password does. */
  readonly device?: number;
  /** Whether the session knows other accounts, so that a person has to agree. */
  readonly isForeign?: true;
  /** Whether its derivation takes so long that it is left to `npm run soak kills`. */
  readonly isCostly?: true;
}

const oldStates: Readonly<Record<string, OldState>> = {
  'two slots': { vault: 'password' },
  'one slot': { vault: 'password', without: ['slot-a'] },
  'no copy': { vault: 'password', without: ['copy'] },
  'no sentinel': { vault: 'password', without: ['sentinel'] },
  'the copy only': { vault: 'password', without: ['slot-a', 'slot-b', 'pointer'] },
  'the copy without a sentinel': { vault: 'password', without: ['slot-a', 'slot-b', 'pointer', 'sentinel'] },
  'a slot without a pointer': { vault: 'password', without: ['pointer', 'copy'] },
  'other accounts than the session': { vault: 'password', isForeign: true },
  'version 1': { vault: 'version 1' },
  'two passkeys, by the password': { vault: 'passkeys' },
  'two passkeys, by one of them': { vault: 'passkeys', device: 1 },
  'a passkey only': { vault: 'passkey only', device: 0 },
  'sixteen ways, by the password': { vault: 'full' },
  'sixteen ways, by a passkey': { vault: 'full', device: 14 },
  'sixteen ways, the copy only': { vault: 'full', without: ['slot-a', 'slot-b', 'pointer'] },
  'a weak derivation': { vault: 'weak', isCostly: true },
  'a weak derivation, the copy only': {
    vault: 'weak',
    without: ['slot-a', 'slot-b', 'pointer'],
    isCostly: true,
  },
  'the strong derivation': { vault: 'strong', isCostly: true },
  'two passkeys, no copy': { vault: 'passkeys', without: ['copy'] },
  'a passkey only, one slot, no copy': { vault: 'passkey only', without: ['slot-a', 'copy'], device: 0 },
};

let upgradePoints = 0;

/** The versions of the two records and of the three traces. */
async function versionsOf(machine: Machine): Promise<Record<Place, number | undefined>> {
  const kept = await keptIn(machine);
  const versionOf = (place: Place) => (kept[place] as { v?: number } | null | undefined)?.v;
  const places: readonly Place[] = ['slot-a', 'slot-b', 'pointer', 'sentinel', 'copy'];
  return Object.fromEntries(places.map((place) => [place, versionOf(place)])) as never;
}

describe('an upgrade', () => {
  const starts = Object.keys(oldStates)
    .filter((name) => isAll || !oldStates[name]?.isCostly)
    .flatMap((name) => (['memory', 'IndexedDB'] as const).map((kind) => [name, kind] as const));
  test.each(starts.filter((_, index) => isAll || index % 5 === 0))(
    'an upgrade of %s, in %s, leaves the old vault or the new one, and the next load deletes what is old',
    async (name, kind) => {
      const { vault, without = [], device, isForeign } = oldStates[name] as OldState;
      const authenticator = (await devicesOf(vault))[device ?? 0] ?? createFakeAuthenticator();
      const credential = device === undefined ? recordedPassword : passkey;
      const agreed = { acceptUnproven: [...oldAccounts] };
      const seen = new Set<unknown>();
      for (const effect of [false, true])
        for (let at = 1; ; at++) {
          const machine = createMachine(storages[kind](), authenticator);
          await putBack(machine, oldVaults[vault], without);
          const page = machine.page();
          const known = isForeign ? [] : oldAccounts.map((address) => ({ address, label: 'x', path: null }));
          page.session.update((state) => ({ ...state, accounts: known }));
          machine.cut(at, effect);
          // A person has agreed where one has to.
          const options = isForeign || device !== undefined ? agreed : undefined;
          await page.keyring.unlock(credential, options).catch(() => {});
          const failed = machine.restore();
          const { pointer } = await versionsOf(machine);
          seen.add(pointer);
          const next = machine.page();
          expect([at, effect, await next.keyring.state()]).toEqual([at, effect, 'locked']);
          if (pointer === 3) {
            const loaded = await versionsOf(machine);
            expect([at, effect, loaded['slot-a'] ?? 3, loaded['slot-b'] ?? 3]).toEqual([at, effect, 3, 3]);
          }
          await next.keyring.unlock(credential, agreed);
          const accounts = await next.keyring.accounts();
          expect([at, effect, accounts.map(({ address }) => address)]).toEqual([at, effect, oldAccounts]);
          const after = await versionsOf(machine);
          expect([at, effect, after.pointer, after.sentinel, after.copy]).toEqual([at, effect, 3, 3, 3]);
          await next.keyring.changePassword(credential, 'the next password');
          expect(await opening(machine, 'the next password', recordedPassword)).toEqual([true, false]);
          machine.stop();
          if (!failed) break;
          upgradePoints += 1;
        }
      expect(seen).toContain(3);
      expect(seen.size).toBeGreaterThan(1);
    },
    isAll ? 1_800_000 : 60_000,
  );

  test('a load that is interrupted while it deletes what is old is repeated by the next', async () => {
    for (const effect of [false, true])
      for (let at = 1; ; at++) {
        const machine = createMachine(createMemoryStorage());
        await putBack(machine, oldVaults.password);
        await machine.page().keyring.unlock(recordedPassword, { acceptUnproven: [...oldAccounts] });
        machine.restore();
        const { pointer } = await keptIn(machine);
        const other = pointer?.slot === 'slot-a' ? 'slot-b' : 'slot-a';
        await machine.storage.update('vault', other, () => oldVaults.password['slot-a']);
        await machine.traces.setCopy(oldVaults.password.copy);
        machine.cut(at, effect);
        expect(await machine.page().keyring.state()).toBe('locked');
        const failed = machine.restore();
        expect(await machine.page().keyring.state()).toBe('locked');
        const kept = await keptIn(machine);
        expect([at, effect, kept[other], kept.copy]).toEqual([at, effect, undefined, null]);
        expect(await opening(machine, recordedPassword)).toEqual([true]);
        machine.stop();
        if (!failed) break;
        upgradePoints += 1;
      }
  });
});

test(`at least ${isAll ? 600 : 100} points of upgrades were tried`, () => {
  expect(upgradePoints).toBeGreaterThanOrEqual(isAll ? 600 : 100);
});

const expected = isAll ? 600 : 220;

test(`at least ${expected} points were tried`, () => {
  expect(points).toBeGreaterThanOrEqual(expected);
});
