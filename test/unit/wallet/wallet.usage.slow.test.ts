import { privateKeyToAccount } from 'viem/accounts';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import type { createWallet, Wallet } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openWallet } from '../../support/open-wallet.js';

hastenKdfOfFile();

/** What a page is told of its quota, over the real service; only the clock is the test's. */

const password = 'correct horse';
const noon = Date.UTC(2026, 10, 23, 12);
let service: LocalService;

beforeAll(async () => {
  service = await createLocalService({ chainId: 31, mining: 'manual' });
});
afterAll(() => service.close());

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon, shouldAdvanceTime: true });
  vi.stubGlobal('localStorage', localStorageTwin());
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function localStorageTwin(): Pick<Storage, 'getItem' | 'setItem'> {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
  };
}

function walletWith(limits: object, options: Partial<createWallet.Options> = {}): Wallet {
  const wallet = openWallet({
    networks: [{ chainId: 31, url: service.url, ...limits }],
    approver: () => headless(),
    pollingInterval: 50,
    ...options,
  });
  onTestFinished(() => wallet.destroy());
  return wallet;
}

const quotaOf = (wallet: Wallet) => wallet.usage().get(31)?.quota;
let nonce = 0;
/** Each is a request of its own: nothing remembers a count of an account that nobody asked for yet. */
const read = ({ provider }: Wallet) =>
  provider.request({
    method: 'eth_getTransactionCount',
    params: [`0x${(++nonce).toString(16).padStart(40, '0')}`, 'latest'],
  });
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error) => error,
  );

describe('usage', () => {
  test('a service on this machine has no quota', async () => {
    const wallet = walletWith({});
    await read(wallet);
    expect(wallet.usage().get(31)?.sent).toEqual({ eth_getTransactionCount: 1 });
    expect(quotaOf(wallet)).toBeUndefined();
  });

  test('requestsPerDay: reports today’s requests and the state of the quota', async () => {
    const wallet = walletWith({ requestsPerDay: 100 });
    for (let at = 0; at < 10; at++) await read(wallet);
    expect(wallet.usage().get(31)).toMatchObject({
      sent: { eth_getTransactionCount: 10 },
      quota: { today: 10, perDay: 100, state: 'normal' },
    });
  });

  test('two wallets of one origin share the count', async () => {
    const [one, two] = [walletWith({ requestsPerDay: 100 }), walletWith({ requestsPerDay: 100 })];
    for (let at = 0; at < 49; at++) await Promise.all([read(one), read(two)]);
    let seconds = 0;
    // Each looks, and tells what it has not told yet, once a second.
    const counts = () => {
      vi.setSystemTime(noon + ++seconds * 1_000);
      return [one, two].map((wallet) => quotaOf(wallet)?.today);
    };
    await expect.poll(counts).toEqual([98, 98]);
    expect(await failure(read(one))).toMatchObject({ code: -32005, data: { reason: 'quota' } });
    expect(await failure(read(two))).toMatchObject({ code: -32005, data: { reason: 'quota' } });
    one.destroy();
    expect(quotaOf(walletWith({ requestsPerDay: 100 }))).toBeUndefined();
    const later = walletWith({ requestsPerDay: 100 });
    expect(await failure(read(later))).toMatchObject({ code: -32005 });
    expect(quotaOf(later)).toEqual({ today: 98, perDay: 100, state: 'reserved' });
  });

  test('an invalid requestsPerDay throws -32602', () => {
    expect(() => walletWith({ requestsPerDay: 'many' })).toThrow(
      expect.objectContaining({
        code: -32602,
        message: expect.stringContaining('networks[0].requestsPerDay'),
      }),
    );
  });
});

describe('watch', () => {
  test('reports each change of the state, until a new day begins', async () => {
    const wallet = walletWith({ requestsPerDay: 100 });
    const states: unknown[] = [];
    wallet.watch(() => {
      const state = quotaOf(wallet)?.state;
      if (state !== states.at(-1)) states.push(state);
    });
    for (let at = 0; at < 98; at++) await read(wallet);
    const { data } = await failure(read(wallet));
    expect(data.reason).toBe('quota');
    // Seconds until midnight, by a clock that goes on.
    expect(data.retryAfter).toBeLessThanOrEqual(43_200);
    expect(data.retryAfter).toBeGreaterThan(43_100);
    expect(states).toEqual(['saving', 'reserved']);
    vi.setSystemTime(noon + 43_200_000);
    await read(wallet);
    expect(states).toEqual(['saving', 'reserved', 'normal']);
    expect(quotaOf(wallet)?.today).toBe(1);
  });
});

