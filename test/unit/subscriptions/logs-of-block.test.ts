import { expect, onTestFinished, test, vi } from 'vitest';
import type { Log } from '../../../src/rpc/schema.js';
import { createLogsOf } from '../../../src/subscriptions/logs-of-block.js';
import { address, createSimulatedChain, word } from '../../support/simulated-chain.js';

function setUp() {
  const chain = createSimulatedChain();
  let time = 1_000_000;
  const advance = (milliseconds: number) => {
    time += milliseconds;
  };
  return { chain, advance, logsOf: createLogsOf(chain.service, () => time) };
}

const emitted = { address: address(1), topics: [word(1)] };

test('all logs of a block, for one request however many ask', async () => {
  const { chain, logsOf } = setUp();
  const block = chain.mine(emitted, emitted, { address: address(2) });
  const answers = await Promise.all([logsOf(block), logsOf(block)]);
  expect(await logsOf(block)).toEqual(chain.logsOf(block));
  expect(answers[0]).toBe(answers[1]);
  expect(chain.asked).toEqual([{ method: 'eth_getLogs', params: [{ blockHash: block.hash }] }]);
});

test('logs of a block are in order and each once, by transaction and log index', async () => {
  const { chain, logsOf } = setUp();
  const block = chain.mine(...Array.from({ length: 20 }, () => emitted));
  const logs = chain.logsOf(block);
  chain.intercept(() => [...logs].reverse().concat(logs));
  expect(await logsOf(block)).toEqual(logs);
});

test('two logs of a block with one index are a bad reply', async () => {
  const { chain, logsOf } = setUp();
  const block = chain.mine(emitted, emitted);
  chain.intercept(() => chain.logsOf(block).map((log) => ({ ...log, logIndex: '0x0' })));
  await expect(logsOf(block)).rejects.toMatchObject({ code: -32603 });
});

test('logs that cannot be of this block are rejected, and the next call requests them again', async () => {
  const { chain, logsOf, advance } = setUp();
  const block = chain.mine(emitted);
  const [log] = chain.logsOf(block) as [Log];
  for (const reply of [
    [],
    null,
    {},
    [null],
    [{}],
    [{ ...log, blockHash: word(5) }],
    [{ ...log, blockNumber: '0x9' }],
    [{ ...log, logIndex: null }],
    [{ ...log, address: 5 }],
  ]) {
    chain.intercept(() => structuredClone(reply));
    await expect(logsOf(block)).rejects.toMatchObject({ code: -32603 });
    advance(300_000);
  }
  chain.intercept();
  expect(await logsOf(block)).toEqual([log]);
  // Each once more: another node behind the balancer may know better.
  expect(chain.sent.eth_getLogs).toBe(2 * 9 + 1);
});

test('logs that no node has are requested ever less often, and after a minute the gap is reported', async () => {
  const { chain, logsOf, advance } = setUp();
  const said = vi.fn();
  vi.stubGlobal('reportError', said);
  onTestFinished(() => void vi.unstubAllGlobals());
  const block = chain.mine(emitted);
  chain.intercept((method) => (method === 'eth_getLogs' ? [] : /Receipt/.test(method) ? null : undefined));
  // Each look of a day, 12 s apart.
  for (let look = 0; look < 7_200; look++) {
    if (look < 5) expect(said).not.toHaveBeenCalled();
    await expect(logsOf(block)).rejects.toMatchObject({ code: -32603 });
    advance(12_000);
  }
  expect(said).toHaveBeenCalledOnce();
  expect(said.mock.calls[0]?.[0]).toMatchObject({
    code: -32603,
    message: expect.stringContaining(block.hash),
  });
  expect(chain.sent.eth_getLogs).toBeLessThan(2 * (24 * 12 + 10));
  chain.intercept();
  advance(300_000);
  expect(await logsOf(block)).toHaveLength(1);
});

test('a service that cannot be reached is asked again at once', async () => {
  const { chain, logsOf } = setUp();
  const block = chain.mine(emitted);
  chain.faults.errors = 1;
  for (let look = 0; look < 10; look++) await expect(logsOf(block)).rejects.toMatchObject({ code: -32002 });
  chain.faults.errors = 0;
  expect(await logsOf(block)).toHaveLength(1);
});

test('no logs are fine for a block whose bloom has none', async () => {
  const { chain, logsOf } = setUp();
  expect(await logsOf(chain.mine())).toEqual([]);
});

test('only the latest blocks are remembered', async () => {
  const { chain, logsOf } = setUp();
  const blocks = Array.from({ length: 17 }, () => chain.mine(emitted));
  for (const block of blocks) await logsOf(block);
  await logsOf(blocks[16] as never);
  await logsOf(blocks[0] as never);
  expect(chain.sent.eth_getLogs).toBe(18);
});
