import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createLocalService, type LocalService } from '../../../src/local/index.js';
import { openWallet } from '../../support/open-wallet.js';
import { apiKey, startRelay } from '../../support/relay-server.js';
import { until } from '../../support/until.js';

/**
 * What a wallet shows while a part behind it is gone, and how long it takes to be right again: the table of
 * docs/guides/relay.md, which `RELAY_TIMES=1` prints. How Redis and one of several instances fail is in redis*.test.ts.
 */
let service: LocalService;

beforeAll(async () => {
  service = await createLocalService({ mining: 'manual', apiKeys: [apiKey] });
});
afterAll(() => service?.close());
// Node 20 has none of its own, as browsers do.
beforeEach(() => void vi.stubGlobal('WebSocket', WebSocket));
afterEach(() => void vi.unstubAllGlobals());

const plenty = { readsPerMinute: 100_000, readBurst: 100_000, messagesPerSecond: 1_000, messageBurst: 1_000 };

interface Head {
  readonly hash: string;
  readonly parentHash: string;
}

/** A wallet that listens to blocks, all of which it must be told in order. */
async function listen(url: string | readonly string[], push?: string) {
  const wallet = openWallet({
    networks: [{ chainId: 33, url, ...(push && { push }) }],
    approver: () => {
      throw new Error('nothing is asked here');
    },
    // As a page's by default; a wallet polls a service on this machine more often.
    pollingInterval: 4_000,
  });
  onTestFinished(() => wallet.destroy());
  const { provider } = wallet;
  const heads: Head[] = [];
  const said: string[] = [];
  provider.on('message', ({ data }) => void heads.push((data as { result: Head }).result));
  provider.on('disconnect', () => void said.push('disconnect'));
  provider.on('connect', () => void said.push('connect'));
  await provider.request({ method: 'eth_subscribe', params: ['newHeads'] });
  await service.controls.mine();
  await until(() => heads.length > 0);
  if (push) await new Promise((resolve) => setTimeout(resolve, 500));
  said.length = 0;
  return {
    provider,
    heads,
    said,
    /** Milliseconds from a new block until it is told. */
    async toldAfter(timeout: number): Promise<number> {
      await service.controls.mine();
      const wanted = await latest();
      const began = performance.now();
      await until(() => heads.at(-1)?.hash === wanted, { timeout, failure: 'The block is not told.' });
      return performance.now() - began;
    },
    /** The code of a read, or `answered`. */
    read: () =>
      provider.request({ method: 'eth_gasPrice' }).then(
        () => 'answered',
        ({ code }: { code: number }) => code,
      ),
    expectWhole() {
      for (const [i, head] of heads.slice(1).entries()) expect(head.parentHash).toBe(heads[i]?.hash);
    },
  };
}

async function latest(): Promise<string> {
  const reply = await fetch(service.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["latest",false]}',
  });
  return ((await reply.json()) as { result: Head }).result.hash;
}

const report = (what: string, values: object) => {
  if (process.env.RELAY_TIMES) process.stdout.write(`${what}: ${JSON.stringify(values)}\n`);
};
const seconds = (milliseconds: number) => Math.round(milliseconds / 100) / 10;

test('the relay is gone, and the wallet has a second URL: blocks go on with its own polls', async () => {
  const relay = await startRelay({ limits: plenty }, service);
  const { port } = relay.node;
  const page = await listen([relay.url, service.url], relay.socketUrl);
  const usual = Math.max(await page.toldAfter(6_000), await page.toldAfter(6_000));
  await relay.node.stop();
  const without = Math.max(await page.toldAfter(9_000), await page.toldAfter(9_000));
  expect(await page.read()).toBe('answered');
  const again = await startRelay({ port, limits: plenty }, service);
  onTestFinished(() => again.node.stop());
  await until(() => again.node.relay.metrics.snapshot().subscriptions.graft_steps > 0, { timeout: 15_000 });
  await page.toldAfter(9_000);
  const back = Math.max(await page.toldAfter(6_000), await page.toldAfter(6_000));
  page.expectWhole();
  expect(page.said).toEqual([]);
  report('relay gone, second URL', { usual: seconds(usual), without: seconds(without), back: seconds(back) });
}, 60_000);

test('the relay is gone, and there is no other URL: the wallet says so, and is right again when it is back', async () => {
  const relay = await startRelay({ limits: plenty }, service);
  const { port } = relay.node;
  const page = await listen(relay.url, relay.socketUrl);
  await relay.node.stop();
  const code = await page.read();
  expect(code).toBe(-32002);
  expect(page.said).toEqual(['disconnect']);
  await service.controls.mine(3);
  const again = await startRelay({ port, limits: plenty }, service);
  onTestFinished(() => again.node.stop());
  const back = await page.toldAfter(15_000);
  page.expectWhole();
  expect(page.said).toEqual(['disconnect', 'connect']);
  report('relay gone, alone', { code, back: seconds(back) });
}, 60_000);

test('the node is gone: the relay says so, and all is right again when it is back', async () => {
  const relay = await startRelay({ limits: plenty }, service);
  onTestFinished(() => relay.node.stop());
  const page = await listen(relay.url, relay.socketUrl);
  let isCut = true;
  onTestFinished(service.controls.intercept(() => (isCut ? 'drop' : undefined)));
  const code = await page.read();
  expect(code).toBe(-32002);
  isCut = false;
  const back = await page.toldAfter(15_000);
  page.expectWhole();
  expect(await page.read()).toBe('answered');
  report('node gone', { code, said: page.said, back: seconds(back) });
}, 60_000);

test('the node’s WebSocket is gone: the relay polls, and nobody notices more than later blocks', async () => {
  const sockets = new WebSocketServer({ noServer: true });
  const server = createServer();
  server.on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (opened) =>
      opened.on('message', () => opened.send('{"jsonrpc":"2.0","id":1,"result":"0x1"}')),
    ),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // This node announces nothing: what the relay knows of blocks, it polls.
  const networks = [{ chainId: 33, url: service.url, socket, interval: 2_000 }];
  const relay = await startRelay({ networks, limits: plenty }, service);
  onTestFinished(() => relay.node.stop());
  const page = await listen(relay.url, relay.socketUrl);
  await until(() => sockets.clients.size === 1);
  for (const each of sockets.clients) each.terminate();
  server.close();
  const without = Math.max(await page.toldAfter(12_000), await page.toldAfter(12_000));
  page.expectWhole();
  expect(page.said).toEqual([]);
  report('node’s WebSocket gone', { without: seconds(without) });
}, 60_000);
