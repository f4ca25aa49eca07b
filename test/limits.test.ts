import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createMemoryStorage,
  createVolatileMemory,
  createWallet,
  isProviderRpcError,
  type Wallet,
} from '../src/index.js';
import { createLocalService, type LocalService } from '../src/local/index.js';
import { headless } from '../src/testing.js';

/** How much a page may ask of the wallet at once. */

const password = 'a password of the limits';
const mebibyte = 2 ** 20;
let service: LocalService;
let wallet: Wallet;
let account: string;

beforeAll(async () => {
  service = await createLocalService({ mining: 'manual' });
  wallet = open();
  ({
    account: { address: account },
  } = await wallet.create(password));
  await wallet.provider.request({ method: 'eth_requestAccounts' });
});
afterAll(async () => {
  wallet?.destroy();
  await service?.close();
});

const open = () =>
  createWallet({
    networks: [{ chainId: 33, url: service.url }],
    approver: () => headless({ password }),
    storage: createMemoryStorage(),
    memory: createVolatileMemory(),
    origin: 'https://app.example',
  });

/** The code of the refusal, and how long it took: milliseconds in which the page could do nothing else. */
async function refusal(
  asked: Wallet,
  method: string,
  params: unknown,
): Promise<{ code: number; took: number }> {
  const began = performance.now();
  const refused = asked.provider.request({ method, params } as never);
  const took = performance.now() - began;
  try {
    await refused;
  } catch (error) {
    if (isProviderRpcError(error)) return { code: error.code, took };
  }
  throw new Error('it was taken');
}

describe('a request of more than 1 MiB is refused at once', () => {
  test.each<[what: string, method: string, params: () => unknown]>([
    ['a message of 8 MiB', 'personal_sign', () => [`0x${'61'.repeat(8 * mebibyte)}`, account]],
    ['a message of 8 MiB as text', 'personal_sign', () => ['é'.repeat(4 * mebibyte), account]],
    ['a transaction', 'eth_sendRawTransaction', () => [`0x${'61'.repeat(mebibyte)}`]],
    ['five million values', 'eth_call', () => [new Array(5_000_000).fill(1)]],
    [
      'typed data',
      'eth_signTypedData_v4',
      () => [account, JSON.stringify({ note: 'a'.repeat(2 * mebibyte) })],
    ],
  ])('%s', async (_, method, params) => {
    const given = params();
    // Of a wallet that has just been opened, whose core has not been loaded, as well.
    const fresh = open();
    for (const asked of [wallet, fresh]) {
      const { code, took } = await refusal(asked, method, given);
      expect(code).toBe(-32005);
      expect(took).toBeLessThan(100);
    }
    fresh.destroy();
  });
});

describe('what is signed', () => {
  test('a message of 256 KiB is signed, as text and as bytes', async () => {
    for (const message of ['a'.repeat(mebibyte / 4), `0x${'61'.repeat(mebibyte / 4)}`])
      expect(
        await wallet.provider.request({ method: 'personal_sign', params: [message, account as never] }),
      ).toMatch(/^0x[0-9a-f]{130}$/);
  });

  test.each([
    ['as text', 'a'.repeat(mebibyte / 4 + 1)],
    ['as text that is longer as UTF-8', 'é'.repeat(mebibyte / 8 + 1)],
    ['as bytes', `0x${'61'.repeat(mebibyte / 4 + 1)}`],
  ])('a message over 256 KiB is refused: %s', async (_, message) => {
    expect(await refusal(wallet, 'personal_sign', [message, account])).toMatchObject({ code: -32005 });
    expect(await refusal(wallet, 'eth_sign', [account, message])).toMatchObject({ code: -32005 });
    expect(await refusal(wallet, 'personal_ecRecover', [message, `0x${'00'.repeat(65)}`])).toMatchObject({
      code: -32005,
    });
  });

  test('typed data of more than 10,000 values is refused', async () => {
    const typed = (count: number) => ({
      types: { Note: [{ name: 'values', type: 'uint8[]' }] },
      primaryType: 'Note',
      domain: {},
      message: { values: new Array(count).fill(1) },
    });
    for (const data of [typed(10_001), JSON.stringify(typed(10_001))])
      expect(await refusal(wallet, 'eth_signTypedData_v4', [account, data])).toMatchObject({ code: -32005 });
    const params = [account, typed(9_900)] as never;
    expect(await wallet.provider.request({ method: 'eth_signTypedData_v4', params })).toMatch(/^0x/);
  });
});

test('a page has 1,000 subscriptions at most, and may end one for another', async () => {
  const subscribe = () => wallet.provider.request({ method: 'eth_subscribe', params: ['newHeads'] });
  const ids: string[] = [];
  for (let i = 0; i < 10; i++) ids.push(...(await Promise.all(Array.from({ length: 100 }, subscribe))));
  await expect(subscribe()).rejects.toMatchObject({ code: -32005, message: expect.stringContaining('1000') });
  await wallet.provider.request({ method: 'eth_unsubscribe', params: [ids.pop() as never] });
  ids.push(await subscribe());
  for (const id of ids) await wallet.provider.request({ method: 'eth_unsubscribe', params: [id as never] });
});

test('a page has 1,000 filters at most, of all kinds together, and may end one for another', async () => {
  const kinds = ['eth_newFilter', 'eth_newBlockFilter', 'eth_newPendingTransactionFilter'] as const;
  const install = (at: number) => wallet.provider.request({ method: kinds[at % 3] as 'eth_newBlockFilter' });
  const ids: string[] = [];
  for (let i = 0; i < 10; i++)
    ids.push(...(await Promise.all(Array.from({ length: 100 }, (_, at) => install(at)))));
  for (const at of [0, 1, 2])
    await expect(install(at)).rejects.toMatchObject({
      code: -32005,
      message: expect.stringContaining('1000'),
    });
  await wallet.provider.request({ method: 'eth_uninstallFilter', params: [ids.pop() as never] });
  ids.push(await install(1));
  for (const id of ids)
    await wallet.provider.request({ method: 'eth_uninstallFilter', params: [id as never] });
});
