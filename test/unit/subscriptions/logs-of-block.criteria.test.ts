import { expect, test } from 'vitest';
import { createFollower } from '../../../src/chain/follower.js';
import type { Json } from '../../../src/rpc/message.js';
import type { Hash, Log } from '../../../src/rpc/schema.js';
import { logFilter } from '../../../src/rpc/selectors.js';
import { queryLogs } from '../../../src/service/logs/query.js';
import { createLogRanges } from '../../../src/service/logs/ranges.js';
import { createFilters } from '../../../src/subscriptions/filters/filters.js';
import { createSubscriptions } from '../../../src/subscriptions/subscriptions.js';
import { settled } from '../../support/fake-clock.js';
import { logEventsOf } from '../../support/log-events.js';
import { address, createSimulatedChain, word } from '../../support/simulated-chain.js';

const [A, B] = [word(0xa), word(0xb)];

/** geth's rule: criteria that are longer than a log's topics do not match it. The node's rule is another one. */
const asGeth = (topics: readonly unknown[], log: Log) => topics.length <= log.topics.length;

const criteria: readonly [what: string, topics: Json, logs: number][] = [
  ['one topic', [A], 2],
  ['a topic and nulls to the end', [A, null, null, null], 2],
  ['a topic and empty lists to the end', [A, [], []], 2],
  ['only positions that match anything', [null, [], [null]], 3],
  ['alternatives with a null among them', [[A, null]], 2],
  ['a topic that only the longer log has', [null, null, B], 0],
  ['a topic behind one that matches anything', [[], B, null], 1],
];

test.each(criteria)(
  '%s: eth_getLogs, a filter and a subscription give the same logs, whatever rule the service follows',
  async (_, topics, count) => {
    const chain = createSimulatedChain();
    const emitted = [[], [A], [A, B]].map((each) => ({ address: address(1), topics: each as Hash[] }));
    chain.intercept((method, [filter]) => {
      const { fromBlock, toBlock, topics = [] } = (filter ?? {}) as Record<string, never>;
      if (method !== 'eth_getLogs' || fromBlock === undefined) return undefined;
      const range = chain.canonical().slice(Number(fromBlock), Number(toBlock) + 1);
      return range.flatMap(chain.logsOf).filter((log) => asGeth(topics, log) && isMatch(topics, log));
    });
    const { service } = chain;
    const follower = createFollower({ service });
    const pushed: Log[] = [];
    const sources = { service, follower, ...logEventsOf({ service, follower }) };
    const subscriptions = createSubscriptions({
      ...sources,
      emit: (_, log) => void pushed.push(log as Log),
    });
    const filters = createFilters(sources);
    const filter = logFilter({ topics }, 'params[0]');
    await subscriptions.subscribe({ kind: 'logs', criteria: filter });
    const id = await filters.newFilter(filter);
    const block = chain.mine(...emitted);
    const polled = await filters.changes(id);
    await settled();
    const range = { ...filter, fromBlock: block.number, toBlock: block.number };
    const asked = await queryLogs(service, range, { ranges: async () => createLogRanges(service) });

    expect(asked).toHaveLength(count);
    const plain = (logs: readonly unknown[]) => logs.map((log) => ({ ...(log as Log), removed: undefined }));
    expect(plain(polled)).toEqual(plain(asked));
    expect(plain(pushed)).toEqual(plain(asked));
    subscriptions.clear();
    filters.clear();
  },
);

const isMatch = (topics: readonly unknown[], log: Log): boolean =>
  topics.every((wanted, at) => wanted === null || [wanted].flat().includes(log.topics[at]));
