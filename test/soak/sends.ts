import { MessageChannel } from 'node:worker_threads';
import { parseEther } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { createLocalService, type LocalNode, type LocalService } from '../../packages/kit/src/local/index.js';
import { headless } from '../../packages/kit/src/testing/index.js';
import {
  createMemoryStorage,
  createVolatileMemory,
  createWallet,
  type Hex,
  type ProviderRpcError,
  type RecordedTransaction,
  type Wallet,
} from '../../src/index.js';
import { createProxy } from '../support/proxy.js';
import { createRandom } from '../support/random.js';
import { createLockDesk, createLocks } from './locks.js';

/**
 * Payments by two tabs of one browser through a balancer in front of three nodes that lag, forget, reorganise, lie about
 * counts and time out after accepting, with gateways that answer in their own words. Each payment has a value of its
 * own, is tried again when it is refused, and must be mined exactly once when the trouble is over.
 */
export interface SendsReport {
  readonly seed: number;
  readonly payments: number;
  readonly signed: number;
  readonly refused: number;
  readonly blocks: number;
  readonly reorganisations: number;
  readonly troubles: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** What must not have happened; empty when all is well. */
  readonly defects: readonly string[];
}

/** What gateways and development nodes say of a transaction, whether the node has taken it or not. */
const unclearReplies: readonly (readonly [status: number, error: object])[] = [
  [408, { code: 30, message: 'Request timeout on the free tier, please upgrade your tier to the paid one' }],
  [402, { code: 30, message: 'Request timeout on the free tier, please upgrade your tier to the paid one' }],
  [500, { code: 19, message: 'Temporary internal error. Please retry, trace-id: 1' }],
  [200, { code: 19, message: 'Temporary internal error. Please retry, trace-id: 1' }],
  [200, { code: -32009, message: "Unknown error when sending transaction: transaction wasn't mined" }],
  [200, { code: -32015, message: 'VM Exception while processing transaction: revert no' }],
  [200, { code: -32603, message: 'Internal server error' }],
  [200, { code: -32011, message: 'Execution has got timeout out.' }],
  [502, { code: -32000, message: 'insufficient funds' }],
];

const password = 'correct horse';
const friend = `0x${'aa'.repeat(20)}` as const;

