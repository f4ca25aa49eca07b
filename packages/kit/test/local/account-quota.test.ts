import { afterEach, beforeEach, expect, test } from 'vitest';
import { alice, bob, carol, clientOf, sign, type Wish } from '../../../../test/support/local-client.js';
import { createLocalService, type Hex, type LocalService } from '../../src/local/index.js';

/** The node's virtual gas per account, with the node's own constants. */
let service: LocalService;
let now: number;
let call: ReturnType<typeof clientOf>['call'];
let refusal: ReturnType<typeof clientOf>['refusal'];
const perSecond = 6_120_000;

beforeEach(async () => {
  now = 1_000_000;
  service = await createLocalService({
    dialect: 'node',
    mining: 'manual',
    now: () => now,
    switches: { modules: ['debug'] },
  });
  ({ call, refusal } = clientOf(service));
  for (const { address } of [alice, bob]) await service.controls.faucet(address, 10n ** 18n);
});
afterEach(() => service?.close());

const send = async (wish: Wish = {}, account = alice): Promise<Hex> =>
  call('eth_sendRawTransaction', await sign(wish, account));
const refused = async (wish: Wish, account = alice) =>
  (await refusal('eth_sendRawTransaction', await sign(wish, account))).message;
const available = async ({ address } = alice) =>
  (await call('debug_accountTransactionQuota', address))?.availableVirtualGas;
const large = { to: null, data: '0x00', gas: 2_000_000n, value: 0n } as const;

test('the first transaction of an account is accepted at any cost, and uses up its virtual gas', async () => {
  expect(await call('debug_accountTransactionQuota', alice.address)).toBe(null);
  await send(large);
  expect(await call('debug_accountTransactionQuota', alice.address)).toEqual({
    timestamp: now,
    availableVirtualGas: 0,
  });
  expect(await refused({ nonce: 1 })).toBe('account exceeds quota');
  now += 1000;
  await send({ nonce: 1 });
});

test('virtual gas grows by 0.9 of the block gas limit each second, up to 2,000 seconds’ worth', async () => {
  await send(large);
  now += 3000;
  await send({ nonce: 1 });
  const cost = 21_000 * 3 * (1 + 101 / 25_000) * (1 + (4 * 21_000) / 6_800_000);
  expect(await available()).toBeCloseTo(3 * perSecond - cost, -3);
  await service.controls.mine();
  now += 10_000_000;
  await send({ nonce: 2 });
  expect(await available()).toBeGreaterThan(1999.9 * perSecond);
  expect(await available()).toBeLessThan(2000 * perSecond);
});

test('a rejected transaction is not charged, and the same bytes are accepted later', async () => {
  await send({ to: carol.address, value: 10n ** 17n });
  await service.controls.mine();
  expect(await available(carol)).toBe(perSecond);
  const raw = await sign(large, carol);
  expect(await refusal('eth_sendRawTransaction', raw)).toEqual({
    status: 200,
    code: -32010,
    message: 'account exceeds quota',
  });
  expect(await available(carol)).toBe(perSecond);
  now += 5000;
  expect(await call('eth_sendRawTransaction', raw)).toMatch(/^0x/);
});

test('a queued transaction is charged when it becomes pending, and dropped if it is rejected then', async () => {
  await send({ to: carol.address, value: 10n ** 17n });
  await service.controls.mine();
  const queued = await send({ ...large, nonce: 1 }, carol);
  expect(await available(carol)).toBe(perSecond);
  await send({}, carol);
  expect(await call('txpool_status')).toEqual({ pending: 1, queued: 0 });
  expect(await call('eth_getTransactionByHash', queued)).toBe(null);
});

test('a replacement is charged more than the transaction it replaces', async () => {
  await send();
  const before = await available();
  await send({ gasPrice: 91_000_000n });
  expect(perSecond - before).toBeGreaterThan(21_000 * 5);
  expect(before - (await available())).toBeGreaterThan(21_000 * 3 * 2 * 1.7);
});

test('after a restart a sender with earlier transactions has full virtual gas', async () => {
  await send(large);
  await service.controls.mine();
  await service.controls.restart();
  expect(await call('debug_accountTransactionQuota', alice.address)).toBe(null);
  await send({ nonce: 1 });
  expect(await available()).toBeGreaterThan(1999.9 * perSecond);
});

test('without the switch and in the seed dialect senders are not limited', async () => {
  for (const options of [{ dialect: 'node', switches: { accountQuota: false } }, {}] as const) {
    await using free = await createLocalService({ mining: 'manual', ...options });
    const client = clientOf(free);
    await free.controls.faucet(alice.address, 10n ** 18n);
    for (let nonce = 0; nonce < 4; nonce++)
      expect(await client.call('eth_sendRawTransaction', await sign({ ...large, nonce }))).toMatch(/^0x/);
  }
});
