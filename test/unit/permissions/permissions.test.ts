import { beforeEach, describe, expect, test } from 'vitest';
import { createMutexes } from '../../../src/async/mutex.js';
import type { Keyring } from '../../../src/keyring/keyring.js';
import { encodeGrant, type Grant, recordKinds } from '../../../src/permissions/grant.js';
import { createPermissions } from '../../../src/permissions/permissions.js';
import { toQuantity } from '../../../src/rpc/hex.js';
import type { Address, Block, Hash } from '../../../src/rpc/schema.js';
import { createNetworks, type Network } from '../../../src/service/networks.js';
import type { Service } from '../../../src/service/service.js';
import { createSession, type SessionMemory } from '../../../src/session/session.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import { createCheckpoints } from '../../../src/transactions/checkpoints.js';
import { createJournal } from '../../../src/transactions/journal.js';
import type { JournalEntry } from '../../../src/transactions/journal-entry.js';

/** Permissions of two tabs over one storage, between which no event has arrived yet. */

const chainId = 31;
const [network] = createNetworks([{ chainId, url: 'https://one.example/key' }]) as [Network];
const origin = 'https://app.example';
const from: Address = `0x${'11'.repeat(20)}`;
const friend: Address = `0x${'5a'.repeat(20)}`;
const context: Hash = `0x${'aa'.repeat(32)}`;
const start = 1_700_000_000;
const grant = {
  ...{
    type: 'native-token-allowance',
    amount: '0x2386f26fc10000',
    payees: [friend],
    start,
    end: start + 1_000,
  },
  ...{ context, origin, account: from, chainId, firstNonce: '0x0', connectedAt: 1, grantedAt: 1 },
  ...{ replaced: [], code: {}, request: { chainId: '0x1f', rules: [] } },
} as unknown as Grant;
const payment = { chainId, to: friend, value: '0x64', data: '0x', gas: '0x5208', gasPrice: '0x2' } as const;
const maxCost = '0xa474';

let text: string;
let vault: Map<number, readonly Uint8Array[]>;
let isLocked: boolean;
/** Unix seconds. */
let time: number;
beforeEach(() => {
  time = start + 10;
  isLocked = false;
  vault = new Map([
    [recordKinds.grant, [encodeGrant(grant)]],
    [recordKinds.ledgerKey, [new Uint8Array(32)]],
  ]);
  text = JSON.stringify({
    accounts: [{ address: from, label: 'Account 1', path: null }],
    permissions: { [origin]: { accounts: [from], date: 1 } },
    granted: [grant],
  });
});

const nonceLocks = createMutexes((chainId: number, from: Address) => `graft:nonce:${chainId}:${from}`);
function openTab(
  networkOf: () => Network | undefined = () => network,
  readsOf?: () => Service,
  storage = createMemoryStorage(),
) {
  const memory: SessionMemory = {
    read: () => text,
    write(value) {
      text = value;
    },
    watch: () => () => {},
  };
  const session = createSession({ memory, origin, initialChainId: chainId, chainIds: [chainId] });
  const keyring = {
    locked: () => isLocked,
    keeps: () => !isLocked,
    records: async (kind: number) => (vault.get(kind) ?? []).map((bytes) => Uint8Array.from(bytes)),
    async changeRecords(kind: number, change: (records: readonly Uint8Array[]) => readonly Uint8Array[]) {
      vault.set(kind, change(vault.get(kind) ?? []));
      return [];
    },
  } as unknown as Keyring;
  const service = { network } as Service;
  return createPermissions({
    ...{ session, keyring, nonceLocks, journal: createJournal(storage) },
    checkpoints: createCheckpoints(storage),
    contacts: async () => [],
    lookAlikes: async () => () => [],
    approvals: undefined as never,
    serviceOf: () => service,
    readsOf: readsOf ?? (() => service),
    hasLocks: () => true,
    networkOf,
    isTop: () => true,
    now: () => time * 1_000,
  });
}

