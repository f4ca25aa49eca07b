import { expect, test } from 'vitest';
import { createVolatileMemory } from '../../src/index.js';
import type { Router } from '../../src/router.js';
import { createSession } from '../../src/session/session.js';
import { createShell } from '../../src/shell.js';

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
  const behind: Router = async (args) => {
    asked.push(args);
    return 'behind';
  };
  const router = {
    loaded: () => undefined,
    load: async () => {
      loads++;
      return behind;
    },
  };
  const shell = createShell({ context, router, isInstant: () => true, closed: () => false, ...options });
  return { shell, asked, loads: () => loads };
}

test('default', async () => {
  const { shell, loads } = shellWith();
  expect(await shell({ method: 'eth_chainId' })).toBe('0x1f');
  expect(await shell({ method: 'net_version', params: [] })).toBe('31');
  expect(await shell({ method: 'eth_accounts' })).toEqual([]);
  expect(loads()).toBe(0);
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
])('%j is for the router', async (args) => {
  const { shell, loads } = shellWith();
  expect(await shell(args)).toBe('behind');
  expect(loads()).toBe(1);
});

test('a request that throws when read is for the router, which refuses it', async () => {
  const trap = {
    get method(): string {
      throw new Error('mine');
    },
  };
  expect(await shellWith().shell(trap)).toBe('behind');
});

test('a method that the session may not answer', async () => {
  const { shell, loads } = shellWith({ isInstant: (method) => method !== 'eth_accounts' });
  expect(await shell({ method: 'eth_accounts' })).toBe('behind');
  expect(loads()).toBe(1);
});

test('closed', async () => {
  await expect(shellWith({ closed: () => true }).shell({ method: 'eth_chainId' })).rejects.toMatchObject({
    code: 4900,
  });
});

test('changes to a request while the core loads have no effect', async () => {
  const { shell, asked } = shellWith();
  const call = { to: '0x1' };
  const answer = shell({ method: 'eth_call', params: [call] });
  call.to = '0x2';
  await answer;
  expect(asked).toEqual([{ method: 'eth_call', params: [{ to: '0x1' }] }]);
});

test('more requests under way than a page may have', async () => {
  let release = (): void => {};
  const load = () =>
    new Promise<never>((_, reject) => {
      release = () => reject(new Error('done'));
    });
  const { shell } = shellWith({ maxInFlight: 1, router: { loaded: () => undefined, load } });
  const first = shell({ method: 'eth_blockNumber' });
  await expect(shell({ method: 'eth_chainId' })).rejects.toMatchObject({
    code: -32005,
    message: expect.stringContaining('too many'),
  });
  release();
  await expect(first).rejects.toThrow('done');
  expect(await shell({ method: 'eth_chainId' })).toBe('0x1f');
});
