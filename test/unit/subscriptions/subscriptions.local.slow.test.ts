import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createLocalService,
  type InterceptedRequest,
  type LocalService,
} from '../../../packages/kit/src/local/index.js';
import type { MinedBlock } from '../../../src/chain/blocks.js';
import { createFollower, type Follower } from '../../../src/chain/follower.js';
import type { Address, Hash, Hex, Log, Receipt } from '../../../src/rpc/schema.js';
import { createService } from '../../../src/service/client.js';
import { createNetworks } from '../../../src/service/networks.js';
import type { Service } from '../../../src/service/service.js';
import { createFilters, type Filters } from '../../../src/subscriptions/filters/filters.js';
import { createSubscriptions, type Subscriptions } from '../../../src/subscriptions/subscriptions.js';
import { logEventsOf } from '../../support/log-events.js';
import { word } from '../../support/simulated-chain.js';
import { until } from '../../support/until.js';

/** The same promises over HTTP and a real EVM, behind a node whose filters lose and invent (docs/notes/node.md#filters-lose-and-invent). */

/** Milliseconds. */
const interval = 100;

let local: LocalService;
let service: Service;
let follower: Follower;
let subscriptions: Subscriptions;
let filters: Filters;
let account: PrivateKeyAccount;
let contract: Address;
let nonce = 0;
const heard = new Map<Hex, unknown[]>();

beforeEach(async () => {
  local = await createLocalService({ mining: 'manual', dialect: 'node' });
  const [network] = createNetworks([{ chainId: 33, url: local.url }]);
  service = createService({ network: network as never, backoff: 5 });
  follower = createFollower({ service, interval });
  heard.clear();
  const sources = { service, follower, ...logEventsOf({ service, follower }) };
  subscriptions = createSubscriptions({
    ...sources,
    emit: (id, result) => heard.set(id, [...(heard.get(id) ?? []), result]),
  });
  filters = createFilters(sources);
  account = privateKeyToAccount(word(0xacc0_0447));
  nonce = 0;
  await local.controls.faucet(account.address);
  // Runtime code: LOG1 without data, the first word of the call data as its topic.
  const deployed = await send(undefined, '0x6860003560006000a10060005260096017f3');
  await local.controls.mine();
  const receipt = (await service.request('eth_getTransactionReceipt', [deployed])) as Receipt;
  contract = receipt.contractAddress as Address;
});

afterEach(async () => {
  subscriptions.clear();
  filters.clear();
  await local.close();
});

async function send(to: Address | undefined, data: Hex): Promise<Hash> {
  const transaction = await account.signTransaction({
    type: 'legacy',
    chainId: 33,
    nonce: nonce++,
    gas: 100_000n,
    gasPrice: 100_000_000n,
    ...(to && { to }),
    data,
  });
  return (await service.request('eth_sendRawTransaction', [transaction])) as Hash;
}

const emitLog = (topic: number) => send(contract, word(topic));

async function chainFrom(number: number): Promise<MinedBlock[]> {
  const head = Number(await service.request('eth_blockNumber', []));
  const blocks: MinedBlock[] = [];
  for (let at = number; at <= head; at++)
    blocks.push(
      (await service.request('eth_getBlockByNumber', [`0x${at.toString(16)}`, false])) as MinedBlock,
    );
  return blocks;
}

/** The valid logs of the contract, as the chain has them now. */
const logsFrom = async (number: number) =>
  (await service.request('eth_getLogs', [
    { address: contract, fromBlock: `0x${number.toString(16)}`, toBlock: 'latest' },
  ])) as Log[];

const places = (logs: readonly Log[]) =>
  logs.map((log) => `${log.blockHash} ${log.logIndex} ${log.topics[0]}`);

/** What remains of what was told; each `removed` must take back the newest that is left. */
function net(told: readonly Log[]): string[] {
  const held: string[] = [];
  for (const log of told) {
    const [place] = places([log]) as [string];
    if (log.removed) expect(held.pop()).toBe(place);
    else {
      expect(held).not.toContain(place);
      held.push(place);
    }
  }
  return held;
}

const caughtUp = (id: Hex, expected: readonly Log[]) =>
  until(() => places((heard.get(id) ?? []) as Log[]).includes(places(expected).at(-1) as string));

test('blocks and logs arrive as they are mined', async () => {
  const heads = await subscriptions.subscribe({ kind: 'newHeads' });
  const logs = await subscriptions.subscribe({
    kind: 'logs',
    criteria: { address: contract, topics: [word(7)] },
  });
  const begin = Number(follower.head()?.number) + 1;
  await emitLog(7);
  await emitLog(8);
  await local.controls.mine();
  await emitLog(7);
  await local.controls.mine();
  await until(() => heard.get(logs)?.length === 2);
  expect(heard.get(logs)).toMatchObject([
    { address: contract, topics: [word(7)], removed: false },
    { address: contract, topics: [word(7)], removed: false },
  ]);
  const chain = await chainFrom(begin);
  expect((heard.get(heads) as MinedBlock[]).map(({ hash }) => hash)).toEqual(chain.map(({ hash }) => hash));
  expect(heard.get(heads)?.[0]).toMatchObject({ minimumGasPrice: chain[0]?.minimumGasPrice });
});

