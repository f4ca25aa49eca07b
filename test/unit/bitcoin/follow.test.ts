import { describe, expect, test } from 'vitest';
import { addressOfHash, scriptOfHash } from '../../../src/bitcoin/address.js';
import { createPegOutReader } from '../../../src/bitcoin/follow.js';
import { type BitcoinNetwork, bitcoinNetwork } from '../../../src/bitcoin/network.js';
import type { BridgePayment, PegOut } from '../../../src/bitcoin/peg-out.js';
import { badReply } from '../../../src/rpc/core-errors.js';
import { matchesCriteria } from '../../../src/rpc/matches.js';
import type { Address, Hash, Hex, Log, LogFilter } from '../../../src/rpc/schema.js';
import type { Service } from '../../../src/service/service.js';
import { bitcoinTransaction, blockHash, events, hashOf, type Output } from '../../support/bridge-world.js';
import { fc } from '../../support/property.js';

/** Reads peg-outs from a node with the logs of a bridge, which a test writes. */

const wei = 10n ** 10n;
const networkOf = (chainId: number) => bitcoinNetwork(chainId) as BitcoinNetwork;
const accounts = [1, 2].map((number) => ({
  address: `0x${`${number}0`.repeat(20)}` as Address,
  keyHash: new Uint8Array(20).fill(number),
}));
const foreign: Hex = `0x0014${'77'.repeat(20)}`;

interface Node {
  head: number;
  logs: readonly Log[];
  /** Transactions whose receipt says that they reverted. */
  reverted?: ReadonlySet<Hash>;
  /** Blocks of transactions without logs. */
  mined?: ReadonlyMap<Hash, number>;
  /** The transaction whose receipt it gives for any other. */
  confused?: Hash;
  /** Transactions whose receipt it does not give. */
  fails?: ReadonlySet<Hash>;
}

/** A reader over a node, with the requests that it has sent. */
function readerOf(node: Node, chainId = 31) {
  const asked: string[] = [];
  const receiptOf = (hash: Hash) => {
    const logs = node.logs.filter(({ transactionHash }) => transactionHash === hash);
    const block = node.mined?.get(hash) ?? (logs[0] && Number(logs[0].blockNumber));
    if (block === undefined || block > node.head) return null;
    const status = node.reverted?.has(hash) ? '0x0' : '0x1';
    const place = { blockHash: blockHash(block), blockNumber: `0x${block.toString(16)}` };
    return { transactionHash: hash, ...place, status, logs };
  };
  const service = {
    network: { chainId },
    async request(method: string, [param]: readonly [Hash], { check }: Service.RequestOptions = {}) {
      asked.push(method);
      if (node.fails?.has(param)) throw badReply(method, 'it fails');
      const head = `0x${node.head.toString(16)}`;
      const result = method === 'eth_blockNumber' ? head : receiptOf(node.confused ?? param);
      try {
        check?.(result);
      } catch (error) {
        throw badReply(method, (error as Error).message);
      }
      return result;
    },
  } as unknown as Service;
  const reader = createPegOutReader({
    service: () => service,
    network: networkOf(chainId),
    async logs({ fromBlock, toBlock, ...criteria }: LogFilter) {
      const [from, to] = [Number(fromBlock), Number(toBlock)];
      expect(to - from).toBeLessThan(2_000);
      asked.push(`logs ${from} to ${to}`);
      const isWanted = matchesCriteria(criteria);
      const isInRange = ({ blockNumber }: Log) => Number(blockNumber) >= from && Number(blockNumber) <= to;
      return node.logs
        .filter((log) => isInRange(log) && isWanted(log))
        .sort((a, b) => Number(a.blockNumber) - Number(b.blockNumber));
    },
  });
  return {
    read: reader.read,
    /** The requests since the last call. */
    asked: () => asked.splice(0),
  };
}

const paymentOf = (name: string, account = 0, satoshis = 500_000n): BridgePayment => {
  const { address: from, keyHash } = accounts[account] as (typeof accounts)[0];
  return { hash: hashOf(name), from, value: satoshis * wei, keyHash, createdAt: 1 };
};

const receivedAt = (block: number, { hash, from, keyHash, value }: BridgePayment, chainId = 31): Log =>
  events.received({ block, transaction: hash }, from, addressOfHash(keyHash, networkOf(chainId)), value);

