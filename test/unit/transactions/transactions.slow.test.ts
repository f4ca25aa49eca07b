import { parseEther } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import type { Hex, Wallet } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openWallet } from '../../support/open-wallet.js';

hastenKdfOfFile();

/** What becomes of an approval when the service or the price does not hold still. */

const password = 'correct horse';
const stranger = '0x00000000000000000000000000000000000000aa';
const lowest = 59_240_000n;

let local: LocalService;
const wallets: Wallet[] = [];

beforeAll(async () => {
  local = await createLocalService({ chainId: 31 });
});
afterEach(() => {
  for (const wallet of wallets.splice(0)) wallet.destroy();
  local.controls.clearFaults();
  local.controls.setMinimumGasPrice(lowest);
  vi.useRealTimers();
});
afterAll(() => local.close());

/** A wallet with coins; `meanwhile` is what happens while the person reads. */
async function open(meanwhile: () => unknown = () => {}) {
  const approver = headless({
    password,
    answer: async ({ kind }) => {
      if (kind === 'transaction') await meanwhile();
      return true;
    },
  });
  const wallet = openWallet({
    networks: [{ chainId: 31, url: local.url }],
    approver: () => approver,
    pollingInterval: 30,
  });
  wallets.push(wallet);
  const { address: from } = await wallet.importPrivateKey(generatePrivateKey(), { password });
  await local.controls.faucet(from, parseEther('10'));
  await wallet.provider.request({ method: 'eth_requestAccounts' });
  const entryOf = async (hash: Hex) => (await wallet.transactions()).find((entry) => entry.hash === hash);
  return {
    ...{ wallet, from, asked: approver.asked },
    sign: (change: object = {}) =>
      wallet.provider.request({
        method: 'eth_signTransaction',
        params: [{ from, to: stranger, value: '0x1', ...change }],
      }),
    send: (change: object = {}) =>
      wallet.provider.request({
        method: 'eth_sendTransaction',
        params: [{ from, to: stranger, value: '0x1', ...change }],
      }),
    entryOf,
    stateOf: async (hash: Hex) => (await entryOf(hash))?.state,
    dialogs: () => approver.asked.filter(({ kind }) => kind === 'transaction').length,
  };
}

const refuseSends = (status: number, error: object) =>
  local.controls.intercept(({ calls }) =>
    calls[0]?.method === 'eth_sendRawTransaction'
      ? { status, body: JSON.stringify({ jsonrpc: '2.0', id: calls[0].id, error }) }
      : undefined,
  );
/** Raises the least price, and mines a block that says so. */
const raisePrice = async (wei: bigint) => {
  local.controls.setMinimumGasPrice(wei);
  await local.controls.mine();
};

test('a send that is rate-limited by the service asks the person once, and is sent later', async () => {
  const { send, stateOf, dialogs } = await open();
  const calm = refuseSends(429, { code: 429, message: 'Too Many Requests' });
  const hash = await send();
  expect(await stateOf(hash)).toBe('signed');
  calm();
  await local.controls.mine();
  await expect.poll(() => stateOf(hash)).toBe('mined');
  expect(dialogs()).toBe(1);
});

test.each([
  ['has no quota left', 200, { code: -32005, message: 'daily request count exceeded' }],
  ['does not take the key', 401, { code: -32600, message: 'Must be authenticated!' }],
])('a service that %s: the caller has the hash, and it stays in the journal', async (_, status, error) => {
  const { send, stateOf, dialogs } = await open();
  refuseSends(status, error);
  expect(await stateOf(await send())).toBe('signed');
  expect(dialogs()).toBe(1);
});

test('a refusal in the words of the node ends the transaction', async () => {
  const { wallet, send, dialogs } = await open();
  refuseSends(200, { code: -32010, message: 'insufficient funds' });
  await expect(send()).rejects.toMatchObject({ code: -32003 });
  expect((await wallet.transactions()).map(({ state }) => state)).toEqual(['refused']);
  expect(dialogs()).toBe(1);
});

test('a price that became too low while the dialog was open is asked about again, once', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  let isFirst = true;
  const { wallet, send, entryOf, dialogs } = await open(async () => {
    if (!isFirst) return;
    isFirst = false;
    vi.setSystemTime(Date.now() + 120_000);
    await raisePrice(2n * lowest);
  });
  const entry = await entryOf(await send());
  expect(dialogs()).toBe(2);
  expect(BigInt(entry?.gasPrice as Hex)).toBeGreaterThanOrEqual(2n * lowest);
  // The first answer was never used.
  expect(await wallet.transactions()).toHaveLength(1);
});

