import { describe, expect, test } from 'vitest';
import { lazy } from '../../../src/async/lazy.js';
import { createVolatileMemory } from '../../../src/index.js';
import type { CountedRequests } from '../../../src/provider/router.js';
import { createShell } from '../../../src/provider/shell.js';
import { ProviderRpcError } from '../../../src/rpc/errors.js';
import { createSession } from '../../../src/session/session.js';

const session = createSession({
  memory: createVolatileMemory(),
  origin: 'https://app.example',
  initialChainId: 31,
  chainIds: [31],
});
const context = { origin: 'https://app.example', session };

function shellWith(options: Partial<createShell.Options> = {}) {
  let loads = 0;
  const asked: unknown[] = [];
  const behind: CountedRequests = {
    isFull: () => false,
    async request(args) {
      asked.push(args);
      return 'behind';
    },
    async respond(payload) {
      asked.push(payload);
      return [null, 'behind'];
    },
  };
  const core = lazy(async () => {
    loads++;
    return { requests: behind };
  });
  const shell = createShell({ context, core, isInstant: () => true, ...options });
  return { shell, core, behind, asked, loads: () => loads };
}

test('chain and accounts are answered from the session, without loading the core', async () => {
  const { shell, loads } = shellWith();
  expect(await shell.request({ method: 'eth_chainId' })).toBe('0x1f');
  expect(await shell.request({ method: 'net_version', params: [] })).toBe('31');
  expect(await shell.request({ method: 'eth_accounts' })).toEqual([]);
  expect(loads()).toBe(0);
});

test('while as many requests are in flight as may be, chain and accounts are for the core, which refuses them', async () => {
  const { shell, behind } = shellWith();
  const request = { method: 'eth_chainId' };
  await shell.request({ method: 'eth_blockNumber' });
  expect(await shell.request(request)).toBe('0x1f');
  behind.isFull = () => true;
  expect(await shell.request(request)).toBe('behind');
});

test('requests that wait for the core count too: it gets the next one after them', async () => {
  const { shell, asked } = shellWith();
  const waiting = Array.from({ length: 1_000 }, () => shell.request({ method: 'eth_blockNumber' }));
  expect(await shell.request({ method: 'eth_chainId' })).toBe('behind');
  expect(asked.length).toBe(1_001);
  await Promise.all(waiting);
  expect(await shell.request({ method: 'eth_chainId' })).toBe('0x1f');
});

test.each([
  [{ method: 'eth_chainId', params: ['x'] }],
  [{ method: 'eth_blockNumber' }],
  [{ method: '__proto__' }],
  [{ method: 'hasOwnProperty' }],
  [[]],
  [null],
  [undefined],
  ['eth_chainId'],
])('%j is for the core', async (args) => {
  const { shell, loads } = shellWith();
  expect(await shell.request(args)).toBe('behind');
  expect(loads()).toBe(1);
});

test('a request that throws when read is for the core, which refuses it', async () => {
  const trap = {
    get method(): string {
      throw new Error('mine');
    },
  };
  expect(await shellWith().shell.request(trap)).toBe('behind');
});

test('a method that the session may not answer', async () => {
  const { shell, loads } = shellWith({ isInstant: (method) => method !== 'eth_accounts' });
  expect(await shell.request({ method: 'eth_accounts' })).toBe('behind');
  expect(loads()).toBe(1);
});

test('closed', async () => {
  const { shell, core, loads } = shellWith();
  core.close(() => {});
  for (const asked of [shell.request({ method: 'eth_chainId' }), shell.request({}), shell.respond({})])
    await expect(asked).rejects.toMatchObject({ code: 4900 });
  expect(loads()).toBe(0);
});

test('payloads are for the core, those too that the session could answer', async () => {
  const { shell, asked } = shellWith();
  const payloads = [{ method: 'eth_chainId' }, [{ id: 1, method: 'eth_chainId' }]];
  for (const payload of payloads) expect(await shell.respond(payload)).toEqual([null, 'behind']);
  expect(asked).toEqual(payloads);
});

describe('while the core loads', () => {
  const call = () => ({ to: '0x1' });

  test.each([
    ['a request', (given: object) => ({ method: 'eth_call', params: [given] })],
    ['a batch', (given: object) => [{ id: 1, jsonrpc: '2.0', method: 'eth_call', params: [given] }]],
  ])('changes to %s have no effect', async (_, build) => {
    for (const ask of ['request', 'respond'] as const) {
      const { shell, asked } = shellWith();
      const given = call();
      const answer = shell[ask](build(given));
      given.to = '0x2';
      await answer;
      expect(asked).toEqual([build(call())]);
    }
  });

  test('a value that cannot be copied is passed on as it is', async () => {
    const { shell, asked } = shellWith();
    const args = { method: 'eth_call', params: [() => {}] };
    await shell.request(args);
    expect(asked[0]).toBe(args);
  });

  test('a failure to load has a code after which no library asks again, and none of the text', async () => {
    const load = async () => {
      throw new TypeError('Failed to fetch dynamically imported module: https://node.example/KEY');
    };
    const { shell } = shellWith({ core: lazy(load) });
    for (const asked of [shell.request({ method: 'eth_call' }), shell.respond({ method: 'eth_call' })])
      await expect(asked).rejects.toMatchObject({
        code: -32002,
        message: expect.stringMatching(/^A part of the wallet did not load/),
      });
  });

  test('an error that has a code keeps it', async () => {
    const load = async () => {
      throw new ProviderRpcError(4901, 'mine');
    };
    const { shell } = shellWith({ core: lazy(load) });
    await expect(shell.request({ method: 'eth_call' })).rejects.toThrow('mine');
  });
});

test('once the core has loaded, it gets what the page has passed', async () => {
  const { shell, core, asked } = shellWith();
  await core();
  const args = { method: 'eth_call', params: [{ to: '0x1' }] };
  await shell.request(args);
  expect(asked[0]).toBe(args);
});
