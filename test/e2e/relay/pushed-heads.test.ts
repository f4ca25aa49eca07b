import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { type NodeRelay, serveRelay } from '../../../packages/relay/src/node.js';
import { createNetworks, type NetworkOptions } from '../../../src/service/networks.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import { createChainRuntime } from '../../../src/wallet/chain-runtime.js';
import { until } from '../../support/until.js';

/** The wallet's stack of one chain on a real relay before the local service. */

let local: LocalService;
let relay: NodeRelay;
const ends: (() => Promise<void> | void)[] = [];

const startRelay = (port: number) =>
  serveRelay({
    networks: [{ chainId: 33, url: local.url, interval: 1_000 }],
    origins: ['*'],
    open: true,
    port,
    admin: null,
    drain: 0,
  });

beforeAll(async () => {
  vi.stubGlobal('WebSocket', WebSocket);
  local = await createLocalService({ chainId: 33, mining: 'manual' });
  relay = await startRelay(0);
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});
afterAll(async () => {
  await relay?.stop();
  await local?.close();
  vi.unstubAllGlobals();
});

function openRuntime(options: Partial<NetworkOptions> = {}) {
  const url = `http://127.0.0.1:${relay.port}/33`;
  const [network] = createNetworks([{ chainId: 33, url, push: url.replace('http', 'ws'), ...options }]);
  const heads: { readonly number: string; readonly hash: string }[] = [];
  const runtime = createChainRuntime({
    network: network as NonNullable<typeof network>,
    limits: undefined,
    pollingInterval: 4_000,
    requireOpen() {},
    onReachable() {},
    changed() {},
    name: 'test',
    storage: createMemoryStorage(),
    origin: 'https://dapp.example',
    notify: (_id, head) => void heads.push(head as (typeof heads)[number]),
  });
  ends.push(runtime.close);
  const follow = async () => {
    const following = await runtime.following();
    await following.subscriptions.subscribe({ kind: 'newHeads' });
    return following.service;
  };
  return { runtime, heads, follow };
}

/** Mines until the relay has earned trust by a head that it pushed. */
async function earnTrust(
  service: { isLive(): boolean },
  heads: { readonly number: string }[],
): Promise<void> {
  while (!service.isLive()) {
    await mine(1);
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  const newest = await headOf();
  await until(() => numbers(heads).at(-1) === newest);
  heads.length = 0;
}

const mine = async (count: number) => {
  for (let i = 0; i < count; i++) await local.controls.mine();
};
const numbers = (heads: readonly { readonly number: string }[]) => heads.map(({ number }) => Number(number));
const headOf = async () => {
  const response = await fetch(local.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }),
  });
  return Number(((await response.json()) as { result: string }).result);
};

test.each([
  ['a wallet', {}],
  ['a wallet that verifies them', { verify: 'work' }],
] as const)(
  '%s gets each head from the steps of the relay, without requests for them',
  async (_, options) => {
    const { runtime, heads, follow } = openRuntime(options);
    const service = await follow();
    await earnTrust(service, heads);
    const from = await headOf();
    // The poll after the connection has been made.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const before = { ...runtime.usage().sent };
    for (let i = 0; i < 3; i++) {
      await mine(2);
      await until(() => heads.length === 2 * (i + 1));
    }
    expect(numbers(heads)).toEqual([1, 2, 3, 4, 5, 6].map((each) => from + each));
    expect(runtime.usage().sent).toEqual(before);
  },
  30_000,
);

test('a wallet that verifies reads a pushed block that does not hold, and calls it contradicted', async () => {
  const { runtime, heads, follow } = openRuntime({ verify: 'work' });
  await earnTrust(await follow(), heads);
  onTestFinished(() => local.controls.clearFaults());
  local.controls.lie('forged-header');
  const before = runtime.usage().verified?.contradicted ?? 0;
  await mine(1);
  await until(() => heads.length === 1);
  expect(runtime.usage().verified?.contradicted).toBeGreaterThan(before);
}, 30_000);

test('a relay that ends and comes back loses no head, and the wallet polls meanwhile', async () => {
  const { heads, follow } = openRuntime();
  const service = await follow();
  await earnTrust(service, heads);
  const from = await headOf();
  const { port } = relay;
  await relay.stop();
  await until(() => !service.isLive());
  await mine(3);
  relay = await startRelay(port);
  await until(() => heads.length === 3);
  await mine(1);
  await until(() => heads.length === 4);
  expect(numbers(heads)).toEqual([1, 2, 3, 4].map((each) => from + each));
}, 60_000);
