import { afterEach, describe, expect, test } from 'vitest';
import type { Wallet } from '../../../src/index.js';
import { openWallet } from '../../support/open-wallet.js';
import {
  createScriptedService,
  respond,
  result,
  type ScriptedService,
} from '../../support/scripted-service.js';

/** Replies that contradict the request never reach the page. */

const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`;
const address = (value: number) => `0x${value.toString(16).padStart(40, '0')}`;

const block = {
  number: '0x5',
  hash: word(5),
  parentHash: word(4),
  timestamp: '0x1',
  gasLimit: '0x1',
  gasUsed: '0x0',
  logsBloom: `0x${'00'.repeat(256)}`,
  transactions: [word(0x50)],
  uncles: [],
};
const log = {
  address: address(1),
  topics: [word(1), word(2)],
  data: '0x',
  blockNumber: '0x5',
  blockHash: word(5),
  transactionHash: word(0x50),
  transactionIndex: '0x0',
  logIndex: '0x0',
};
const receipt = {
  transactionHash: word(0x50),
  transactionIndex: '0x0',
  blockHash: word(5),
  blockNumber: '0x5',
  from: address(1),
  to: address(2),
  gasUsed: '0x5208',
  cumulativeGasUsed: '0x5208',
  contractAddress: null,
  logs: [log],
  logsBloom: `0x${'00'.repeat(256)}`,
  status: '0x1',
};
const transaction = {
  hash: word(0x50),
  nonce: '0x0',
  blockHash: word(5),
  blockNumber: '0x5',
  transactionIndex: '0x0',
  from: address(1),
  to: address(2),
  gas: '0x5208',
  gasPrice: '0x1',
  value: '0x0',
  input: '0x',
};
const range = { fromBlock: '0x5', toBlock: '0x6', address: address(1), topics: [null, word(2)] };

type Row = readonly [
  what: string,
  method: string,
  params: readonly unknown[],
  wrong: unknown,
  right: unknown,
];

// biome-ignore format: one row, one line
const rows: readonly Row[] = [
  ['a log below the range', 'eth_getLogs', [range], [{ ...log, blockNumber: '0x4' }], [log]],
  ['a log above the range', 'eth_getLogs', [range], [log, { ...log, blockNumber: '0x7' }], [log]],
  ['a log of another address', 'eth_getLogs', [range], [{ ...log, address: address(2) }], [log]],
  ['a log of another topic', 'eth_getLogs', [range], [{ ...log, topics: [word(1), word(3)] }], [log]],
  ['a log of another block', 'eth_getLogs', [{ blockHash: word(5) }], [{ ...log, blockHash: word(6) }], [log]],
  ['a log that is in no block', 'eth_getLogs', [range], [{ ...log, blockNumber: null, blockHash: null }], [log]],
  ['a log that was removed', 'eth_getLogs', [range], [{ ...log, removed: true }], [log]],
  ['two logs of one place', 'eth_getLogs', [range], [log, { ...log, data: '0x01' }], [log]],
  ['a receipt of another transaction', 'eth_getTransactionReceipt', [word(0x50)], { ...receipt, transactionHash: word(0x51) }, receipt],
  ['a receipt with status 0x2', 'eth_getTransactionReceipt', [word(0x50)], { ...receipt, status: '0x2' }, receipt],
  ['a receipt with a log of another transaction', 'eth_getTransactionReceipt', [word(0x50)], { ...receipt, logs: [{ ...log, transactionHash: word(0x51) }] }, receipt],
  ['a receipt with a log of another block', 'eth_getTransactionReceipt', [word(0x50)], { ...receipt, logs: [{ ...log, blockHash: word(6) }] }, receipt],
  ['a block of another height', 'eth_getBlockByNumber', ['0x5', false], { ...block, number: '0x6' }, block],
  ['a block of another hash', 'eth_getBlockByHash', [word(5), false], { ...block, hash: word(6) }, block],
  ['a block that names itself as its parent', 'eth_getBlockByNumber', ['latest', false], { ...block, parentHash: block.hash }, block],
  ['a block with a transaction of another block', 'eth_getBlockByNumber', ['0x5', true], { ...block, transactions: [{ ...transaction, blockHash: word(6) }] }, { ...block, transactions: [transaction] }],
  ['a transaction of another height', 'eth_getTransactionByBlockNumberAndIndex', ['0x5', '0x0'], { ...transaction, blockNumber: '0x6' }, transaction],
  ['a transaction of another index', 'eth_getTransactionByBlockHashAndIndex', [word(5), '0x0'], { ...transaction, transactionIndex: '0x1' }, transaction],
];

describe.each(rows)('%s', (_, method, params, wrong, right) => {
  let services: ScriptedService[] = [];
  let wallet: Wallet | undefined;

  /** A page whose wallet has an endpoint for each answer, the first preferred. */
  async function open(...answers: readonly unknown[]): Promise<Wallet> {
    services = await Promise.all(answers.map((answer) => createScriptedService(result(answer))));
    wallet = openWallet({
      networks: [{ chainId: 33, url: services.map(({ url }) => url) }],
    });
    return wallet;
  }

  afterEach(async () => {
    wallet?.destroy();
    await Promise.all(services.map((service) => service.stop()));
  });

  test('is refused as a bad reply if there is one endpoint', async () => {
    const { provider } = await open(wrong);
    await expect(provider.request({ method, params })).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining(method),
    });
  });

  test('is replaced by the answer of another endpoint if there is one', async () => {
    const { provider } = await open(wrong, right);
    expect(await provider.request({ method, params })).toEqual(right);
    expect(services.map(({ requests: asked }) => asked.length)).toEqual([1, 1]);
  });

  test('is refused as a bad reply if all endpoints return it, with one request to each', async () => {
    const { provider } = await open(wrong, wrong);
    await expect(provider.request({ method, params })).rejects.toMatchObject({ code: -32603 });
    expect(services.map(({ requests: asked }) => asked.length)).toEqual([1, 1]);
  });
});

test('a log that the service repeats is returned once', async () => {
  const service = await createScriptedService(
    respond(`{"jsonrpc":"2.0","id":$ID,"result":${JSON.stringify([log, log])}}`),
  );
  const wallet = openWallet({
    networks: [{ chainId: 33, url: service.url }],
  });
  expect(
    await wallet.provider.request({
      method: 'eth_getLogs',
      params: [{ fromBlock: '0x5', toBlock: '0x5' }],
    }),
  ).toEqual([log]);
  wallet.destroy();
  await service.stop();
});
