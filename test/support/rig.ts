import { headless } from '../../packages/kit/src/testing/index.js';
import type { Answer, Question } from '../../src/approvals/question.js';
import {
  createMemoryStorage,
  createVolatileMemory,
  createWallet,
  type Storage,
  type Wallet,
} from '../../src/index.js';
import type { StoreName } from '../../src/storage/storage.js';
import { createFakeNode, type FakeNode } from './fake-node.js';
import { mnemonic, origin, owners, password, plantedSession, values } from './keys.js';

/** A wallet in front of a fake node, with all its questions, events and records. */
export interface Rig {
  readonly wallet: Wallet;
  readonly node: FakeNode;
  /** Questions since the last `reset`. */
  readonly questions: readonly Question[];
  /** Answers every later question by this function. */
  decide(answer: (question: Question) => boolean | Answer | Promise<boolean | Answer>): void;
  /** Events and subscription results that reached the page since the last `reset`. */
  readonly events: readonly { readonly name: string; readonly payload: unknown }[];
  readonly storage: RecordedStorage;
  /** The signed transactions that were sent before the last `reset`, and may be sent again after it. */
  readonly sentBefore: ReadonlySet<unknown>;
  /** Resets the node, approves every question and empties the journal. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

export interface RecordedStorage extends Storage {
  /** All its records. */
  dump(): readonly { readonly store: string; readonly key: string; readonly value: unknown }[];
  /** Writes a record without notifying the wallet. */
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
  /** `unlocked`: a real vault. `planted`: only the session of one, so that nothing can be signed. */
  readonly keys: 'unlocked' | 'planted';
  readonly connected?: boolean;
  readonly origin?: string;
  readonly refuse?: readonly string[];
  /** An endpoint instead of the rig's own fake node. */
  readonly url?: string;
  /** Whether chain 0x1e has a fake node of its own; else its endpoint is the node of 0x1f. */
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
  const sentBefore = new Set<unknown>();

  return {
    sentBefore,
    wallet,
    node,
    storage,
    get questions() {
      return approver.asked.slice(seen);
    },
    decide: (next) => {
      answer = next;
    },
    get events() {
      return events.slice(heard);
    },
    async reset() {
      answer = () => true;
      for (const { store, key } of storage.dump())
        if (store === 'journal') await storage.plant('journal', key, undefined);
      node.chain.mine();
      for (const { method, params } of node.requests)
        if (method === 'eth_sendRawTransaction') sentBefore.add(params[0]);
      node.reset();
      seen = approver.asked.length;
      heard = events.length;
    },
    async stop() {
      wallet.destroy();
      await Promise.all([node.stop(), other?.stop()]);
    },
  };
}

/** Imports two known accounts and connects the page to the first. */
async function furnish(wallet: Wallet): Promise<void> {
  const path = (index: number) => `m/44'/37310'/0'/0/${index}`;
  await wallet.importMnemonic(mnemonic, { password, path: path(0) });
  await wallet.deriveAccount(path(1));
  await wallet.provider.request({ method: 'eth_requestAccounts' });
  const [first] = (await wallet.provider.request({ method: 'eth_accounts' })) as readonly string[];
  if (first !== values.$A0 || owners.length !== 2)
    throw new Error('The fixture does not hold its own accounts');
}