test('the blooms of a real EVM name what is in them', async () => {
  const id = await filters.newFilter({ address: contract });
  for (let i = 0; i < 5; i++) {
    await emitLog(i);
    await local.controls.mine(2);
  }
  local.requests.clear();
  expect(await filters.changes(id)).toHaveLength(5);
  expect(local.requests.count('eth_getLogs')).toBe(5);
});

test('through reorganisations, restarts, siblings and a lossy connection nothing is lost', async () => {
  const criteria = { address: contract };
  const logs = await subscriptions.subscribe({ kind: 'logs', criteria });
  const polled = await filters.newFilter(criteria);
  const begin = Number(follower.head()?.number) + 1;
  const told: Log[] = [];
  // One read in seven loses its reply, one in five gets half of it. Sends are another test's matter.
  const every = (count: number) => {
    let reads = 0;
    return ({ calls }: InterceptedRequest) =>
      calls[0]?.method !== 'eth_sendRawTransaction' && ++reads % count === 0;
  };
  const calm = [local.controls.dropReplies(every(7)), local.controls.garbleReplies('truncated', every(5))];
  for (let round = 1; round <= 12; round++) {
    await emitLog(round);
    await local.controls.mine();
    if (round % 2 === 0) await local.controls.mine();
    if (round % 3 === 0) await local.controls.sibling();
    if (round % 4 === 0) await local.controls.restart();
    if (round >= 6 && round % 2 === 0) await local.controls.reorg(round % 10 || 10);
    if (round === 9) await local.controls.reorg(2, { blocks: 2 });
    if (round % 2 === 1) told.push(...((await filters.changes(polled).catch(() => [])) as Log[]));
    await follower.catchUp().catch(() => {});
  }
  for (const stop of calm) stop();
  await emitLog(99);
  await local.controls.mine();
  const expected = await logsFrom(begin);
  await caughtUp(logs, expected);
  told.push(...((await filters.changes(polled)) as Log[]));
  expect(net(heard.get(logs) as Log[])).toEqual(places(expected));
  expect(net(told)).toEqual(places(expected));
  expect(expected).toHaveLength(13);
});

test('a log that leaves with its block is taken back, and comes again where it is mined again', async () => {
  const logs = await subscriptions.subscribe({ kind: 'logs', criteria: { address: contract } });
  await emitLog(1);
  await local.controls.mine(2);
  await until(() => heard.get(logs)?.length === 1);
  await local.controls.reorg(2);
  await until(() => heard.get(logs)?.length === 3);
  const [first, back, again] = heard.get(logs) as [Log, Log, Log];
  expect(back).toEqual({ ...first, removed: true });
  expect(again).toMatchObject({ transactionHash: first.transactionHash, removed: false });
  expect(again.blockHash).not.toBe(first.blockHash);
});

test('pending transactions survive a restart of the node; the filter goes with the last', async () => {
  const id = await subscriptions.subscribe({ kind: 'newPendingTransactions' });
  const filter = await filters.newPendingTransactionFilter();
  const first = await emitLog(1);
  expect(await filters.changes(filter)).toEqual([first]);
  await local.controls.mine();
  await local.controls.restart();
  expect(await filters.changes(filter)).toEqual([]);
  const second = await emitLog(2);
  expect(await filters.changes(filter)).toEqual([second]);
  await subscriptions.unsubscribe(id);
  await filters.uninstall(filter);
  await until(() => local.controls.filterCount() === 0);
});

test('syncing is emitted when it begins', async () => {
  const status = { startingBlock: '0x0', currentBlock: '0x1', highestBlock: '0x9' } as const;
  local.controls.setSyncing(status as never);
  const id = await subscriptions.subscribe({ kind: 'syncing' });
  await until(() => heard.get(id)?.length === 1);
  expect(heard.get(id)).toEqual([{ syncing: true, status }]);
});

test('an idle follower sends one request per tick, and none after the last subscription ends', async () => {
  const id = await subscriptions.subscribe({ kind: 'logs', criteria: { address: contract } });
  local.requests.clear();
  const began = performance.now();
  await until(() => local.requests.count() >= 3);
  expect(local.requests.count()).toBeLessThanOrEqual((performance.now() - began) / interval + 1);
  expect(local.requests.every(({ method }) => method === 'eth_getBlockByNumber')).toBe(true);
  await subscriptions.unsubscribe(id);
  await local.controls.mine();
  local.requests.clear();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(local.requests.count()).toBe(0);
});
