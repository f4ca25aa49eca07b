import { describe, expect, test } from 'vitest';
import { headless } from '../../../packages/kit/src/testing/index.js';
import { openWallet } from '../../support/open-wallet.js';

/** What mutations have found, each in its smallest form. No service is needed: nothing of it is asked. */

const { provider } = openWallet({
  networks: [{ chainId: 31, url: 'http://127.0.0.1:9/none' }],
  approver: () => headless({}),
});
const request = provider.request as (args: unknown, settings?: unknown) => Promise<unknown>;
const bite = () => {
  throw new Error('the page bites');
};

describe('options that cannot be read', () => {
  test.each([
    ['a getter that throws', Object.defineProperty({}, 'signal', { get: bite, enumerable: true })],
    ['a proxy that throws', new Proxy({}, { ownKeys: bite })],
    ['a signal whose prototype cannot be asked', { signal: new Proxy({}, { getPrototypeOf: bite }) }],
  ])('%s', async (_, settings) => {
    await expect(request({ method: 'eth_blockNumber' }, settings)).rejects.toMatchObject({ code: -32600 });
  });

  test('a value that is no options object is ignored', async () => {
    for (const settings of [null, undefined, 0, 'x', [], { signal: {}, onProgress: 1 }])
      expect(await request({ method: 'eth_chainId' }, settings)).toBe('0x1f');
  });
});

const sent = (payloads: unknown) =>
  new Promise((resolve) => {
    provider.sendAsync(payloads as never, (error, responses) => resolve(error ?? responses));
  });
const refused = expect.objectContaining({ error: expect.objectContaining({ code: -32600 }) });

describe('a batch that cannot be read', () => {
  test('a revoked proxy, or one that throws, is refused as no request', async () => {
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    expect(await sent(proxy)).toMatchObject({ code: -32600 });
    expect(await sent(new Proxy([], { get: bite }))).toMatchObject({ code: -32600 });
  });

  test('a request whose getter throws is refused, the others of the batch are answered', async () => {
    const payloads = [{ id: 1, jsonrpc: '2.0', method: 'eth_chainId' }, null];
    Object.defineProperty(payloads, '1', { get: bite });
    expect(await sent(payloads)).toEqual([{ id: 1, jsonrpc: '2.0', result: '0x1f' }, refused]);
  });
});

describe('arrays with holes', () => {
  test('an array of four billion holes is refused at once', async () => {
    const began = performance.now();
    await expect(request(new Array(2 ** 32 - 1))).rejects.toMatchObject({ code: -32600 });
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  test('each hole of a batch gets a response', async () => {
    const payloads = new Array(3);
    payloads[1] = { id: 1, jsonrpc: '2.0', method: 'eth_chainId' };
    expect(await sent(payloads)).toEqual([refused, { id: 1, jsonrpc: '2.0', result: '0x1f' }, refused]);
  });
});