/** The logs of a batch with one request, and the id of its Bitcoin transaction. */
function released(payment: BridgePayment, at: { batch: number; confirmed: number; release: number }) {
  const [transaction, topic] = [hashOf(`batch ${at.batch}`), hashOf(`topic ${at.batch}`)];
  const { raw, id } = bitcoinTransaction([
    { amount: payment.value / wei - 2_000n, script: scriptOfHash(payment.keyHash) },
    { amount: 5n, script: foreign },
  ]);
  const logs = [
    events.batch({ block: at.batch, transaction }, topic, [payment.hash]),
    events.confirmed({ block: at.confirmed, transaction: hashOf('confirms') }, topic, at.batch),
    events.release({ block: at.release, transaction: hashOf('signs') }, transaction, raw),
  ];
  return { logs, id };
}

const start = 7_000_000;
const payment = paymentOf('a payment');
const at = { batch: start + 300, confirmed: start + 311, release: start + 320 };
const { logs, id } = released(payment, at);
const request = receivedAt(start, payment);
const all = [request, ...logs];

describe('a peg-out', () => {
  test('a peg-out goes through its stages with the head, in at most four requests each', async () => {
    const node: Node = { head: start - 1, logs: all };
    const { read, asked } = readerOf(node);
    const stageAt = async (head: number) => {
      node.head = head;
      const [pegOut] = await read([payment]);
      expect(asked().length).toBeLessThanOrEqual(4);
      return pegOut?.stage;
    };
    expect(await stageAt(start - 1)).toBe('sent');
    expect(await stageAt(start)).toBe('waiting');
    expect(await stageAt(start + 299)).toBe('waiting');
    expect(await stageAt(start + 300)).toBe('batched');
    expect(await stageAt(start + 310)).toBe('batched');
    expect(await stageAt(start + 311)).toBe('confirmed');
    expect(await stageAt(start + 320)).toBe('paid');
  });

  test('a paid peg-out is not read again once its blocks are final', async () => {
    const node: Node = { head: start + 320 + 511, logs: all };
    const { read, asked } = readerOf(node);
    const paid = { stage: 'paid', txid: id, received: 498_000n };
    expect(await read([payment])).toMatchObject([paid]);
    asked();
    // A reorganisation may still take the release back, which alone is read.
    expect(await read([payment])).toMatchObject([paid]);
    expect(asked()).toEqual(['eth_blockNumber', `logs ${start + 310} to ${start + 831}`]);
    node.head += 1;
    expect(await read([payment])).toMatchObject([paid]);
    asked();
    expect(await read([payment])).toMatchObject([paid]);
    expect(asked()).toEqual([]);
  });

  test('a refused peg-out is not read again once its block is final', async () => {
    const place = { block: start, transaction: payment.hash };
    const refusal = events.rejected(place, payment.from, payment.value, 1n);
    const { read, asked } = readerOf({ head: start + 512, logs: [refusal] });
    expect(await read([payment])).toMatchObject([{ stage: 'refused', refusal: 'too-little' }]);
    expect(asked()).toHaveLength(2);
    expect(await read([payment])).toHaveLength(1);
    expect(asked()).toEqual([]);
  });

  test('a peg-out waits again when its batch leaves the chain, and follows the next batch', async () => {
    const node: Node = { head: start + 311, logs: all };
    const { read } = readerOf(node);
    expect(await read([payment])).toMatchObject([{ stage: 'confirmed', batchBlock: start + 300 }]);
    node.logs = [request];
    const [waiting] = await read([payment]);
    expect(waiting).toMatchObject({ stage: 'waiting' });
    expect(waiting).not.toHaveProperty('batchBlock');
    const later = released(payment, { batch: start + 305, confirmed: start + 316, release: start + 330 });
    node.logs = [request, ...later.logs];
    expect(await read([payment])).toMatchObject([{ stage: 'batched', batchBlock: start + 305 }]);
  });

  test('a peg-out is only sent when its own block leaves the chain', async () => {
    const node: Node = { head: start + 300, logs: all };
    const { read } = readerOf(node);
    expect(await read([payment])).toMatchObject([{ stage: 'batched' }]);
    node.logs = [];
    expect(await read([payment])).toMatchObject([{ stage: 'sent' }]);
  });

  test('a payment that reverted, or that the bridge did not answer, makes no peg-out', async () => {
    const silent: Node = { head: start + 9, logs: [], mined: new Map([[payment.hash, start]]) };
    expect(await readerOf(silent).read([payment])).toEqual([]);
    const reverted: Node = { head: start, logs: all, reverted: new Set([payment.hash]) };
    expect(await readerOf(reverted).read([payment])).toEqual([]);
  });

  test('a peg-out that waits for long is read further each time, and from its start once the head was reached', async () => {
    const { read, asked } = readerOf({ head: start + 9_000, logs: [request] });
    const rangesOf = async () => {
      expect(await read([payment])).toMatchObject([{ stage: 'waiting' }]);
      return asked().filter((each) => each.startsWith('logs'));
    };
    const range = (from: number, to: number) => `logs ${start + from} to ${start + to}`;
    expect(await rangesOf()).toEqual([range(0, 1_799), range(1_800, 3_599)]);
    expect(await rangesOf()).toEqual([range(3_600, 5_399), range(5_400, 7_199)]);
    expect(await rangesOf()).toEqual([range(7_200, 8_999), range(9_000, 9_000)]);
    // A node may have lost the batch.
    expect(await rangesOf()).toEqual([range(0, 1_799), range(1_800, 3_599)]);
  });

  test('a peg-out on mainnet is confirmed after 4,000 blocks, and not asked about before', async () => {
    const first = 8_000_000;
    const late = { batch: first + 100, confirmed: first + 4_103, release: first + 4_200 };
    const paid = released(payment, late);
    const node: Node = { head: first + 4_099, logs: [receivedAt(first, payment, 30), ...paid.logs] };
    const { read, asked } = readerOf(node, 30);
    expect(await read([payment])).toMatchObject([{ stage: 'batched', confirmedFrom: first + 4_100 }]);
    expect(asked()).toHaveLength(3);
    node.head = first + 4_300;
    expect(await read([payment])).toMatchObject([{ stage: 'paid', txid: paid.id }]);
    // The receipt and the batch are final.
    expect(asked()).toEqual(['eth_blockNumber', `logs ${first + 4_100} to ${first + 4_300}`]);
  });

  test('a receipt of another transaction is an error of the service', async () => {
    const other = paymentOf('another');
    const node: Node = { head: start, logs: [receivedAt(start, other)], confused: other.hash };
    await expect(readerOf(node).read([payment])).rejects.toMatchObject({ code: -32603 });
  });
});

