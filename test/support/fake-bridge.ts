import type { Hash, Log } from '../../src/rpc/schema.js';
import type { FakeNode } from './fake-node.js';
import { result, type Script } from './scripted-service.js';

/** Lets a node answer receipts and ranges by the logs in the list that is returned, which a test extends as the bridge would. */
export function playBridge(node: FakeNode): Log[] {
  const logs: Log[] = [];
  const answer =
    (reply: (params: readonly unknown[]) => unknown): Script =>
    (response, request) =>
      result(reply(request.params))(response, request);
  const withBlock = (log: Log) => ({
    ...log,
    blockHash: node.chain.blocks.find(({ number }) => number === log.blockNumber)?.hash as Hash,
  });
  node.override(
    'eth_getTransactionReceipt',
    answer(([hash]) => {
      const block = node.chain.blocks.find(({ transactions }) => transactions.includes(String(hash)));
      const own = logs.filter(({ transactionHash }) => transactionHash === hash).map(withBlock);
      const place = { blockHash: block?.hash, blockNumber: block?.number };
      return block ? { transactionHash: hash, ...place, status: '0x1', logs: own } : null;
    }),
  );
  node.override(
    'eth_getLogs',
    answer(([filter]) => {
      const { topics, fromBlock, toBlock } = filter as { [name in string]: string } & { topics: Hash[][] };
      const isAsked = (topic: Hash | undefined, at: number) =>
        topics[at] === undefined || [topics[at]].flat().includes(topic as Hash);
      return logs
        .filter(({ blockNumber }) => Number(blockNumber) >= Number(fromBlock))
        .filter(({ blockNumber }) => Number(blockNumber) <= Number(toBlock))
        .filter((log) => log.topics.every(isAsked))
        .map(withBlock);
    }),
  );
  return logs;
}
