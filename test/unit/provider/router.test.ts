import { expect, test } from 'vitest';
import { createVolatileMemory } from '../../../src/index.js';
import { createRouter } from '../../../src/provider/router.js';
import { createSession } from '../../../src/session/session.js';

const session = createSession({
  memory: createVolatileMemory(),
  origin: 'https://app.example',
  initialChainId: 31,
  chainIds: [31],
});
const context = { origin: 'https://app.example', session };
const router = createRouter({
  context: context as never,
  refuse: new Set(['eth_sign']),
});
const account = `0x${'aa'.repeat(20)}`;

test('a method of the table is handled', async () => {
  expect(await router({ method: 'web3_sha3', params: ['0x'] })).toBe(
    '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
  );
});

test.each(['x', '__proto__', 'constructor', 'hasOwnProperty'])('%s is no method', async (method) => {
  await expect(router({ method })).rejects.toMatchObject({ code: -32601 });
});

test('a refused method is refused whatever its params, which are not repeated', async () => {
  await expect(router({ method: 'personal_importRawKey', params: ['secret'] })).rejects.toMatchObject({
    code: 4200,
    message: expect.not.stringContaining('secret'),
  });
});

test('an absent method is not found, with the reason', async () => {
  await expect(router({ method: 'wallet_sendTransaction', params: [{}] })).rejects.toMatchObject({
    code: -32601,
    message: 'The method wallet_sendTransaction does not exist / is not available. Use eth_sendTransaction.',
  });
});

test.each([[[]], [[{ method: 'eth_chainId' }]], [['eth_chainId']]])('%j is no request', async (args) => {
  await expect(router(args)).rejects.toMatchObject({
    code: -32600,
    message: expect.stringContaining('single, non-array, object argument'),
  });
});

test('refuse', async () => {
  await expect(router({ method: 'eth_sign', params: [] })).rejects.toMatchObject({ code: 4200 });
});

test('an invalid param is reported before the permission is checked', async () => {
  await expect(router({ method: 'personal_sign', params: ['0x68', 'me'] })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('params[1]'),
  });
});

test('an account without a permission is 4100', async () => {
  await expect(router({ method: 'personal_sign', params: ['0x68', account] })).rejects.toMatchObject({
    code: 4100,
  });
});
