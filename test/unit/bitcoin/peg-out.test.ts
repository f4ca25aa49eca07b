import { describe, expect, test } from 'vitest';
import { addressOfHash, compressKey, hashOfKey, scriptOfHash } from '../../../src/bitcoin/address.js';
import { type BitcoinNetwork, bitcoinNetwork } from '../../../src/bitcoin/network.js';
import {
  type BridgePayment,
  batchedPegOut,
  findBatch,
  type PegOut,
  settlePegOut,
  startPegOut,
} from '../../../src/bitcoin/peg-out.js';
import { hexToBytes } from '../../../src/rpc/hex.js';
import { recoverUncompressed } from '../../../src/rpc/recover.js';
import type { Address, Hash, Hex, Log } from '../../../src/rpc/schema.js';
import { serialize, signingDigest } from '../../../src/rpc/transaction.js';
import { bitcoinTransaction, events, hashOf, type Output } from '../../support/bridge-world.js';
import { realPegOut } from './real-peg-out.js';

/** The stages of a peg-out by the logs of the bridge, without a node. */

const networkOf = (chainId: number) => bitcoinNetwork(chainId) as BitcoinNetwork;
const mainnet = networkOf(30);
const keyHash = hexToBytes('0x751e76e8199196d454941c45d1b3a323f1433bd6');
const address = '1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH';
const from: Address = '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf';
const stranger: Address = `0x${'ab'.repeat(20)}`;
const wei = 10n ** 10n;
const hash = hashOf('the payment');
const block = 8_000_000;
const place = { block, transaction: hash };
const payment: BridgePayment = { hash, from, value: 500_000n * wei, keyHash, createdAt: 1 };
const sent = { hash, from, amount: 500_000n, bitcoinAddress: address, createdAt: 1 };
const waiting: PegOut = { ...sent, stage: 'waiting', block };

const received = (over: { sender?: Address; to?: string; amount?: bigint; at?: typeof place } = {}) =>
  events.received(over.at ?? place, over.sender ?? from, over.to ?? address, over.amount ?? payment.value);

