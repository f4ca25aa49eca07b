import { describe, expect, test } from 'vitest';
import type { Hash, Log, LogFilter, Receipt } from '../../../../src/rpc/schema.js';
import { queryLogs } from '../../../../src/service/logs/query.js';
import { createLogRanges } from '../../../../src/service/logs/ranges.js';
import { createReceiptLogs } from '../../../../src/service/logs/receipt-logs.js';
import {
  address,
  createSimulatedChain,
  type SimulatedChain,
  word,
} from '../../../support/simulated-chain.js';
import { rejection } from '../support.js';

const emitted = { address: address(1), topics: [word(1)] };
const other = { address: address(2), topics: [word(2)] };

/** A service that has no eth_getLogs. */
function setUp(logsFrom: 'receipts' | 'block receipts' = 'receipts') {
  const chain = createSimulatedChain({ logsFrom });
  const ranges = createLogRanges(chain.service);
  const ask = (filter: LogFilter) => queryLogs(chain.service, filter, { ranges: async () => ranges });
  return { chain, ask, ...createReceiptLogs(chain.service) };
}

const asked = (chain: SimulatedChain, method: string) => chain.sent[method] ?? 0;
const height = (block: { readonly number: string | null }) => block.number as `0x${string}`;

describe('the logs of a block', () => {
  test('come from the receipts of its transactions, in order, a request for each', async () => {
    const { chain, ofBlock } = setUp();
    const block = chain.mine(emitted, other, emitted);
    expect(await ofBlock(block)).toEqual(chain.logsOf(block));
    // Three with logs, one without, and the one that pays the miners.
    expect(asked(chain, 'eth_getTransactionReceipt')).toBe(5);
  });

  test('take one request where the service has eth_getBlockReceipts', async () => {
    const { chain, ofBlock } = setUp('block receipts');
    const block = chain.mine(emitted, other, emitted);
    expect(await ofBlock(block)).toEqual(chain.logsOf(block));
    // Without the receipt that no service needs to have, whose transaction is looked at.
    expect(chain.sent).toEqual({ eth_getBlockReceipts: 1, eth_getTransactionByHash: 1 });
  });

  test('eth_getBlockReceipts is tried once where the service refuses it', async () => {
    const { chain, ofBlock } = setUp();
    for (let i = 0; i < 5; i++) await ofBlock(chain.mine(emitted));
    expect(asked(chain, 'eth_getBlockReceipts')).toBe(1);
  });

  test('take no request if the bloom of the block is empty', async () => {
    const { chain, ofBlock } = setUp();
    expect(await ofBlock(chain.mine())).toEqual([]);
    expect(chain.requests()).toBe(0);
  });

  test('fail while the node lacks a receipt, and the receipts it has given are not asked for again', async () => {
    const { chain, ofBlock } = setUp();
    const block = chain.mine(emitted, other, emitted);
    const missing = block.transactions[1];
    chain.intercept((method, [hash]) =>
      method === 'eth_getTransactionReceipt' && hash === missing ? null : undefined,
    );
    expect(await rejection(ofBlock(block))).toMatchObject({ code: -32603 });
    chain.intercept();
    const before = asked(chain, 'eth_getTransactionReceipt');
    expect(await ofBlock(block)).toEqual(chain.logsOf(block));
    // The missing one, and the one that no service needs to have.
    expect(asked(chain, 'eth_getTransactionReceipt') - before).toBe(2);
  });

  const wrong: readonly [what: string, change: (receipt: Receipt) => unknown][] = [
    ['of another block', (receipt) => ({ ...receipt, blockHash: word(7) })],
    ['of another height', (receipt) => ({ ...receipt, blockNumber: '0x63' })],
    ['of another transaction', (receipt) => ({ ...receipt, transactionHash: word(7) })],
    ['with a log less than its block', (receipt) => ({ ...receipt, logs: receipt.logs.slice(1) })],
    ['with a log more than its block', (receipt) => ({ ...receipt, logs: [...receipt.logs, madeUp] })],
    ['with a status of 0x2', (receipt) => ({ ...receipt, status: '0x2' })],
  ];
  const madeUp = { ...other, data: '0x', logIndex: '0x9', topics: [word(9)] };

  test.each(wrong)('a receipt %s is a bad reply', async (_, change) => {
    const { chain, ofBlock } = setUp();
    const block = chain.mine(emitted);
    const [right] = receiptsOf(chain, block);
    chain.intercept((method, [hash]) =>
      method === 'eth_getTransactionReceipt' && hash === right?.transactionHash
        ? change(right as Receipt)
        : undefined,
    );
    expect(await rejection(ofBlock(block))).toMatchObject({ code: -32603 });
    chain.intercept();
    expect(await ofBlock(block)).toEqual(chain.logsOf(block));
  });
});

