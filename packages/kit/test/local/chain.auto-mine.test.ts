import { keccak256 } from 'viem';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  alice,
  clientOf,
  revertingWith,
  sign,
  type Wish,
  word,
} from '../../../../test/support/local-client.js';
import { createLocalService, type Hex, type LocalService } from '../../src/local/index.js';

/** A development node replies to a send with the outcome. Its errors mean that it has accepted the transaction. */
let service: LocalService;
let call: ReturnType<typeof clientOf>['call'];
let refusal: ReturnType<typeof clientOf>['refusal'];
const creation = { to: null, gas: 200_000n, value: 0n } as const;

beforeEach(async () => {
  service = await createLocalService({ dialect: 'node', switches: { sendReplies: 'outcome' } });
  ({ call, refusal } = clientOf(service));
  await service.controls.faucet(alice.address, 10n ** 18n);
});
afterEach(() => service?.close());

async function send(
  wish: Wish = {},
): Promise<{ hash: Hex; error: { code?: number; message?: string; data?: Hex } }> {
  const raw = await sign(wish);
  const { status: _, ...error } = await refusal('eth_sendRawTransaction', raw);
  return { hash: keccak256(raw), error };
}
const receiptStatus = async (hash: Hex) => (await call('eth_getTransactionReceipt', hash))?.status;

test('the reply to a transaction that succeeds is its hash', async () => {
  const raw = await sign();
  expect(await call('eth_sendRawTransaction', raw)).toBe(keccak256(raw));
  expect(await receiptStatus(keccak256(raw))).toBe('0x1');
});

test('-32009 “transaction wasn’t mined” means that the transaction is in the pool', async () => {
  service.controls.setMining('manual');
  const { hash, error } = await send();
  expect(error).toEqual({
    code: -32009,
    message: "Unknown error when sending transaction: transaction wasn't mined",
  });
  expect((await call('eth_getTransactionByHash', hash)).blockHash).toBe(null);
  await service.controls.mine();
  expect(await receiptStatus(hash)).toBe('0x1');
});

test('-32009 is also the reply above a nonce gap, and the transaction is mined when the gap is filled', async () => {
  const { hash, error } = await send({ nonce: 1 });
  expect(error.code).toBe(-32009);
  await send();
  expect(await receiptStatus(hash)).toBe('0x1');
});

test('-32015 with the reason means that the transaction was mined with status 0x0', async () => {
  const text = `${word(32)}${word(5)}${Buffer.from('hello').toString('hex').padEnd(64, '0')}`;
  const { hash, error } = await send({ ...creation, data: revertingWith(`08c379a0${text}`) });
  expect(error).toEqual({
    code: -32015,
    message: 'VM Exception while processing transaction: revert hello',
    data: `0x08c379a0${text}`,
  });
  expect(await receiptStatus(hash)).toBe('0x0');
  expect(await call('eth_getTransactionCount', alice.address, 'latest')).toBe('0x1');
});

test('-32015 without data is the reply to a transaction that fails without a revert', async () => {
  const { hash, error } = await send({ ...creation, data: '0xfe' });
  expect(error).toEqual({
    code: -32015,
    message: 'VM Exception while processing transaction: transaction reverted',
  });
  expect(await receiptStatus(hash)).toBe('0x0');
});

test('a rejection by the pool has the pool’s error', async () => {
  const { error } = await send({ gasPrice: 1n });
  expect(error).toEqual({ code: -32010, message: "transaction's gas price lower than block's minimum" });
});
