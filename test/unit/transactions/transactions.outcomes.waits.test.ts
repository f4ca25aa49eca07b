import { parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import { createMemoryStorage, type Hex, type Question, type Wallet } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openWallet } from '../../support/open-wallet.js';
import { until } from '../../support/until.js';

hastenKdfOfFile();

/** What the journal says of a transaction whose sending had no clear answer, held against the chain. */

const password = 'correct horse';
const friend = `0x${'aa'.repeat(20)}` as const;

let local: LocalService;
let storage: ReturnType<typeof createMemoryStorage>;
let questions: Question[];
/** How long the person reads. */
let reading: Promise<unknown> | undefined;
const wallets: Wallet[] = [];
const key = generatePrivateKey();
const from = privateKeyToAccount(key).address.toLowerCase() as Hex;

beforeEach(async () => {
  local = await createLocalService({ chainId: 31, dialect: 'node', mining: 'manual' });
  await local.controls.faucet(from, parseEther('10'));
  await local.controls.mine();
  storage = createMemoryStorage();
  questions = [];
  reading = undefined;
});
afterEach(async () => {
  vi.useRealTimers();
  for (const wallet of wallets.splice(0)) wallet.destroy();
  await local.close();
});

/** A page with the wallet of the same browser. */
async function open(url = local.url): Promise<Wallet> {
  const wallet = openWallet({
    networks: [{ chainId: 31, url }],
    approver: () =>
      headless({
        password,
        answer: async (question) => {
          questions.push(question);
          await reading;
          return true;
        },
      }),
    storage,
    pollingInterval: 30,
  });
  wallets.push(wallet);
  const state = await wallet.vaultState();
  if (state === 'empty') await wallet.importPrivateKey(key, { password });
  else await wallet.unlock(password);
  await wallet.provider.request({ method: 'eth_requestAccounts' });
  questions.length = 0;
  return wallet;
}

const send = (wallet: Wallet, change: object = {}) =>
  wallet.provider.request({
    method: 'eth_sendTransaction',
    params: [{ from, to: friend, value: '0x1', ...change }],
  });
const entryOf = async (wallet: Wallet, hash: Hex) =>
  (await wallet.transactions()).find((entry) => entry.hash === hash);
const stateOf = async (wallet: Wallet, hash: Hex) => (await entryOf(wallet, hash))?.state;
const receiptOf = (wallet: Wallet, hash: Hex) =>
  wallet.provider.request({ method: 'eth_getTransactionReceipt', params: [hash] });

/** Mines until the journal says so. */
const mineUntil = (wallet: Wallet, hash: Hex, state: string) =>
  expect
    .poll(
      async () => {
        await local.controls.mine();
        return stateOf(wallet, hash);
      },
      { interval: 60 },
    )
    .toBe(state);
const paid = async () => {
  const response = await fetch(local.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [friend, 'latest'] }),
  });
  return Number(((await response.json()) as { result: string }).result);
};

/** Answers of gateways and development nodes to a transaction that the node behind them has taken. */
const unclear = [
  [408, { code: 30, message: 'Request timeout on the free tier, please upgrade your tier to the paid one' }],
  [402, { code: 30, message: 'Request timeout on the free tier, please upgrade your tier to the paid one' }],
  [500, { code: 19, message: 'Temporary internal error. Please retry, trace-id: 1' }],
  [200, { code: 19, message: 'Temporary internal error. Please retry, trace-id: 1' }],
  [200, { code: -32009, message: "Unknown error when sending transaction: transaction wasn't mined" }],
  [200, { code: -32015, message: 'VM Exception while processing transaction: revert no' }],
  [200, { code: -32603, message: 'Internal server error' }],
  [200, { code: -32000, message: 'insufficient balance of compute credits' }],
  [402, { code: -32000, message: 'insufficient funds' }],
  [400, { code: -32602, message: 'Invalid chainId: 30' }],
] as const;

test.each(unclear)(
  'HTTP %i %j for a transaction that the node has taken: it is pending, and mined once',
  async (status, error) => {
    const wallet = await open();
    local.controls.failSends({ accepted: true, reply: { status, error } });
    const hash = await send(wallet);
    expect(['signed', 'sent']).toContain(await stateOf(wallet, hash));
    await mineUntil(wallet, hash, 'mined');
    expect(await paid()).toBe(1);
  },
);

