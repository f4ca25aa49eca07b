import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { Log } from '../../../src/rpc/schema.js';
import { createService } from '../../../src/service/client.js';
import { queryLogs } from '../../../src/service/logs/query.js';
import { createLogRanges } from '../../../src/service/logs/ranges.js';
import { createNetworks, type Network } from '../../../src/service/networks.js';
import { alice, sign } from '../../support/local-client.js';
import { rejection } from './support.js';

/** Ranges of logs on services that accept fewer blocks per request, each with its own words for it. */

/** Init code that writes one log without topics or data. */
const logging = '0x60006000a000';
const blocks = 1_200;
let local: LocalService;
const sent: unknown[] = [];

beforeAll(async () => {
  local = await createLocalService({ dialect: 'node', mining: 'manual', timeout: 60_000 });
  await local.controls.faucet(alice.address);
  const service = createService({ network: networkOf() });
  for (let nonce = 0; nonce < 6; nonce++) {
    const raw = await sign({ nonce, to: null, data: logging, gas: 100_000n });
    sent.push(await service.request('eth_sendRawTransaction', [raw]));
    await local.controls.mine(blocks / 6);
  }
}, 60_000);
afterAll(() => local?.close());
afterEach(() => local.controls.clearFaults());

const networkOf = () => createNetworks([{ chainId: 33, url: local.url }])[0] as Network;

interface Gateway {
  readonly code: number;
  readonly status?: number;
  readonly says: (from: number, to: number) => string;
  /** Data of the error. */
  readonly data?: unknown;
  readonly most: number;
}

/** From now on the service refuses wider ranges as this gateway does. */
function serve({ code, status = 200, says, data, most }: Gateway): void {
  local.requests.clear();
  local.controls.intercept(({ calls: [call] }) => {
    const [filter] = (call?.params ?? []) as { fromBlock?: string; toBlock?: string }[];
    if (call?.method !== 'eth_getLogs' || !filter) return undefined;
    const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)];
    if (to - from < most) return undefined;
    const error = { code, message: says(from, to), ...(data !== undefined && { data }) };
    return { status, body: JSON.stringify({ jsonrpc: '2.0', id: call.id, error }) };
  });
}

/** Asks for the first `count` blocks as a page does that has not asked before. */
function ask(count: number): Promise<readonly Log[]> {
  const service = createService({ network: networkOf() });
  const ranges = createLogRanges(service);
  const filter = { fromBlock: '0x0', toBlock: `0x${(count - 1).toString(16)}` } as const;
  return queryLogs(service, filter, { ranges: async () => ranges });
}

const ours = (logs: readonly Log[]) =>
  logs.filter(({ topics }) => topics.length === 0).map(({ transactionHash }) => transactionHash);

// biome-ignore format: one row, one line
const named: readonly [service: string, gateway: Gateway][] = [
  ['dRPC', { code: 35, status: 400, says: () => 'ranges over 500 blocks are not supported on freetier', most: 500 }],
  ['Tatum', { code: -32005, says: () => 'Requested range is over limit of 100', most: 100 }],
  ['Alchemy, free', { code: -32600, status: 400, says: (from) => `Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x${from.toString(16)}, 0x${(from + 9).toString(16)}]`, most: 10 }],
  ['QuickNode', { code: -32614, status: 413, says: () => 'eth_getLogs is limited to a 100 range', most: 100 }],
  ['Infura', { code: -32602, says: (from, to) => `range ${to - from} exceeds limit of 100`, most: 100 }],
  ['Tenderly', { code: -32602, status: 400, says: () => 'invalid params', data: { payload: 'range 9009594 is bigger than range limit 100' }, most: 100 }],
  ['a chain node', { code: -32000, says: (from, to) => `requested too many blocks from ${from} to ${to}, maximum is set to 100`, most: 100 }],
];

// biome-ignore format: one row, one line
const unnamed: readonly [service: string, gateway: Gateway][] = [
  ['Ankr', { code: -32062, says: () => 'Block range is too large', most: 100 }],
  ['another', { code: -32600, says: () => 'block range too high', most: 7 }],
  ['one that answers HTTP 403', { code: -32000, status: 403, says: () => 'Block range limit exceeded. See https://docs.example/limits#evm-range-limits', most: 60 }],
];

describe.each(named)('%s, which names its limit', (_, gateway) => {
  test('all logs, for two requests more than its limit makes necessary', async () => {
    serve(gateway);
    expect(ours(await ask(blocks))).toEqual(sent);
    expect(local.requests.count('eth_getLogs')).toBeLessThanOrEqual(Math.ceil(blocks / gateway.most) + 2);
  });
});

describe.each(unnamed)('%s, which names none', (_, gateway) => {
  test('all logs, for 15 requests more than twice those that its limit makes necessary', async () => {
    serve(gateway);
    expect(ours(await ask(blocks))).toEqual(sent);
    const fewest = Math.ceil(blocks / gateway.most);
    expect(local.requests.count('eth_getLogs')).toBeLessThanOrEqual(2 * fewest + 15);
  });
});

test('a service that refuses even a single block is asked 16 times, and its own message is the error', async () => {
  serve({ code: -32000, says: () => 'Block range is not what we like today', most: 0 });
  expect(await rejection(ask(blocks))).toMatchObject({
    code: -32005,
    message: 'Block range is not what we like today',
  });
  expect(local.requests.count('eth_getLogs')).toBeLessThanOrEqual(16);
});

test('after a refusal that does not mention a range, no smaller ranges are tried', async () => {
  serve({ code: -32000, says: () => 'something is wrong', most: 0 });
  expect(await rejection(ask(blocks))).toMatchObject({ code: -32000, message: 'something is wrong' });
  expect(local.requests.count('eth_getLogs')).toBe(1);
});

test('a range that needs more than 1,000 additional requests is refused, and the message says what to do', async () => {
  serve({ code: -32600, says: () => 'up to a 1 block range', most: 1 });
  const refusal = await rejection(ask(blocks));
  expect(refusal).toMatchObject({ code: -32005, data: { reason: 'range-too-large' } });
  expect(refusal.message).toMatch(/at most 1 block at once.*1201 requests.*fewer blocks/);
  expect(local.requests.count('eth_getLogs')).toBe(1);
  expect(ours(await ask(400))).toEqual(sent.slice(0, 2));
});
