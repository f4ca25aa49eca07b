import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../../packages/kit/src/local/index.js';
import { limitExceeded } from '../../../../src/rpc/core-errors.js';
import { ProviderRpcError } from '../../../../src/rpc/errors.js';
import type { Log } from '../../../../src/rpc/schema.js';
import { createService } from '../../../../src/service/client.js';
import { seedLimits } from '../../../../src/service/logs/limits.js';
import { createLogRanges, type LogRanges } from '../../../../src/service/logs/ranges.js';
import { createNetworks, type Network } from '../../../../src/service/networks.js';
import { alice, sign } from '../../../support/local-client.js';
import { address, createSimulatedChain, type SimulatedChain } from '../../../support/simulated-chain.js';

function setUp(blocks: number): SimulatedChain {
  const chain = createSimulatedChain();
  for (let i = 1; i <= blocks; i++) chain.mine({ address: address(1 + (i % 2)) });
  return chain;
}

const heights = (logs: readonly Log[]) => logs.map(({ blockNumber }) => Number(blockNumber));
const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);

/** Refuses, as a service does that takes `most` logs at once. */
function limit(chain: SimulatedChain, most: number): void {
  chain.intercept((method, [filter]) => {
    const { fromBlock, toBlock } = (filter ?? {}) as { fromBlock: string; toBlock: string };
    if (method === 'eth_getLogs' && Number(toBlock) - Number(fromBlock) >= most)
      throw limitExceeded('too many logs', { reason: 'range-too-large' });
    return undefined;
  });
}

test('the wanted logs of a range that fits, in one request', async () => {
  const chain = setUp(50);
  const logs = await createLogRanges(chain.service).read({ address: address(1) }, 11, 20);
  expect(logs).toEqual(
    chain
      .canonical()
      .slice(11, 21)
      .flatMap(chain.logsOf)
      .filter((log) => log.address === address(1)),
  );
  expect(chain.asked).toEqual([
    { method: 'eth_getLogs', params: [{ fromBlock: '0xb', toBlock: '0x14', address: address(1) }] },
  ]);
});

test('a refused range is read in pieces, in order, each log once', async () => {
  const chain = setUp(300);
  limit(chain, 30);
  const ranges = createLogRanges(chain.service, { limits: { ...seedLimits(), always: 30, logs: 30 } });
  expect(heights(await ranges.read({}, 1, 300))).toEqual(upTo(300));
});

test('a service that takes less than the seed says is asked for less from then on', async () => {
  const chain = setUp(200);
  limit(chain, 20);
  const ranges = createLogRanges(chain.service);
  expect(heights(await ranges.read({}, 1, 200))).toEqual(upTo(200));
  const before = chain.sent.eth_getLogs as number;
  expect(heights(await ranges.read({}, 1, 200))).toEqual(upTo(200));
  expect((chain.sent.eth_getLogs as number) - before).toBeLessThan(before);
});

test('exactly as many logs as the limit may be a cut answer, and is read again in pieces', async () => {
  const chain = setUp(100);
  const cut = chain.canonical().slice(1).flatMap(chain.logsOf).slice(0, 50);
  chain.intercept((method, [filter]) => {
    const { fromBlock, toBlock } = (filter ?? {}) as { fromBlock: string; toBlock: string };
    return method === 'eth_getLogs' && Number(toBlock) - Number(fromBlock) >= 50 ? cut : undefined;
  });
  const ranges = createLogRanges(chain.service, { limits: { ...seedLimits(), logs: 50 } });
  expect(heights(await ranges.read({}, 1, 100))).toEqual(upTo(100));
});

test('a reorganisation while the pieces are read: all of it is of one chain', async () => {
  const chain = setUp(120);
  const ranges = createLogRanges(chain.service, { limits: { ...seedLimits(), always: 20, logs: 20 } });
  let asked = 0;
  chain.intercept((method, [filter]) => {
    const { fromBlock, toBlock } = (filter ?? {}) as { fromBlock: string; toBlock: string };
    if (method !== 'eth_getLogs') return undefined;
    if (++asked === 5) chain.reorg(60, ...upTo(60).map((i) => [{ address: address(3 + (i % 2)) }]));
    if (Number(toBlock) - Number(fromBlock) >= 20)
      throw limitExceeded('too many logs', { reason: 'range-too-large' });
    return undefined;
  });
  expect(await ranges.read({}, 1, 120)).toEqual(chain.canonical().slice(1).flatMap(chain.logsOf));
});

test('signal and onProgress', async () => {
  const chain = setUp(100);
  limit(chain, 10);
  const ranges = createLogRanges(chain.service, { limits: { ...seedLimits(), always: 10, logs: 10 } });
  const seen: LogRanges.Progress[] = [];
  await ranges.read({}, 1, 100, { onProgress: (progress) => seen.push(progress) });
  expect(seen.at(-1)).toEqual({ read: 100, blocks: 100 });
  expect(seen.map(({ read }) => read)).toEqual([...seen.map(({ read }) => read)].sort((a, b) => a - b));

  const stop = new AbortController();
  const before = chain.requests();
  const reading = ranges.read({}, 1, 100, { signal: stop.signal, onProgress: () => stop.abort() });
  await expect(reading).rejects.toThrow();
  expect(chain.requests() - before).toBeLessThan(10);
});

test('one block that is too much, and other failures, reach the caller', async () => {
  const chain = setUp(3);
  const ranges = createLogRanges(chain.service);
  chain.intercept((method) => {
    if (method === 'eth_getLogs') throw limitExceeded('too much', { reason: 'range-too-large' });
    return undefined;
  });
  await expect(ranges.read({}, 1, 3)).rejects.toMatchObject({ code: -32005, message: 'too much' });
  chain.intercept(() => {
    throw new ProviderRpcError(-32002, 'gone');
  });
  await expect(ranges.read({}, 1, 3)).rejects.toMatchObject({ code: -32002 });
});

let local: LocalService;

beforeAll(async () => {
  local = await createLocalService({ dialect: 'node', timeout: 60_000 });
  await local.controls.faucet(alice.address);
});
afterAll(() => local?.close());

test('over the node’s dialect, which takes 5,001 blocks at once', async () => {
  const service = createService({ network: createNetworks([{ chainId: 33, url: local.url }])[0] as Network });
  const hashes: unknown[] = [];
  for (let nonce = 0; nonce < 3; nonce++) {
    const raw = await sign({ nonce, to: null, data: logging, gas: 100_000n });
    hashes.push(await service.request('eth_sendRawTransaction', [raw]));
    await local.controls.mine(2_000);
  }
  const head = Number(await service.request('eth_blockNumber', []));
  const ranges = createLogRanges(service);
  const read = async () =>
    (await ranges.read({ topics: [] }, 0, head)).filter(({ topics }) => topics.length === 0);
  local.requests.clear();
  expect((await read()).map(({ transactionHash }) => transactionHash)).toEqual(hashes);
  const first = local.requests.count('eth_getLogs');
  local.requests.clear();
  await read();
  // The refusal has named the limit.
  expect(local.requests.count('eth_getLogs')).toBeLessThan(first);
});

/** Init code that writes one log without topics or data. */
const logging = '0x60006000a000';
