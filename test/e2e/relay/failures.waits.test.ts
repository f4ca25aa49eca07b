import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { clientOf } from '../../support/local-client.js';
import { openWallet } from '../../support/open-wallet.js';
import {
  apiKey,
  deployEmitter,
  generousLimits,
  type RelayRig,
  socketsOf,
  startRelay,
} from '../../support/relay-server.js';
import { until } from '../../support/until.js';

/**
 * What a wallet shows while a part behind it is gone, and how long it takes to be right again: the table of
 * docs/guides/relay.md, which `RELAY_TIMES=1` prints in milliseconds. How Redis and one of several instances fail is in redis*.test.ts.
 */
let service: LocalService;
let contract: Awaited<ReturnType<typeof deployEmitter>>;

beforeAll(async () => {
  service = await createLocalService({ mining: 'manual', apiKeys: [apiKey] });
  contract = await deployEmitter(service);
});
afterAll(() => service?.close());
// Node 20 has none of its own, as browsers do.
beforeEach(() => void vi.stubGlobal('WebSocket', WebSocket));
afterEach(() => void vi.unstubAllGlobals());

interface Head {
  readonly hash: string;
  readonly parentHash: string;
}

interface Log {
  readonly blockHash: string;
  readonly removed?: boolean;
}

/** A block with a log. Returns its hash. */
async function mine(): Promise<string> {
  await contract.emit(1, 7);
  await service.controls.mine();
  return (await latest()).hash;
}

/** A wallet that listens to blocks and logs, all of which it must be told in order. */
async function listen(relay: RelayRig, url: string | readonly string[] = relay.url) {
  const push = relay.socketUrl;
  const wallet = openWallet({
    networks: [{ chainId: 33, url, push }],
    approver: () => {
      throw new Error('nothing is asked here');
    },
    // As a page's by default; a wallet polls a service on this machine more often.
    pollingInterval: 4_000,
  });
  onTestFinished(() => wallet.destroy());
  const { provider } = wallet;
  const heads: Head[] = [];
  const logs: Log[] = [];
  const said: string[] = [];
  provider.on('message', ({ data }) => {
    const { result } = data as { result: Head & Log };
    if (result.blockHash) logs.push(result);
    else heads.push(result);
  });
  provider.on('disconnect', () => void said.push('disconnect'));
  provider.on('connect', () => void said.push('connect'));
  await provider.request({ method: 'eth_subscribe', params: ['newHeads'] });
  await provider.request({ method: 'eth_subscribe', params: ['logs', { address: contract.address }] });
  await mine();
  await until(() => heads.length > 0 && logs.length > 0, { timeout: 30_000 });
  await until(() => stepsOf(relay) === 1, { timeout: 30_000 });
  said.length = 0;
  return {
    provider,
    heads,
    said,
    /** Milliseconds from a new block until it and its log are told: the longest of `times` times. */
    async toldAfter(timeout: number, times = 1): Promise<number> {
      let maxDelay = 0;
      for (let i = 0; i < times; i++) {
        const wanted = await mine();
        const began = performance.now();
        await until(() => heads.at(-1)?.hash === wanted && logs.at(-1)?.blockHash === wanted, {
          ...{ timeout, interval: 20, failure: 'The block and its log are not told.' },
        });
        maxDelay = Math.max(maxDelay, performance.now() - began);
      }
      return maxDelay;
    },
    /** The code of a read, or `answered`. */
    read: () =>
      provider.request({ method: 'eth_gasPrice' }).then(
        () => 'answered',
        ({ code }: { code: number }) => code,
      ),
    /** Each block since the first was told once and in order, and so was each log. */
    expectWhole() {
      for (const [i, head] of heads.slice(1).entries()) expect(head.parentHash).toBe(heads[i]?.hash);
      const hashes = heads.map(({ hash }) => hash);
      const since = hashes.indexOf(logs[0]?.blockHash as string);
      expect(since).toBeGreaterThanOrEqual(0);
      expect(logs.map(({ blockHash }) => blockHash)).toEqual(hashes.slice(since));
    },
  };
}

const latest = (): Promise<Head> => clientOf(service).call('eth_getBlockByNumber', 'latest', false);
/** Wallets that the relay pushes to. */
const stepsOf = ({ node }: RelayRig) => socketsOf(node)[1];

const report = (what: string, values: object) => {
  if (process.env.RELAY_TIMES) process.stdout.write(`${what}: ${JSON.stringify(values)}\n`);
};

test('the relay is gone, and the wallet has a second URL: blocks go on with its own polls', async () => {
  const relay = await startRelay({ limits: generousLimits }, service);
  const { port } = relay.node;
  const page = await listen(relay, [relay.url, service.url]);
  const usual = await page.toldAfter(3_000, 3);
  await relay.node.stop();
  const without = await page.toldAfter(6_000, 3);
  expect(await page.read()).toBe('answered');
  const again = await startRelay({ port, limits: generousLimits }, service);
  onTestFinished(() => again.node.stop());
  await until(() => stepsOf(again) === 1, { timeout: 30_000 });
  await page.toldAfter(6_000);
  const back = await page.toldAfter(3_000, 3);
  page.expectWhole();
  expect(page.said).toEqual([]);
  report('relay gone, second URL', { usual, without, back });
}, 60_000);

