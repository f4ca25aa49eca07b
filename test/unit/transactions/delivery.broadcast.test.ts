import { expect, test } from 'vitest';
import { transactionRejected } from '../../../src/rpc/core-errors.js';
import type { Hex } from '../../../src/rpc/schema.js';
import type { Service } from '../../../src/service/service.js';
import { createBroadcast } from '../../../src/transactions/delivery.js';

const offered = (raw: Hex) => ({
  ...{ chainId: 31, hash: raw, raw, from: `0x${'aa'.repeat(20)}` as Hex },
  ...({ value: '0x1', gas: '0x5208', gasPrice: '0x1' } as const),
});
const start = () => createBroadcast({ entriesOf: async () => [] });

/** A service that answers an offer when the test says so. */
function setUp() {
  const offers: { raw: unknown; accept: () => void; refuse: (error: unknown) => void }[] = [];
  const request = (_method: string, [raw]: readonly unknown[]) =>
    new Promise((resolve, reject) => offers.push({ raw, accept: () => resolve('0x'), refuse: reject }));
  return { offers, service: { request } as unknown as Service };
}

test('a send is accepted, whatever hash the node returns', async () => {
  const { offers, service } = setUp();
  const outcome = start()(service, offered('0x01'));
  offers[0]?.accept();
  expect(await outcome).toEqual({ kind: 'accepted' });
});

test('bytes that are under way are not offered beside it; afterwards they are offered again', async () => {
  const { offers, service } = setUp();
  const broadcast = start();
  const both = Promise.all([
    broadcast(service, offered('0x01')),
    broadcast(service, offered('0x01')),
    broadcast(service, offered('0x02')),
  ]);
  expect(offers.map(({ raw }) => raw)).toEqual(['0x01', '0x02']);
  for (const { accept } of offers) accept();
  expect(await both).toEqual([{ kind: 'accepted' }, { kind: 'accepted' }, { kind: 'accepted' }]);
  void broadcast(service, offered('0x01'));
  expect(offers).toHaveLength(3);
});

test('a refusal is shared by all callers', async () => {
  const { offers, service } = setUp();
  const broadcast = start();
  const both = Promise.all([broadcast(service, offered('0x01')), broadcast(service, offered('0x01'))]);
  offers[0]?.refuse(transactionRejected('nonce too high, and forbidden'));
  for (const each of await both) expect(each).toMatchObject({ kind: 'refused', error: { code: -32003 } });
});
