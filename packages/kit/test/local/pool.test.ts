import { keccak256, parseTransaction, serializeTransaction } from 'viem';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import {
  alice,
  bob,
  clientOf,
  minimum,
  nobody,
  sign,
  type Wish,
} from '../../../../test/support/local-client.js';
import { createLocalService, type Hex, type LocalService } from '../../src/local/index.js';

/** The checks of `eth_sendRawTransaction`, in the node's order (docs/notes/node.md#sending). */
let service: LocalService;
let now = 1_000_000;
let call: ReturnType<typeof clientOf>['call'];
let refusal: ReturnType<typeof clientOf>['refusal'];
const coin = 10n ** 18n;

beforeEach(async () => {
  service ??= await createLocalService({ mining: 'manual', now: () => now });
  ({ call, refusal } = clientOf(service));
  await call('evm_reset');
  await service.controls.faucet(alice.address, coin);
  service.controls.setMinimumGasPrice(minimum);
});
afterAll(() => service?.close());

const send = async (wish: Wish = {}, account = alice): Promise<Hex> =>
  call('eth_sendRawTransaction', await sign(wish, account));
const refused = (raw: Hex) => refusal('eth_sendRawTransaction', raw);
const poolSays = (message: string) => ({ status: 200, code: -32010, message });

describe('decoding', () => {
  const chainMessage = (id: number) => ({ status: 400, code: -32602, message: `Invalid chainId: ${id}` });
  const internal = { status: 200, code: -32603, message: 'Internal server error' };

  /** The same transaction with another signature. */
  async function resigned(change: { r?: Hex; s?: Hex; v?: bigint; yParity?: number }): Promise<Hex> {
    const { r, s, v, yParity, ...transaction } = parseTransaction(await sign()) as never as Record<
      string,
      never
    >;
    return serializeTransaction({ ...transaction } as never, { r, s, v, ...change } as never);
  }

  test('truncated bytes have the RLP reader’s error; no bytes and trailing bytes are internal errors', async () => {
    const whole = await sign();
    const message =
      "Invalid input: The RLP byte array doesn't have enough space to hold an element with the specified length";
    expect(await refused(whole.slice(0, -4) as Hex)).toEqual({ status: 400, code: -32602, message });
    expect(await refused('0x')).toEqual(internal);
    expect(await refused(`${whole}00`)).toEqual(internal);
  });

  test('typed envelopes, unsigned transactions and recipients of a wrong length are internal errors', async () => {
    const typed = await alice.signTransaction({
      type: 'eip1559',
      chainId: 33,
      nonce: 0,
      gas: 21_000n,
      to: nobody,
    });
    const unsigned = serializeTransaction({
      type: 'legacy',
      nonce: 0,
      gas: 21_000n,
      gasPrice: 1n,
      to: nobody,
    });
    expect(await refused(typed)).toEqual(internal);
    expect(await refused(unsigned)).toEqual(internal);
    expect(await refused('0xc0')).toEqual(internal);
    expect(await refused('0xc1c0')).toEqual(internal);
  });

  test('a missing gas limit is rejected', async () => {
    const message = 'Missing parameter, gasPrice, gas or value';
    expect(await refused(await sign({ gas: 0n }))).toEqual({ status: 400, code: -32602, message });
  });

  test('another chain and a high s are an invalid chain id; a missing signature is an internal error', async () => {
    expect(await refused(await sign({ chainId: 31 }))).toEqual(chainMessage(31));
    const unsigned = serializeTransaction({
      type: 'legacy',
      chainId: 33,
      gas: 21_000n,
      gasPrice: 1n,
      to: nobody,
    });
    expect(await refused(unsigned)).toEqual(internal);
    const { s, v } = parseTransaction(await sign()) as { s: Hex; v: bigint };
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const high = await resigned({ s: `0x${(order - BigInt(s)).toString(16)}`, v: v === 101n ? 102n : 101n });
    expect(await refused(high)).toEqual(chainMessage(33));
  });

  test('a transaction without a chain id is accepted, as by the node', async () => {
    const raw = await alice.signTransaction({
      type: 'legacy',
      nonce: 0,
      gasPrice: 65_000_000n,
      gas: 21_000n,
      to: nobody,
    });
    const hash = await call('eth_sendRawTransaction', raw);
    expect(hash).toBe(keccak256(raw));
    await service.controls.mine();
    expect((await call('eth_getTransactionReceipt', hash)).from).toBe(alice.address.toLowerCase());
  });
});