test.each(unclear)(
  'HTTP %i %j instead of taking it: it is sent again, and mined once',
  async (status, error) => {
    const wallet = await open();
    const calm = local.controls.failSends({ accepted: false, reply: { status, error } }, 5);
    const hash = await send(wallet);
    expect(await stateOf(wallet, hash)).toBe('signed');
    calm();
    await mineUntil(wallet, hash, 'mined');
    expect(await paid()).toBe(1);
  },
);

test('a refusal that follows an unanswered attempt leaves the transaction open', async () => {
  const wallet = await open();
  let attempts = 0;
  local.controls.intercept(async ({ calls: [call] }, answer) => {
    if (call?.method !== 'eth_sendRawTransaction' || ++attempts > 2) return undefined;
    if (attempts === 1) {
      await answer();
      return 'drop';
    }
    const error = { code: -32010, message: 'insufficient funds to pay for pending and new transactions' };
    return { body: JSON.stringify({ jsonrpc: '2.0', id: call.id, error }) };
  });
  const hash = await send(wallet);
  expect(await stateOf(wallet, hash)).not.toBe('refused');
  await mineUntil(wallet, hash, 'mined');
  expect(await paid()).toBe(1);
});

test('a node that replies "nonce too low" to a transaction that is mined already: success, and one payment', async () => {
  const wallet = await open();
  local.controls.intercept(async ({ calls: [call] }, answer) => {
    if (call?.method !== 'eth_sendRawTransaction') return undefined;
    await answer();
    await local.controls.mine();
    const error = { code: -32010, message: 'transaction nonce too low' };
    return { body: JSON.stringify({ jsonrpc: '2.0', id: call.id, error }) };
  });
  const hash = await send(wallet);
  expect(await receiptOf(wallet, hash)).toMatchObject({ status: '0x1' });
  expect(await stateOf(wallet, hash)).toBe('mined');
  expect(questions).toHaveLength(1);
  expect(await paid()).toBe(1);
});

test('a reply of "nonce too low" is success too if the node that has the receipt lags for some seconds', async () => {
  const wallet = await open();
  let blind = 4;
  local.controls.intercept(async ({ calls: [call] }, answer) => {
    if (call?.method === 'eth_sendRawTransaction') {
      await answer();
      await local.controls.mine();
      const error = { code: -32010, message: 'transaction nonce too low' };
      return { body: JSON.stringify({ jsonrpc: '2.0', id: call.id, error }) };
    }
    if (/^eth_getTransaction(Receipt|ByHash)$/.test(call?.method ?? '') && blind-- > 0)
      return { body: JSON.stringify({ jsonrpc: '2.0', id: call?.id, result: null }) };
    return undefined;
  });
  const hash = await send(wallet);
  await mineUntil(wallet, hash, 'mined');
  expect(questions).toHaveLength(1);
  expect(await paid()).toBe(1);
});

test('bytes of the page that are mined already are a success, those with a used nonce are refused', async () => {
  const wallet = await open();
  const account = privateKeyToAccount(generatePrivateKey());
  await local.controls.faucet(account.address.toLowerCase() as Hex, parseEther('1'));
  await local.controls.mine();
  const sign = (value: bigint) =>
    account.signTransaction({
      ...{ type: 'legacy', chainId: 31, nonce: 0, gas: 21_000n, gasPrice: 70_000_000n, to: friend, value },
    });
  const [raw, rival] = [await sign(1n), await sign(2n)];
  const submit = (bytes: Hex) =>
    wallet.provider.request({ method: 'eth_sendRawTransaction', params: [bytes] });
  const hash = await submit(raw);
  await local.controls.mine();
  expect(await submit(raw)).toBe(hash);
  await expect(submit(rival)).rejects.toMatchObject({ code: -32003, message: 'nonce too low' });
});

