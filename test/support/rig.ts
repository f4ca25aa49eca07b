import type { Answer, Question } from '../../src/approvals/question.js';
import {
  createMemoryStorage,
  createVolatileMemory,
  createWallet,
  type Storage,
  type Wallet,
} from '../../src/index.js';
import type { StoreName } from '../../src/storage/storage.js';
import { headless } from '../../src/testing.js';
import { createFakeNode, type FakeNode } from './fake-node.js';
import { mnemonic, origin, owners, password, plantedSession, values } from './keys.js';

/** A wallet before a fake node, as a page has it, and everything that a test must see of it. */
export interface Rig {
  readonly wallet: Wallet;
  readonly node: FakeNode;
  /** Questions since the last `calm`. */
  readonly asked: readonly Question[];
  /** What the person says to each question to come. */
  decide(answer: (question: Question) => boolean | Answer | Promise<boolean | Answer>): void;
  /** Events and subscription results that reached the page since the last `calm`. */
  readonly events: readonly { readonly name: string; readonly payload: unknown }[];
  readonly storage: RecordedStorage;
  /** The truth, an agreeing person and an empty journal again. */
  calm(): Promise<void>;
  stop(): Promise<void>;
}

export interface RecordedStorage extends Storage {
  /** Everything it holds. */
  dump(): readonly { readonly store: string; readonly key: string; readonly value: unknown }[];
  /** Puts a value there, unseen by the wallet. */
  plant(store: StoreName, key: string, value: unknown): Promise<void>;
}

export function recordStorage(inner: Storage = createMemoryStorage()): RecordedStorage {
  const held = new Map<string, { store: StoreName; key: string; value: unknown }>();
  const note = (store: StoreName, key: string, value: unknown) => {
    const name = `${store} ${key}`;
    if (value === undefined) held.delete(name);
    else held.set(name, { store, key, value: structuredClone(value) });
  };
  return {
    ...inner,
    async update(store, key, next) {
      const value = await inner.update(store, key, next);
      note(store, key, value);
      return value;
    },
    async put(store, records) {
      await inner.put(store, records);
      for (const [key, value] of records) note(store, key, value);
    },
    dump: () => [...held.values()],
    async plant(store, key, value) {
      await inner.update(store, key, () => value);
      note(store, key, value);
    },
  };
}

export interface RigOptions {
  /** `unlocked`: a real vault. `planted`: only what the session remembers of one; nothing can be signed. */
  readonly keys: 'unlocked' | 'planted';
  readonly connected?: boolean;
  readonly origin?: string;
  readonly refuse?: readonly string[];
  /** Instead of a node's of its own. */
  readonly url?: string;
  /** Serve 0x1e as well; else its endpoint is the same node, which nobody should ask. */
  readonly both?: boolean;
  readonly storage?: RecordedStorage;
  readonly pollingInterval?: number;
}

const eventNames = [
  'connect',
  'disconnect',
  'chainChanged',
  'networkChanged',
  'accountsChanged',
  'message',
] as const;

export async function createRig(options: RigOptions): Promise<Rig> {
  const node = await createFakeNode(31);
  const other = options.both ? await createFakeNode(30) : null;
  const storage = options.storage ?? recordStorage();
  const memory = createVolatileMemory();
  const page = options.origin ?? origin;
  if (options.keys === 'planted') memory.write(plantedSession(options.connected === false ? null : page));
  let answer: (question: Question) => boolean | Answer | Promise<boolean | Answer> = () => true;
  const approver = headless({
    answer: (question) => answer(question),
    ...(options.keys === 'unlocked' && { password }),
  });
  const wallet = createWallet({
    networks: [
      { chainId: 31, url: options.url ?? node.url },
      { chainId: 30, url: (other ?? node).url },
    ],
    origin: page,
    storage,
    memory,
    approver: () => approver,
    pollingInterval: options.pollingInterval ?? 100,
    ...(options.refuse && { refuse: options.refuse }),
  });
  const events: { name: string; payload: unknown }[] = [];
  for (const name of eventNames)
    wallet.provider.on(name, (payload: unknown) => events.push({ name, payload }));
  if (options.keys === 'unlocked') await furnish(wallet);
  let heard = events.length;
  let seen = approver.asked.length;

  return {
    wallet,
    node,
    storage,
    get asked() {
      return approver.asked.slice(seen);
    },
    decide: (next) => {
      answer = next;
    },
    get events() {
      return events.slice(heard);
    },
    async calm() {
      answer = () => true;
      for (const { store, key } of storage.dump())
        if (store === 'journal') await storage.plant('journal', key, undefined);
      node.chain.mine();
      node.calm();
      seen = approver.asked.length;
      heard = events.length;
    },
    async stop() {
      wallet.destroy();
      await Promise.all([node.stop(), other?.stop()]);
    },
  };
}

/** Two known accounts; the page is given the first. */
async function furnish(wallet: Wallet): Promise<void> {
  const path = (index: number) => `m/44'/37310'/0'/0/${index}`;
  await wallet.importMnemonic(mnemonic, { password, path: path(0) });
  await wallet.deriveAccount(path(1));
  await wallet.provider.request({ method: 'eth_requestAccounts' });
  const [first] = (await wallet.provider.request({ method: 'eth_accounts' })) as readonly string[];
  if (first !== values.$A0 || owners.length !== 2)
    throw new Error('The fixture does not hold its own accounts');
}
