import { expect, test } from 'vitest';
import { createLeaderServer } from '../../../../src/chain/tabs/leader-server.js';
import { headPoll, readTabRequest, type TabRequest } from '../../../../src/chain/tabs/shareable-requests.js';
import { limitExceeded } from '../../../../src/rpc/core-errors.js';
import type { Service } from '../../../../src/service/service.js';
import { createFakeClock, settled } from '../../../support/fake-clock.js';
import { createSimulatedChain, word } from '../../../support/simulated-chain.js';

const [a, b] = ['https://a.example', 'https://b.example'];

function setUp(send: Service['request'], capacity?: number) {
  const { clock } = createFakeClock();
  let ids = 0;
  const server = createLeaderServer({
    send,
    clock,
    onNewHead: () => {},
    newId: () => `${++ids}`,
    ...(capacity !== undefined && { capacity }),
  });
  return (dapp: string | null, request: TabRequest = headPoll) =>
    server.answer(request, { tab: `tab of ${dapp}`, maxAge: 5_000, dapp });
}

test('each request is charged to the dapp whose tab sent it', async () => {
  const { service } = createSimulatedChain();
  const charged: unknown[] = [];
  const answer = setUp(async (method, params, options) => {
    charged.push(options?.payer?.dapp);
    return service.request(method, params, options);
  });
  for (const [at, dapp] of [a, b, null].entries())
    await answer(dapp, readTabRequest('eth_getBlockByNumber', [`0x${at}`, false]) as TabRequest);
  expect(charged).toEqual([a, b, null]);
});

test('a request that tabs of two dapps wait for is charged to neither', async () => {
  const { service, head } = createSimulatedChain();
  let payer: Service.Payer | undefined;
  let release = () => {};
  const answer = setUp(async (method, params, options) => {
    payer = options?.payer;
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return service.request(method, params, options);
  });
  const replies = [answer(a), answer(a)];
  expect(payer).toEqual({ dapp: a });
  replies.push(answer(b));
  expect(payer).toEqual({ dapp: null });
  await settled();
  release();
  for (const reply of await Promise.all(replies)) expect(reply.result).toContain(head().hash);
});

test('a limit that one dapp has reached refuses only the tabs of that dapp', async () => {
  const { service } = createSimulatedChain();
  let sent = 0;
  const answer = setUp(async (method, params, options) => {
    if (options?.payer?.dapp === a) throw limitExceeded('share', { reason: 'quota-share' });
    sent += 1;
    return service.request(method, params, options);
  });
  const replies = [await answer(a), await answer(b), await answer(null), await answer(a)];
  expect(replies.map(({ failure }) => failure?.code)).toEqual([-32005, undefined, undefined, undefined]);
  expect(sent).toBe(1);
});

test('a dapp that fills the memory of replies drops its own, and none of another', async () => {
  const sent: unknown[] = [];
  const answer = setUp(async (_method, [hash]) => {
    sent.push(hash);
    return { ...createSimulatedChain().head(), hash, filler: 'x'.repeat(1_000) };
  }, 20_000);
  const block = (number: number) => readTabRequest('eth_getBlockByHash', [word(number), false]) as TabRequest;
  for (let i = 0; i < 4; i++) await answer(b, block(i));
  for (let i = 100; i < 200; i++) await answer(a, block(i));
  sent.splice(0);
  for (let i = 0; i < 4; i++) await answer(b, block(i));
  expect(sent).toEqual([]);
  await answer(a, block(100));
  expect(sent).toEqual([word(100)]);
});

test('the receipts of a block are no block, and reach the tab that asks for them', async () => {
  const receipts = [{ transactionHash: word(1), blockHash: word(7), logs: [] }];
  const answer = setUp(async (_method, _params, options) => {
    options?.check?.(receipts);
    return receipts;
  });
  const request = readTabRequest('eth_getBlockReceipts', [word(7)]) as TabRequest;
  expect(JSON.parse((await answer(a, request)).result ?? 'null')).toEqual(receipts);
});