describe('a node that is not to be relied on', () => {
  test('loses logs once, and the batch is found again', async () => {
    const node: Node = { head: start + 2_000, logs: [request] };
    const { read } = readerOf(node);
    expect(await read([payment])).toMatchObject([{ stage: 'waiting' }]);
    node.logs = all;
    expect(await read([payment])).toMatchObject([{ stage: 'paid' }]);
  });

  test('loses the logs of a receipt once, and the peg-out is found again', async () => {
    const node: Node = { head: start + 2_000, logs: [], mined: new Map([[payment.hash, start]]) };
    const { read } = readerOf(node);
    expect(await read([payment])).toEqual([]);
    node.logs = all;
    expect(await read([payment])).toMatchObject([{ stage: 'paid' }]);
  });

  test.each([
    ['is behind', { head: start + 299 }],
    ['has lost the logs since', { logs: all.slice(0, 2) }],
  ])('takes no stage back when it %s', async (_name, change) => {
    const node: Node = { head: start + 320, logs: all };
    const { read } = readerOf(node);
    expect(await read([payment])).toMatchObject([{ stage: 'paid' }]);
    // The receipt of what has shown the stage is still there.
    const mined = new Map(all.map((log) => [log.transactionHash as Hash, Number(log.blockNumber)]));
    Object.assign(node, change, { mined });
    expect(await read([payment])).toMatchObject([{ stage: 'paid' }]);
  });

  test('takes a stage back whose block has left the chain', async () => {
    const node: Node = { head: start + 320, logs: all };
    const { read } = readerOf(node);
    expect(await read([payment])).toMatchObject([{ stage: 'paid' }]);
    node.logs = [request];
    expect(await read([payment])).toMatchObject([{ stage: 'waiting' }]);
  });

  test('hides no peg-out by failing for another, which keeps its stage', async () => {
    const other = paymentOf('other');
    const node: Node = { head: start + 320, logs: [...all, receivedAt(start, other)] };
    const { read } = readerOf(node);
    node.fails = new Set([other.hash]);
    expect(await read([payment, other])).toMatchObject([{ stage: 'paid' }, { stage: 'unknown' }]);
    node.fails = new Set();
    expect(await read([payment, other])).toMatchObject([{ stage: 'paid' }, { stage: 'waiting' }]);
    node.fails = new Set([payment.hash, other.hash]);
    expect(await read([payment, other])).toMatchObject([{ stage: 'paid' }, { stage: 'waiting' }]);
  });
});

