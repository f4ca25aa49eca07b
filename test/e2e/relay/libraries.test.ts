import { WebSocketProvider } from 'ethers';
import { createPublicClient, webSocket } from 'viem';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Web3 } from 'web3';
import { clientOf, word } from '../../support/local-client.js';
import { deployEmitter, type RelayRig, startRelay } from '../../support/relay-server.js';
import { until } from '../../support/until.js';

/** Client libraries over WebSocket, as at a node that has one. */
let rig: RelayRig;
let contract: Awaited<ReturnType<typeof deployEmitter>>;

beforeAll(async () => {
  rig = await startRelay();
  contract = await deployEmitter(rig.service);
});
afterAll(() => rig[Symbol.asyncDispose]());

/** Mines a block with one log. Returns both as the service answers them over HTTP. */
async function mineWithLog(topic: number) {
  const { call } = clientOf(rig.service);
  await contract.emit(topic, 7);
  await rig.service.controls.mine();
  const block = await call('eth_getBlockByNumber', 'latest', false);
  const logs = await call('eth_getLogs', { blockHash: block.hash });
  expect(logs).toHaveLength(1);
  return { block, log: logs[0] };
}

const withoutBodies = ({
  transactions: _transactions,
  uncles: _uncles,
  ...header
}: Record<string, unknown>) => header;

test('ws: heads are the blocks of HTTP without their bodies, logs are those of HTTP', async () => {
  const client = await rig.connect();
  const heads = await client.call('eth_subscribe', 'newHeads');
  const logs = await client.call('eth_subscribe', 'logs', { address: contract.address });
  const { block, log } = await mineWithLog(1);
  await until(() => client.pushed.get(heads)?.length && client.pushed.get(logs)?.length);
  expect(client.pushed.get(heads)).toEqual([withoutBodies(block)]);
  expect(client.pushed.get(logs)).toEqual([{ ...log, removed: false }]);
  expect(await client.call('eth_unsubscribe', heads)).toBe(true);
  expect(await client.call('eth_unsubscribe', heads)).toBe(false);
  client.close();
});

describe('a library', () => {
  test('viem: heads, events and reads by webSocket', async () => {
    const client = createPublicClient({ transport: webSocket(rig.socketUrl, { retryCount: 0 }) });
    const blocks: unknown[] = [];
    const logs: unknown[] = [];
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    const endBlocks = client.watchBlocks({ onBlock: ({ hash }) => void blocks.push(hash), onError });
    const endLogs = client.watchEvent({
      address: contract.address as `0x${string}`,
      onLogs: (found) => void logs.push(...found),
      onError,
    });
    onTestFinished(async () => {
      endBlocks();
      endLogs();
      (await client.transport.getRpcClient()).close();
    });
    await until(() => rig.node.relay.metrics.snapshot().subscriptions.logs > 0);
    await until(() => rig.node.relay.metrics.snapshot().subscriptions.newHeads > 0);
    const { block, log } = await mineWithLog(2);
    await until(() => blocks.includes(block.hash) && logs.length > 0);
    expect(logs).toMatchObject([
      {
        blockHash: block.hash,
        data: log.data,
        topics: log.topics,
        logIndex: Number(log.logIndex),
        removed: false,
      },
    ]);
    expect(await client.getBlockNumber({ cacheTime: 0 })).toBe(BigInt(block.number));
    expect(errors).toEqual([]);
  });

  test('ethers 6: blocks, events and reads by WebSocketProvider', async () => {
    const provider = new WebSocketProvider(rig.socketUrl);
    const blocks: number[] = [];
    const logs: { blockHash: string; data: string; topics: readonly string[]; removed: boolean }[] = [];
    await provider.on('block', (number: number) => void blocks.push(number));
    await provider.on({ address: contract.address }, (log) => void logs.push(log));
    onTestFinished(() => provider.destroy());
    await until(() => rig.node.relay.metrics.snapshot().subscriptions.logs > 0);
    await until(() => rig.node.relay.metrics.snapshot().subscriptions.newHeads > 0);
    const { block, log } = await mineWithLog(3);
    await until(() => blocks.includes(Number(block.number)) && logs.length > 0);
    expect(logs).toMatchObject([
      { blockHash: block.hash, data: log.data, topics: log.topics, removed: false },
    ]);
    expect(await provider.getBlockNumber()).toBe(Number(block.number));
    expect((await provider.getNetwork()).chainId).toBe(33n);
  });

  test('web3 4: blocks, events and reads by its WebSocket provider', async () => {
    const web3 = new Web3(new Web3.providers.WebsocketProvider(rig.socketUrl));
    const heads: { hash?: unknown; number?: unknown }[] = [];
    const logs: { blockHash?: unknown; data?: unknown; topics?: unknown }[] = [];
    const newHeads = await web3.eth.subscribe('newBlockHeaders');
    newHeads.on('data', (head) => void heads.push(head as object));
    const events = await web3.eth.subscribe('logs', { address: contract.address, topics: [`0x${word(4)}`] });
    events.on('data', (log) => void logs.push(log as object));
    onTestFinished(() => web3.provider?.disconnect());
    await mineWithLog(5);
    const { block, log } = await mineWithLog(4);
    await until(() => heads.some(({ hash }) => hash === block.hash) && logs.length > 0);
    expect(logs).toMatchObject([{ blockHash: block.hash, data: log.data, topics: log.topics }]);
    expect(await web3.eth.getBlockNumber()).toBe(BigInt(block.number));
    await newHeads.unsubscribe();
    await events.unsubscribe();
  });
});

test('after a reorg logs are sent again as removed, and heads continue on the new branch', async () => {
  const client = await rig.connect();
  const heads = await client.call('eth_subscribe', 'newHeads');
  const logs = await client.call('eth_subscribe', 'logs', { address: contract.address });
  const { log } = await mineWithLog(6);
  await until(() => client.pushed.get(logs)?.length === 1);
  await rig.service.controls.reorg(1, { transactions: 'dropped' });
  await rig.service.controls.mine();
  await until(
    () => (client.pushed.get(logs)?.length ?? 0) >= 2 && (client.pushed.get(heads)?.length ?? 0) >= 3,
  );
  expect(client.pushed.get(logs)).toEqual([
    { ...log, removed: false },
    { ...log, removed: true },
  ]);
  const told = client.pushed.get(heads) as { hash: string; parentHash: string }[];
  expect(told.at(-1)?.parentHash).toBe(told.at(-2)?.hash);
  client.close();
});
