import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type BlockHeader, readHeader } from '../../../../src/proof/header.js';
import { encodeReceipt } from '../../../../src/proof/receipt.js';
import { rulesOf } from '../../../../src/proof/rules.js';
import { checkInTrie, indexKey } from '../../../../src/proof/trie.js';
import { NotProven } from '../../../../src/proof/verdict.js';
import { checkWork } from '../../../../src/proof/work.js';
import { hexToBytes } from '../../../../src/rpc/hex.js';
import type { Hex, Receipt } from '../../../../src/rpc/schema.js';
import { alice, clientOf, emitter, sign, word } from '../../../../test/support/local-client.js';
import { createLocalService, type LocalService } from '../../src/local/index.js';

/** Each lie looks right, and what it says does not hold against the proofs of blocks and receipts. */

const difficulty = 40n;
const rules = rulesOf(33, difficulty);

let service: LocalService;
let client: ReturnType<typeof clientOf>;
let hash: Hex;
let truth: Receipt;
let header: BlockHeader;
let nodes: readonly Uint8Array[];

beforeAll(async () => {
  service = await createLocalService({ difficulty, mining: 'manual' });
  client = clientOf(service);
  await service.controls.faucet(alice.address, 10n ** 18n);
  await client.call(
    'eth_sendRawTransaction',
    await sign({ to: null, data: emitter, gas: 100_000n, value: 0n }),
  );
  await service.controls.mine();
  const created = (await client.call('eth_getBlockByNumber', 'latest', true)).transactions[0].hash;
  const { contractAddress } = await client.call('eth_getTransactionReceipt', created);
  const data = `0x${word(1)}${word(2)}` as const;
  hash = await client.call(
    'eth_sendRawTransaction',
    await sign({ nonce: 1, to: contractAddress, data, gas: 60_000n, value: 0n }),
  );
  await client.call('eth_sendRawTransaction', await sign({ nonce: 2 }));
  await service.controls.mine(3);
  truth = await client.call('eth_getTransactionReceipt', hash);
  header = readHeader(await client.call('eth_getBlockByHash', truth.blockHash, false), rules);
  const raw: Hex[] = await client.call('rsk_getTransactionReceiptNodesByHash', truth.blockHash, hash);
  nodes = raw.map(hexToBytes);
});
afterEach(() => service.controls.clearFaults());
afterAll(() => service?.close());

const verdict = (check: () => void): string => {
  try {
    check();
    return 'proven';
  } catch (error) {
    if (error instanceof NotProven) return error.verdict;
    throw error;
  }
};

const verdictOnReceipt = async () => {
  const receipt: Receipt = await client.call('eth_getTransactionReceipt', hash);
  expect(receipt.transactionHash).toBe(hash);
  return verdict(() =>
    checkInTrie(header.receiptsRoot, indexKey(Number(truth.transactionIndex)), encodeReceipt(receipt), nodes),
  );
};

test.each(['false-receipt', 'swapped-receipt', 'missing-log'] as const)(
  'a receipt of the lie %s is not in its block, and the true one is',
  async (lie) => {
    const undo = service.controls.lie(lie);
    expect(await client.call('eth_getTransactionReceipt', hash)).not.toEqual(truth);
    expect(await verdictOnReceipt()).toBe('contradicted');
    undo();
    expect(await verdictOnReceipt()).toBe('proven');
  },
);

test('a log that is left out is in the receipt that the root of its block asks for', async () => {
  const whole = await client.call('eth_getLogs', { blockHash: truth.blockHash });
  service.controls.lie('missing-log');
  expect(await client.call('eth_getLogs', { blockHash: truth.blockHash })).toEqual(whole.slice(0, -1));
});

test('a forged header does not have its hash', async () => {
  service.controls.lie('forged-header');
  const block = await client.call('eth_getBlockByNumber', 'latest', false);
  expect(verdict(() => readHeader(block, rules))).toBe('contradicted');
});

test('the blocks of a cheap fork follow each other, with work that is below the floor', async () => {
  const before = await client.call('eth_getBlockByNumber', 'latest', false);
  service.controls.lie('cheap-fork');
  await service.controls.mine();
  const [one, other] = [
    await client.call('eth_getBlockByNumber', before.number, false),
    await client.call('eth_getBlockByNumber', 'latest', true),
  ];
  expect(one.hash).not.toBe(before.hash);
  expect(other.parentHash).toBe(one.hash);
  for (const block of [one, other]) {
    const read = readHeader(block, rules);
    checkWork(read, rules);
    expect(read.difficulty).toBeLessThan(difficulty);
  }
});

test('a block at a wrong height is the one before it', async () => {
  service.controls.lie('wrong-height');
  expect((await client.call('eth_getBlockByNumber', '0x3', false)).number).toBe('0x2');
});

test('the newest block stays the newest', async () => {
  const { hash: newest, number } = await client.call('eth_getBlockByNumber', 'latest', false);
  service.controls.lie('old-newest');
  await service.controls.mine(2);
  expect((await client.call('eth_getBlockByNumber', 'latest', false)).hash).toBe(newest);
  expect(await client.call('eth_blockNumber')).toBe(number);
});
