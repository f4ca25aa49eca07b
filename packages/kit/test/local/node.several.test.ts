import { keccak256 } from 'viem';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { alice, clientOf, emitter, sign, type Wish, word } from '../../../../test/support/local-client.js';
import { createLocalService, type Hex, type LocalNode, type LocalService } from '../../src/local/index.js';

/** Several nodes of one chain: each with its own height, pool, filters and faults. */
let service: LocalService;
let node: LocalNode;
let own: ReturnType<typeof clientOf>;
let mining: ReturnType<typeof clientOf>;

beforeEach(async () => {
  service = await createLocalService({ mining: 'manual' });
  mining = clientOf(service);
  await service.controls.faucet(alice.address, 10n ** 18n);
  await service.controls.mine();
  node = await service.addNode();
  own = clientOf(node);
});
afterEach(() => service?.close());

const send = async (at: typeof own, wish: Wish = {}): Promise<Hex> =>
  at.call('eth_sendRawTransaction', await sign(wish));
const count = (at: typeof own, block: string) => at.call('eth_getTransactionCount', alice.address, block);
const known = (at: typeof own, hash: Hex) => at.call('eth_getTransactionByHash', hash);
const receipt = (at: typeof own, hash: Hex) => at.call('eth_getTransactionReceipt', hash);

test('a node has its own URL and request log, and the chain of the others', async () => {
  expect(node.url).not.toBe(service.url);
  const block = await own.call('eth_getBlockByNumber', 'latest', false);
  expect(block).toEqual(await mining.call('eth_getBlockByNumber', 'latest', false));
  expect([node.requests.count(), service.requests.count()]).toEqual([1, 1]);
});

test('a transaction is relayed to the other pools and mined once', async () => {
  const here = await send(own);
  const there = await send(mining, { nonce: 1 });
  for (const at of [own, mining]) {
    expect((await known(at, here)).blockHash).toBe(null);
    expect((await known(at, there)).blockHash).toBe(null);
    expect(await count(at, 'pending')).toBe('0x2');
  }
  await service.controls.mine();
  for (const at of [own, mining]) expect((await receipt(at, here)).blockNumber).toBe('0x2');
});

test('with mining auto a transaction sent to any node is mined at once', async () => {
  service.controls.setMining('auto');
  expect((await receipt(mining, await send(own))).status).toBe('0x1');
});

test('a lagging node does not show the newest blocks in any read', async () => {
  const creation = await send(mining, { to: null, data: emitter, gas: 100_000n, value: 0n });
  await service.controls.mine();
  const { contractAddress } = await receipt(mining, creation);
  await node.controls.setLag(2);
  expect(await own.call('eth_blockNumber')).toBe('0x2');
  const data: Hex = `0x${word(1)}${word(2)}`;
  const hash = await send(mining, { nonce: 1, to: contractAddress, data, gas: 60_000n, value: 0n });
  await service.controls.mine(2);
  const { blockHash } = await receipt(mining, hash);

  expect([await own.call('eth_blockNumber'), await mining.call('eth_blockNumber')]).toEqual(['0x2', '0x4']);
  expect((await own.call('eth_getBlockByNumber', 'latest', false)).number).toBe('0x2');
  expect(await own.call('eth_getBlockByNumber', '0x3', false)).toBe(null);
  expect(await own.call('eth_getBlockByHash', blockHash, false)).toBe(null);
  expect(await receipt(own, hash)).toBe(null);
  expect((await known(own, hash)).blockHash).toBe(null);
  expect([await count(own, 'latest'), await count(own, 'pending')]).toEqual(['0x1', '0x2']);
  expect(await own.call('eth_getLogs', { fromBlock: '0x0' })).toEqual([]);
  expect(await own.call('eth_getLogs', { blockHash })).toEqual([]);
  expect(await own.call('eth_call', { data: '0x4360005260206000f3' }, 'latest')).toBe(`0x${word(2)}`);

  await node.controls.setLag(0);
  expect((await receipt(own, hash)).blockHash).toBe(blockHash);
  expect([await count(own, 'latest'), await count(own, 'pending')]).toEqual(['0x2', '0x2']);
  expect(await own.call('eth_getLogs', { blockHash })).toHaveLength(1);
});

