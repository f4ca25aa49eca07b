import { expect, test } from 'vitest';
import type { Block, Hex, Log } from '../../../src/rpc/schema.js';
import { clientOf, sign, word } from '../../support/local-client.js';
import { waitFor } from '../../support/wait-for.js';
import type { Page } from './page.js';
import { inBothDialects } from './rows.js';

/** Events have the form of the methods' results, however the service encodes them (docs/notes/node.md#where-the-node-differs-from-the-description). */

const padded = (value: unknown) => String(value).replace(/^0x/, '0x000').toUpperCase().replace(/^0X/, '0x');

/** Quantities with leading zeros and in capitals, one as a JSON number, addresses in capitals. */
const oddBlock = (block: unknown) => {
  const { number, gasUsed, difficulty, miner, timestamp } = block as Record<string, string>;
  return {
    ...(block as object),
    number: padded(number),
    gasUsed: padded(gasUsed),
    difficulty: padded(difficulty),
    timestamp: Number(timestamp),
    miner: padded(miner).replace('0x000', '0x'),
  };
};
const oddLogs = (logs: unknown) =>
  (logs as Record<string, string>[]).map((log) => ({
    ...log,
    blockNumber: padded(log.blockNumber),
    logIndex: Number(log.logIndex),
    transactionIndex: padded(log.transactionIndex),
    address: padded(log.address).replace('0x000', '0x'),
  }));

/** Collects the events of a page by subscription. */
function listen({ wallet }: Page) {
  const received = new Map<Hex, unknown[]>();
  const hear = ({ data }: { data: { subscription: Hex; result: unknown } }) =>
    void received.set(data.subscription, [...(received.get(data.subscription) ?? []), data.result]);
  wallet.provider.on('message', hear as never);
  return (id: Hex) => received.get(id) ?? [];
}

async function emit({ service, chain }: Page, value: number): Promise<void> {
  const { call } = clientOf(service);
  const { from } = await call('eth_getTransactionByHash', chain.logging);
  const nonce = Number(await call('eth_getTransactionCount', from, 'pending'));
  const data: Hex = `0x${word(7)}${word(value)}`;
  const raw = await sign({ nonce, to: chain.emitter, data, gas: 60_000n, value: 0n });
  await call('eth_sendRawTransaction', raw);
  await service.controls.mine();
}

inBothDialects({}, (page) => {
  test('headers and logs that are pushed, resumed, polled or removed have the form of the methods’ results (docs/notes/node.md#where-the-node-differs-from-the-description)', async () => {
    const here = page();
    const received = listen(here);
    const ask = async (method: string, ...params: unknown[]) => {
      const said = await here.ask(method, ...params);
      if (!('result' in said)) throw new Error(`${method}: ${said.message}`);
      return said.result;
    };
    const straight = [
      here.distort('eth_getBlockByNumber', oddBlock),
      here.distort('eth_getBlockByHash', oddBlock),
      here.distort('eth_getLogs', oddLogs),
    ];
    const ids = {
      heads: [
        await ask('eth_subscribe', 'newHeads'),
        await ask('eth_subscribe', 'newHeads', { resume: 'h' }),
      ],
      logs: [await ask('eth_subscribe', 'logs', {}), await ask('eth_subscribe', 'logs', { resume: 'l' })],
      filter: await ask('eth_newFilter', {}),
    };
    const height = Number(await ask('eth_blockNumber'));
    // The parents of the second are read by hash.
    await emit(here, 30);
    await emit(here, 31);
    await waitFor(() => {
      for (const id of [...ids.heads, ...ids.logs]) expect(received(id)).toHaveLength(2);
    });
    const numbers = [1, 2].map((at) => `0x${(height + at).toString(16)}`);
    const blocks: Block[] = [];
    for (const number of numbers) blocks.push(await ask('eth_getBlockByNumber', number, false));
    const headers = blocks.map(({ transactions: _, uncles: __, ...header }) => header);
    const logs: Log[] = await ask('eth_getLogs', { fromBlock: numbers[0], toBlock: numbers[1] });
    expect(logs.map(({ data }) => Number(data))).toEqual([30, 31]);
    expect(logs[0]).toMatchObject({ blockNumber: numbers[0], logIndex: '0x0' });
    expect(headers[1]).toMatchObject({
      number: numbers[1],
      timestamp: expect.stringMatching(/^0x[1-9a-f][0-9a-f]*$/),
    });
    const valid = logs.map((log) => ({ ...log, removed: false }));
    for (const id of ids.heads) expect(received(id)).toEqual(headers);
    for (const id of ids.logs) expect(received(id)).toEqual(valid);
    expect(await ask('eth_getFilterChanges', ids.filter)).toEqual(valid);

    await here.service.controls.reorg(1, { transactions: 'dropped', blocks: 2 });
    const back = [{ ...logs[1], removed: true }];
    await waitFor(() => {
      for (const id of ids.logs) expect(received(id)).toHaveLength(3);
    });
    for (const id of ids.logs) expect(received(id).slice(2)).toEqual(back);
    expect(await ask('eth_getFilterChanges', ids.filter)).toEqual(back);
    for (const id of [...ids.heads, ...ids.logs]) await ask('eth_unsubscribe', id);
    for (const undo of straight) undo();
  });
});