test('a transaction is replaced only when its rival is shown, and then at once', async () => {
  const wallet = await open();
  local.controls.failSends(
    { accepted: false, reply: { status: 503, error: { code: -32603, message: 'x' } } },
    9,
  );
  const hash = await send(wallet);
  const rival = await privateKeyToAccount(key).signTransaction({
    ...{ type: 'legacy', chainId: 31, nonce: 0, gas: 21_000n, gasPrice: 90_000_000n, to: friend, value: 2n },
  });
  local.controls.clearFaults();
  await fetch(local.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [rival] }),
  });
  await mineUntil(wallet, hash, 'replaced');
  expect((await entryOf(wallet, hash))?.replacedBy).toMatch(/^0x[0-9a-f]{64}$/);
  expect(await paid()).toBe(2);
});

test('one missing receipt of a node that lags does not make a mined transaction replaced', async () => {
  const wallet = await open();
  const hash = await send(wallet);
  // The block is unknown to whom the wallet asks, but its count is known.
  local.controls.intercept(({ calls: [call] }) => {
    const isBlind = /^eth_getTransaction(Receipt|ByHash)$|^eth_getBlockBy/.test(call?.method ?? '');
    const isFull = Array.isArray(call?.params) && call.params[1] === true;
    return isBlind && (isFull || /Transaction/.test(call?.method ?? ''))
      ? { body: JSON.stringify({ jsonrpc: '2.0', id: call?.id, result: null }) }
      : undefined;
  });
  for (let i = 0; i < 4; i++) {
    await local.controls.mine();
    await new Promise((resolve) => setTimeout(resolve, 120));
  }
  expect(await stateOf(wallet, hash)).toBe('sent');
  local.controls.clearFaults();
  await mineUntil(wallet, hash, 'mined');
});

test('a rival that no node shows is believed after several heads, several blocks deep, and a receipt corrects it', async () => {
  const wallet = await open();
  const hash = await send(wallet);
  local.controls.intercept(({ calls: [call] }) => {
    const { method = '', params } = call ?? {};
    const isFull = method === 'eth_getBlockByNumber' && Array.isArray(params) && params[1] === true;
    const hides = method === 'eth_getTransactionReceipt' || method === 'eth_getTransactionByHash' || isFull;
    return hides ? { body: JSON.stringify({ jsonrpc: '2.0', id: call?.id, result: null }) } : undefined;
  });
  await mineUntil(wallet, hash, 'replaced');
  local.controls.clearFaults();
  const second = await open();
  await mineUntil(second, hash, 'mined');
});

test('an endpoint that refuses a payment and keeps the bytes gets one payment out of two approvals', async () => {
  const wallet = await open();
  local.controls.failSends({
    accepted: true,
    reply: { error: { code: -32010, message: "transaction's basic cost is above the gas limit" } },
  });
  await expect(send(wallet)).rejects.toMatchObject({ code: -32003 });
  expect((await wallet.transactions())[0]?.state).toBe('refused');
  // The node counts the transaction that it said it refused.
  await send(wallet, { gasPrice: '0x7735940' }).catch(() => undefined);
  const nonces = (await wallet.transactions()).map(({ nonce }) => nonce);
  expect(nonces).toEqual(['0x0', '0x0']);
  await local.controls.mine(2);
  expect(await paid()).toBe(1);
});

test('when the chain has used the nonce of a refused transaction, its outcome is read and shown', async () => {
  const wallet = await open();
  local.controls.failSends({
    accepted: true,
    reply: { error: { code: -32010, message: "transaction's basic cost is above the gas limit" } },
  });
  await expect(send(wallet)).rejects.toMatchObject({ code: -32003 });
  const hash = (await wallet.transactions())[0]?.hash as Hex;
  // Mined, but the endpoint shows neither the receipt nor the transaction.
  const hide = local.controls.intercept(({ calls: [call] }) => {
    const { method = '', params } = call ?? {};
    const isFull = method === 'eth_getBlockByNumber' && Array.isArray(params) && params[1] === true;
    const hides = method === 'eth_getTransactionReceipt' || method === 'eth_getTransactionByHash' || isFull;
    return hides ? { body: JSON.stringify({ jsonrpc: '2.0', id: call?.id, result: null }) } : undefined;
  });
  await local.controls.mine();
  await send(wallet);
  expect(questions.at(-1)?.warnings).toContainEqual({
    code: 'earlier-outcome-unclear',
    severity: 'danger',
    detail: expect.stringContaining(hash),
  });
  hide();
  await send(wallet);
  expect(await stateOf(wallet, hash)).toBe('mined');
  expect(questions.at(-1)?.warnings.map(({ code }) => code)).not.toContain('earlier-outcome-unclear');
});