test('a lagging node checks transactions against its own head', async () => {
  await node.controls.setLag(1);
  await send(mining);
  await service.controls.mine();
  await node.controls.evictPending();
  expect(await send(own)).toBe(keccak256(await sign()));
  expect((await mining.refusal('eth_sendRawTransaction', await sign())).message).toBe(
    'transaction nonce too low',
  );
});

test('filters of a lagging node report a block when the node reaches it', async () => {
  await node.controls.setLag(1);
  const id = await own.call('eth_newBlockFilter');
  await service.controls.mine();
  const first = await own.call('eth_getFilterChanges', id);
  await service.controls.mine();
  const second = await own.call('eth_getFilterChanges', id);
  expect([first.length, second.length]).toEqual([0, 1]);
  expect(second[0]).toBe((await own.call('eth_getBlockByNumber', 'latest', false)).hash);
});

test('evictPending affects one node, and the others still mine the transaction', async () => {
  const hash = await send(own);
  await node.controls.evictPending();
  expect([await known(own, hash), await count(own, 'pending')]).toEqual([null, '0x0']);
  expect((await known(mining, hash)).blockHash).toBe(null);
  await service.controls.mine();
  expect((await receipt(own, hash)).status).toBe('0x1');
});

test('without gossip a node neither relays nor receives transactions', async () => {
  node.controls.setGossip(false);
  const mine = await send(own);
  const theirs = await send(mining, { gasPrice: 70_000_000n });
  expect([await known(mining, mine), await known(own, theirs)]).toEqual([null, null]);
  await service.controls.mine();
  expect(await receipt(own, mine)).toBe(null);
  expect((await receipt(own, theirs)).status).toBe('0x1');
  expect(await count(own, 'latest')).toBe('0x1');
});

test('after a reorganisation every node has the orphaned transactions', async () => {
  const hash = await send(own);
  await service.controls.mine();
  await service.controls.reorg(1, { transactions: 'pending' });
  for (const at of [own, mining]) {
    expect(await receipt(at, hash)).toBe(null);
    expect((await known(at, hash)).blockHash).toBe(null);
  }
  await service.controls.mine();
  expect((await receipt(own, hash)).blockNumber).toBe('0x4');
});

test('a reorganisation deeper than the lag moves every node to the new branch', async () => {
  await node.controls.setLag(1);
  const hash = await send(own);
  await service.controls.mine(2);
  await service.controls.reorg(2);
  const { blockHash } = await receipt(mining, hash);
  expect((await receipt(own, hash)).blockHash).toBe(blockHash);
  expect([await own.call('eth_blockNumber'), await mining.call('eth_blockNumber')]).toEqual(['0x3', '0x4']);
  expect(await count(own, 'pending')).toBe('0x1');
});

test('each node has its own faults', async () => {
  node.controls.overrideTransactionCount((truth) => truth + 1n);
  expect([await count(own, 'latest'), await count(mining, 'latest')]).toEqual(['0x1', '0x0']);
  node.controls.failSends({
    accepted: true,
    reply: { error: { code: -32010, message: 'insufficient funds' } },
  });
  const sent = await sign();
  expect((await own.refusal('eth_sendRawTransaction', sent)).message).toBe('insufficient funds');
  await service.controls.mine();
  expect((await receipt(mining, keccak256(sent))).status).toBe('0x1');
});

test('a hook can forward requests to another node, as a load balancer does', async () => {
  const second = await service.addNode({ lag: 1 });
  const nodes = [node, second];
  let turn = 0;
  service.controls.intercept(async ({ body }) => {
    const { url } = nodes[turn++ % nodes.length] as LocalNode;
    const reply = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    return { status: reply.status, body: await reply.text() };
  });
  const heights = [await mining.call('eth_blockNumber'), await mining.call('eth_blockNumber')];
  expect(heights).toEqual(['0x1', '0x0']);
});

test('a node can be closed alone, and closes with its service', async () => {
  const second = await service.addNode();
  await second.close();
  await expect(clientOf(second).call('eth_chainId')).rejects.toThrow('fetch failed');
  expect(await own.call('eth_chainId')).toBe('0x21');
  await service.close();
  await expect(own.call('eth_chainId')).rejects.toThrow('fetch failed');
  await expect(service.addNode({ lag: -1 })).rejects.toThrow('lag: a whole number of blocks');
});
