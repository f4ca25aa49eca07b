import { describe, expect, test } from 'vitest';
import { createRefusedSenders } from '../../../../src/relay/access/refused-senders.js';
import { errorCode, ProviderRpcError } from '../../../../src/rpc/errors.js';
import { bob, sign, type Wish } from '../../../support/local-client.js';

const errorOf = (reason: string) =>
  new ProviderRpcError(errorCode.transactionRejected, reason, { reason, serviceCode: -32010 });
const noFunds = errorOf('insufficient-funds');

function setUp() {
  const time = { now: 1_000_000 };
  return { time, senders: createRefusedSenders({ chainId: 33, now: () => time.now }) };
}

describe('a sender that the service has refused', () => {
  test('gets the same error for a minute, whatever it sends, and others do not', async () => {
    const { senders, time } = setUp();
    senders.answered(await sign({ nonce: 4 }), noFunds);
    for (const wish of [{ nonce: 4 }, { nonce: 5 }, { nonce: 4, value: 9n }, { data: '0x01' }] as Wish[])
      expect(senders.find(await sign(wish))).toBe(noFunds);
    expect(senders.find(await sign({ nonce: 4 }, bob))).toBeUndefined();
    time.now += 59_999;
    expect(senders.find(await sign({ nonce: 6 }))).toBe(noFunds);
    time.now += 1;
    expect(senders.find(await sign({ nonce: 6 }))).toBeUndefined();
  });

  test.each<[reason: string, refused: Wish, same: Wish, corrected: Wish]>([
    ['nonce-too-low', { nonce: 3 }, { nonce: 3, value: 7n }, { nonce: 4 }],
    ['nonce-too-high', { nonce: 30 }, { nonce: 31 }, { nonce: 3 }],
    ['underpriced', { gasPrice: 5n }, { gasPrice: 5n, nonce: 1 }, { gasPrice: 6n }],
    ['replacement-underpriced', { gasPrice: 5n }, { gasPrice: 4n }, { gasPrice: 6n }],
    ['overpriced', { gasPrice: 5n }, { gasPrice: 6n }, { gasPrice: 4n }],
    ['gas-too-low', { gas: 5n }, { gas: 5n, nonce: 2 }, { gas: 6n }],
    ['gas-too-high', { gas: 5n }, { gas: 6n }, { gas: 4n }],
  ])('may correct what was wrong: %s', async (reason, refused, same, corrected) => {
    const { senders } = setUp();
    senders.answered(await sign(refused), errorOf(reason));
    expect(senders.find(await sign(same))).toBeDefined();
    expect(senders.find(await sign(corrected))).toBeUndefined();
  });

  test('is not refused what the service may have already: a person would pay twice', async () => {
    const { senders } = setUp();
    const [accepted, unclear] = [await sign({ nonce: 1 }), await sign({ nonce: 2 })];
    senders.answered(accepted);
    senders.answered(unclear, new ProviderRpcError(-32002, 'late', { reason: 'late', outcomeUnknown: true }));
    senders.answered(await sign({ nonce: 3, value: 10n ** 30n }), noFunds);
    expect(senders.find(accepted)).toBeUndefined();
    expect(senders.find(unclear)).toBeUndefined();
    expect(senders.find(await sign({ nonce: 4 }))).toBe(noFunds);
  });

  test('is none where the service already has the transaction, or says nothing about it', async () => {
    const { senders } = setUp();
    senders.answered(await sign({ nonce: 1 }), errorOf('already-known'));
    senders.answered(await sign({ nonce: 1 }), new ProviderRpcError(-32005, 'slow', { reason: 'rate' }));
    senders.answered('0xab', noFunds);
    expect(senders.find(await sign({ nonce: 2 }))).toBeUndefined();
  });
});
