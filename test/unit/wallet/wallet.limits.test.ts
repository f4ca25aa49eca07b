import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import { isProviderRpcError, type Wallet } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openWallet } from '../../support/open-wallet.js';

hastenKdfOfFile();

/** Limits on the size and number of a page's requests. */

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
  openWallet({
    networks: [{ chainId: 33, url: service.url }],
    approver: () => headless({ password }),
  });

/** The code of the refusal, and the milliseconds for which the call held the page. */
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
    // The new wallet has not loaded its core yet: the shell measures the request.
    const fresh = open();
    for (const asked of [wallet, fresh]) {
      const refusals = [];
      for (let i = 0; i < 3; i++) refusals.push(await refusal(asked, method, given));
      expect(refusals.map(({ code }) => code)).toEqual([-32005, -32005, -32005]);
      // The shortest: a machine that does something else at the time holds the page too.
      expect(Math.min(...refusals.map(({ took }) => took))).toBeLessThan(300);
    }
    fresh.destroy();
  });
});

describe('limits of signed data', () => {
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

test('the 1,001st subscription of a page is refused, until the page ends one', async () => {
  const subscribe = () => wallet.provider.request({ method: 'eth_subscribe', params: ['newHeads'] });
  const ids: string[] = [];
  for (let i = 0; i < 10; i++) ids.push(...(await Promise.all(Array.from({ length: 100 }, subscribe))));
  await expect(subscribe()).rejects.toMatchObject({ code: -32005, message: expect.stringContaining('1000') });
  await wallet.provider.request({ method: 'eth_unsubscribe', params: [ids.pop() as never] });
  ids.push(await subscribe());
  for (const id of ids) await wallet.provider.request({ method: 'eth_unsubscribe', params: [id as never] });
});

test('the 1,001st filter of a page, of any kind, is refused, until the page ends one', async () => {
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