test('a count that only some nodes claim does not raise the nonce', async () => {
  const wallet = await open();
  const first = await send(wallet);
  await mineUntil(wallet, first, 'mined');
  let claims = 0;
  local.controls.overrideTransactionCount((truth) => (++claims % 2 === 1 ? truth + 3n : truth));
  const hash = await send(wallet);
  local.controls.overrideTransactionCount(null);
  expect((await entryOf(wallet, hash))?.nonce).toBe('0x1');
  await mineUntil(wallet, hash, 'mined');
});

test('transactions that wait elsewhere are named before a later one is signed', async () => {
  const wallet = await open();
  const elsewhere = await privateKeyToAccount(key).signTransaction({
    ...{ type: 'legacy', chainId: 31, nonce: 0, gas: 21_000n, gasPrice: 70_000_000n, to: friend, value: 5n },
  });
  await fetch(local.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [elsewhere] }),
  });
  await send(wallet);
  expect(questions.at(-1)?.warnings).toContainEqual({
    code: 'waits-for-others',
    severity: 'caution',
    detail: '1',
  });
});

test.each(['0x10000000000000000', '0x1388', '0x10'])(
  'nonce %s of a page is refused unsigned',
  async (nonce) => {
    const wallet = await open();
    const error = await send(wallet, { nonce }).then(
      () => null,
      (caught: { code: number }) => caught,
    );
    expect([-32003, -32602]).toContain(error?.code);
    expect(await wallet.transactions()).toEqual([]);
    expect(questions).toEqual([]);
  },
);

test('only the dearer of two transactions with one nonce is sent again; both settle with its block', async () => {
  const wallet = await open();
  const cheap = await send(wallet, { nonce: '0x0', gasPrice: '0x42c1d80' });
  const dear = await send(wallet, { nonce: '0x0', gasPrice: '0x5f5e100', value: '0x2' });
  await local.controls.evictPending();
  const sent: unknown[] = [];
  local.controls.intercept(({ calls: [call] }) => {
    if (call?.method === 'eth_sendRawTransaction') sent.push((call.params as unknown[])[0]);
    return undefined;
  });
  await expect
    .poll(
      async () => {
        // The blocks are empty: the pool has forgotten both.
        await local.controls.evictPending();
        await local.controls.mine();
        return sent.length;
      },
      { interval: 60 },
    )
    .toBeGreaterThan(1);
  const entries = await wallet.transactions();
  const rawOf = (hash: Hex) => entries.find((entry) => entry.hash === hash)?.raw;
  expect(sent).toContain(rawOf(dear));
  expect(sent).not.toContain(rawOf(cheap));
  await mineUntil(wallet, dear, 'mined');
  expect(await entryOf(wallet, cheap)).toMatchObject({ state: 'replaced', replacedBy: dear });
  // A wait that starts now gets no other transaction's receipt.
  const receipt = (hash: Hex) =>
    wallet.provider.request({ method: 'eth_getTransactionReceipt', params: [hash] });
  expect(await receipt(cheap)).toBeNull();
  expect(await receipt(dear)).toMatchObject({ transactionHash: dear });
  expect(await paid()).toBe(2);
});

test('a transaction that fails on the chain is reverted, with its fee and its reason', async () => {
  const wallet = await open();
  // Code that reverts with Error("no").
  const reverting = '0x6308c379a060e01b60005260206004526002602452616e6f60f01b60445260646000fd';
  const hash = await send(wallet, { to: undefined, data: reverting, value: '0x0', gas: '0x186a0' });
  await mineUntil(wallet, hash, 'reverted');
  const receipt = await receiptOf(wallet, hash);
  const entry = await entryOf(wallet, hash);
  expect(receipt).toMatchObject({ status: '0x0' });
  const fee =
    BigInt(receipt?.gasUsed as Hex) *
    BigInt((receipt as { effectiveGasPrice?: Hex }).effectiveGasPrice as Hex);
  expect(BigInt(entry?.fee as Hex)).toBe(fee);
  expect(entry?.blockHash).toBe(receipt?.blockHash);
  expect(entry?.reason).toBe('no');
});

