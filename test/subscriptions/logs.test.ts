import { expect, test } from 'vitest';
import type { Log } from '../../src/rpc/schema.js';
import { createDelivered, createLogsOf } from '../../src/subscriptions/logs.js';
import { address, createSimulatedChain, word } from '../chain/simulated-chain.js';

function setUp() {
  const chain = createSimulatedChain();
  return { chain, logsOf: createLogsOf(chain.service) };
}

const emitted = { address: address(1), topics: [word(1)] };

test('default: all logs of a block, for one request however many ask', async () => {
  const { chain, logsOf } = setUp();
  const block = chain.mine(emitted, emitted, { address: address(2) });
  const answers = await Promise.all([logsOf(block), logsOf(block)]);
  expect(await logsOf(block)).toEqual(chain.logsOf(block));
  expect(answers[0]).toBe(answers[1]);
  expect(chain.asked).toEqual([{ method: 'eth_getLogs', params: [{ blockHash: block.hash }] }]);
});

test('behavior: in order and each once, as the transaction and log index say', async () => {
  const { chain, logsOf } = setUp();
  const block = chain.mine(...Array.from({ length: 20 }, () => emitted));
  const logs = chain.logsOf(block);
  chain.intercept(() => [...logs].reverse().concat(logs));
  expect(await logsOf(block)).toEqual(logs);
});

test('behavior: logs of two transactions that share an index are two (nodes before LOVELL-7.2.0)', async () => {
  const { chain, logsOf } = setUp();
  const block = chain.mine(emitted, emitted);
  chain.intercept(() => chain.logsOf(block).map((log) => ({ ...log, logIndex: '0x0' })));
  expect(await logsOf(block)).toHaveLength(2);
});

test('error: an answer that cannot be that of this block, and the next is asked for anew', async () => {
  const { chain, logsOf } = setUp();
  const block = chain.mine(emitted);
  const [log] = chain.logsOf(block) as [Log];
  for (const reply of [
    [],
    null,
    {},
    [null],
    [{}],
    [{ ...log, blockHash: word(5) }],
    [{ ...log, logIndex: null }],
    [{ ...log, address: 5 }],
  ]) {
    chain.intercept(() => structuredClone(reply));
    await expect(logsOf(block)).rejects.toMatchObject({ code: -32603 });
  }
  chain.intercept();
  expect(await logsOf(block)).toEqual([log]);
  // Each once more: another node behind the balancer may know better.
  expect(chain.sent.eth_getLogs).toBe(2 * 8 + 1);
});

test('behavior: no logs are fine for a block whose bloom has none', async () => {
  const { chain, logsOf } = setUp();
  expect(await logsOf(chain.mine())).toEqual([]);
});

test('behavior: only the latest blocks are remembered', async () => {
  const { chain, logsOf } = setUp();
  const blocks = Array.from({ length: 17 }, () => chain.mine(emitted));
  for (const block of blocks) await logsOf(block);
  await logsOf(blocks[16] as never);
  await logsOf(blocks[0] as never);
  expect(chain.sent.eth_getLogs).toBe(18);
});

test('behavior: what was delivered is taken back newest first, once, as deep as the ring', () => {
  const { chain } = setUp();
  const delivered = createDelivered(2);
  const blocks = Array.from({ length: 3 }, () => chain.mine(emitted, emitted));
  for (const block of blocks) delivered.add(block, chain.logsOf(block));
  const [first, , last] = blocks as [never, never, never];
  const [a, b] = chain.logsOf(last) as [Log, Log];
  expect(delivered.takeBack(last)).toEqual([
    { ...b, removed: true },
    { ...a, removed: true },
  ]);
  expect(delivered.takeBack(last)).toEqual([]);
  expect(delivered.takeBack(first)).toEqual([]);
});
