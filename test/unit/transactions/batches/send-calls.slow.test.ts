import { parseEther } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../../packages/kit/src/local/index.js';
import { headless } from '../../../../packages/kit/src/testing/index.js';
import { mint, redeem, split } from '../../../../src/approvals/approved.js';
import { createMemoryStorage, type Wallet } from '../../../../src/index.js';
import type { Hex } from '../../../../src/rpc/schema.js';
import { hastenKdfOfFile } from '../../../support/hasty-kdf-of-file.js';
import { emitter, word } from '../../../support/local-client.js';
import { openWallet } from '../../../support/open-wallet.js';

hastenKdfOfFile();

/** What goes wrong between the answer and the chain: nothing is lost, and nothing goes out behind one's back. */

const friend = `0x${'aa'.repeat(20)}` as const;
const password = 'correct horse';

let local: LocalService;
let wallet: Wallet;
let from: Hex;
/** Whether the storage takes nothing new into the journal. */
let isFull = false;

beforeAll(async () => {
  local = await createLocalService({ chainId: 31 });
  const memory = createMemoryStorage();
  wallet = openWallet({
    networks: [{ chainId: 31, url: local.url }],
    approver: () => headless({ password }),
    storage: {
      ...memory,
      put: async (store, records) => {
        if (isFull && store === 'journal') throw new DOMException('full', 'QuotaExceededError');
        await memory.put(store, records);
      },
    },
    pollingInterval: 30,
  });
  ({ address: from } = await wallet.importMnemonic(
    'test test test test test test test test test test test junk',
    { password },
  ));
  await local.controls.faucet(from, parseEther('10'));
  await wallet.provider.request({ method: 'eth_requestAccounts' });
});
afterEach(() => {
  isFull = false;
  local.controls.clearFaults();
  local.controls.setMining('auto');
});
afterAll(async () => {
  wallet.destroy();
  await local.close();
});

const calls = [1, 2, 3].map((value) => ({ to: friend, value: `0x${value}` as Hex }));
const send = (id: string, change: object = {}) =>
  wallet.provider.request({
    method: 'wallet_sendCalls',
    params: [{ version: '2.0.0', id, chainId: '0x1f', from, atomicRequired: false, calls, ...change }],
  });
const statusOf = (id: string) => wallet.provider.request({ method: 'wallet_getCallsStatus', params: [id] });
const settled = (id: string) => expect.poll(async () => (await statusOf(id)).status, { interval: 30 });
const last = async (count: number) => (await wallet.transactions()).slice(-count).map(({ state }) => state);
const offers = () => local.requests.count('eth_sendRawTransaction');

/** Answers the n-th offer from now in place of the node. */
function answerOffer(n: number, body: object): void {
  let seen = 0;
  local.controls.intercept(({ calls: [call] }) =>
    call?.method === 'eth_sendRawTransaction' && ++seen === n
      ? { body: JSON.stringify({ jsonrpc: '2.0', id: call.id, ...body }) }
      : undefined,
  );
}
const tooLittleGas = {
  error: { code: -32010, message: "transaction's basic cost is above the gas limit" },
};

/** The outbox, too, offers what is signed: it rests when what was mined is some blocks deep. */
async function rested(): Promise<void> {
  await expect
    .poll(async () => {
      await local.controls.mine(1);
      const before = local.requests.count();
      await new Promise((resolve) => setTimeout(resolve, 80));
      return local.requests.count() - before;
    })

    .toBe(0);
}

test('reads that all calls share are sent once', async () => {
  const methods = ['eth_gasPrice', 'eth_getBalance', 'eth_getBlockByNumber', 'eth_getTransactionCount'];
  const count = () => methods.map((method) => local.requests.count(method));
  const before = count();
  let asked: number[] = [];
  local.controls.intercept(({ calls: [call] }) => {
    if (call?.method === 'eth_sendRawTransaction' && asked.length === 0) asked = count();
    return undefined;
  });
  await send('once');
  // The count is asked for twice: in blocks, and with what waits in the pool.
  expect(asked.map((now, i) => now - (before[i] ?? 0))).toEqual([1, 1, 1, 2]);
});

test('one call is sent and mined, and the batch has the id of the page', async () => {
  expect(await send('default')).toEqual({ id: 'default' });
  await settled('default').toBe(200);
});