export async function soakSends(options: {
  readonly payments: number;
  readonly seed: number;
  /** Payments under way at once. */
  readonly atOnce?: number;
}): Promise<SendsReport> {
  const { payments, seed, atOnce = 6 } = options;
  const random = createRandom(seed);
  const chance = (probability: number) => random() < probability;
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const troubles: Record<string, number> = {};
  const note = (what: string) => {
    troubles[what] = (troubles[what] ?? 0) + 1;
  };
  const defects: string[] = [];
  const started = Date.now();

  const restoreNavigator = provideLocks();
  const local = await createLocalService({
    chainId: 31,
    dialect: 'node',
    mining: 'manual',
    switches: { accountQuota: false },
  });
  const nodes = [await local.addNode(), await local.addNode()];
  let isTroubled = true;
  const balancer = await createProxy({
    pick: () => pick([local.url, ...nodes.map(({ url }) => url)]),
    async rule({ id, method }, forward) {
      if (!isTroubled) return undefined;
      const reply = (status: number, fields: object) => ({
        status,
        body: JSON.stringify({ jsonrpc: '2.0', id, ...fields }),
      });
      if (method === 'eth_getTransactionCount' && chance(0.08)) {
        note('counts that were wrong');
        const { result } = JSON.parse((await forward()).body) as { result: Hex };
        const wrong = Math.max(0, Number(result) + pick([-2, -1, 1, 2, 3]));
        return reply(200, { result: `0x${wrong.toString(16)}` });
      }
      if (/^eth_getTransaction(Receipt|ByHash)$/.test(method) && chance(0.05)) {
        note('receipts and transactions that were withheld');
        return reply(200, { result: null });
      }
      if (method !== 'eth_sendRawTransaction') return undefined;
      const dice = random();
      if (dice < 0.06) {
        note('sends taken, their reply lost');
        await forward();
        return 'drop';
      }
      if (dice < 0.1) {
        note('sends lost');
        return 'drop';
      }
      if (dice < 0.24) {
        const [status, error] = pick(unclearReplies);
        const isTaken = chance(0.6);
        note(isTaken ? 'sends taken, answered with an error' : 'sends not taken, answered with an error');
        if (isTaken) await forward();
        return reply(status, { error });
      }
      if (dice < 0.26) {
        note('sends not taken, refused in the words of a node');
        return reply(200, { error: { code: -32010, message: 'insufficient funds' } });
      }
      return undefined;
    },
  });

  const storage = createMemoryStorage();
  const memory = createVolatileMemory();
  const open = (): Wallet =>
    createWallet({
      networks: [{ chainId: 31, url: balancer.url }],
      approver: () => headless({ password }),
      storage,
      memory,
      origin: 'https://soak.example',
      pollingInterval: 100,
    });
  const tabs = [open(), open()];
  const [first] = tabs as [Wallet, Wallet];
  const { address: from } = await first.importPrivateKey(generatePrivateKey(), { password });
  await local.controls.faucet(from, parseEther('1000'));
  await local.controls.mine(3);
  for (const tab of tabs) {
    await tab.unlock(password);
    await tab.provider.request({ method: 'eth_requestAccounts' });
  }

  let refused = 0;
  let reorganisations = 0;
  const pay = async (value: number): Promise<void> => {
    for (;;) {
      try {
        const tab = pick(tabs);
        const transaction = { from, to: friend, value: `0x${value.toString(16)}` as Hex };
        await tab.provider.request({ method: 'eth_sendTransaction', params: [transaction] });
        return;
      } catch (caught) {
        const { code, message } = caught as ProviderRpcError;
        if (code !== -32003 && code !== -32002 && code !== -32005 && code !== 4901)
          defects.push(`payment ${value} failed with ${code} ${message}`);
        if (code === -32003) refused += 1;
        note(`refusals: ${code} ${message.slice(0, 40)}`);
        await pause(50 + random() * 200);
      }
    }
  };

  const stopWorld = runWorld(local, nodes, {
    random,
    note,
    reorganised: () => {
      reorganisations += 1;
    },
  });
  let next = 1;
  /** Payments that a worker is making. */
  const current = new Set<number>();
  /** A payment that was refused after its hash was given out, as a person sees in the wallet and pays again. */
  const takeRefused = (entries: readonly RecordedTransaction[]): number | undefined => {
    const isDead = ({ state }: RecordedTransaction) => state === 'refused' || state === 'abandoned';
    const alive = new Set(entries.filter((entry) => !isDead(entry)).map(({ value }) => Number(value)));
    const values = entries.map(({ value }) => Number(value));
    return values.find((value) => !alive.has(value) && !current.has(value));
  };
  const payOnce = async (value: number) => {
    current.add(value);
    await pay(value).finally(() => current.delete(value));
  };
  const worker = async () => {
    while (next <= payments) {
      const entries = await first.transactions({ limit: 10_000 });
      const again = takeRefused(entries);
      if (again !== undefined) {
        note('payments made again, refused after their hash was given out');
        await payOnce(again);
      } else if (entries.filter(isOpen).length > mostOpen) await pause(100);
      else await payOnce(next++);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));

  // The trouble ends; the chain goes on.
  isTroubled = false;
  await stopWorld();
  local.controls.clearFaults();
  for (const { controls } of nodes) await controls.setLag(0);
  for (let i = 0; i < 1_000; i++) {
    await local.controls.mine();
    await pause(100);
    const all = await first.transactions({ limit: 10_000 });
    const again = takeRefused(all);
    if (again !== undefined) await payOnce(again);
    else if (!all.some(isOpen) && i > 15) break;
  }
  const entries = await first.transactions({ limit: 10_000 });
  const mined = await readPayments(local.url, from);
  defects.push(...judge(entries, mined, payments));

  for (const tab of tabs) tab.destroy();
  await balancer.stop();
  await local.close();
  restoreNavigator();
  return {
    ...{ seed, payments, refused, reorganisations, troubles, defects },
    signed: entries.length,
    blocks: mined.height,
    seconds: Math.round((Date.now() - started) / 1000),
  };
}

/** Blocks come, nodes lag and forget, and the chain reorganises. @returns what ends it */
function runWorld(
  local: LocalService,
  nodes: readonly LocalNode[],
  {
    random,
    note,
    reorganised,
  }: { random: () => number; note: (what: string) => void; reorganised: () => void },
): () => Promise<void> {
  let running = true;
  const loop = async () => {
    while (running) {
      await pause(150 + random() * 200);
      const node = nodes[Math.floor(random() * nodes.length)] as LocalNode;
      const dice = random();
      if (dice < 0.04) {
        note('pools that forgot');
        await (random() < 0.5 ? local.controls.evictPending() : node.controls.evictPending());
      } else if (dice < 0.28) {
        note('nodes that changed their lag');
        await node.controls.setLag(Math.floor(random() * 4));
      } else if (dice < 0.36) {
        reorganised();
        const transactions = random() < 0.5 ? 'dropped' : 'pending';
        await local.controls.reorg(1 + Math.floor(random() * 2), { transactions });
      } else await local.controls.mine();
    }
  };
  const ended = loop();
  return () => {
    running = false;
    return ended;
  };
}

