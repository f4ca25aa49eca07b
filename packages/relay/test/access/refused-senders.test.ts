import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test, vi } from 'vitest';
import { errorCode, ProviderRpcError } from '../../../../src/rpc/errors.js';
import { alice, bob, sign, type Wish, word } from '../../../../test/support/local-client.js';
import { createRefusedSenders } from '../../src/access/refused-senders.js';

const errorOf = (reason: string) =>
  new ProviderRpcError(errorCode.transactionRejected, reason, { reason, serviceCode: -32010 });
const noFunds = errorOf('insufficient-funds');

function setUp() {
  const time = { now: 1_000_000 };
  return { time, senders: createRefusedSenders({ chainId: 33, now: () => time.now, maxSenders: 5 }) };
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

  test('already-known, a rate limit and invalid bytes mark no sender as refused', async () => {
    const { senders } = setUp();
    senders.answered(await sign({ nonce: 1 }), errorOf('already-known'));
    senders.answered(await sign({ nonce: 1 }), new ProviderRpcError(-32005, 'slow', { reason: 'rate' }));
    senders.answered('0xab', noFunds);
    expect(senders.find(await sign({ nonce: 2 }))).toBeUndefined();
  });
});

describe('memory of refused senders', () => {
  const account = (n: number) => privateKeyToAccount(`0x${word(n)}`);

  test('some figures of a transaction as long as may be are kept', async () => {
    const raw = await sign({ nonce: 3, gas: 2n ** 80_000n, data: `0x${'ab'.repeat(100_000)}` });
    const kept: unknown[] = [];
    const set = vi.spyOn(Map.prototype, 'set').mockImplementation(function (
      this: Map<unknown, unknown>,
      ...entry
    ) {
      kept.push(entry);
      set.mockRestore();
      return this.set(...entry);
    });
    const { senders } = setUp();
    senders.answered(raw, errorOf('gas-too-low'));
    const text = JSON.stringify(kept, (_, value) => (typeof value === 'bigint' ? value.toString(16) : value));
    expect(text).toContain(alice.address.toLowerCase());
    expect(text.length).toBeLessThan(500);
    expect(senders.find(await sign({ gas: 2n ** 90_000n }))).toBeDefined();
  });

  test('expires after a minute even without another request, and the number of senders is bounded', async () => {
    const { senders, time } = setUp();
    const raws = await Promise.all(Array.from({ length: 8 }, (_, i) => sign({}, account(i + 1))));
    for (const raw of raws.slice(0, 3)) {
      senders.answered(raw, noFunds);
      time.now += 20_000;
    }
    expect(senders.size()).toBe(3);
    senders.answered(raws[3] as never, noFunds);
    expect(senders.size()).toBe(3);
    time.now += 60_000;
    for (const raw of raws) senders.answered(raw, noFunds);
    expect(senders.size()).toBe(5);
    time.now += 60_000;
    senders.answered(raws[0] as never, noFunds);
    expect(senders.size()).toBe(1);
  });
});
