import { parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import {
  createMemoryStorage,
  type Hex,
  type Question,
  type RecordedTransaction,
  type Wallet,
} from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openWallet } from '../../support/open-wallet.js';

hastenKdfOfFile();

/** Speeding up and cancelling, on a real chain whose blocks the test mines. */

const password = 'correct horse';
const friend = `0x${'aa'.repeat(20)}` as const;
const lowest = 59_240_000n;
const key = generatePrivateKey();
const from = privateKeyToAccount(key).address.toLowerCase() as Hex;

let local: LocalService;
let wallet: Wallet;
let questions: Question[];
let agrees: boolean;

beforeEach(async () => {
  local = await createLocalService({ chainId: 31, dialect: 'node', mining: 'manual' });
  await local.controls.faucet(from, parseEther('10'));
  await local.controls.mine();
  questions = [];
  agrees = true;
  wallet = openWallet({
    networks: [{ chainId: 31, url: local.url }],
    storage: createMemoryStorage(),
    approver: () =>
      headless({
        password,
        answer: (question) => {
          questions.push(question);
          return agrees;
        },
      }),
    pollingInterval: 30,
  });
  await wallet.importPrivateKey(key, { password });
});
afterEach(async () => {
  vi.useRealTimers();
  wallet.destroy();
  await local.close();
});

const send = (change: object = {}) => wallet.send({ from, to: friend, value: '0x5', ...change });
const entryOf = async (hash: Hex) =>
  (await wallet.transactions()).find((entry) => entry.hash === hash) as RecordedTransaction;
const mineUntil = (hash: Hex, state: string) =>
  expect
    .poll(
      async () => {
        await local.controls.mine();
        return (await entryOf(hash)).state;
      },
      { interval: 60 },
    )
    .toBe(state);
const transactionQuestion = () => {
  const question = questions.at(-1);
  if (question?.kind !== 'transaction') throw new Error('no transaction was asked about');
  return question;
};

describe('speedUp', () => {
  test('sends the same with the same nonce and 40 % more; it is mined, and the first is replaced', async () => {
    const first = await send({ data: '0x0102' });
    const second = await wallet.speedUp(first);
    const [before, after] = [await entryOf(first), await entryOf(second)];
    expect(after).toMatchObject({
      ...{ nonce: before.nonce, to: friend, value: '0x5', data: '0x0102', gas: before.gas },
      ...{ replaces: first, origin: 'https://app.example' },
    });
    expect(BigInt(after.gasPrice)).toBe((BigInt(before.gasPrice) * 140n + 99n) / 100n);
    expect(transactionQuestion()).toMatchObject({
      replacement: 'speed-up',
      origin: 'https://app.example',
      action: 'send',
      choices: { minimum: after.gasPrice },
    });
    expect(transactionQuestion().warnings).toContainEqual({
      code: 'replaces-transaction',
      severity: 'notice',
      detail: first,
    });
    expect((await entryOf(first)).supersededBy).toBe(second);
    await mineUntil(second, 'mined');
    expect(await entryOf(first)).toMatchObject({ state: 'replaced', replacedBy: second });
    expect(await entryOf(first)).not.toHaveProperty('supersededBy');
    expect(await wallet.balance(friend)).toBe(5n);
  });

  test('follows the network’s price where that is higher, and the price that the owner names', async () => {
    const first = await send();
    local.controls.setMinimumGasPrice(3n * lowest);
    await local.controls.evictPending();
    await local.controls.mine();
    // The wallet may be reading the block before, and shares that reply.
    await expect
      .poll(async () => (await wallet.fees({ from, to: friend })).minimum)
      .toBe(`0x${(3n * lowest).toString(16)}`);
    const second = await wallet.speedUp(first);
    expect(BigInt((await entryOf(second)).gasPrice)).toBeGreaterThanOrEqual(3n * lowest);
    const price = `0x${(20n * lowest).toString(16)}` as const;
    const third = await wallet.speedUp(second, { gasPrice: price });
    expect((await entryOf(third)).gasPrice).toBe(price);
    await mineUntil(third, 'mined');
    expect(await entryOf(first)).toMatchObject({ state: 'replaced' });
    expect(await entryOf(second)).toMatchObject({ state: 'replaced' });
  });

  test('a refusal changes nothing', async () => {
    const first = await send();
    agrees = false;
    await expect(wallet.speedUp(first)).rejects.toMatchObject({ code: 4001 });
    expect(await wallet.transactions()).toHaveLength(1);
    agrees = true;
    await mineUntil(first, 'mined');
  });

  test('a price under 40 % more, and one that nothing below the cap exceeds, are refused unasked', async () => {
    const first = await send();
    const asked = questions.length;
    const tooLow = `0x${(BigInt((await entryOf(first)).gasPrice) + 1n).toString(16)}` as const;
    await expect(wallet.speedUp(first, { gasPrice: tooLow })).rejects.toMatchObject({
      code: -32003,
      message: expect.stringContaining('replacement transaction underpriced'),
    });
    expect(questions).toHaveLength(asked);
    const highest = await wallet.speedUp(first, { gasPrice: `0x${(70n * lowest).toString(16)}` });
    await expect(wallet.speedUp(highest)).rejects.toMatchObject({
      code: -32003,
      message: expect.stringContaining('the network takes at most'),
    });
  });
});

