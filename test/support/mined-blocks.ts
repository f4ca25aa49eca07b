import { readFileSync } from 'node:fs';
import { bytesToHex, bytesToInteger, hexToBytes, toQuantity } from '../../src/rpc/hex.js';
import { decodeRlp } from '../../src/rpc/rlp.js';
import type { Block, Hash, Hex, Receipt } from '../../src/rpc/schema.js';

/** Blocks that Rootstock's nodes have mined: recordings of a development node, and four of mainnet (vectors/mainnet-headers.json). */

interface Item {
  readonly request?: { readonly method?: string; readonly params?: readonly unknown[] };
  readonly reply?: { readonly result?: unknown };
}

const itemsOf = (name: string): readonly Item[] =>
  JSON.parse(readFileSync(new URL(`recordings/${name}.json`, import.meta.url), 'utf8')).items;

const items = ['blocks', 'receipts', 'later/reads', 'later/pool'].flatMap(itemsOf);

/** The results of a method with its params. */
export const recorded = (method: string): readonly { params: readonly unknown[]; result: never }[] =>
  items
    .filter(({ request, reply }) => request?.method === method && reply?.result)
    .map(({ request, reply }) => ({ params: request?.params ?? [], result: reply?.result as never }));

/** The blocks that a development node mined, each once; with whole transactions where one of its replies has them. */
export function nodeBlocks(): readonly Block[] {
  const found = new Map<Hash, Block>();
  for (const method of ['eth_getBlockByNumber', 'eth_getBlockByHash']) {
    for (const { result } of recorded(method)) {
      const block: Block = result;
      if (block.hash === null || block.number === '0x0') continue;
      const isWhole = typeof block.transactions[0] === 'object';
      if (isWhole || !found.has(block.hash)) found.set(block.hash, block);
    }
  }
  return [...found.values()];
}

export const nodeReceipts = (): readonly Receipt[] =>
  recorded('eth_getTransactionReceipt').map(({ result }) => result as Receipt);

const names = [
  'parentHash',
  'sha3Uncles',
  'miner',
  'stateRoot',
  'transactionsRoot',
  'receiptsRoot',
  'logsBloom',
];
const quantities = ['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp'];

/** Four consecutive blocks of mainnet as a node shows them, newest first. */
export function mainnetBlocks(): readonly Block[] {
  const { items: headers } = JSON.parse(
    readFileSync(new URL('vectors/mainnet-headers.json', import.meta.url), 'utf8'),
  ) as { items: readonly { raw: Hex; hash: Hash }[] };
  return headers.map(({ raw, hash }) => {
    const fields = decodeRlp(hexToBytes(raw)) as readonly Uint8Array[];
    const data = (at: number) => bytesToHex(fields.at(at) as Uint8Array);
    const quantity = (at: number) => toQuantity(bytesToInteger(fields[at] as Uint8Array));
    return {
      hash,
      ...Object.fromEntries(names.map((name, at) => [name, data(at)])),
      ...Object.fromEntries(quantities.map((name, at) => [name, quantity(names.length + at)])),
      extraData: data(12),
      paidFees: quantity(13),
      minimumGasPrice: quantity(14),
      uncles: Array.from({ length: Number(quantity(15)) }, () => hash),
      bitcoinMergedMiningHeader: data(-3),
      bitcoinMergedMiningMerkleProof: data(-2),
      bitcoinMergedMiningCoinbaseTransaction: data(-1),
      rskPteEdges: null,
      baseEvent: null,
      transactions: [],
    } as unknown as Block;
  });
}

/** The fields of a block that its hash or its work cover. */
export const coveredFields = [
  ...names,
  ...quantities,
  ...['hash', 'extraData', 'paidFees', 'minimumGasPrice', 'bitcoinMergedMiningHeader'],
  ...['bitcoinMergedMiningMerkleProof', 'bitcoinMergedMiningCoinbaseTransaction'],
] as const;

/** The text with one bit of its digits changed. */
export function flipBit(hex: Hex, bit: number): Hex {
  const at = 2 + (bit >> 2);
  const digit = Number.parseInt(hex[at] as string, 16) ^ (1 << (bit & 3));
  return `${hex.slice(0, at)}${digit.toString(16)}${hex.slice(at + 1)}` as Hex;
}

export const bitsIn = (hex: Hex): number => 4 * (hex.length - 2);