test('the relay is gone, and there is no other URL: the wallet says so, and is right again when it is back', async () => {
  const relay = await startRelay({ limits: generousLimits }, service);
  const { port } = relay.node;
  const page = await listen(relay);
  await relay.node.stop();
  const code = await page.read();
  expect(code).toBe(-32002);
  expect(page.said).toEqual(['disconnect']);
  for (let i = 0; i < 3; i++) await mine();
  const again = await startRelay({ port, limits: generousLimits }, service);
  onTestFinished(() => again.node.stop());
  const back = await page.toldAfter(15_000);
  page.expectWhole();
  expect(page.said).toEqual(['disconnect', 'connect']);
  report('relay gone, alone', { code, back });
}, 60_000);

test('the node is gone: the relay says so, and all is right again when it is back', async () => {
  const relay = await startRelay({ limits: generousLimits }, service);
  onTestFinished(() => relay.node.stop());
  const page = await listen(relay);
  let isCut = true;
  onTestFinished(service.controls.intercept(() => (isCut ? 'drop' : undefined)));
  const code = await page.read();
  expect(code).toBe(-32002);
  isCut = false;
  const back = await page.toldAfter(15_000);
  page.expectWhole();
  expect(await page.read()).toBe('answered');
  expect(page.said).toEqual(['disconnect', 'connect']);
  report('node gone', { code, back });
}, 60_000);

test('the node’s WebSocket closes and reopens: blocks arrive later meanwhile, and nothing else changes', async () => {
  await using socket = await startNodeSocket();
  const networks = [{ chainId: 33, url: service.url, socket: socket.url, interval: 4_000 }];
  const relay = await startRelay({ networks, limits: generousLimits }, service);
  onTestFinished(() => relay.node.stop());
  const page = await listen(relay);
  await until(() => socket.clients() === 1);
  socket.announces(true);
  const usual = await page.toldAfter(3_000, 3);
  socket.announces(false);
  await socket.close();
  const without = await page.toldAfter(9_000, 3);
  await socket.open();
  await until(() => socket.clients() === 1, { timeout: 30_000 });
  socket.announces(true);
  const back = await page.toldAfter(3_000, 3);
  page.expectWhole();
  expect(page.said).toEqual([]);
  report('node’s WebSocket gone', { usual, without, back });
}, 90_000);

test('connections between wallet and relay are cut again and again: no block or log is lost or emitted twice', async () => {
  const relay = await startRelay({ limits: generousLimits }, service);
  onTestFinished(() => relay.node.stop());
  await using line = await startLine(relay.node.port);
  const through = (url: string) => url.replace(`:${relay.node.port}`, `:${line.port}`);
  const page = await listen({
    ...relay,
    url: through(relay.url),
    socketUrl: through(relay.socketUrl),
  });
  for (let i = 0; i < 12; i++) {
    await mine();
    await pause(100 + 60 * i);
    await until(() => line.connections() > 0);
    line.cut();
  }
  const back = await page.toldAfter(9_000);
  page.expectWhole();
  expect(await page.read()).toBe('answered');
  report('connections cut', { cuts: line.cuts(), back, said: page.said });
}, 60_000);

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A node's WebSocket, which announces the service's blocks while it is told to. */
async function startNodeSocket() {
  let announcing: NodeJS.Timeout | undefined;
  let told = '';
  let server: WebSocketServer;
  let port = 0;
  async function open(): Promise<void> {
    server = new WebSocketServer({ host: '127.0.0.1', port });
    server.on('connection', (socket) =>
      socket.on('message', () => socket.send('{"jsonrpc":"2.0","id":1,"result":"0x1"}')),
    );
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  }
  async function announce(): Promise<void> {
    const head = await latest();
    if (head.hash === told) return;
    told = head.hash;
    const params = { subscription: '0x1', result: head };
    const text = JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params });
    for (const each of server.clients) each.send(text);
  }
  function announces(next: boolean): void {
    clearInterval(announcing);
    if (next) announcing = setInterval(() => void announce(), 50);
  }
  async function close(): Promise<void> {
    for (const each of server.clients) each.terminate();
    await new Promise((resolve) => server.close(resolve));
  }
  await open();
  return {
    url: `ws://127.0.0.1:${port}`,
    clients: () => server.clients.size,
    ...{ open, close, announces },
    async [Symbol.asyncDispose]() {
      announces(false);
      await close();
    },
  };
}

/** A line to a port of this machine, of which all connections can be cut. */
async function startLine(to: number) {
  const ends = new Set<Socket>();
  let cuts = 0;
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(end);
      end.on('error', () => {});
      end.on('close', () => {
        ends.delete(end);
        other.destroy();
      });
      end.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  function cut(): void {
    cuts += ends.size / 2;
    for (const end of ends) end.destroy();
  }
  return {
    port: (server.address() as AddressInfo).port,
    /** Connections that were cut. */
    cuts: () => cuts,
    connections: () => ends.size / 2,
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
