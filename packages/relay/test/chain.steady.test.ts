import { expect, onTestFinished, test } from 'vitest';
import { createBalancedNodes, type NodeBlock } from '../../../test/support/balanced-nodes.js';
import { createFakeClock } from '../../../test/support/fake-clock.js';
import { createRandom } from '../../../test/support/random.js';
import { word } from '../../../test/support/simulated-chain.js';
import { createRelayChain } from '../src/chain.js';
import { createInProcessEngine } from '../src/engines/in-process.js';
import { JsonText } from '../src/json-text.js';

/** A relay in front of two nodes behind one URL, the second of which is `lag` blocks behind. */
function setUp(lag: number) {
  const nodes = createBalancedNodes();
  nodes.grow(10, { transactions: [1] });
  const time = createFakeClock();
  const charged: string[] = [];
  const chain = createRelayChain({
    chainId: 33,
    urls: ['https://node.example/k3y-Planted0123456789'],
    // It would wait by the true clock.
    requestsPerSecond: null,
    clock: time.clock,
    quotaStore: createInProcessEngine().quotaStore,
    fetch: async (_url, init) => {
      const { id, method, params } = JSON.parse(`${init?.body}`);
      try {
        return Response.json({ jsonrpc: '2.0', id, result: await nodes.service.request(method, params) });
      } catch (error) {
        const { code, message } = error as { code: number; message: string };
        return Response.json({ jsonrpc: '2.0', id, error: { code, message } });
      }
    },
  });
  onTestFinished(chain.close);
  let transactions = 100;
  const mine = () => {
    transactions += 1;
    nodes.tips[0] = nodes.mine(nodes.tips[0], { transactions: [transactions], logs: [1] });
    nodes.tips[1] = nodes.chainOf(nodes.tips[0]).at(-1 - lag) as NodeBlock;
    return transactions;
  };
  const ask = (method: string, params: readonly unknown[]) =>
    chain
      .request(method, params, { onRequest: () => void charged.push(method) })
      .then(({ result }) => (result instanceof JsonText ? JSON.parse(result.text) : result));
  return { nodes, time, mine, ask, charged };
}

test.each([0, 1, 2])(
  'three clients of a relay, one of whose nodes is %d blocks behind, see one chain',
  async (lag) => {
    const { nodes, time, mine, ask } = setUp(lag);
    const random = createRandom(lag + 1);
    nodes.route(() => Math.floor(random() * 2));
    const wrong: string[] = [];
    /** What any client was shown is shown to all. */
    let top = 0;
    const placed = new Set<number>();
    let newest = mine();
    for (let step = 0; step < 60; step++) {
      if (step % 4 === 0) newest = mine();
      const reads = [0, 1, 2].map(async () => {
        const before = top;
        const wasPlaced = placed.has(newest);
        const height = Number(await ask('eth_blockNumber', []));
        const head = (await ask('eth_getBlockByNumber', ['latest', false])) as NodeBlock;
        const readReceipt = () => ask('eth_getTransactionReceipt', [word(newest)]);
        // Where chance has the node that is behind answer each time, the error says to try again.
        const receipt = await readReceipt().catch((error) => {
          if (error.data.reason !== 'behind') throw error;
          return readReceipt();
        });
        if (height < before) wrong.push(`number ${height} after ${before}`);
        if (Number(head.number) < height) wrong.push(`latest ${Number(head.number)} after ${height}`);
        if (wasPlaced && receipt === null) wrong.push(`no receipt of ${newest}`);
        if (receipt !== null) placed.add(newest);
        top = Math.max(top, height, Number(head.number));
      });
      await time.until(Promise.all(reads));
      await time.advance(400);
    }
    expect(wrong).toEqual([]);
    expect(top).toBeGreaterThan(Number(nodes.tips[0]?.number) - 4);
    expect(placed.size).toBeGreaterThan(5);
  },
);

test('a client is charged for what its read takes to settle', async () => {
  const { nodes, time, mine, ask, charged } = setUp(1);
  const transaction = mine();
  nodes.route([0]);
  await time.until(ask('eth_getBlockByNumber', ['latest', false]));
  charged.length = 0;
  nodes.asked.length = 0;
  nodes.route([1, 1, 0]);
  await time.until(ask('eth_getTransactionReceipt', [word(transaction)]));
  expect(nodes.asked.length).toBeGreaterThan(2);
  expect(charged).toHaveLength(nodes.asked.length);
});

test.each(['eth_getBalance', 'eth_getTransactionCount'])(
  '%s at a shown block is read again where a node that is behind says null',
  async (method) => {
    const { nodes, time, mine, ask } = setUp(1);
    mine();
    const { number } = nodes.tips[0] as NodeBlock;
    await time.until(ask('eth_getBlockByNumber', ['latest', false]));
    // As the service is described; the node itself has an error.
    nodes.intercept((_method, [, selector], node) =>
      node === 1 && selector === number ? 'null' : undefined,
    );
    nodes.route([1, 0]);
    expect(await time.until(ask(method, [nodes.account, number]))).toBe(number);
    nodes.intercept(() => 'null');
    expect(await time.until(ask(method, [nodes.account, '0xffff']))).toBeNull();
  },
);