test('no payment is no request', async () => {
  const { read, asked } = readerOf({ head: 1, logs: [] });
  expect(await read([])).toEqual([]);
  expect(asked()).toEqual([]);
});

/** A request in a random world. */
interface Request {
  readonly payment: BridgePayment;
  readonly block: number;
  readonly fate: (typeof fates)[number];
  /** Blocks from the request to the first batch that may take it. */
  readonly wait: number;
}

/** A batch of the random world; `null` for the request of a stranger. */
interface Batch {
  readonly block: number;
  readonly members: readonly (Request | null)[];
  readonly confirmed: number;
  readonly release: number;
}

const fates = ['received', 'received', 'received', 'refused', 'reverted', 'malformed', 'lost'] as const;
const first = 7_400_000;

const worlds = fc.record({
  chainId: fc.constantFrom(30, 31, 33),
  requests: fc.array(
    fc.record({
      account: fc.nat(1),
      satoshis: fc.bigInt({ min: 400_000n, max: 10n ** 10n }),
      dust: fc.bigInt({ min: 0n, max: wei - 1n }),
      block: fc.nat(3_000),
      fate: fc.constantFrom(...fates),
      wait: fc.nat(400),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  batches: fc.array(
    fc.record({
      gap: fc.integer({ min: 1, max: 1_500 }),
      strangers: fc.nat(3),
      late: fc.nat(3_000),
      signing: fc.nat(900),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  heads: fc.array(fc.nat(12_000), { minLength: 1, maxLength: 4 }),
  reorganised: fc.option(
    fc.record({ depth: fc.integer({ min: 1, max: 512 }), delay: fc.integer({ min: 1, max: 40 }) }),
  ),
  transfers: fc.array(fc.nat(9_000), { maxLength: 4 }),
});
type World = typeof worlds extends fc.Arbitrary<infer T> ? T : never;

/** The events of a world, and what they mean. Those above `height` are delayed, on a chain of other batches. */
function playOut(world: World, height = Number.POSITIVE_INFINITY, delay = 0) {
  const moved = (block: number) => (block > height ? block + delay : block);
  const { confirmations } = networkOf(world.chainId);
  const requests = world.requests.map(({ account, satoshis, dust, block, ...rest }, at): Request => {
    const payment = paymentOf(`request ${at}`, account, satoshis);
    return { ...rest, payment: { ...payment, value: payment.value + dust }, block: first + block };
  });

  // Each batch takes all requests that wait for it.
  const open = new Set(requests.filter(({ fate }) => fate === 'received'));
  let last = first;
  const batches = world.batches.map(({ gap, strangers, late, signing }, at): Batch => {
    last += gap;
    const taken = [...open].filter(({ block, wait }) => block + wait <= last);
    for (const request of taken) open.delete(request);
    const others = Array<null>(strangers).fill(null);
    const members = at % 2 === 0 ? [...others, ...taken] : [...taken, ...others];
    const confirmed = last + confirmations + late;
    return { block: last, members, confirmed, release: confirmed + signing };
  });

  const logs: Log[] = [];
  const mined = new Map<Hash, number>();
  const reverted = new Set<Hash>();
  for (const { payment, block, fate } of requests) {
    if (fate === 'lost') continue;
    const place = { block: moved(block), transaction: payment.hash };
    mined.set(payment.hash, place.block);
    const log = receivedAt(place.block, payment, world.chainId);
    if (fate === 'received') logs.push(log);
    if (fate === 'malformed') logs.push({ ...log, data: log.data.slice(0, -2) as Hex });
    if (fate === 'reverted') reverted.add(payment.hash);
    if (fate === 'refused') logs.push(events.rejected(place, payment.from, payment.value, 3n));
  }
  const paid = new Map<Request, { txid: string; received: bigint }>();
  for (const [at, { block, members, confirmed, release }] of batches.entries()) {
    if (members.length === 0) continue;
    const name = `${at} at ${moved(block)}`;
    const place = { block: moved(block), transaction: hashOf(`batch ${name}`) };
    const topic = hashOf(`topic ${name}`);
    const outputs = members.map(
      (member): Output =>
        member === null
          ? { amount: 123_456n, script: foreign }
          : { amount: member.payment.value / wei - 1_000n, script: scriptOfHash(member.payment.keyHash) },
    );
    const { raw, id } = bitcoinTransaction([...outputs, { amount: 77n, script: foreign }], { salt: at });
    for (const [index, member] of members.entries())
      if (member) paid.set(member, { txid: id, received: outputs[index]?.amount as bigint });
    const hashes = members.map(
      (member, index) => member?.payment.hash ?? hashOf(`stranger ${name} ${index}`),
    );
    const later = (height: number, what: string) => ({
      block: moved(height),
      transaction: hashOf(`${what} ${name}`),
    });
    logs.push(
      events.batch(place, topic, hashes),
      events.requested(place, topic, 5n),
      events.confirmed(later(confirmed, 'confirms'), topic, place.block),
      events.release(later(release, 'signs'), place.transaction, raw),
    );
  }
  // The federation moves its own coins.
  for (const [at, block] of world.transfers.entries()) {
    const place = { block: first + block, transaction: hashOf(`transfer ${at}`) };
    const { raw } = bitcoinTransaction([{ amount: 9n, script: scriptOfHash(new Uint8Array(20).fill(1)) }]);
    logs.push(
      events.confirmed(place, hashOf(`topic of transfer ${at}`), first),
      events.release(place, hashOf(`begin of transfer ${at}`), raw),
    );
  }

  const truthAt = (head: number) =>
    requests.flatMap((request) => {
      const { payment, block, fate } = request;
      const shown = { hash: payment.hash, amount: payment.value / wei };
      if (fate === 'lost' || moved(block) > head) return [{ ...shown, stage: 'sent' }];
      if (fate === 'refused') return [{ ...shown, stage: 'refused' }];
      if (fate !== 'received') return [];
      const batch = batches.find(({ members }) => members.includes(request));
      if (!batch || moved(batch.block) > head) return [{ ...shown, stage: 'waiting' }];
      if (moved(batch.release) <= head) return [{ ...shown, stage: 'paid', ...paid.get(request) }];
      return [{ ...shown, stage: moved(batch.confirmed) <= head ? 'confirmed' : 'batched' }];
    });
  return { payments: requests.map(({ payment }) => payment), logs, mined, reverted, truthAt };
}

const order = ['sent', 'waiting', 'batched', 'confirmed', 'paid', 'refused'];
const essence = ({ hash, amount, stage, txid, received }: PegOut) => ({
  ...{ hash, amount, stage },
  ...(txid !== undefined && { txid, received }),
});

test('random worlds are joined as they were made, at any head, after reorganisations, within the budget', async () => {
  await fc.assert(
    fc.asyncProperty(worlds, async (world) => {
      const calm = playOut(world);
      const node: Node = { head: first, ...calm };
      const { read, asked } = readerOf(node, world.chainId);

      const readAll = async (truth: readonly { readonly hash: Hash; readonly stage: string }[]) => {
        const stages = new Map(truth.map(({ hash, stage }) => [hash, stage]));
        // A read goes no further than its budget; some more reach the head.
        for (let turn = 0; turn < 6; turn += 1) {
          const shown = await read(calm.payments);
          expect(asked().length).toBeLessThanOrEqual(1 + 5 * calm.payments.length);
          for (const { hash, stage } of shown)
            expect(order.indexOf(stage)).toBeLessThanOrEqual(order.indexOf(stages.get(hash) as string));
        }
        expect((await read(calm.payments)).map(essence)).toEqual(truth);
        asked();
      };

      for (const height of [...world.heads].sort((a, b) => a - b)) {
        node.head = first + height;
        await readAll(calm.truthAt(node.head));
      }
      if (world.reorganised === null) return;
      const { depth, delay } = world.reorganised;
      const forked = playOut(world, node.head - depth, delay);
      Object.assign(node, forked, { head: node.head + 1 });
      await readAll(forked.truthAt(node.head));
      node.head += 5_000;
      await readAll(forked.truthAt(node.head));
    }),
    { numRuns: Number(process.env.PEG_OUT_WORLDS ?? 200) },
  );
});
