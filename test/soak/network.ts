import { keccak256 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import {
  createLocalService,
  type Dialect,
  type LocalService,
  type ReorgOptions,
} from '../../packages/kit/src/local/index.js';
import type { Hash } from '../../src/rpc/schema.js';
import { createSimulatedEngine, type SimulatedEngine } from './simulated-engine.js';

/** Two nodes of one simulated chain behind a balancer: one has the newest state, the other follows it. */
export interface ChainNetwork {
  /** The service of the tabs, whose chain the events are compared with. */
  readonly service: LocalService;
  /** The node that lags. */
  readonly behind: LocalService;
  readonly engine: SimulatedEngine;
  readonly reorgs: { count: number; deepest: number };
  readonly sent: ReadonlySet<Hash>;
  height(): number;
  /** How many blocks had been mined on all branches at a time of `performance.now()`. */
  minedBefore(time: number): number;
  head(): Hash;
  mine(count: number): Promise<void>;
  reorg(depth: number, options: ReorgOptions): Promise<void>;
  /** Adds a transaction of another account to the pool. */
  send(): Promise<void>;
  sibling(): Promise<void>;
  /** How many blocks, of both branches of a fork together, the second node may be behind; it is there when this resolves. */
  lag(blocks: number): Promise<void>;
  /** Five minutes pass at once on the nodes: every filter expires, and the pool ages. */
  expireFilters(): void;
  close(): Promise<void>;
}

export async function createChainNetwork(options: createChainNetwork.Options): Promise<ChainNetwork> {
  const { seed, dialect, random } = options;
  /** Milliseconds that the nodes' clocks are ahead. */
  let ahead = 0;
  const chainId = 33;
  const engine = createSimulatedEngine({ seed, chainId });
  const start = (own: SimulatedEngine) =>
    createLocalService({
      chainId,
      dialect,
      now: () => Date.now() + ahead,
      mining: 'manual',
      apiKeys: ['soak-key'],
      engine: async () => own,
      // The simulated engine has neither balances nor code.
      switches: { accountQuota: false },
      timeout: 60_000,
    });
  const service = await start(engine);
  const behind = await start(createSimulatedEngine({ seed, chainId }));
  const reorgs = { count: 0, deepest: 0 };
  const sent = new Set<Hash>();
  /** What the second node has not done yet. */
  const open: { readonly blocks: number; readonly change: (node: LocalService) => Promise<unknown> }[] = [];
  let allowed = 0;
  /** As it is seen from outside: in the middle of an exchange of branches the engine's own chain is short. */
  let height = 0;
  const times: { readonly at: number; readonly order: number }[] = [];
  let account = seed * 1_000_000;

  async function follow(): Promise<void> {
    const behindBy = () => open.reduce((sum, { blocks }) => sum + blocks, 0);
    while (open.length > 0 && (allowed === 0 || behindBy() > allowed)) await open.shift()?.change(behind);
  }

  async function both(blocks: number, change: (node: LocalService) => Promise<unknown>): Promise<void> {
    await change(service);
    height = engine.chain().length - 1;
    open.push({ blocks, change });
    times.push({ at: performance.now(), order: engine.known.size });
    await follow();
  }

  return {
    service,
    behind,
    engine,
    reorgs,
    sent,
    height: () => height,
    minedBefore: (time) => times.findLast(({ at }) => at < time)?.order ?? 0,
    head: () => engine.chain().at(-1)?.block.hash as Hash,
    mine: (count) => both(count, ({ controls }) => controls.mine(count)),
    async reorg(depth, wish) {
      reorgs.count += 1;
      reorgs.deepest = Math.max(reorgs.deepest, depth);
      await both(depth, ({ controls }) => controls.reorg(depth, wish));
    },
    async send() {
      // Of an account of its own: whatever a restart or a reorganisation takes away, its nonce is right.
      account += 1;
      const key = privateKeyToAccount(`0x${account.toString(16).padStart(64, '0')}`);
      const to = `0x${Math.floor(random() * 2 ** 40)
        .toString(16)
        .padStart(40, '0')}` as const;
      const raw = await key.signTransaction({
        ...{ type: 'legacy', chainId, nonce: 0, to, value: 1n, gas: 21_000n, gasPrice: 60_000_000n },
      });
      sent.add(keccak256(raw));
      await both(0, async ({ url }) => {
        const reply = await ask(url, 'eth_sendRawTransaction', raw);
        if (reply.error) throw new Error(JSON.stringify(reply.error));
      });
    },
    sibling: () => both(0, ({ controls }) => controls.sibling()),
    async lag(blocks) {
      allowed = blocks;
      await follow();
    },
    expireFilters() {
      ahead += 300_000;
    },
    async close() {
      await Promise.all([service.close(), behind.close()]);
    },
  };
}

async function ask(url: string, method: string, ...params: unknown[]) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return (await response.json()) as { error?: unknown };
}

export declare namespace createChainNetwork {
  interface Options {
    readonly seed: number;
    readonly dialect: Dialect;
    readonly random: () => number;
  }
}