describe('pool rules', () => {
  test('a valid transaction is accepted and its hash returned', async () => {
    const raw = await sign();
    expect(await call('eth_sendRawTransaction', raw)).toBe(keccak256(raw));
  });

  test('a transaction that is pending or queued already is rejected', async () => {
    await send();
    expect(await refused(await sign())).toEqual(
      poolSays('pending transaction with same hash already exists'),
    );
    await send({ nonce: 5 });
    expect(await refused(await sign({ nonce: 5 }))).toEqual(
      poolSays('queued transaction with same hash already exists'),
    );
  });

  test('a sender without balance and nonce is rejected', async () => {
    expect(await refused(await sign({}, bob))).toEqual(poolSays("the sender account doesn't exist"));
  });

  test('the sizes of init code, transaction and gas limit are checked', async () => {
    const code = await sign({ to: null, data: `0x${'00'.repeat(49_153)}`, gas: 6_000_000n });
    expect(await refused(code)).toEqual(poolSays("transaction's init code size is invalid"));
    const large = await sign({ data: `0x${'00'.repeat(131_072)}`, gas: 6_000_000n });
    const size = (large.length - 2) / 2;
    const message = `transaction's size is higher than defined maximum: ${size} > 131072`;
    expect(await refused(large)).toEqual(poolSays(message));
    expect(await refused(await sign({ gas: 6_800_001n }))).toEqual(
      poolSays("transaction's gas limit of 6800001 is higher than the block's gas limit of 6800000"),
    );
  });

  test('a nonce that is too low or too high is rejected', async () => {
    await send();
    await service.controls.mine();
    expect(await refused(await sign())).toEqual(poolSays('transaction nonce too low'));
    expect(await refused(await sign({ nonce: 17 }))).toEqual(poolSays('transaction nonce too high'));
    await send({ nonce: 16 });
  });

  test('the balance must cover the fee, then all pending transactions', async () => {
    const poor = { gas: 6_000_000n, gasPrice: 4_000_000_000n };
    await service.controls.faucet(bob.address, 10n ** 16n);
    expect(await refused(await sign(poor, bob))).toEqual(poolSays('insufficient funds'));
    const total = poolSays('insufficient funds to pay for pending and new transactions');
    expect(await refused(await sign({ value: 10n ** 16n }, bob))).toEqual(total);
    await send({ value: 6n * 10n ** 15n }, bob);
    expect(await refused(await sign({ nonce: 1, value: 6n * 10n ** 15n }, bob))).toEqual(total);
  });

  test('a price below the minimum or over 80 times it, and gas below the intrinsic gas, are rejected', async () => {
    const low = poolSays("transaction's gas price lower than block's minimum");
    expect(await refused(await sign({ gasPrice: minimum - 1n }))).toEqual(low);
    const high = poolSays("transaction's gas price exceeds cap");
    expect(await refused(await sign({ gasPrice: minimum * 80n + 1n }))).toEqual(high);
    const basic = poolSays("transaction's basic cost is above the gas limit");
    expect(await refused(await sign({ gas: 20_999n }))).toEqual(basic);
    expect(await refused(await sign({ data: '0x0001', gas: 21_019n }))).toEqual(basic);
    expect(await refused(await sign({ to: null, data: '0x00', gas: 53_005n }))).toEqual(basic);
    await send({ gasPrice: minimum });
    await send({ nonce: 1, gasPrice: minimum * 80n });
    await send({ nonce: 2, data: '0x0001', gas: 21_020n });
  });

  test('setMinimumGasPrice applies from the next block and changes eth_gasPrice', async () => {
    service.controls.setMinimumGasPrice(100n * minimum);
    await send({ gasPrice: minimum });
    await service.controls.mine();
    expect((await refused(await sign({ nonce: 1 }))).message).toMatch(/lower than block's minimum/);
    const block = await call('eth_getBlockByNumber', 'latest', false);
    expect(BigInt(block.minimumGasPrice)).toBe(100n * minimum);
    expect(BigInt(await call('eth_gasPrice'))).toBe(110n * minimum);
  });

  test('a replacement must pay 40 per cent more', async () => {
    const first = await send({ gasPrice: 60_000_000n });
    const bump = poolSays('gas price not enough to bump transaction');
    expect(await refused(await sign({ gasPrice: 83_999_999n }))).toEqual(bump);
    const second = await send({ gasPrice: 84_000_000n });
    expect(await call('eth_getTransactionByHash', first)).toBe(null);
    await service.controls.mine();
    expect(await call('eth_getTransactionReceipt', first)).toBe(null);
    expect((await call('eth_getTransactionReceipt', second)).status).toBe('0x1');
  });
});

describe('pending and queued', () => {
  const pendingCount = () => call('eth_getTransactionCount', alice.address, 'pending');

  test('a transaction above a nonce gap is accepted, not found, and mined when the gap is filled', async () => {
    const third = await send({ nonce: 2 });
    expect(await call('eth_getTransactionByHash', third)).toBe(null);
    expect(await pendingCount()).toBe('0x0');
    await send({ nonce: 0 });
    expect(await pendingCount()).toBe('0x1');
    await send({ nonce: 1 });
    expect(await pendingCount()).toBe('0x3');
    expect((await call('eth_getTransactionByHash', third)).blockHash).toBe(null);
    await service.controls.mine();
    expect((await call('eth_getTransactionReceipt', third)).blockNumber).toBe('0x1');
    expect(await pendingCount()).toBe('0x3');
  });

  test('above a nonce gap the latest transaction replaces one with the same nonce, even at a lower price', async () => {
    const first = await send({ nonce: 2, gasPrice: 70_000_000n });
    const last = await send({ nonce: 2, gasPrice: minimum });
    expect(await call('txpool_status')).toEqual({ pending: 0, queued: 1 });
    await send({ nonce: 0 });
    await send({ nonce: 1 });
    expect((await call('eth_getTransactionByHash', last)).blockHash).toBe(null);
    expect(await call('eth_getTransactionByHash', first)).toBe(null);
    await service.controls.mine();
    expect([
      await call('eth_getTransactionReceipt', first),
      (await call('eth_getTransactionReceipt', last)).status,
    ]).toEqual([null, '0x1']);
  });

  test('a queued transaction becomes pending only when this pool fills the gap, and is dropped if it is rejected then', async () => {
    await service.controls.faucet(bob.address, 10n ** 16n);
    const price = 4_000_000_000n;
    const queued = await send({ nonce: 1, gas: 1_300_000n, gasPrice: price }, bob);
    await send({ nonce: 0, gas: 1_300_000n, gasPrice: price }, bob);
    expect(await call('txpool_status')).toEqual({ pending: 1, queued: 0 });
    expect(await call('eth_getTransactionByHash', queued)).toBe(null);
  });

  test('reads with the tag pending include pending transactions', async () => {
    await send({ value: 5n });
    expect(await call('eth_getBalance', nobody, 'pending')).toBe('0x5');
    expect(await call('eth_getBalance', nobody, 'latest')).toBe('0x0');
    expect(await call('eth_getBlockTransactionCountByNumber', 'pending')).toBe('0x1');
  });

  test('a transaction is dropped after 10 blocks', async () => {
    const queued = await send({ nonce: 3 });
    await service.controls.mine(10);
    expect((await refused(await sign({ nonce: 3 }))).message).toMatch(/^queued/);
    await service.controls.mine();
    expect(await send({ nonce: 3 })).toBe(queued);
  });

  test('pending and queued transactions are dropped after 650 seconds, before the next block', async () => {
    const pending = await send();
    await send({ nonce: 3 });
    now += 649_999;
    expect(await call('txpool_status')).toEqual({ pending: 1, queued: 1 });
    now += 1;
    expect(await call('txpool_status')).toEqual({ pending: 0, queued: 0 });
    expect([await call('eth_getTransactionByHash', pending), await pendingCount()]).toEqual([null, '0x0']);
    await service.controls.mine();
    expect(await call('eth_getTransactionReceipt', pending)).toBe(null);
    await send({ nonce: 3 });
  });

  test('evictPending drops one transaction, or all', async () => {
    const first = await send();
    const second = await send({ nonce: 1 });
    await service.controls.evictPending(second);
    expect(await call('eth_getTransactionByHash', second)).toBe(null);
    expect(await pendingCount()).toBe('0x1');
    await service.controls.evictPending();
    await service.controls.mine();
    expect(await call('eth_getTransactionReceipt', first)).toBe(null);
    expect(await send()).toBe(first);
  });

  test('a transaction that does not fit into a block is mined in the next', async () => {
    const hashes = [];
    for (let nonce = 0; nonce < 4; nonce++)
      hashes.push(await send({ nonce, to: null, data: '0x5b600056', gas: 2_000_000n, value: 0n }));
    await service.controls.mine();
    expect((await call('eth_getBlockByNumber', '0x1', false)).transactions).toEqual(hashes.slice(0, 3));
    expect((await call('eth_getTransactionByHash', hashes[3])).blockHash).toBe(null);
    await service.controls.mine();
    expect((await call('eth_getTransactionReceipt', hashes[3])).blockNumber).toBe('0x2');
  });

  test('txpool methods have the shape of the node', async () => {
    const hash = await send({ value: 3n });
    await send({ nonce: 4 });
    expect(await call('txpool_status')).toEqual({ pending: 1, queued: 1 });
    const sender = alice.address.slice(2).toLowerCase();
    expect((await call('txpool_content')).pending).toEqual({
      [sender]: {
        0: [
          {
            blockHash: `0x${'0'.repeat(64)}`,
            blockNumber: null,
            transactionIndex: null,
            from: alice.address.toLowerCase(),
            gas: '0x5208',
            gasPrice: '0x03dfd240',
            hash,
            input: '0x',
            nonce: '0x0',
            to: nobody,
            value: '0x03',
          },
        ],
      },
    });
    expect((await call('txpool_inspect')).queued).toEqual({
      [sender]: { 4: [`${nobody.slice(2)}: 1 wei + 21000 x 65000000 gas`] },
    });
  });
});