describe('eth_getLogs', () => {
  function grow({ chain }: ReturnType<typeof setUp>, blocks: number): void {
    for (let i = 1; i <= blocks; i++) chain.mine(...(i % 10 === 0 ? [emitted, other] : []));
  }
  const truth = (chain: SimulatedChain, from: number, to: number): readonly Log[] =>
    chain
      .canonical()
      .slice(from, to + 1)
      .flatMap(chain.logsOf);

  test('over a short range makes a request for each block, and for the receipts of blocks that may hold a log', async () => {
    const page = setUp();
    grow(page, 100);
    const { chain, ask } = page;
    const filter = { fromBlock: '0x1', toBlock: '0x64', address: address(1) } as const;
    expect(await ask(filter)).toEqual(truth(chain, 1, 100).filter((log) => log.address === address(1)));
    expect(asked(chain, 'eth_getBlockByNumber')).toBe(100);
    expect(asked(chain, 'eth_getTransactionReceipt')).toBe(10 * 4);
    expect(asked(chain, 'eth_getLogs')).toBe(1);
  });

  test('accepts every form of range', async () => {
    const page = setUp();
    grow(page, 40);
    const { chain, ask } = page;
    const block = chain.canonical()[30] as (typeof chain)['head'] extends () => infer Block ? Block : never;
    expect(await ask({ blockHash: block.hash })).toEqual(chain.logsOf(block));
    expect(await ask({ blockHash: word(0x5ead) })).toEqual([]);
    expect(await ask({})).toEqual(chain.logsOf(chain.head()));
    expect(await ask({ fromBlock: 'earliest' })).toEqual(truth(chain, 0, 40));
    expect(await ask({ fromBlock: '0x14', toBlock: '0x50' })).toEqual(truth(chain, 20, 40));
    expect(await ask({ fromBlock: '0x14', toBlock: 'pending' })).toEqual(truth(chain, 20, 40));
    expect(await ask({ fromBlock: 'pending' })).toEqual([]);
    expect(await ask({ fromBlock: '0x50', toBlock: '0x60' })).toEqual([]);
    expect(await ask({ toBlock: '0x14' })).toEqual([]);
  });

  test('over more than 128 blocks is refused, with the reason and what to do', async () => {
    const page = setUp();
    grow(page, 200);
    const { chain, ask } = page;
    expect(await ask({ fromBlock: '0x1', toBlock: '0x80' })).toEqual(truth(chain, 1, 128));
    const before = chain.requests();
    const refusal = await rejection(ask({ fromBlock: '0x1', toBlock: '0x81' }));
    expect(refusal).toMatchObject({ code: -32005, data: { reason: 'range-too-large', blocks: 128 } });
    expect(refusal.message).toMatch(
      /no eth_getLogs.*receipts.*at most 128 blocks.*fewer blocks.*endpoint that has eth_getLogs/,
    );
    expect(chain.requests() - before).toBeLessThanOrEqual(2);
  });

  test('over blocks with more than 1,024 transactions is refused before any receipt is asked for', async () => {
    const { chain, ask } = setUp();
    for (let i = 0; i < 20; i++) chain.mine(...Array.from({ length: 60 }, () => emitted));
    const refusal = await rejection(ask({ fromBlock: '0x1', toBlock: '0x14' }));
    expect(refusal).toMatchObject({ code: -32005, data: { blocks: 16 } });
    expect(refusal.message).toMatch(/1240 transactions.*at most 1024 receipts/);
    expect(asked(chain, 'eth_getTransactionReceipt')).toBe(0);
    expect(await ask({ fromBlock: '0x1', toBlock: '0x10' })).toHaveLength(16 * 60);
  });

  test('gives logs of one chain only while the chain is reorganised', async () => {
    const page = setUp();
    grow(page, 40);
    const { chain, ask } = page;
    let asks = 0;
    chain.intercept((method) => {
      if (method === 'eth_getBlockByNumber' && ++asks === 25)
        chain.reorg(30, ...Array.from({ length: 31 }, (_, i) => (i % 3 ? [] : [other])));
      return undefined;
    });
    expect(await ask({ fromBlock: '0x1', toBlock: '0x28' })).toEqual(truth(chain, 1, 40));
  });

  test('reports progress, and stops when its signal aborts', async () => {
    const page = setUp();
    grow(page, 60);
    const { chain } = page;
    const ranges = async () => createLogRanges(chain.service);
    const filter = { fromBlock: '0x1', toBlock: height(chain.head()) } as const;
    const seen: number[] = [];
    const onProgress = ({ read }: { readonly read: number }) => void seen.push(read);
    await queryLogs(chain.service, filter, { ranges, onProgress });
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(60);
    const stop = new AbortController();
    const reading = queryLogs(chain.service, filter, {
      ranges,
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    await expect(reading).rejects.toThrow();
  });
});

/** As the service has them. */
function receiptsOf(
  chain: SimulatedChain,
  block: { readonly transactions: readonly unknown[]; readonly hash: Hash },
) {
  return block.transactions.slice(0, -1).map((transactionHash, at) => ({
    transactionHash,
    transactionIndex: `0x${at.toString(16)}`,
    blockHash: block.hash,
    blockNumber: (block as unknown as { number: string }).number,
    status: '0x1',
    logs: chain.logsOf(block).filter((log) => log.transactionHash === transactionHash),
  })) as unknown as readonly Receipt[];
}
