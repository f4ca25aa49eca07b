import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readHeader } from '../../../../src/proof/header.js';
import { encodeReceipt } from '../../../../src/proof/receipt.js';
import { rulesOf } from '../../../../src/proof/rules.js';
import { encodeTransaction } from '../../../../src/proof/transaction.js';
import { checkInTrie, indexKey, rootOfValues } from '../../../../src/proof/trie.js';
import { checkWork } from '../../../../src/proof/work.js';
import { bytesToHex, hexToBytes } from '../../../../src/rpc/hex.js';
import { keccak256 } from '../../../../src/rpc/keccak.js';
import { alice, bob, clientOf, emitter, nobody, sign, word } from '../../../../test/support/local-client.js';
import { createRandom } from '../../../../test/support/random.js';
import { createLocalService, type Hex, type LocalService } from '../../src/local/index.js';

const rules = rulesOf(33);

/** Proves a block and all that is in it, by its JSON and by the node's proofs of receipts; returns its parent. */
async function proveBlock(service: LocalService, hash: Hex): Promise<Hex> {
  const { call } = clientOf(service);
  const block = await call('eth_getBlockByHash', hash, true);
  const header = readHeader(block, rules);
  checkWork(header, rules);
  const transactions = block.transactions.map(encodeTransaction);
  expect(bytesToHex(rootOfValues(transactions))).toBe(block.transactionsRoot);
  const receipts: Uint8Array[] = [];
  for (const [index, { hash: transaction }] of block.transactions.entries()) {
    expect(bytesToHex(keccak256(transactions[index]))).toBe(transaction);
    const receipt = await call('eth_getTransactionReceipt', transaction);
    expect([receipt.blockHash, receipt.transactionIndex]).toEqual([hash, `0x${index.toString(16)}`]);
    for (const log of receipt.logs) expect(log.blockHash).toBe(hash);
    const raw = encodeReceipt(receipt);
    expect(await call('rsk_getRawTransactionReceiptByHash', transaction)).toBe(bytesToHex(raw));
    const nodes: Hex[] = await call('rsk_getTransactionReceiptNodesByHash', hash, transaction);
    checkInTrie(header.receiptsRoot, indexKey(index), raw, nodes.map(hexToBytes));
    receipts.push(raw);
  }
  expect(bytesToHex(rootOfValues(receipts))).toBe(block.receiptsRoot);
  return block.parentHash;
}

async function proveChain(service: LocalService): Promise<void> {
  const { call } = clientOf(service);
  let { hash, number } = await call('eth_getBlockByNumber', 'latest', false);
  for (let height = Number(number); height > 0; height--) hash = await proveBlock(service, hash);
  expect((await call('eth_getBlockByHash', hash, false)).number).toBe('0x0');
}

const worlds = [
  { dialect: 'node' },
  { dialect: 'seed' },
  { dialect: 'node', switches: { headerVersion: 0 } },
  { dialect: 'node', switches: { headerVersion: 1 } },
  { dialect: 'seed', switches: { headerVersion: 2, remasc: true } },
  { dialect: 'seed', difficulty: 40n },
] as const;

describe.each(worlds)('a chain as $dialect', (options) => {
  let service: LocalService;
  beforeAll(async () => {
    service = await createLocalService({ ...options, mining: 'manual' });
    for (const { address } of [alice, bob]) await service.controls.faucet(address, 10n ** 18n);
    await service.controls.mine();
  });
  afterAll(() => service?.close());

  test('each of its blocks, transactions and receipts is proven, on either side of a reorganisation', async () => {
    const random = createRandom(351);
    const { call } = clientOf(service);
    const nonces = new Map([
      [alice, 0],
      [bob, 0],
    ]);
    const send = async (account: typeof alice, wish: Parameters<typeof sign>[0]) => {
      const nonce = nonces.get(account) as number;
      await call('eth_sendRawTransaction', await sign({ nonce, ...wish }, account));
      nonces.set(account, nonce + 1);
    };
    for (let round = 0; round < 4; round++) {
      await send(alice, { to: null, data: emitter, gas: 100_000n, value: 0n });
      // A creation that fails, a call that runs out of gas, and payments.
      await send(bob, { to: null, data: '0xfe', gas: 60_000n, value: 0n });
      for (let count = Math.floor(8 * random()); count > 0; count--)
        await send(random() < 0.5 ? alice : bob, { to: nobody, value: BigInt(count) });
      await send(alice, { to: nobody, data: `0x${word(1)}`, gas: 30_000n });
      await service.controls.mine(1 + Math.floor(3 * random()));
    }
    await proveChain(service);
    const { hash: orphan } = await call('eth_getBlockByNumber', 'latest', false);
    await service.controls.reorg(2);
    await proveChain(service);
    for (const each of [orphan, await service.controls.sibling()]) {
      const block = await call('eth_getBlockByHash', each, false);
      checkWork(readHeader(block, rules), rules);
    }
  });
});

test('many blocks that were mined at once are sealed when they are first read', async () => {
  await using service = await createLocalService();
  await service.controls.mine(300);
  const { call } = clientOf(service);
  const block = await call('eth_getBlockByNumber', '0x12c', false);
  checkWork(readHeader(block, rules), rules);
  expect(block.parentHash).toBe((await call('eth_getBlockByNumber', '0x12b', false)).hash);
});