test('all is signed and durable before the first is offered', async () => {
  const before = (await wallet.transactions()).length;
  const seen: unknown[] = [];
  local.controls.intercept(async ({ calls: [call] }) => {
    if (call?.method !== 'eth_sendRawTransaction' || seen.length > 0) return undefined;
    seen.push(await last((await wallet.transactions()).length - before));
    seen.push((await statusOf('durable')).status);
    return undefined;
  });
  await send('durable');
  expect(seen).toEqual([['signed', 'signed', 'signed'], 100]);
});

test('calls after the first get a larger gas margin', async () => {
  const hash = await wallet.provider.request({
    method: 'eth_sendTransaction',
    params: [{ from, data: emitter }],
  });
  const receipt = await wallet.provider.request({ method: 'eth_getTransactionReceipt', params: [hash] });
  const call = { to: receipt?.contractAddress as Hex, data: `0x${word(1)}${word(2)}` as Hex };
  await send('gas', { calls: [call, call, calls[0]] });
  const [first, second, third] = (await wallet.transactions()).slice(-3).map(({ gas }) => Number(gas));
  expect(second).toBe(Math.floor(((first as number) * 5) / 4));
  expect(third).toBe(21_000);
});

test('a lost reply is no failure', async () => {
  let lost = 0;
  local.controls.dropReplies(
    ({ calls: [call] }) => call?.method === 'eth_sendRawTransaction' && ++lost === 2,
  );
  await send('lost');
  await settled('lost').toBe(200);
});

test('a storage that fails: nothing is written or sent, and the id is free', async () => {
  await rested();
  const before = offers();
  const journaled = await wallet.transactions();
  isFull = true;
  await expect(send('full')).rejects.toMatchObject({ code: -32002 });
  await expect(statusOf('full')).rejects.toMatchObject({ code: 5730 });
  await local.controls.mine(2);
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(offers()).toBe(before);
  expect(await wallet.transactions()).toEqual(journaled);
  isFull = false;
  await send('full');
  await settled('full').toBe(200);
});

test('the chain refuses the first: so are all, and the id is free', async () => {
  await rested();
  answerOffer(1, tooLittleGas);
  const before = offers();
  await expect(send('first')).rejects.toMatchObject({ code: -32003 });
  expect(offers() - before).toBe(1);
  expect(await last(3)).toEqual(['refused', 'abandoned', 'abandoned']);
  await expect(statusOf('first')).rejects.toMatchObject({ code: 5730 });
  local.controls.clearFaults();
  await send('first');
  await settled('first').toBe(200);
});

test('a refusal of a later call abandons the calls after it, and the batch has failed in part', async () => {
  await rested();
  local.controls.setMining('manual');
  answerOffer(2, tooLittleGas);
  const before = offers();
  expect(await send('second')).toEqual({ id: 'second' });
  await local.controls.mine(1);
  await settled('second').toBe(600);
  expect((await statusOf('second')).receipts).toHaveLength(1);
  expect(offers() - before).toBe(2);
  expect((await last(3)).slice(1)).toEqual(['refused', 'abandoned']);
  // Their nonces are free.
  local.controls.setMining('auto');
  await send('after');
  await settled('after').toBe(200);
});

test('after a failure of the service in the middle, the outbox sends the rest', async () => {
  await rested();
  local.controls.setMining('manual');
  answerOffer(2, { error: { code: -32005, message: 'rate limit' } });
  expect(await send('rate')).toEqual({ id: 'rate' });
  expect((await statusOf('rate')).status).toBe(100);
  await expect
    .poll(
      async () => {
        await local.controls.mine(1);
        return (await statusOf('rate')).status;
      },
      { interval: 60 },
    )
    .toBe(200);
});

test('splitting the approval of a list approves each element once, and spends it', () => {
  const approved = mint([1, 2]);
  const each = split(approved);
  expect(each.map(({ subject }) => subject)).toEqual([1, 2]);
  for (const one of each) redeem(one);
  for (const spent of [...each, approved]) expect(() => redeem(spent as never)).toThrow(TypeError);
  expect(() => split(approved)).toThrow(TypeError);
  expect(() => split({ subject: [1] } as never)).toThrow(TypeError);
});