describe('background requests', () => {
  const looks = async (wallet: Wallet, milliseconds: number) => {
    const sent = () => wallet.usage().get(31)?.sent.eth_getBlockByNumber ?? 0;
    const before = sent();
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    return sent() - before;
  };

  test('looks less often as the allowance runs out, and not at all when the rest is kept', async () => {
    vi.setSystemTime(noon - 36_000_000);
    const wallet = walletWith({ requestsPerDay: 300 });
    await wallet.provider.request({ method: 'eth_subscribe', params: ['newHeads'] });
    const usual = await looks(wallet, 1_000);
    expect(quotaOf(wallet)?.state).toBe('normal');
    // Three times as fast as the day: four times slower.
    while ((quotaOf(wallet)?.today ?? 0) < 180) await read(wallet);
    expect(quotaOf(wallet)?.state).toBe('saving');
    const saving = await looks(wallet, 1_000);
    expect(saving).toBeGreaterThan(1);
    expect(saving).toBeLessThan(usual / 2);
    while ((await failure(read(wallet))) === null);
    expect(quotaOf(wallet)?.state).toBe('reserved');
    expect(await looks(wallet, 500)).toBe(0);
  });

  test.each([
    ['a transaction', 'eth_sendTransaction', (from: string) => ({ from, to: from, value: '0x1' })],
    [
      'a batch of calls',
      'wallet_sendCalls',
      (from: string) => ({
        ...{ version: '2.0.0', chainId: '0x1f', atomicRequired: false, from },
        calls: [{ to: from, value: '0x1' }, { to: from }],
      }),
    ],
  ])('the rest is kept for what a person does: %s', async (_what, method, paramsFor) => {
    const wallet = walletWith({ requestsPerDay: 1_500 }, { approver: () => headless({ password }) });
    const { address } = await wallet.importPrivateKey(`0x${'47'.repeat(32)}`, { password });
    await service.controls.faucet(address, 10n ** 18n);
    await wallet.provider.request({ method: 'eth_requestAccounts' });
    while ((await failure(read(wallet))) === null);
    expect(quotaOf(wallet)?.state).toBe('reserved');
    await wallet.provider.request({ method, params: [paramsFor(address)] } as never);
  });

  test('a signed transaction still goes to the service', async () => {
    const wallet = walletWith({ requestsPerDay: 50 });
    while ((await failure(read(wallet))) === null);
    const account = privateKeyToAccount(`0x${'46'.repeat(32)}`);
    const transaction = { to: account.address, gas: 21_000n, gasPrice: 60_000_000n, nonce: 0, chainId: 31 };
    const raw = await account.signTransaction({ ...transaction, type: 'legacy' });
    const refusal = await failure(
      wallet.provider.request({ method: 'eth_sendRawTransaction', params: [raw] }),
    );
    // The account has no coins: that is the service's word.
    expect(refusal).toMatchObject({ code: -32003, data: { reason: 'insufficient-funds' } });
  });
});

describe('dapps that share a wallet', () => {
  const addressOf = (i: number) => `0x${i.toString(16).padStart(40, '0')}` as const;
  let next = 1;
  /** Reads until the wallet refuses; returns how often it read, and the refusal. */
  async function flood(wallet: Wallet, most = 400) {
    for (let sent = 0; sent < most; sent++) {
      const read = { method: 'eth_getBalance', params: [addressOf(next++), 'latest'] } as const;
      const error = await wallet.provider.request(read as never).then(
        () => null,
        (refused) => refused,
      );
      if (error) return { sent, error };
      vi.advanceTimersByTime(60);
    }
    return { sent: most, error: null };
  }

  test('a flood of reads leaves another dapp its share, and the person the reserve', async () => {
    const limits = { requestsPerDay: 200, requestsPerSecond: null };
    const [a, b] = ['https://a.example', 'https://b.example'].map((origin) => walletWith(limits, { origin }));
    if (!a || !b) throw new Error('no wallets');
    await flood(b, 1);
    const hostile = await flood(a);
    expect(hostile.error).toMatchObject({
      code: -32005,
      data: { reason: 'quota-share', retryAfter: expect.any(Number) },
    });
    expect(hostile.sent).toBeLessThanOrEqual(120);
    vi.advanceTimersByTime(2_000);
    const other = await flood(b);
    expect(other.sent).toBeGreaterThanOrEqual(38);
    expect(await a.balance(addressOf(7))).toBe(0n);
    expect(await b.balance(addressOf(8))).toBe(0n);
  });

  test('a dapp that is alone has the whole quota but the reserve', async () => {
    const alone = walletWith({ requestsPerDay: 100, requestsPerSecond: null });
    const { sent, error } = await flood(alone);
    expect(error).toMatchObject({ code: -32005, data: { reason: 'quota' } });
    expect(sent).toBeGreaterThanOrEqual(95);
  });
});
