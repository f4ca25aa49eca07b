import { describe, expect, test } from 'vitest';
import { defaultLimits, limitValues } from '../../../packages/relay/src/access/limits.js';
import { createWallet } from '../../../src/index.js';
import { createNetworks } from '../../../src/service/networks.js';
import { readLimits } from '../../../src/service/rate-limit/limits.js';

/**
 * Options often come from an environment, where a variable may be missing: with `exactOptionalPropertyTypes` a type must allow
 * `undefined` (`test/e2e/docs/api.test.ts` compares), and it must do the same as an option that is absent.
 */

describe('an option that is undefined is an absent one', () => {
  test('an undefined option of a network is an absent one', () => {
    const { chainId, url } = { chainId: 31, url: 'https://node.example/key' };
    const absent = { name: undefined, currency: undefined, explorer: undefined };
    const off = { batch: undefined, push: undefined, poll: undefined };
    expect(createNetworks([{ chainId, url, ...absent, ...off }])).toEqual(createNetworks([{ chainId, url }]));
  });

  test('an undefined limit of a network is an absent one', () => {
    const limits = { requestsPerDay: undefined, requestsPerSecond: undefined, burst: undefined };
    expect(readLimits([{ chainId: 31, ...limits }])).toEqual(new Map());
  });

  test('an undefined limit of a relay is an absent one', () => {
    const undefinedLimits = Object.fromEntries(Object.keys(defaultLimits).map((name) => [name, undefined]));
    expect(limitValues(undefinedLimits)).toEqual(defaultLimits);
    expect(limitValues({ ...undefinedLimits, sockets: 3 })).toEqual({ ...defaultLimits, sockets: 3 });
  });

  test('an undefined option of a wallet is an absent one', async () => {
    const names = [
      ...['approver', 'look', 'onboarding', 'name', 'origin', 'storage', 'memory', 'signIn', 'lockAfter'],
      ...['describeRevert', 'describeCall', 'names', 'errorBase', 'workerUrl', 'refuse', 'pollingInterval'],
    ];
    const options = Object.fromEntries(names.map((name) => [name, undefined]));
    const wallet = createWallet({ networks: [{ chainId: 31, url: 'https://node.example/key' }], ...options });
    expect(await wallet.provider.request({ method: 'eth_chainId' })).toBe('0x1f');
    expect(await wallet.provider.request({ method: 'eth_accounts' })).toEqual([]);
    wallet.destroy();
  });
});
