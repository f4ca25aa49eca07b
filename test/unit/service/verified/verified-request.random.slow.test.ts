import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Interception, Lie, LocalNode, LocalService } from '../../../../packages/kit/src/local/index.js';
import { toQuantity } from '../../../../src/rpc/hex.js';
import type { Block, Hash, Hex, Log, LogFilter } from '../../../../src/rpc/schema.js';
import { areAllLogs } from '../../../../src/service/logs/bloom-check.js';
import { type alice, clientOf, emitter, sign, word } from '../../../support/local-client.js';
import { createRandom } from '../../../support/random.js';
import { clientsTelling, hostOf, startChain, type Told, usageOf } from './support.js';

/**
 * Random chains with reorganisations, behind nodes of which one may lie, and others are behind or lack a method. What the liar says of
 * blocks and receipts is never passed on, and no honest node is ever contradicted. `WORLDS=2000` is the full size.
 */

const worlds = Number(process.env.WORLDS ?? 10);
const lies = [
  ...(['false-receipt', 'swapped-receipt', 'missing-log', 'forged-header', 'cheap-fork'] as const),
  ...(['wrong-height', 'old-newest', undefined, undefined] as const),
];

const accounts = Array.from({ length: 30 }, (_, at) => privateKeyToAccount(`0x${word(1_000 + at)}`));

let honest: LocalService;
let truth: ReturnType<typeof clientOf>;
let liar: LocalNode;
let late: LocalNode;
let contract: Hex;

beforeAll(async () => {
  ({ honest, truth, contract } = await startChain());
  liar = await honest.addNode();
  late = await honest.addNode({ lag: 1 });
  for (const { address } of accounts) await honest.controls.faucet(address, 10n ** 22n);
});
afterAll(() => honest?.close());

type Random = (below: number) => number;

/** Mines blocks with payments, creations, logs and failures, and replaces some of them. */
async function grow(random: Random): Promise<void> {
  for (let blocks = 1 + random(3); blocks > 0; blocks--) {
    const count = random(30) === 0 ? 60 : 1 + random(4);
    for (let at = 0; at < count; at++) {
      const data = `0x${word(random(3))}${word(random(1_000))}` as const;
      const wishes = [
        {},
        { to: null, data: emitter, gas: 100_000n, value: 0n },
        { to: contract, data, gas: 60_000n, value: 0n },
        { to: contract, data, gas: 60_000n, value: 0n },
        { to: contract, data, gas: 22_300n, value: 0n },
      ] as const;
      // The pool takes few of one account at once.
      const account = accounts[at % accounts.length] as typeof alice;
      const nonce = Number(await truth.call('eth_getTransactionCount', account.address, 'pending'));
      await truth.call('eth_sendRawTransaction', await sign({ nonce, ...wishes[random(5)] }, account));
    }
    await honest.controls.mine();
  }
  if (random(3) === 0) await honest.controls.reorg(1 + random(2), { transactions: 'pending' });
}

const kindsOfReads = 7;

/** A read of some kind about the newest blocks. */
async function someRead(kind: number, random: Random): Promise<[method: string, params: unknown[]]> {
  const head = Number(await truth.call('eth_blockNumber'));
  const number = toQuantity(Math.max(1, head - random(5)));
  const { hash }: Block = await truth.call('eth_getBlockByNumber', number, false);
  const blocks: Block[] = await Promise.all(
    Array.from({ length: 5 }, (_, at) =>
      truth.call('eth_getBlockByNumber', toQuantity(Math.max(1, head - at)), false),
    ),
  );
  const transactions = blocks.flatMap((block) => block.transactions as Hash[]);
  const transaction = transactions[random(transactions.length)];
  const place = random(2) === 0 ? { blockHash: hash } : { fromBlock: number, toBlock: number };
  const criteria = [{}, { address: contract }, { topics: [`0x${word(random(3))}`] }][random(3)];
  const isWhole = random(2) === 0;
  return (
    [
      ['eth_getBlockByNumber', ['latest', isWhole]],
      ['eth_getBlockByNumber', [number, isWhole]],
      ['eth_getBlockByHash', [hash, isWhole]],
      ['eth_getTransactionReceipt', [transaction]],
      ['eth_getTransactionReceipt', [transaction]],
      ['eth_getLogs', [{ ...place, ...criteria }]],
      ['eth_getLogs', [{ ...criteria, fromBlock: toQuantity(Math.max(0, head - 3)), toBlock: 'latest' }]],
    ] as [string, unknown[]][]
  )[kind] as [string, unknown[]];
}