const newest: Block = {
  ...{ number: '0x1', hash: `0x${'b1'.repeat(32)}`, parentHash: `0x${'b0'.repeat(32)}` },
  ...{ timestamp: toQuantity(start + 10), transactions: [] },
} as unknown as Block;
const signing = (permission: Hash | undefined, entries: readonly JournalEntry[] = []) => ({
  ...{ permission, entries, transactions: [payment], nonces: ['0x0'] as const },
  ...{ head: newest, latest: '0x0' as const },
});
const signed = { ...payment, from, nonce: '0x0', hash: `0x${'cd'.repeat(32)}` } as unknown as JournalEntry;

/** The entry of a payment under the permission. */
const paid = async (): Promise<JournalEntry> => {
  const mark = await openTab().ledgerOf(chainId, from).admit(signing(context));
  const [entry] = (await mark?.([signed])) ?? [];
  return entry as JournalEntry;
};

describe('a permission that another tab has ended', () => {
  test.each([false, true])('covers nothing, with the keys locked there: %s', async (locks) => {
    const [tab, other] = [openTab(), openTab()];
    expect(await tab.ledgerOf(chainId, from).admit(signing(context))).not.toBe(null);
    isLocked = locks;
    await other.end(context);
    isLocked = false;
    expect(await tab.ledgerOf(chainId, from).admit(signing(context))).toBe(null);
  });
});

describe('a transaction with the nonce of a payment', () => {
  /** The mark of a transaction that a person signs beside this entry. */
  const markBeside = async (entry: JournalEntry, over: object = {}) => {
    const ledger = openTab().ledgerOf(chainId, from);
    const given = signing(undefined, [entry]);
    const admitted = await ledger.admit({ ...given, transactions: [{ ...payment, ...over }] });
    const [marked] = (await admitted?.([{ ...signed, hash: `0x${'ce'.repeat(32)}` }])) ?? [];
    return marked?.ledger;
  };

  test('counts as much as that, so that nothing is lost with its entry', async () => {
    const entry = await paid();
    expect(entry.ledger).toMatchObject({ permission: context, amount: maxCost });
    expect(await markBeside(entry, { to: from, value: '0x0' })).toMatchObject({
      ...{ permission: context, amount: maxCost },
    });
  });

  test('counts what it costs itself where that is more', async () => {
    expect(await markBeside(await paid(), { gasPrice: '0x3' })).toMatchObject({
      ...{ permission: context, amount: '0xf67c' },
    });
  });

  test('is of the person alone where no permission is concerned', async () => {
    expect(await markBeside({ ...signed, nonce: '0x0' })).toMatchObject({ permission: null, amount: '0x0' });
    expect(await markBeside({ ...(await paid()), nonce: '0x1' })).toMatchObject({ permission: null });
  });
});

describe('the entries of a permission', () => {
  const added = { ...network, addedBy: origin } as Network;

  test.each([
    ['locked', 'does not configure', true, undefined],
    ['unlocked', 'does not configure', false, undefined],
    ['locked', 'knows from a page alone', true, added],
    ['unlocked', 'knows from a page alone', false, added],
  ] as const)(
    'are needed in a wallet that is %s, on a chain that it %s',
    async (_keys, _chain, locks, known) => {
      const entry = await paid();
      isLocked = locks;
      const asked: string[] = [];
      const readsOf = () => {
        asked.push('read');
        throw new Error('no service of a page settles what was spent');
      };
      const isNeeded = await openTab(() => known, readsOf).needed();
      expect(isNeeded(entry)).toBe(true);
      expect(isNeeded({ ...entry, from: friend })).toBe(false);
      expect(asked).toEqual([]);
    },
  );

  test.each([false, true])('are not needed a day after its term, with the keys locked: %s', async (locks) => {
    const entry = await paid();
    isLocked = locks;
    time = grant.end + 86_399;
    expect((await openTab().needed())(entry)).toBe(true);
    time = grant.end + 86_401;
    expect((await openTab().needed())(entry)).toBe(false);
  });

  test.each([false, true])('are not needed once it has ended, with the keys locked: %s', async (locks) => {
    const entry = await paid();
    isLocked = locks;
    await openTab().end(context);
    expect((await openTab().needed())(entry)).toBe(false);
    isLocked = false;
    expect((await openTab().needed())(entry)).toBe(false);
  });
});

