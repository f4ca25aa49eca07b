import { expect, test } from 'vitest';
import { encodeReceipt } from '../../../src/proof/receipt.js';
import { encodeTransaction } from '../../../src/proof/transaction.js';
import { checkInTrie, indexKey, nodesAbove, rootOfValues } from '../../../src/proof/trie.js';
import { NotProven } from '../../../src/proof/verdict.js';
import { bytesToHex, hexToBytes } from '../../../src/rpc/hex.js';
import { keccak256 } from '../../../src/rpc/keccak.js';
import type { Block, Hash, Hex, Receipt, Transaction } from '../../../src/rpc/schema.js';
import { nodeBlocks, nodeReceipts, recorded } from '../../support/mined-blocks.js';
import { createRandom } from '../../support/random.js';

const isRefused = (check: () => void): boolean => {
  try {
    check();
    return false;
  } catch (error) {
    if (error instanceof NotProven && error.verdict === 'contradicted') return true;
    throw error;
  }
};

test('the transactions of recorded blocks have the hashes and the root that the node says', () => {
  const whole = nodeBlocks().filter(({ transactions }) => typeof transactions[0] === 'object');
  expect(whole.length).toBeGreaterThan(3);
  for (const { transactions, transactionsRoot } of whole) {
    const raw = (transactions as Transaction[]).map(encodeTransaction);
    expect(raw.map((each) => bytesToHex(keccak256(each)))).toEqual(
      (transactions as Transaction[]).map(({ hash }) => hash),
    );
    expect(bytesToHex(rootOfValues(raw))).toBe(transactionsRoot);
  }
});

test('recorded receipts are rebuilt from their JSON, byte by byte', () => {
  const raw = new Map(
    recorded('rsk_getRawTransactionReceiptByHash').map(({ params, result }) => [params[0], result as Hex]),
  );
  const both = nodeReceipts().filter(({ transactionHash }) => raw.has(transactionHash));
  expect(both.length).toBeGreaterThan(20);
  for (const receipt of both)
    expect(bytesToHex(encodeReceipt(receipt))).toBe(raw.get(receipt.transactionHash));
});

test('the nodes that the node gives lead from a receipt to the root of its block, and from nothing else', () => {
  const receipts = new Map(nodeReceipts().map((each) => [each.transactionHash, each]));
  const proofs = recorded('rsk_getTransactionReceiptNodesByHash').map(({ params, result }) => ({
    receipt: receipts.get(params[1] as Hash) as Receipt,
    nodes: (result as readonly Hex[]).map(hexToBytes),
  }));
  expect(proofs.length).toBeGreaterThan(1);
  for (const { receipt, nodes } of proofs) {
    const root = keccak256(nodes.at(-1) as Uint8Array);
    const block = nodeBlocks().find(({ hash }) => hash === receipt.blockHash) as Block | undefined;
    if (block) expect(bytesToHex(root)).toBe(block.receiptsRoot);
    const index = Number(receipt.transactionIndex);
    checkInTrie(root, indexKey(index), encodeReceipt(receipt), nodes);
    const lies: Partial<Receipt>[] = [
      { status: receipt.status === '0x1' ? '0x0' : '0x1' },
      { gasUsed: '0x1' },
      { logs: receipt.logs.slice(1) },
      { cumulativeGasUsed: '0x2' },
    ];
    for (const lie of lies.filter((each) => each.logs === undefined || receipt.logs.length > 0))
      expect(
        isRefused(() => checkInTrie(root, indexKey(index), encodeReceipt({ ...receipt, ...lie }), nodes)),
      ).toBe(true);
    expect(isRefused(() => checkInTrie(root, indexKey(index + 1), encodeReceipt(receipt), nodes))).toBe(true);
  }
});

/** TRIES=2000 is the soak. */
const runs = Number(process.env.TRIES ?? 60);

test('each value of a random trie is proven at its index alone, and no changed bit of a node goes unseen', () => {
  const random = createRandom(107);
  const upTo = (limit: number) => Math.floor(random() * limit);
  const bytes = (length: number) => Uint8Array.from({ length }, () => upTo(256));
  for (let run = 0; run < runs; run++) {
    const values = Array.from({ length: 1 + upTo(run % 10 === 0 ? 400 : 60) }, () => bytes(1 + upTo(80)));
    const root = rootOfValues(values);
    for (const index of new Set([0, values.length - 1, upTo(values.length), upTo(values.length)])) {
      const value = values[index] as Uint8Array;
      const nodes = nodesAbove(values, index);
      checkInTrie(root, indexKey(index), value, nodes);
      // Embedded nodes are within their parents.
      checkInTrie(
        root,
        indexKey(index),
        value,
        nodes.filter(({ length }, at) => at > 0 || length > 44 || nodes.length === 1),
      );
      const other = values.findIndex((each, at) => at !== index && bytesToHex(each) !== bytesToHex(value));
      if (other >= 0) expect(isRefused(() => checkInTrie(root, indexKey(other), value, nodes))).toBe(true);
      expect(isRefused(() => checkInTrie(root, indexKey(index), bytes(value.length), nodes))).toBe(true);
      const node = nodes.at(-1) as Uint8Array;
      const changed = node.slice();
      (changed[upTo(node.length)] as number) ^= 1 << upTo(8);
      expect(
        isRefused(() => checkInTrie(root, indexKey(index), value, [...nodes.slice(0, -1), changed])),
      ).toBe(true);
    }
  }
});

test('garbage in place of nodes is refused at once', () => {
  const random = createRandom(1);
  const value = new Uint8Array(40);
  for (let run = 0; run < 2000; run++) {
    const node = Uint8Array.from({ length: Math.floor(random() * 100) }, () => random() * 256);
    if (run % 2 === 0 && node.length > 0) node[0] = 0x40 | ((node[0] as number) & 0x3f);
    expect(isRefused(() => checkInTrie(keccak256(node), indexKey(run), value, [node]))).toBe(true);
  }
});

test('a trie without values has the root of Ethereum’s empty one', () => {
  expect(bytesToHex(rootOfValues([]))).toBe(
    '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  );
});
