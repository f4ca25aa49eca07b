import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Log } from '../../../src/index.js';
import { sign } from '../../support/local-client.js';
import { openPage, type Page } from './page.js';

/** Init code that writes one log without topics or data. */
const logging = '0x60006000a000';
const most = 20;
const blocks = 90;

describe('eth_getLogs of more than the service gives at once', () => {
  let page: Page;
  const sent: string[] = [];

  beforeAll(async () => {
    page = await openPage({ dialect: 'node' });
    for (let nonce = 0; nonce < 9; nonce++) {
      const raw = await sign({ chainId: 31, nonce, to: null, data: logging, gas: 100_000n });
      sent.push(await page.request('eth_sendRawTransaction', raw));
      await page.service.controls.mine(blocks / 9 - 1);
    }
  });
  afterAll(() => page?.stop());
  afterEach(() => page.service.controls.clearFaults());

  /** As a service that takes fewer blocks. */
  function limit(): void {
    page.service.controls.intercept(async ({ calls: [call] }) => {
      const [filter] = (call?.params ?? []) as { fromBlock?: string; toBlock?: string }[];
      if (call?.method !== 'eth_getLogs' || !filter) return undefined;
      if (Number(filter.toBlock) - Number(filter.fromBlock) < most) return undefined;
      const error = { code: -32012, message: `Cannot query more than ${most} blocks at once` };
      return { body: JSON.stringify({ jsonrpc: '2.0', id: call.id, error }) };
    });
  }

  const range = { fromBlock: '0x0', toBlock: 'latest', address: [] as string[], topics: [] };
  const ours = (logs: readonly Log[]) =>
    logs.filter(({ topics }) => topics.length === 0).map(({ transactionHash }) => transactionHash);
  const whole = { fromBlock: '0x0', toBlock: `0x${(blocks + 5).toString(16)}` };

  test('a wide range is read in pieces, in order, each log once', async () => {
    limit();
    expect(ours(await page.request('eth_getLogs', whole))).toEqual(sent);
  });

  test('filter: to the latest block, and of one address', async () => {
    limit();
    const { fromBlock, toBlock } = range;
    const all: Log[] = await page.request('eth_getLogs', { fromBlock, toBlock });
    expect(ours(all)).toEqual(sent);
    const one = all.find(({ topics }) => topics.length === 0);
    expect(await page.request('eth_getLogs', { fromBlock, toBlock, address: one?.address })).toEqual([one]);
  });

  test('one request where the whole range fits', async () => {
    const asked = await page.askedDuring(async () => {
      expect(ours(await page.request('eth_getLogs', { ...whole, topics: [] }))).toEqual(sent);
    });
    expect(asked).toEqual(['eth_getLogs']);
  });

  test('signal and onProgress', async () => {
    limit();
    const stop = new AbortController();
    const seen: number[] = [];
    const onProgress = ({ read }: { read: number }) => {
      if (seen.push(read) === 2) stop.abort();
    };
    const request = { method: 'eth_getLogs', params: [whole] };
    const reading = page.wallet.provider.request(request, { signal: stop.signal, onProgress });
    await expect(reading).rejects.toMatchObject({ code: expect.any(Number) });
    expect(seen.length).toBeLessThan(6);
  });

  test('another refusal than of too much reaches the page', async () => {
    page.service.controls.intercept(async ({ calls: [call] }) =>
      call?.method === 'eth_getLogs'
        ? {
            body: JSON.stringify({
              jsonrpc: '2.0',
              id: call.id,
              error: { code: -32602, message: 'invalid block hash' },
            }),
          }
        : undefined,
    );
    await expect(page.request('eth_getLogs', whole)).rejects.toMatchObject({ code: -32602 });
  });
});