describe('cancel', () => {
  test('pays nothing to oneself with the nonce; the payment is replaced', async () => {
    const payment = await send();
    const cancelled = await wallet.cancel(payment);
    expect(await entryOf(cancelled)).toMatchObject({
      ...{ to: from, value: '0x0', data: '0x', gas: '0x5208' },
      ...{ nonce: (await entryOf(payment)).nonce, replaces: payment },
    });
    expect(transactionQuestion()).toMatchObject({ replacement: 'cancel', ownRecipient: true });
    await mineUntil(cancelled, 'mined');
    expect(await entryOf(payment)).toMatchObject({ state: 'replaced', replacedBy: cancelled });
    expect(await wallet.balance(friend)).toBe(0n);
  });

  test('a payment that is mined while the person reads is not cancelled', async () => {
    const payment = await send();
    await wallet.lock();
    wallet.destroy();
    const reading = openWallet({
      networks: [{ chainId: 31, url: local.url }],
      approver: () =>
        headless({
          password,
          async answer(question) {
            if (question.kind === 'transaction' && question.replacement) await local.controls.mine();
            return true;
          },
        }),
      pollingInterval: 30,
    });
    try {
      await reading.importPrivateKey(key, { password });
      const again = await reading.send({ from, to: friend, value: '0x6' });
      await expect(reading.cancel(again)).rejects.toMatchObject({ code: -32003 });
    } finally {
      reading.destroy();
    }
    expect(payment).toMatch(/^0x/);
  });
});

describe('nothing to replace', () => {
  const refused = (hash: unknown, message: string) =>
    Promise.all(
      [wallet.speedUp, wallet.cancel].map((replace) =>
        expect(replace(hash as Hex)).rejects.toMatchObject({
          code: -32602,
          message: expect.stringContaining(message),
        }),
      ),
    );

  test('an unknown hash and an invalid one are refused', async () => {
    await refused(`0x${'12'.repeat(32)}`, 'no transaction with this hash');
    await refused('0x12', 'hash');
    await refused(undefined, 'hash');
  });

  test('a mined transaction', async () => {
    const hash = await send();
    await mineUntil(hash, 'mined');
    await refused(hash, 'the transaction is mined');
  });

  test('a transaction that was sped up already is not replaced', async () => {
    const hash = await send();
    await wallet.speedUp(hash);
    await refused(hash, 'a later transaction has taken its nonce');
  });

  test('a transaction on hold is not replaced', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const calm = local.controls.failSends(
      { accepted: false, reply: { status: 503, error: { code: -32000, message: 'busy' } } },
      100,
    );
    const hash = await send();
    vi.setSystemTime(Date.now() + 700_000);
    await refused(hash, 'the transaction is held (old)');
    calm();
  });
});
