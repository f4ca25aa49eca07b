import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ProviderRpcError } from '../../../../src/rpc/errors.js';
import { seedLimits } from '../../../../src/service/logs/limits.js';
import { queryLogs } from '../../../../src/service/logs/query.js';
import { createLogRanges } from '../../../../src/service/logs/ranges.js';
import type { Service } from '../../../../src/service/service.js';
import { timeOf } from '../../../support/outages.js';
import { clientOf } from '../support.js';

/** A range of logs for which the service fails in any way, and not by a refusal, is read in narrower ones. */

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const quantity = (value: number) => `0x${value.toString(16)}` as const;
const hash = (height: number) => `0x${height.toString(16).padStart(64, '0')}`;
const reply = (id: number, result: unknown) => Response.json({ jsonrpc: '2.0', id, result });
const error = (id: number, code: number, message: string, status = 200) =>
  Response.json({ jsonrpc: '2.0', id, error: { code, message } }, { status });
/** A body that breaks off. */
const cutBody = () =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"result":['));
        controller.error(new TypeError('terminated'));
      },
    }),
  );

const failures: Record<string, (id: number) => Response | Promise<Response>> = {
  'HTTP 504 of a gateway': () => new Response('<html>504</html>', { status: 504 }),
  'HTTP 502': () => new Response('', { status: 502 }),
  'HTTP 500 with an error': (id) => error(id, -32603, 'Internal error', 500),
  'HTTP 413': () => new Response('', { status: 413 }),
  'HTTP 400 with HTML': () => new Response('<html>', { status: 400 }),
  'a reset': () => Promise.reject(new TypeError('fetch failed')),
  'a body that breaks off': cutBody,
  'a cut JSON': () => new Response('{"jsonrpc":"2.0","id":1,"result":[{'),
  'an empty body': () => new Response(''),
  '{}': () => new Response('{}'),
  'null in place of the logs': (id) => reply(id, null),
  'an object in place of the logs': (id) => reply(id, {}),
  'a time limit of a proxy': (id) =>
    error(id, -32000, 'permanent error forwarding request context deadline exceeded'),
  'an unknown error': (id) => error(id, -32603, 'Internal server error'),
  'please retry': (id) => error(id, 19, 'Temporary internal error. Please retry'),
  'no answer': () => new Promise<Response>(() => {}),
};

/** A chain of 8,000 blocks with a log in each hundredth; a range of more than `widest` blocks fails, or of the block `bad`. */
function rig(fail: (id: number) => Response | Promise<Response>, widest: number, bad = -1) {
  const widths: number[] = [];
  const fetch = (async (_url: unknown, init?: RequestInit) => {
    const { id, method, params } = JSON.parse(init?.body as string);
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (method === 'eth_chainId') return reply(id, '0x1f');
    if (method === 'eth_blockNumber') return reply(id, quantity(7_999));
    if (method === 'eth_getBlockByNumber') {
      const height = params[0] === 'latest' ? 7_999 : Number(params[0]);
      return reply(id, {
        number: quantity(height),
        hash: hash(height),
        parentHash: hash(height - 1),
        transactions: [],
      });
    }
    const [from, to] = [Number(params[0].fromBlock), Math.min(7_999, Number(params[0].toBlock))];
    widths.push(to - from + 1);
    if (to - from + 1 > widest || (from <= bad && bad <= to)) return fail(id);
    const logs = [];
    for (let at = Math.ceil(from / 100) * 100; at <= to; at += 100)
      logs.push({
        address: `0x${'11'.repeat(20)}`,
        topics: [],
        data: '0x',
        blockNumber: quantity(at),
        blockHash: hash(at),
        transactionHash: hash(at + 1),
        transactionIndex: '0x0',
        logIndex: '0x0',
      });
    return reply(id, logs);
  }) as typeof globalThis.fetch;
  const service = clientOf('http://127.0.0.1:1/', { fetch, backoff: 100, deadline: 10_000 });
  const limits = seedLimits();
  const ranges = createLogRanges(service, { limits });
  const query = (from: number, to: number) =>
    queryLogs(service, { fromBlock: quantity(from), toBlock: quantity(to) }, { ranges: async () => ranges });
  return { query, ranges, widths, limits };
}