/** Whether it may still be mined. */
export const isOpen = ({ state }: Pick<RecordedTransaction, 'state'>) =>
  state === 'signed' || state === 'sent';

/** The chain takes 16 of an account at once; more wait in the wallet, and as many as these slow the run down. */
const mostOpen = 150;

/** The payments that were mined. */
export interface Payments {
  readonly height: number;
  /** Hashes of mined payments, by value and by nonce. */
  readonly byValue: ReadonlyMap<number, readonly Hex[]>;
  readonly nonces: readonly number[];
  readonly hashes: ReadonlySet<Hex>;
}

/** Reads every block of the chain, from a node that tells the truth. */
export async function readPayments(url: string, from: Hex): Promise<Payments> {
  const call = async (method: string, ...params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const reply = (await (await fetch(url, { method: 'POST', headers, body })).json()) as {
      result?: never;
      error?: unknown;
    };
    if (reply.result === undefined) throw new Error(`${method}: ${JSON.stringify(reply.error)}`);
    return reply.result;
  };
  const height = Number(await call('eth_blockNumber'));
  const byValue = new Map<number, Hex[]>();
  const nonces: number[] = [];
  const hashes = new Set<Hex>();
  for (let number = 0; number <= height; number++) {
    const block = (await call('eth_getBlockByNumber', `0x${number.toString(16)}`, true)) as {
      transactions: { from: Hex; hash: Hex; value: Hex; nonce: Hex }[];
    };
    for (const { from: sender, hash, value, nonce } of block.transactions) {
      if (sender !== from) continue;
      byValue.set(Number(value), [...(byValue.get(Number(value)) ?? []), hash]);
      nonces.push(Number(nonce));
      hashes.add(hash);
    }
  }
  return { height, byValue, nonces, hashes };
}

/** Each of the payments 1 to `payments` was mined once, and what the journal says of each is true. @returns the defects */
export function judge(
  entries: readonly RecordedTransaction[],
  mined: Payments,
  payments: number,
): readonly string[] {
  const defects: string[] = [];
  for (let value = 1; value <= payments; value++) {
    const times = mined.byValue.get(value)?.length ?? 0;
    const own = entries.filter((entry) => Number(entry.value) === value);
    if (times !== 1) {
      const states = own.map(({ state, nonce }) => `${nonce} ${state}`);
      defects.push(`payment ${value} was mined ${times} times: ${states.join(', ')}`);
    }
  }
  for (const { hash, state, nonce, value, maybeSent } of entries) {
    const isOnChain = mined.hashes.has(hash);
    if (isOpen({ state }))
      defects.push(
        `payment ${Number(value)} with nonce ${Number(nonce)} is unresolved: ${state} ${maybeSent}`,
      );
    if ((state === 'mined') !== isOnChain)
      defects.push(
        `payment ${Number(value)} with nonce ${Number(nonce)} is ${state}, on the chain: ${isOnChain}`,
      );
  }
  mined.nonces.forEach((nonce, i) => {
    if (nonce !== i) defects.push(`the mined transaction ${i} has the nonce ${nonce}`);
  });
  // A nonce is signed again only after the chain's refusal.
  const live = entries.filter(({ state }) => state !== 'refused' && state !== 'abandoned');
  const twice = live.filter(({ nonce }, i) => live.findIndex((other) => other.nonce === nonce) !== i);
  for (const { nonce } of twice)
    defects.push(
      `nonce ${Number(nonce)} was signed more than once: ${live.filter((other) => other.nonce === nonce).map(({ state, value }) => `${Number(value)} ${state}`)}`,
    );
  return defects;
}

/** Web Locks between the tabs, which Node has none of. @returns its undo */
function provideLocks(): () => void {
  const { port1, port2 } = new MessageChannel();
  createLockDesk().serve(port1);
  port1.unref();
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
  Object.defineProperty(globalThis, 'navigator', {
    value: { locks: createLocks(port2), onLine: true },
    configurable: true,
  });
  return () => {
    port1.close();
    if (before) Object.defineProperty(globalThis, 'navigator', before);
    else Reflect.deleteProperty(globalThis, 'navigator');
  };
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