test('a signed transaction that no node has accepted is held after ten minutes', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const wallet = await open();
  local.controls.failSends(
    { accepted: false, reply: { status: 503, error: { code: -32603, message: 'x' } } },
    99,
  );
  const hash = await send(wallet);
  wallet.destroy();
  local.controls.clearFaults();
  vi.setSystemTime(Date.now() + 601_000);
  const later = await open();
  const before = local.requests.count('eth_sendRawTransaction');
  for (let i = 0; i < 6; i++) {
    await local.controls.mine();
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  expect(local.requests.count('eth_sendRawTransaction')).toBe(before);
  expect(await entryOf(later, hash)).toMatchObject({ state: 'signed', hold: 'old' });
  await later.resend(hash);
  await mineUntil(later, hash, 'mined');
  expect(await paid()).toBe(1);
});

test('the nonce of an abandoned transaction is free again, and the person sees which one can no longer be sent', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const wallet = await open();
  const outage = { status: 503, error: { code: -32603, message: 'x' } };
  local.controls.failSends({ accepted: false, reply: outage }, 99);
  const hash = await send(wallet);
  local.controls.clearFaults();
  vi.setSystemTime(Date.now() + 601_000);
  const next = await send(wallet, { value: '0x2' });
  expect(questions.at(-1)?.warnings).toContainEqual({
    code: 'overrides-unsent',
    severity: 'notice',
    detail: expect.stringContaining(hash),
  });
  expect((await entryOf(wallet, next))?.nonce).toBe('0x0');
  await expect(wallet.resend(hash)).rejects.toMatchObject({ code: -32602 });
  await wallet.abandon(hash);
  expect(await stateOf(wallet, hash)).toBe('abandoned');
  await mineUntil(wallet, next, 'mined');
  await expect(wallet.abandon(next)).rejects.toMatchObject({ code: -32602 });
  expect(await paid()).toBe(2);
});

test('nothing is sent to another chain with the same id', async () => {
  // Two chains that begin in the same second share their first block.
  await local.controls.mine(2);
  const wallet = await open();
  const hash = await send(wallet);
  wallet.destroy();
  await using other = await createLocalService({ chainId: 31, dialect: 'node', mining: 'manual' });
  await other.controls.faucet(from, parseEther('11'));
  await other.controls.mine(4);
  const later = await open(other.url);
  await expect
    .poll(
      async () => {
        await other.controls.mine();
        return entryOf(later, hash);
      },
      { interval: 60 },
    )
    .toMatchObject({ state: 'sent', hold: 'other-chain' });
  expect(other.requests.count('eth_sendRawTransaction')).toBe(0);
  // The account is free on the other chain, and the transaction goes on where it belongs.
  const there = await send(later, { value: '0x7' });
  expect((await entryOf(later, there))?.nonce).toBe('0x0');
  later.destroy();
  const back = await open();
  await mineUntil(back, hash, 'mined');
});

test('bytes that are not those of the journaled transaction are not sent', async () => {
  const wallet = await open();
  const hash = await send(wallet);
  wallet.destroy();
  const rival = await privateKeyToAccount(key).signTransaction({
    ...{ type: 'legacy', chainId: 31, nonce: 0, gas: 21_000n, gasPrice: 90_000_000n, to: friend, value: 9n },
  });
  const [stored] = (await storage.all('journal')) as {
    chainId: number;
    from: string;
    nonce: string;
    hash: string;
  }[];
  const { chainId, nonce } = stored as NonNullable<typeof stored>;
  await storage.put('journal', [
    [`${chainId}:${from}:${nonce.padStart(18, ' ')}:${hash}`, { ...stored, raw: rival }],
  ]);
  await local.controls.evictPending();
  const later = await open();
  for (let i = 0; i < 8; i++) {
    await local.controls.mine();
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  expect(await entryOf(later, hash)).toMatchObject({ hold: 'damaged' });
  expect(await paid()).toBe(0);
});

test('two sends with the same chosen nonce: the later one must replace the earlier, whatever was shown', async () => {
  const wallet = await open();
  const results = await Promise.allSettled([
    send(wallet, { nonce: '0x0', gasPrice: '0x42c1d80' }),
    send(wallet, { nonce: '0x0', gasPrice: '0x42c1d80', value: '0x2' }),
  ]);
  // Either may be asked first: they are prepared at the same time.
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { code: -32003, message: expect.stringContaining('underpriced') },
  });
  expect(await wallet.transactions()).toHaveLength(1);
});

