import { describe, expect, test } from 'vitest';
import { createNetworks, type Network } from '../../../src/service/networks.js';
import { addNetwork, grant, visibleAccounts, withWatchedAsset } from '../../../src/session/changes.js';
import {
  createSession,
  knownNetworks,
  permittedAccounts,
  revoke,
  type SessionMemory,
} from '../../../src/session/session.js';
import { createVolatileMemory } from '../../../src/session/volatile-memory.js';

const a = '0x00000000000000000000000000000000000000aa';
const b = '0x00000000000000000000000000000000000000bb';
const site = 'https://app.example';
const [garden] = createNetworks([
  {
    ...{ chainId: 1337, name: 'Garden', url: 'https://rpc.example/' },
    currency: { name: 'Leaf', symbol: 'LEAF', decimals: 18 },
  },
]) as [Network];

const sessionOn = (memory: SessionMemory, origin = site) =>
  createSession({ memory, origin, initialChainId: 31, chainIds: [30, 31] });

/** One browser, several tabs: what one writes, the others are told of. */
function sharedMemory(): () => SessionMemory {
  let value: string | null = null;
  const tabs = new Set<() => void>();
  return () => {
    let heard = () => {};
    return {
      read: () => value,
      write(next) {
        value = next;
        for (const tell of tabs) if (tell !== heard) tell();
      },
      watch(changed) {
        heard = changed;
        tabs.add(changed);
        return () => void tabs.delete(changed);
      },
    };
  };
}

const withAccounts = (session: ReturnType<typeof sessionOn>, ...addresses: `0x${string}`[]) =>
  session.update((state) => ({
    ...state,
    accounts: addresses.map((address) => ({ address, label: 'x', path: null })),
  }));

describe('createSession', () => {
  test('a new session has no accounts, no permissions and no backup to do', () => {
    expect(sessionOn(createVolatileMemory()).state()).toEqual({
      chainId: 31,
      chains: {},
      accounts: [],
      permissions: {},
      assets: {},
      backup: 'done',
      networks: [],
    });
  });

  test('a watcher runs before update returns, with the new and the previous state', () => {
    const session = sessionOn(createVolatileMemory());
    const seen: number[][] = [];
    session.watch((state, previous) => seen.push([previous.chainId, state.chainId]));
    session.update((state) => ({ ...state, chainId: 30 }));
    expect(seen).toEqual([[31, 30]]);
    expect(session.state().chainId).toBe(30);
  });

  test('an update that changes nothing calls no watcher', () => {
    const session = sessionOn(createVolatileMemory());
    const seen: unknown[] = [];
    session.watch((state) => seen.push(state));
    session.update((state) => ({ ...state }));
    expect(seen).toEqual([]);
  });

  test('the state is there again after a reload', () => {
    const memory = createVolatileMemory();
    const before = sessionOn(memory);
    withAccounts(before, a);
    before.update(grant(site, [a], 1));
    before.update(withWatchedAsset(31, { address: b, symbol: 'T', decimals: 18 }));
    expect(sessionOn(memory).state()).toEqual(before.state());
  });

  test('another tab sees each change, and an update starts from the newest state', () => {
    const tab = sharedMemory();
    const [one, two] = [sessionOn(tab()), sessionOn(tab())];
    const heard: number[] = [];
    two.watch((state) => heard.push(state.accounts.length));
    withAccounts(one, a);
    two.update(grant(site, [a], 1));
    expect(heard).toEqual([1, 1]);
    expect(one.state()).toEqual(two.state());
    expect(permittedAccounts(one.state(), site)).toEqual([a]);
  });

  test('an added network is known and stays active over later changes, in other tabs too', () => {
    const tab = sharedMemory();
    const [one, two] = [sessionOn(tab()), sessionOn(tab())];
    one.update(addNetwork(garden));
    one.update((state) => ({ ...state, chainId: 1337 }));
    withAccounts(one, a);
    for (const { state } of [one, two, sessionOn(tab())])
      expect(state()).toMatchObject({ chainId: 1337, networks: [garden], accounts: [{ address: a }] });
  });

  test('a removed network is active nowhere', () => {
    const tab = sharedMemory();
    const [one, two] = [sessionOn(tab()), sessionOn(tab())];
    one.update(addNetwork(garden));
    one.update((state) => ({ ...state, chainId: 1337 }));
    one.update((state) => ({ ...state, networks: [], chainId: 31 }));
    expect([one.state().chainId, two.state().chainId]).toEqual([31, 31]);
  });

  test('an added network does not stand in for a configured one', () => {
    const [configured] = createNetworks([{ chainId: 31, url: 'https://rpc.example/' }]);
    const session = sessionOn(createVolatileMemory());
    session.update(addNetwork({ ...garden, chainId: 31 }));
    expect(knownNetworks([configured as Network], session.state())).toEqual([configured]);
    session.update(addNetwork(garden));
    expect(knownNetworks([configured as Network], session.state())).toEqual([configured, garden]);
  });

  test('a page that does not know the active chain of another does not move it', () => {
    const tab = sharedMemory();
    const one = sessionOn(tab());
    const two = createSession({ memory: tab(), origin: site, initialChainId: 33, chainIds: [33] });
    one.update((state) => ({ ...state, chainId: 30 }));
    withAccounts(two, a);
    expect([one.state().chainId, two.state().chainId]).toEqual([30, 33]);
  });

  test('watchers get changes in order, also those that a watcher makes', () => {
    const session = sessionOn(createVolatileMemory());
    const heard: string[] = [];
    session.watch((state, previous) => {
      heard.push(`first ${previous.chainId}>${state.chainId}`);
      if (state.chainId === 30) session.update((now) => ({ ...now, chainId: 31 }));
    });
    session.watch((state, previous) => heard.push(`second ${previous.chainId}>${state.chainId}`));
    session.update((state) => ({ ...state, chainId: 30 }));
    expect(heard).toEqual(['first 31>30', 'second 31>30', 'first 30>31', 'second 30>31']);
  });

  test.each([
    ['nothing', null],
    ['not JSON', '{'],
    ['another shape', '{"accounts":5}'],
    ['an address that is none', '{"chainId":31,"accounts":[{"address":"0x1","label":"","path":null}]}'],
  ])('remembered is %s', (_name, text) => {
    const memory = { ...createVolatileMemory(), read: () => text };
    expect(sessionOn(memory).state()).toEqual({
      chainId: 31,
      chains: {},
      accounts: [],
      permissions: {},
      assets: {},
      backup: 'done',
      networks: [],
    });
  });

  test('a needed backup and a hidden account are remembered; other values are dropped', () => {
    const memory = createVolatileMemory();
    const account = { address: a, label: 'x', path: null };
    memory.write(JSON.stringify({ accounts: [{ ...account, hidden: true }], backup: 'needed' }));
    expect(sessionOn(memory).state()).toMatchObject({
      accounts: [{ ...account, hidden: true }],
      backup: 'needed',
    });
    memory.write(JSON.stringify({ accounts: [{ ...account, hidden: 'yes' }], backup: 'soon' }));
    expect(sessionOn(memory).state()).toMatchObject({ accounts: [account], backup: 'done' });
    expect(sessionOn(memory).state().accounts[0]).not.toHaveProperty('hidden');
  });

  test('a reset leaves nothing in the memory, calls the watchers, and keeps the chain of the page', () => {
    for (const memory of [
      createVolatileMemory(),
      { ...createVolatileMemory(), remove: undefined },
    ] as SessionMemory[]) {
      const session = sessionOn(memory);
      withAccounts(session, a);
      session.update(grant(site, [a], 1));
      session.update((state) => ({ ...state, chainId: 30, backup: 'needed' }));
      const heard: number[] = [];
      session.watch(({ accounts }) => heard.push(accounts.length));
      session.reset();
      expect(session.state()).toEqual({
        chainId: 30,
        chains: {},
        accounts: [],
        permissions: {},
        assets: {},
        backup: 'done',
        networks: [],
      });
      expect(heard).toEqual([0]);
      expect(memory.read() ?? '').not.toContain(a);
      if (memory.remove) expect(memory.read()).toBeNull();
    }
  });

  test('the switch of one origin moves no other, in no tab and after no reload', () => {
    const tab = sharedMemory();
    const one = sessionOn(tab());
    const two = sessionOn(tab(), 'https://other.example');
    const heard: number[] = [];
    two.watch(({ chainId }, previous) => heard.push(previous.chainId, chainId));
    one.update((state) => ({ ...state, chainId: 30 }));
    withAccounts(two, a);
    expect([one, two].map(({ state }) => state().chainId)).toEqual([30, 31]);
    expect(heard.every((chainId) => chainId === 31)).toBe(true);
    two.update((state) => ({ ...state, chainId: 30 }));
    one.update((state) => ({ ...state, chainId: 31 }));
    expect(
      [sessionOn(tab()), sessionOn(tab(), 'https://other.example')].map(({ state }) => state().chainId),
    ).toEqual([31, 30]);
  });

  test('a remembered chain that is not configured any more is forgotten', () => {
    const memory = { ...createVolatileMemory(), read: () => JSON.stringify({ chains: { [site]: 33 } }) };
    expect(sessionOn(memory).state().chainId).toBe(31);
  });
});