/** Whether an honest node may answer so: its newest block may be older, and it may lack logs of a range. */
async function isTrue(method: string, params: readonly unknown[], result: unknown): Promise<boolean> {
  const same = (other: unknown) => JSON.stringify(other) === JSON.stringify(result);
  if (params[0] === 'latest')
    return same(await truth.call(method, (result as Block).number, ...params.slice(1)));
  if (same(await truth.call(method, ...params)) || same(await clientOf(late).call(method, ...params)))
    return true;
  if (method !== 'eth_getLogs') return false;
  const shown = (result as Log[]).map((log) => JSON.stringify(log));
  const wanted: Log[] = await truth.call(method, ...params);
  const { blockHash, fromBlock, toBlock } = Object(params[0]) as LogFilter;
  const isPart = shown.every((log) => wanted.some((each) => JSON.stringify(each) === log));
  if (blockHash === undefined && fromBlock !== toBlock) return isPart;
  // A bloom does not tell a log that has nothing which others of its block do not have.
  const [{ blockHash: place }] = wanted as [Log];
  const [block, all]: [Block, Log[]] = await Promise.all([
    truth.call('eth_getBlockByHash', place, false),
    truth.call('eth_getLogs', { blockHash: place }),
  ]);
  const isLeftOut = (log: Log) =>
    wanted.some((each) => each.logIndex === log.logIndex) && !shown.includes(JSON.stringify(log));
  return (
    isPart &&
    areAllLogs(
      all.filter((log) => !isLeftOut(log)),
      block.logsBloom,
    )
  );
}

const caught = new Set<string>();
const refused = Symbol('refused');

async function runWorld(seed: number): Promise<void> {
  const numbers = createRandom(seed);
  const random: Random = (below) => Math.floor(numbers() * below);
  const lie: Lie | undefined = lies[seed % lies.length];
  const told: Told[] = [];
  await grow(random);
  if (lie) liar.controls.lie(lie);
  if (random(4) === 0)
    late.controls.intercept(async ({ calls: [call] }): Promise<Interception | undefined> => {
      if (!call?.method.startsWith('rsk_')) return undefined;
      const error = { code: -32601, message: 'method not found' };
      return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: call.id, error }) };
    });
  await grow(random);
  const url = [honest.url, late.url].sort(() => numbers() - 0.5);
  url.splice(Math.floor((seed - 1) / lies.length) % 3, 0, liar.url);
  const service = clientsTelling((each) => told.push(each))(url);
  const count = kindsOfReads + random(3);
  for (let at = 0; at < count; at++) {
    const [method, params] = await someRead(at < kindsOfReads ? at : random(kindsOfReads), random);
    const result = await service.request(method, params).catch(async (error) => {
      // The late node refuses what is about a block that it lacks.
      const { json } = await clientOf(late).ask(method, ...params);
      if (json?.error) return refused;
      throw error;
    });
    if (result === refused) continue;
    const name = `world ${seed}, ${lie}, ${url.indexOf(liar.url)}: ${method} ${JSON.stringify(params)}`;
    expect(await isTrue(method, params, result), `${name} ${JSON.stringify(result)?.slice(0, 300)}`).toBe(
      true,
    );
    if (random(6) === 0) await grow(random);
  }
  liar.controls.clearFaults();
  late.controls.clearFaults();
  const liars = lie && lie !== 'old-newest' ? [hostOf(liar)] : [];
  expect(liars, `world ${seed}, ${lie}: ${JSON.stringify(told)}`).toEqual(
    expect.arrayContaining(told.map(({ host }) => host)),
  );
  expect(liars).toEqual(expect.arrayContaining([...(usageOf(service)?.quarantined ?? [])]));
  if (told.length > 0) caught.add(String(lie));
}

test(`the truth of ${worlds} chains`, async () => {
  for (let seed = 1; seed <= worlds; seed++) await runWorld(seed);
  expect([...caught].sort()).toEqual(lies.filter((lie) => lie && lie !== 'old-newest').sort());
}, 3_600_000);