describe('a request', () => {
  test('a request is taken in the form of today, in wei', () => {
    expect(startPegOut(payment, [received()], mainnet)).toEqual(waiting);
  });

  test('a request is taken in the form with the bytes of the hash, in satoshis', () => {
    const at = { ...place, block: 5_000_000 };
    const logs = [events.receivedBefore(at, from, `0x${Buffer.from(keyHash).toString('hex')}`, 500_000n)];
    expect(startPegOut(payment, logs, mainnet)).toEqual({ ...waiting, block: 5_000_000 });
  });

  test.each<[chainId: number, from: number]>([
    [30, 7_338_024],
    [31, 6_110_487],
  ])(
    'a request on chain %i has its amount in satoshis before block %i (RSKIP-427), and in wei from there on',
    (chainId, first) => {
      const network = networkOf(chainId);
      const to = addressOfHash(keyHash, network);
      const stageOf = (height: number, amount: bigint) => {
        const at = { ...place, block: height };
        return startPegOut(payment, [received({ to, amount, at })], network)?.stage;
      };
      expect(stageOf(first - 1, 500_000n)).toBe('waiting');
      expect(stageOf(first, payment.value)).toBe('waiting');
      expect(stageOf(first - 1, payment.value)).toBeUndefined();
      expect(stageOf(first, 500_000n)).toBeUndefined();
    },
  );

  test('a request on a local chain has wei from its first block on', () => {
    const to = addressOfHash(keyHash, networkOf(33));
    const logs = [received({ to, at: { ...place, block: 1 } })];
    expect(startPegOut(payment, logs, networkOf(33))).toMatchObject({ stage: 'waiting', block: 1 });
  });

  test('a request loses what is less than a satoshi', () => {
    const value = payment.value + wei - 1n;
    for (const amount of [value, payment.value])
      expect(startPegOut({ ...payment, value }, [received({ amount })], mainnet)).toEqual(waiting);
  });

  test.each<[code: bigint, refusal: PegOut['refusal'], isPaidBack: boolean]>([
    [1n, 'too-little', true],
    [2n, 'contract', false],
    [3n, 'fee', true],
  ])('a request is refused with reason %i: %s, paid back: %s', (code, refusal, isPaidBack) => {
    const logs = [events.rejected(place, from, payment.value, code)];
    expect(startPegOut(payment, logs, mainnet)).toEqual({
      ...sent,
      stage: 'refused',
      block,
      refusal,
      isPaidBack,
    });
    const before = { ...place, block: 7_000_000 };
    expect(startPegOut(payment, [events.rejected(before, from, 500_000n, code)], mainnet)?.stage).toBe(
      'refused',
    );
  });

  test('a refusal with a reason that the bridge does not have is left out', () => {
    for (const reason of [0n, 4n, -1n])
      expect(startPegOut(payment, [events.rejected(place, from, payment.value, reason)], mainnet)).toBeNull();
  });

  test.each<[string, readonly Log[]]>([
    ['no log', []],
    ['another account', [received({ sender: stranger })]],
    ['another destination', [received({ to: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT' })]],
    ['the address of another network', [received({ to: 'mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r' })]],
    ['another amount', [received({ amount: payment.value + wei })]],
    ['another transaction', [received({ at: { block, transaction: hashOf('another') } })]],
    ['another contract', [{ ...received(), address: stranger }]],
    ['a log that was removed', [{ ...received(), removed: true }]],
    ['a log without a contract', [without(received(), 'address')]],
    ['a log without data', [without(received(), 'data')]],
    ['a log with data of half a byte', [{ ...received(), data: `${received().data}0` }]],
    ['a log without topics', [{ ...received(), topics: [] }]],
    ['two answers', [received(), events.rejected(place, from, payment.value, 1n)]],
    ['a topic too many', [{ ...received(), topics: [...received().topics, hash] }]],
    ['no sender', [{ ...received(), topics: received().topics.slice(0, 1) }]],
    ['more bits than those of an address', [{ ...received(), topics: [received().topics[0] as Hash, hash] }]],
  ])('a payment makes no peg-out by %s', (_name, logs) => {
    expect(startPegOut(payment, logs, mainnet)).toBeNull();
  });

  test('a request is found beside logs of others', () => {
    const others = [
      received({ sender: stranger }),
      events.requested(place, hashOf('a batch'), 5n),
      { ...received(), data: '0x' as Hex },
    ];
    expect(startPegOut(payment, [...others, received()], mainnet)).toEqual(waiting);
  });

  test('a request or a refusal with data that is not exactly its encoding is left out', () => {
    for (const log of [received(), events.rejected(place, from, payment.value, 1n)])
      for (const data of damaged(log.data))
        expect(startPegOut(payment, [{ ...log, data }], mainnet)).toBeNull();
  });

  test('a real request of the testnet is read', () => {
    const { transaction, signature, sender, destination, satoshis } = realPegOut;
    expect(serialize(transaction, signature).hash).toBe(realPegOut.hash);
    const key = recoverUncompressed(signingDigest(transaction), signature);
    const real = {
      hash: realPegOut.hash,
      from: sender,
      value: BigInt(transaction.value),
      keyHash: hashOfKey(compressKey(key)),
      createdAt: 1,
    };
    const at = { block: realPegOut.block, transaction: realPegOut.hash };
    expect(startPegOut(real, [events.received(at, sender, destination, satoshis)], networkOf(31))).toEqual({
      ...{ hash: realPegOut.hash, from: sender, amount: 500_000n, bitcoinAddress: destination, createdAt: 1 },
      ...{ stage: 'waiting', block: realPegOut.block },
    });
  });
});

const batchTopic = hashOf('topic of the batch');
const batchPlace = { block: block + 200, transaction: hashOf('updateCollections') };
const others = [hashOf('one'), hashOf('two')] as const;
const batchLog = events.batch(batchPlace, batchTopic, [others[0], hash, others[1]]);
const batch = {
  transaction: batchPlace.transaction,
  topic: batchTopic,
  block: block + 200,
  requests: [others[0], hash, others[1]],
};
const batched = batchedPegOut(waiting, batch, mainnet, block + 200);
const { blocksLeft: _, ...confirmed } = batched;

describe('a batch', () => {
  test('a batch is found by the hash in its data, of two in a range', () => {
    const other = events.batch(
      { block: block + 100, transaction: hashOf('earlier') },
      hashOf('topic'),
      others,
    );
    expect(findBatch(hash, [other, batchLog])).toEqual(batch);
    expect(findBatch(hash, [other])).toBeUndefined();
  });

  test('a batch has a hash only where one begins', () => {
    // The digits of the hash, shifted by a byte.
    const shifted = `0xff${hash.slice(2)}${'ff'.repeat(31)}`;
    const halves = [shifted.slice(0, 66), `0x${shifted.slice(66)}`] as Hash[];
    expect(findBatch(hash, [events.batch(batchPlace, batchTopic, halves)])).toBeUndefined();
  });

  test('a batch waits for as many blocks as its network has', () => {
    const heights = [30, 31, 33].map(
      (chainId) => batchedPegOut(waiting, batch, networkOf(chainId), block).confirmedFrom,
    );
    expect(heights.map((height) => (height as number) - batch.block)).toEqual([4_000, 10, 3]);
    expect(batched).toEqual({
      ...waiting,
      stage: 'batched',
      batchBlock: batch.block,
      confirmedFrom: batch.block + 4_000,
      blocksLeft: 4_000,
    });
    expect(batchedPegOut(waiting, batch, mainnet, batch.block + 3_999).blocksLeft).toBe(1);
    expect(batchedPegOut(waiting, batch, mainnet, batch.block + 5_000).blocksLeft).toBe(0);
  });

  test('a batch with data that is not exactly its encoding, or not of whole hashes, is left out', () => {
    for (const data of damaged(batchLog.data))
      expect(findBatch(hash, [{ ...batchLog, data }])).toBeUndefined();
    const half = events.release(batchPlace, batchTopic, `${hash}00`).data;
    const empty = events.release(batchPlace, batchTopic, '0x').data;
    for (const data of [half, empty]) expect(findBatch(hash, [{ ...batchLog, data }])).toBeUndefined();
  });
});

describe('a batch that is confirmed and released', () => {
  const own = scriptOfHash(keyHash);
  const strangers: Hex = `0x0014${'77'.repeat(20)}`;
  const output = (amount: bigint, script: Hex = strangers): Output => ({ amount, script });
  const outputs = [output(900_000n), output(498_000n, own), output(700_000n), output(12_345_678n)];
  const confirmedAt = { block: batch.block + 4_001, transaction: hashOf('a later updateCollections') };
  const releasedAt = { block: batch.block + 4_050, transaction: hashOf('addSignature') };
  const confirmedLog = events.confirmed(confirmedAt, batchTopic, batch.block);
  const release = (of: Parameters<typeof bitcoinTransaction>) => {
    const { raw, id } = bitcoinTransaction(...of);
    return { log: events.release(releasedAt, batch.transaction, raw), id };
  };
  const settle = (...logs: readonly Log[]) => settlePegOut(batched, batch, payment, logs);

  test('a batch is confirmed, then paid, with the id and the output of the Bitcoin transaction', () => {
    const { log, id } = release([outputs]);
    expect(settle()).toEqual(batched);
    expect(settle(confirmedLog)).toEqual({ ...confirmed, stage: 'confirmed' });
    expect(settle(confirmedLog, log)).toEqual({ ...confirmed, stage: 'paid', txid: id, received: 498_000n });
  });

  test('a batch is paid without a witness too, and without its confirmation among the logs', () => {
    const { log, id } = release([outputs, { hasWitness: false }]);
    expect(settle(log)).toEqual({ ...confirmed, stage: 'paid', txid: id, received: 498_000n });
  });

  test('transfers of the federation and other batches change nothing', () => {
    const { raw } = bitcoinTransaction([output(5n, own)]);
    const foreign = hashOf('a migration of the federation');
    const logs = [
      events.requested({ ...confirmedAt, transaction: foreign }, hashOf('its topic'), 5n),
      events.confirmed(confirmedAt, hashOf('its topic'), batch.block),
      events.release(releasedAt, foreign, raw),
      // Neither the payment nor the topic of the batch names a release.
      events.release(releasedAt, hash, raw),
      events.release(releasedAt, batchTopic, raw),
      events.confirmed(confirmedAt, batch.transaction, batch.block),
    ];
    expect(settle(...logs)).toEqual(batched);
    expect(settle(events.confirmed(confirmedAt, batchTopic, batch.block + 1))).toEqual(batched);
    const { log, id } = release([outputs]);
    expect(settle(...logs, confirmedLog, log)).toMatchObject({ stage: 'paid', txid: id, received: 498_000n });
  });

  test('two requests of one account in a batch are distinguished by their places', () => {
    const second = others[0];
    const both = [output(300_000n, own), output(498_000n, own), output(1n)];
    const { log } = release([both]);
    const other = { ...batched, hash: second, amount: 302_000n };
    expect(settle(log).received).toBe(498_000n);
    expect(settlePegOut(other, batch, { ...payment, hash: second }, [log]).received).toBe(300_000n);
  });

  test('an output in another place counts if it alone can be meant', () => {
    expect(settle(release([[output(498_000n, own), output(1n), output(2n)]]).log).received).toBe(498_000n);
  });

  test.each<[string, readonly Output[]]>([
    ['no output has the address', [output(1n), output(498_000n), output(2n)]],
    ['the output pays more than was asked for', [output(1n), output(500_001n, own)]],
    ['two outputs of another order can be meant', [output(498_000n, own), output(1n), output(400_000n, own)]],
  ])('a paid peg-out has no amount if %s', (_name, listed) => {
    const { log, id } = release([listed]);
    expect(settle(log)).toEqual({ ...confirmed, stage: 'paid', txid: id });
  });

  test('a confirmation or a release with data that is not exactly its encoding changes nothing', () => {
    const { log } = release([outputs]);
    for (const data of damaged(confirmedLog.data)) expect(settle({ ...confirmedLog, data })).toEqual(batched);
    for (const data of damaged(log.data)) expect(settle({ ...log, data })).toEqual(batched);
    const { data } = events.release(releasedAt, batch.transaction, '0x0200');
    expect(settle({ ...log, data })).toEqual(batched);
  });
});

const without = (log: Log, name: 'address' | 'data'): Log => {
  const { [name]: _left, ...rest } = log;
  return rest as unknown as Log;
};

/** Forms of data that a decoder must refuse. */
const damaged = (data: Hex): readonly Hex[] => [
  '0x',
  data.slice(0, -2) as Hex,
  data.slice(0, -64) as Hex,
  `${data}00`,
  `${data}${'0'.repeat(64)}`,
  `0x${'f'.repeat(data.length - 2)}`,
  ...(data.length > 130 ? [`0x${'61'.padStart(64, '0')}${data.slice(66)}` as Hex] : []),
];