describe('permittedAccounts', () => {
  test('a site has the accounts that it was given, in their order, and another one has none', () => {
    const session = sessionOn(createVolatileMemory());
    withAccounts(session, a, b);
    session.update(grant(site, [b, a], 1));
    expect(permittedAccounts(session.state(), site)).toEqual([b, a]);
    expect(permittedAccounts(session.state(), 'https://other.example')).toEqual([]);
  });

  test('an account that the wallet no longer has is not permitted', () => {
    const session = sessionOn(createVolatileMemory());
    withAccounts(session, a);
    session.update(grant(site, [a, b], 1));
    expect(permittedAccounts(session.state(), site)).toEqual([a]);
  });

  test('a hidden account is not permitted until it is shown again', () => {
    const session = sessionOn(createVolatileMemory());
    withAccounts(session, a, b);
    session.update(grant(site, [b, a], 1));
    const shown = session.state();
    session.update((state) => ({
      ...state,
      accounts: state.accounts.map((account) =>
        account.address === b ? { ...account, hidden: true as const } : account,
      ),
    }));
    expect(permittedAccounts(session.state(), site)).toEqual([a]);
    expect(visibleAccounts(session.state()).map(({ address }) => address)).toEqual([a]);
    session.update((state) => ({ ...state, accounts: shown.accounts }));
    expect(permittedAccounts(session.state(), site)).toEqual([b, a]);
  });

  test('nothing is left after a revocation', () => {
    const session = sessionOn(createVolatileMemory());
    withAccounts(session, a);
    session.update(grant(site, [a], 1));
    session.update(revoke(site));
    expect(permittedAccounts(session.state(), site)).toEqual([]);
  });

  test.each(['__proto__', 'constructor', 'toString'])('the origin is called %s', (origin) => {
    expect(permittedAccounts(sessionOn(createVolatileMemory()).state(), origin)).toEqual([]);
  });
});