test('a higher-priced one that was shown as the first with its nonce is shown again as a replacement', async () => {
  const wallet = await open();
  // The second is prepared while the first is being read.
  let answer = () => {};
  reading = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const firstSend = send(wallet, { nonce: '0x0', gasPrice: '0x42c1d80' });
  await until(() => questions.length === 1);
  const secondSend = send(wallet, { nonce: '0x0', gasPrice: '0x7735940', value: '0x2' });
  await until(() => local.requests.count('eth_estimateGas') === 2);
  await new Promise((resolve) => setTimeout(resolve, 500));
  answer();
  const [first, second] = await Promise.all([firstSend, secondSend]);
  expect(
    questions.map(({ warnings }) => warnings.find(({ code }) => code === 'replaces-transaction')?.detail),
  ).toEqual([undefined, undefined, first]);
  await mineUntil(wallet, second, 'mined');
  await mineUntil(wallet, first, 'replaced');
});

test('the question shows whether the page or the wallet chose the nonce', async () => {
  const wallet = await open();
  await send(wallet);
  await send(wallet, { nonce: '0x1' });
  expect(questions).toMatchObject([
    { nonceChosenBy: 'wallet', transaction: { nonce: '0x0' } },
    { nonceChosenBy: 'page', transaction: { nonce: '0x1' } },
  ]);
});

/** A refusal by the rules of a node that has taken the transaction all the same. */
const refusal = (message: string) => ({
  accepted: true,
  reply: { status: 200, error: { code: -32010, message } },
});

test('a payment that was refused and mined after all is said before the next one is signed', async () => {
  const wallet = await open();
  local.controls.failSends(refusal("transaction's basic cost is above the gas limit"));
  await expect(send(wallet)).rejects.toMatchObject({ code: -32003 });
  await local.controls.mine();
  // Of a payment that is signed within the same millisecond it is not known whether the person had read it.
  reading = new Promise((resolve) => setTimeout(resolve, 500));
  await send(wallet);
  expect(questions.at(-1)?.warnings).toContainEqual(
    expect.objectContaining({ code: 'earlier-went-through', severity: 'danger' }),
  );
  await send(wallet);
  expect(questions.at(-1)?.warnings.map(({ code }) => code)).not.toContain('earlier-went-through');
});

test('a price that was refused and mined after all is paid once by one request', async () => {
  const wallet = await open();
  local.controls.failSends(refusal("transaction's gas price lower than block's minimum"));
  let isMined = false;
  local.controls.intercept(async ({ calls: [call] }) => {
    const isHead = call?.method === 'eth_getBlockByNumber' && (call.params as unknown[])[0] === 'latest';
    if (isHead && !isMined && (await wallet.transactions()).length === 1) {
      isMined = true;
      await local.controls.mine();
    }
    return undefined;
  });
  const hash = await send(wallet);
  await mineUntil(wallet, hash, 'mined');
  expect(isMined).toBe(true);
  expect(await wallet.transactions()).toHaveLength(1);
  expect(await paid()).toBe(1);
});

test('a refusal that could not be stored is not reported, since the transaction will be sent again', async () => {
  const update = storage.update.bind(storage);
  let isFull = false;
  storage.update = (async (...args: Parameters<typeof update>) => {
    if (isFull && args[0] === 'journal') throw new DOMException('full', 'QuotaExceededError');
    return update(...args);
  }) as typeof update;
  const wallet = await open();
  local.controls.intercept(({ calls: [call] }) => {
    if (call?.method !== 'eth_sendRawTransaction' || isFull || questions.length !== 1) return undefined;
    isFull = true;
    setTimeout(() => {
      isFull = false;
    }, 300);
    const error = { code: -32010, message: "transaction's basic cost is above the gas limit" };
    return { body: JSON.stringify({ jsonrpc: '2.0', id: call.id, error }) };
  });
  const hash = await send(wallet);
  expect(await stateOf(wallet, hash)).toBe('signed');
});