test('a price that only the chain refuses is asked about again', async () => {
  let isFirst = true;
  const { wallet, send, stateOf, dialogs } = await open(async () => {
    if (isFirst) await raisePrice(2n * lowest);
    isFirst = false;
  });
  const hash = await send();
  expect(dialogs()).toBe(2);
  expect((await wallet.transactions())[0]?.state).toBe('refused');
  await expect.poll(() => stateOf(hash)).toBe('mined');
});

test('a price that keeps running away, and one that the page chose', async () => {
  let price = lowest;
  const { send, dialogs } = await open(() => {
    price *= 2n;
    return raisePrice(price);
  });
  const tooLow = { code: -32003, message: expect.stringContaining('less than block base fee') };
  await expect(send()).rejects.toMatchObject(tooLow);
  expect(dialogs()).toBe(2);
  await expect(send({ gasPrice: `0x${price.toString(16)}` })).rejects.toMatchObject(tooLow);
  expect(dialogs()).toBe(3);
});

describe('a transaction that is only signed, for a page,', () => {
  /** The only entry of the journal. */
  const only = async ({ transactions }: Wallet) => {
    const [entry, ...rest] = await transactions();
    expect(rest).toEqual([]);
    return entry;
  };
  const submit = (wallet: Wallet, raw: Hex) =>
    wallet.provider.request({ method: 'eth_sendRawTransaction', params: [raw] });
  const sent = () => {
    const seen: unknown[] = [];
    local.controls.intercept(({ calls }) => {
      seen.push(...calls.map(({ method }) => method).filter((method) => method === 'eth_sendRawTransaction'));
      return undefined;
    });
    return seen;
  };
  const sendElsewhere = async (raw: Hex) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [raw] });
    await fetch(local.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  };

  test('stays in the journal unsent, and the next payment asks about it', async () => {
    const { wallet, send, sign, entryOf, asked } = await open();
    const seen = sent();
    const raw = await sign();
    expect(await only(wallet)).toMatchObject({ raw, state: 'signed', hold: 'page' });
    await local.controls.mine(3);
    expect(await only(wallet)).toMatchObject({ raw, state: 'signed', hold: 'page' });
    expect(seen).toEqual([]);
    const hash = await send({ value: '0x2' });
    expect(asked.at(-1)?.warnings.map(({ code }) => code)).toContain('overrides-unsent');
    const entry = await entryOf(hash);
    expect(entry?.nonce).toBe((await wallet.transactions()).find((each) => each.raw === raw)?.nonce);
    await local.controls.mine();
    await expect
      .poll(async () => (await wallet.transactions()).map(({ state }) => state).sort())
      .toEqual(['mined', 'replaced']);
  });

  test('is the page’s to send, hours later too, and is followed then', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { wallet, sign, stateOf } = await open();
    const raw = await sign();
    vi.setSystemTime(Date.now() + 3 * 3_600_000);
    const hash = await submit(wallet, raw);
    expect(await only(wallet)).toMatchObject({ hash, state: 'sent' });
    expect(await only(wallet)).not.toHaveProperty('hold');
    await local.controls.mine();
    await expect
      .poll(() => {
        vi.setSystemTime(Date.now() + 1_000);
        return stateOf(hash);
      })
      .toBe('mined');
  });

  test('may be sent elsewhere: its nonce is not used again, and it is known once it is mined', async () => {
    const { wallet, send, sign, entryOf, asked } = await open();
    const raw = await sign();
    const signed = await only(wallet);
    await sendElsewhere(raw);
    const next = await entryOf(await send());
    expect(BigInt(next?.nonce as Hex)).toBe(BigInt(signed?.nonce as Hex) + 1n);
    expect(asked.at(-1)?.warnings.map(({ code }) => code)).not.toContain('overrides-unsent');
    await local.controls.mine();
    await expect
      .poll(async () => (await wallet.transactions()).map(({ state }) => state))
      .toEqual(['mined', 'mined']);
  });

  test('can be given up, or sent by the person', async () => {
    const { wallet, sign, stateOf } = await open();
    const given = await sign();
    await wallet.abandon((await only(wallet))?.hash as Hex);
    await expect(submit(wallet, given)).rejects.toMatchObject({ code: -32003 });
    await sign({ value: '0x2' });
    const kept = (await wallet.transactions()).find(({ hold }) => hold === 'page');
    await wallet.resend(kept?.hash as Hex);
    await local.controls.mine();
    await expect.poll(() => stateOf(kept?.hash as Hex)).toBe('mined');
  });
});
