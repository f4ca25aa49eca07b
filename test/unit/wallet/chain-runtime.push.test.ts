import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createService } from '../../../src/service/client.js';
import { createNetworks, type NetworkOptions } from '../../../src/service/networks.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import { createChainRuntime } from '../../../src/wallet/chain-runtime.js';
import { createPushServer, listenForSockets } from '../../support/push-server.js';
import { createScriptedService, plantedKey, respond, result } from '../../support/scripted-service.js';
import { everythingIn } from '../../support/secrecy.js';
import { createSimulatedChain } from '../../support/simulated-chain.js';
import { until } from '../../support/until.js';

let opened: string[] = [];
beforeEach(() => {
  opened = [];
  vi.stubGlobal(
    'WebSocket',
    class extends WebSocket {
      constructor(url: string) {
        super(url);
        opened.push(url);
      }
    },
  );
});
afterEach(() => void vi.unstubAllGlobals());

async function setUp(options: Partial<NetworkOptions> | undefined) {
  const chain = createSimulatedChain({ urls: ['https://service.example'] });
  for (let i = 0; i < 5; i++) chain.mine();
  const server = createPushServer(chain, 'node');
  const sockets = await listenForSockets(server);
  const [network] = createNetworks([
    { chainId: 31, url: 'https://service.example/k3y-of-the-service', ...(options ?? { push: sockets.url }) },
  ]);
  const delivered: unknown[] = [];
  const runtime = createChainRuntime({
    network: network as NonNullable<typeof network>,
    limits: undefined,
    requireOpen() {},
    onReachable() {},
    changed() {},
    name: 'test',
    storage: createMemoryStorage(),
    origin: 'https://dapp.example',
    notify: (_id, block) => void delivered.push(block),
    createClient: () => chain.service,
  });
  onTestFinished(async () => {
    runtime.close();
    await sockets.stop();
  });
  const subscribe = async () => (await runtime.following()).subscriptions.subscribe({ kind: 'newHeads' });
  return { chain, server, sockets, runtime, delivered, subscribe };
}

test('with push, a subscription opens one socket, and closing the chain closes it', async () => {
  const { chain, server, sockets, runtime, delivered, subscribe } = await setUp(undefined);
  expect(opened).toEqual([]);
  await subscribe();
  await until(() => server.asked.length === 2);
  expect(opened).toEqual([sockets.url]);
  const { hash } = chain.mine();
  server.push();
  await until(() => delivered.length > 0);
  expect(delivered).toMatchObject([{ hash }]);
  runtime.close();
  await until(() => server.count() === 0);
  expect(server.asked.map(({ method }) => method)).toEqual(['eth_subscribe', 'eth_subscribe']);
});

test('with a filter as what is polled, one is installed, and removed in the end', async () => {
  const { chain, runtime, subscribe } = await setUp({ poll: 'filter' });
  await subscribe();
  await until(() => chain.blockFilterCount() === 1);
  runtime.close();
  await until(() => chain.blockFilterCount() === 0);
  expect(opened).toEqual([]);
});

test.each([{}, { poll: 'head' as const }])(
  'with %j there is neither a socket nor a filter',
  async (options) => {
    const { chain, subscribe } = await setUp(options);
    await subscribe();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect([opened, chain.blockFilterCount(), Object.keys(chain.sent)]).toEqual([
      [],
      0,
      ['eth_getBlockByNumber'],
    ]);
  },
);

test('push, poll and live on Object.prototype are read nowhere', async () => {
  const polluted = {
    push: 'ws://127.0.0.1:9/evil',
    poll: 'filter',
    live: true,
    isPushed: () => true,
    onSends() {},
  };
  Object.assign(Object.prototype, polluted);
  try {
    const { chain, runtime, subscribe } = await setUp({});
    await subscribe();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect([opened, chain.blockFilterCount()]).toEqual([[], 0]);
    expect((await runtime.following()).service.isLive()).toBe(false);
  } finally {
    for (const name of Object.keys(polluted)) delete (Object.prototype as Record<string, unknown>)[name];
  }
});

test('a service that repeats the URL of the socket does not get its key into an error', async () => {
  const service = await createScriptedService(result('0x1f'));
  onTestFinished(service.stop);
  const [network] = createNetworks([
    {
      chainId: 31,
      url: `${new URL(service.url).origin}/another-key-0`,
      push: `wss://relay.example/${plantedKey}`,
    },
  ]);
  const client = createService({ network: network as NonNullable<typeof network> });
  service.play(
    respond(
      JSON.stringify({
        jsonrpc: '2.0',
        id: '$ID',
        error: { code: -32000, message: `wss://relay.example/${plantedKey} is down`, data: plantedKey },
      }).replace('"$ID"', '$ID'),
    ),
  );
  const error = await client
    .request('eth_getBalance', [`0x${'1'.repeat(40)}`, 'latest'])
    .catch((each) => each);
  expect(error).toBeInstanceOf(Error);
  expect(everythingIn(error)).not.toContain(plantedKey);
});