test('a made-up transaction of the account in a block proves nothing', async () => {
  const wallet = await open();
  let hasSent = false;
  let isLying = true;
  local.controls.intercept(async ({ calls: [call] }, answer) => {
    if (!isLying || !call) return undefined;
    const params = call.params as readonly unknown[];
    const reply = (fields: object) => ({ body: JSON.stringify({ jsonrpc: '2.0', id: call.id, ...fields }) });
    if (call.method === 'eth_sendRawTransaction' && !hasSent) {
      hasSent = true;
      await answer();
      return reply({ error: { code: -32010, message: 'transaction nonce too low' } });
    }
    if (!hasSent) return undefined;
    if (/^eth_getTransaction(Receipt|ByHash)$/.test(call.method)) return reply({ result: null });
    if (call.method === 'eth_getTransactionCount')
      return reply({ result: params[1] === '0x0' ? '0x0' : '0x1' });
    if (call.method !== 'eth_getBlockByNumber' || params[1] !== true) return undefined;
    const { result: block } = JSON.parse((await answer()).body) as { result: Record<string, unknown> };
    const place = { blockHash: block.hash, blockNumber: block.number, transactionIndex: '0x0' };
    const numbers = {
      nonce: '0x0',
      value: '0x1',
      gas: '0x5208',
      gasPrice: '0x1',
      v: '0x62',
      r: '0x1',
      s: '0x1',
    };
    const forged = { hash: `0x${'11'.repeat(32)}`, from, to: friend, input: '0x', ...numbers, ...place };
    return reply({ result: { ...block, transactions: [forged] } });
  });
  const hash = await send(wallet);
  expect((await entryOf(wallet, hash))?.replacedBy).toBeUndefined();
  isLying = false;
  await mineUntil(wallet, hash, 'mined');
});

test('no call of a batch is sent before the one in front of it is accepted', async () => {
  const [alice, bob] = [`0x${'cc'.repeat(20)}`, `0x${'bb'.repeat(20)}`] as const;
  const wallet = await open();
  // Keeps the outbox awake.
  await send(wallet, { value: '0x4563918244f40000' });
  let isFirst = true;
  const offered: string[] = [];
  local.controls.intercept(async ({ calls: [call] }, answer) => {
    if (call?.method !== 'eth_sendRawTransaction') return undefined;
    const raw = String((call.params as unknown[])[0]);
    if (raw.includes(bob.slice(2))) offered.push('bob');
    if (!raw.includes(alice.slice(2)) || !isFirst) return undefined;
    isFirst = false;
    await local.controls.mine();
    await new Promise((resolve) => setTimeout(resolve, 500));
    return answer();
  });
  const calls = [
    { to: alice, value: '0x6124fee993bc0000' },
    { to: bob, value: '0x1' },
  ] as const;
  await expect(
    wallet.provider.request({
      method: 'wallet_sendCalls',
      params: [{ version: '2.0.0', id: 'b1', chainId: '0x1f', from, atomicRequired: false, calls }] as never,
    }),
  ).rejects.toMatchObject({ code: -32003 });
  expect(offered).toEqual([]);
});

test('a transaction from a time ahead of the clock waits for the person', async () => {
  const wallet = await open();
  const calm = local.controls.failSends(
    { accepted: false, reply: { status: 503, error: { code: -32000, message: 'x' } } },
    99,
  );
  const hash = await send(wallet);
  const entry = await entryOf(wallet, hash);
  const { holdOf } = await import('../../../src/transactions/journal-entry.js');
  const signed = { ...(entry as never as Parameters<typeof holdOf>[0]), state: 'signed' } as const;
  expect(holdOf(signed, signed.createdAt)).toBeNull();
  expect(holdOf(signed, signed.createdAt - 86_400_000)).toBe('old');
  calm();
});

test('a transaction that the person has given up is not sent by a page that has its bytes', async () => {
  const wallet = await open();
  local.controls.failSends(
    { accepted: false, reply: { status: 503, error: { code: -32000, message: 'x' } } },
    99,
  );
  const hash = await send(wallet);
  const raw = (await entryOf(wallet, hash))?.raw as Hex;
  await wallet.abandon(hash);
  await expect(
    wallet.provider.request({ method: 'eth_sendRawTransaction', params: [raw] }),
  ).rejects.toMatchObject({ code: -32003 });
  expect(await stateOf(wallet, hash)).toBe('abandoned');
});