describe.each(Object.entries(failures))('%s', (_name, fail) => {
  test('a range that is too wide is read in parts', async () => {
    const { query, widths } = rig(fail, 1_000);
    const logs = query(0, 5_999);
    await timeOf(logs);
    expect((await logs).map(({ blockNumber }) => Number(blockNumber))).toEqual(
      Array.from({ length: 60 }, (_, at) => at * 100),
    );
    expect(widths.length).toBeLessThan(30);
  });

  test('a block that fails in every range is read in another way, and the others by ranges', async () => {
    const { ranges, widths, limits } = rig(fail, 8_000, 500);
    const alone: number[] = [];
    const readBlock = async (height: number) => {
      alone.push(height);
      return [];
    };
    const logs = ranges.read({}, 0, 1_023, { whole: true, readBlock });
    await vi.advanceTimersByTimeAsync(200_000);
    expect((await logs).map(({ blockNumber }) => Number(blockNumber))).toEqual(
      [0, 1, 2, 3, 4, 6, 7, 8, 9, 10].map((at) => at * 100),
    );
    // A block beside it may be asked for while the endpoint counts as failing.
    expect(alone).toContain(500);
    expect(alone.length).toBeLessThanOrEqual(3);
    expect(limits).toEqual(seedLimits());
    expect(widths.length).toBeLessThan(80);
  });

  test('where one block fails too, the error is that of the service, and no limit is learnt', async () => {
    const { query, widths, limits } = rig(fail, 0);
    const logs = query(0, 5_999).catch((each: ProviderRpcError) => each);
    await timeOf(logs, 600_000);
    expect(await logs).toBeInstanceOf(Error);
    expect((await logs) as ProviderRpcError).not.toHaveProperty('data.reason', 'range-too-large');
    expect(limits).toEqual(seedLimits());
    expect(widths.length).toBeLessThan(80);
  });
});

test('in an outage the range waits, and is not split', async () => {
  let out = true;
  const asked: string[] = [];
  const service = clientOf('http://127.0.0.1:1/', {
    backoff: 100,
    deadline: 10_000,
    fetch: (async (_url: unknown, init?: RequestInit) => {
      const { id, method, params } = JSON.parse(init?.body as string);
      asked.push(method === 'eth_getLogs' ? `${params[0].fromBlock} ${params[0].toBlock}` : method);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return out ? new Response('', { status: 503 }) : reply(id, method === 'eth_getLogs' ? [] : '0x1f');
    }) as typeof globalThis.fetch,
  });
  setTimeout(() => {
    out = false;
  }, 3_000);
  const logs = queryLogs(
    service,
    { fromBlock: '0x1', toBlock: '0x64' },
    { ranges: async () => createLogRanges(service) },
  );
  expect(await timeOf(logs)).toBeLessThan(5_000);
  expect(await logs).toEqual([]);
  expect(new Set(asked)).toEqual(new Set(['0x1 0x64', 'eth_chainId']));
  expect(asked.length).toBeLessThan(12);
});

test.each(Array.from({ length: 24 }, (_, at) => at))(
  'a range of which one part is refused while others are answered in the same turn fails, %d microtasks later',
  async (later) => {
    vi.useRealTimers();
    const waiting: (() => void)[] = [];
    const widths: number[] = [];
    const refuse = async (reject: (error: unknown) => void) => {
      for (let i = 0; i < later; i++) await undefined;
      reject(new ProviderRpcError(-32000, 'refused'));
    };
    const service = {
      request: (_method: string, [filter]: readonly [{ fromBlock: string; toBlock: string }]) =>
        new Promise((resolve, reject) => {
          const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)];
          widths.push(to - from + 1);
          waiting.push(() => {
            if (to - from >= 10) reject(new ProviderRpcError(-32005, 'range', { reason: 'range-too-large' }));
            else if (from === 10) void refuse(reject);
            else resolve([]);
          });
          if (waiting.length > 1) return;
          setImmediate(() => {
            for (const answer of waiting.splice(0)) answer();
          });
        }),
    } as unknown as Service;
    const limits = { ...seedLimits(), always: 10 };
    const head = { state: () => ({ height: 10_000 }) } as never;
    const read = createLogRanges(service, { limits, head }).read({}, 0, 59);
    await expect(read).rejects.toMatchObject({ code: -32000 });
    expect(widths.filter((width) => width <= 10).length).toBeGreaterThan(2);
  },
);