test('a permission is found although what another one has spent cannot be read', async () => {
  const short = { ...grant, context: `0x${'bb'.repeat(32)}`, amount: '0x1' } as Grant;
  vault.set(recordKinds.grant, [short, grant].map(encodeGrant));
  text = JSON.stringify({ ...JSON.parse(text), granted: [short, grant] });
  const fails = () => {
    throw new Error('the storage failed');
  };
  const cover = openTab(() => network, fails).cover({ origin, chainId, from, recipients: [friend] }, {
    network,
  } as Service);
  const facts = { warnings: [], head: newest, latest: '0x0', nonces: ['0x0'] } as const;
  expect(await cover.find([payment], facts)).toBe(context);
});

describe('a payment that is mined before the next one', () => {
  const blockAt = (height: number, branch: string, parent?: Block, transactions: readonly Hash[] = []) =>
    ({
      number: toQuantity(height),
      hash: `0x${branch.repeat(32)}`,
      parentHash: parent?.hash ?? `0x${'b0'.repeat(32)}`,
      // Siblings have equal times.
      timestamp: toQuantity(start + 10),
      transactions,
    }) as unknown as Block;

  /** Sends a second payment for each of these heads; tells which blocks were read for it, and whether it is covered. */
  async function findUnder(heads: readonly Block[], shown: readonly Block[]) {
    const entry = {
      ...(await paid()),
      raw: '0x00',
      origin,
      createdAt: 1,
      state: 'mined',
      blockNumber: '0x2',
    };
    const storage = createMemoryStorage();
    await createJournal(storage).record(entry as unknown as JournalEntry);
    const asked: number[] = [];
    const service = {
      network,
      async request(method: string, [at]: readonly unknown[]) {
        if (method !== 'eth_getBlockByNumber') return null;
        asked.push(Number(at));
        return shown.find(({ number }) => number === at) ?? null;
      },
    } as unknown as Service;
    const tab = openTab(
      () => network,
      () => service,
      storage,
    );
    const found: unknown[] = [];
    for (const head of heads) {
      const cover = tab.cover({ origin, chainId, from, recipients: [friend] }, service);
      const facts = { warnings: [], head, latest: '0x1', nonces: ['0x1'] } as const;
      const isCovered = (await cover.find([payment], facts)) === context;
      found.push({ isCovered, read: asked.splice(0) });
    }
    return found;
  }
  const mined = blockAt(2, 'b2', undefined, [signed.hash]);
  const child = blockAt(3, 'b3', mined);

  test('is looked for once, beside the preparation, and costs nothing under the children of its block', async () => {
    expect(await findUnder([mined, child, blockAt(4, 'b4', child)], [mined])).toEqual([
      { isCovered: true, read: [2] },
      { isCovered: true, read: [] },
      { isCovered: true, read: [] },
    ]);
  });

  test('is in the newest block itself, although the node that was asked for it lags behind', async () => {
    expect(await findUnder([mined], [])).toEqual([{ isCovered: true, read: [2] }]);
  });

  test('is looked for again under a head that is no child of its block', async () => {
    expect(await findUnder([mined, blockAt(5, 'b5')], [mined])).toEqual([
      { isCovered: true, read: [2] },
      { isCovered: true, read: [2] },
    ]);
  });

  test('covers no other one after a block without it, of the same height and time, has taken the place of its own', async () => {
    const sibling = blockAt(2, 'c2');
    expect(await findUnder([mined, sibling, blockAt(3, 'c3', sibling)], [sibling])).toEqual([
      { isCovered: true, read: [2] },
      { isCovered: false, read: [2] },
      { isCovered: false, read: [2] },
    ]);
  });
});
