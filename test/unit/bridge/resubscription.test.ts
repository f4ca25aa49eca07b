import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createMemoryStorage, createVolatileMemory, createWallet } from '../../../src/index.js';
import { type Bridged, bridgeTo } from '../../support/bridged.js';
import { createFakeNode, type FakeNode } from '../../support/fake-node.js';
import { origin, plantedSession } from '../../support/keys.js';
import { createRandom } from '../../support/random.js';
import { until } from '../../support/until.js';

const contract = `0x${'c0'.repeat(20)}`;

let node: FakeNode;
let bridged: Bridged;
beforeAll(async () => {
  node = await createFakeNode(31);
});
afterAll(() => node.stop());
afterEach(() => bridged.stop());

function open(): Bridged {
  const storage = createMemoryStorage();
  const memory = createVolatileMemory();
  memory.write(plantedSession(origin));
  bridged = bridgeTo({
    origin,
    make: () =>
      createWallet({
        networks: [
          { chainId: 31, url: node.url },
          { chainId: 30, url: node.url },
        ],
        ...{ origin, storage, memory, pollingInterval: 20 },
      }),
  });
  return bridged;
}

/** Mines a block with one log. */
function mine(): string {
  const number = `0x${(Number(node.chain.blocks.at(-1)?.number) + 1).toString(16)}`;
  const logs: object[] = [];
  const block = node.chain.mine({ logs });
  logs.push({
    ...{ address: contract, topics: [], data: '0x', removed: false, blockNumber: number },
    ...{ blockHash: block.hash, logIndex: '0x0', transactionIndex: '0x0', transactionHash: block.hash },
  });
  return block.hash;
}

const resultsOf = (id: unknown): readonly { hash?: string; blockHash?: string; removed?: boolean }[] =>
  bridged.events
    .filter(({ name }) => name === 'message')
    .map(({ payload }) => (payload as { data: { subscription: string; result: object } }).data)
    .filter(({ subscription }) => subscription === id)
    .map(({ result }) => result);

test('headers and logs lose and repeat nothing over a wallet that dies again and again, under the same ids', async () => {
  const { request, crash } = open();
  const heads = await request('eth_subscribe', ['newHeads']);
  const logs = await request('eth_subscribe', ['logs', { address: contract }]);
  const random = createRandom(12);
  const mined: string[] = [];
  for (let round = 0; round < 12; round++) {
    for (let count = 1 + Math.floor(random() * 3); count > 0; count--) mined.push(mine());
    // Before, amid or after the delivery.
    await new Promise((resolve) => setTimeout(resolve, random() * 120));
    crash();
    if (random() < 0.5) mined.push(mine());
    await request('eth_blockNumber');
  }
  await until(() => resultsOf(heads).length >= mined.length && resultsOf(logs).length >= mined.length);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(resultsOf(heads).map(({ hash }) => hash)).toEqual(mined);
  expect(resultsOf(logs).map(({ blockHash }) => blockHash)).toEqual(mined);
  expect(bridged.generations()).toBe(13);
});

test('a subscription that was ended, or that the chain has ended, does not come back', async () => {
  const { request, crash } = open();
  const ended = await request('eth_subscribe', ['newHeads']);
  const kept = await request('eth_subscribe', ['newHeads']);
  expect(await request('eth_unsubscribe', [ended])).toBe(true);
  expect(await request('eth_unsubscribe', [ended])).toBe(false);
  crash();
  await request('eth_blockNumber');
  const hash = mine();
  await until(() => resultsOf(kept).length > 0);
  expect(resultsOf(kept)).toMatchObject([{ hash }]);
  expect(resultsOf(ended)).toEqual([]);
  bridged.wallet().switchChain(30);
  await until(() => bridged.provider.chainId === '0x1e');
  crash();
  await request('eth_blockNumber');
  mine();
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(resultsOf(kept)).toHaveLength(1);
  expect(await request('eth_unsubscribe', [kept])).toBe(false);
});

test('the name that the page has given stays, others are of this page only', async () => {
  const { request } = open();
  await request('eth_subscribe', ['logs', { resume: 'mine' }]);
  await request('eth_subscribe', ['logs', { address: contract }]);
  const sent = bridged.messages.flatMap(({ message }) => {
    const { method, json } = message as { method?: string; json?: string };
    return method === 'eth_subscribe'
      ? [(JSON.parse(json as string) as [string, { resume: string }])[1]]
      : [];
  });
  expect(sent).toEqual([
    { resume: 'mine' },
    { address: contract, resume: expect.stringMatching(/^~[0-9a-f]{32}$/) },
  ]);
});
