import { expect, test } from 'vitest';
import { createRequests, type Router } from '../../../src/provider/router.js';
import { ProviderRpcError } from '../../../src/rpc/errors.js';

const payload = (id: number, method: string) => ({ id, jsonrpc: '2.0', method });
const nameOf: Router = async (args) => (args as { method: string }).method;

test('a request gets the router’s answer, with the settings that could be read', async () => {
  const seen: unknown[] = [];
  const { request } = createRequests({
    async router(args, settings) {
      seen.push(args, settings);
      return 'answer';
    },
  });
  const args = { method: 'eth_call' };
  const { signal } = new AbortController();
  expect(await request(args, { signal, onProgress: 'no function', mine: 1 })).toBe('answer');
  expect(seen).toEqual([args, { signal }]);
});

test('settings that throw when read are refused', async () => {
  const settings = {
    get signal(): never {
      throw new Error('mine');
    },
  };
  const { request } = createRequests({ router: nameOf });
  await expect(request({ method: 'x' }, settings)).rejects.toMatchObject({ code: -32600 });
});

test('any failure becomes a coded error', async () => {
  const { request } = createRequests({
    async router() {
      throw new Error('a secret');
    },
  });
  const error = await request({ method: 'eth_call' }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ProviderRpcError);
  expect(error).toMatchObject({ code: -32603, message: 'Internal error of the wallet.' });
});

test('a request above 1 MiB never reaches the router', async () => {
  const { request } = createRequests({ router: nameOf });
  const params = ['x'.repeat(2 ** 20)];
  await expect(request({ method: 'eth_call', params })).rejects.toMatchObject({
    code: -32005,
    message: expect.stringContaining('too large'),
  });
  expect(await request({ method: 'eth_call', params: ['x'.repeat(2 ** 19)] })).toBe('eth_call');
});

test('requests in flight are limited, each of a batch counted', async () => {
  let release = (): void => {};
  const waits = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { request } = createRequests({ router: () => waits, limit: 2 });
  const tooMany = { code: -32005, message: expect.stringContaining('too many') };
  const batch = request([1, 2, 3].map((id) => payload(id, 'a')));
  await expect(request({ method: 'b' })).rejects.toMatchObject(tooMany);
  release();
  expect(await batch).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3, error: tooMany }]);
  await expect(request({ method: 'b' })).resolves.toBeUndefined();
});

test('a payload that fails has the error and the response; an array that is no batch is refused', async () => {
  const refused = new ProviderRpcError(4001, 'no');
  const { respond } = createRequests({
    async router() {
      throw refused;
    },
  });
  const response = { id: 1, jsonrpc: '2.0', error: { code: 4001, message: 'no' } };
  expect(await respond(payload(1, 'a'))).toEqual([refused, response]);
  expect(await respond([payload(1, 'a')])).toEqual([null, [response]]);
  await expect(respond([])).rejects.toMatchObject({ code: -32600 });
});
