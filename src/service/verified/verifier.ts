import { checkFloor, checkNext } from '../../proof/branch.js';
import { type BlockHeader, readHeader } from '../../proof/header.js';
import { encodeReceipt } from '../../proof/receipt.js';
import type { ChainRules } from '../../proof/rules.js';
import { encodeTransaction } from '../../proof/transaction.js';
import { indexKey, isLeafOf, type Leaf, leafAt, rootOfValues } from '../../proof/trie.js';
import { beyondProof, contradiction, NotProven, noProof } from '../../proof/verdict.js';
import { bytesToHex, hexToBytes, toQuantity } from '../../rpc/hex.js';
import { keccak256 } from '../../rpc/keccak.js';
import { createMatcher } from '../../rpc/matcher.js';
import { alternatives } from '../../rpc/matches.js';
import { methodFacts } from '../../rpc/method-facts/method-facts.js';
import type { MethodFacts } from '../../rpc/method-facts/row.js';
import { own } from '../../rpc/own.js';
import { isHash } from '../../rpc/results.js';
import type { Block, Hash, Hex, Log, LogFilter, Receipt, Transaction } from '../../rpc/schema.js';
import { areAllLogs } from '../logs/bloom-check.js';
import type { Service } from '../service.js';
import {
  type BlockBody,
  createKnownBlocks,
  keep,
  maxKnownHeaders,
  type PlacedTransaction,
} from './known-blocks.js';

/** Holds replies of a node against Bitcoin's work: blocks by themselves, receipts and logs against the roots in their blocks. */
export interface Verifier {
  /**
   * Checks a reply to a method whose row names a proof, be there a floor of difficulty or not. Resolves with the headers that it
   * depends on where it holds.
   *
   * @param ask reads more of the service, each reply checked in its turn
   * @throws NotProven, or any error for a reply of a wrong form
   */
  check(read: Verifier.Read, result: unknown, ask: Verifier.Ask): Promise<readonly BlockHeader[]>;
  /** Checks a block by itself. Throws as {@link check}. */
  checkBlock(block: Block): readonly BlockHeader[];
  /** Why a reply that holds proves nothing all the same: a block has less work than the floor asks, or there is no floor. */
  floorProblem(headers: readonly BlockHeader[]): NotProven | undefined;
  /** The verdict on the transaction or block with a hash. */
  verdictOf(hash: Hash, confirmations: number, ask: Verifier.Ask): Promise<Service.Finding>;
}

export declare namespace Verifier {
  interface Read {
    readonly method: string;
    readonly params: readonly unknown[];
  }
  /**
   * Resolves with a reply that holds, or with `null` where the endpoints have nothing.
   * @throws NotProven where none of them shows it
   */
  type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>;
}

type Check = (
  params: readonly unknown[],
  result: never,
  ask: Verifier.Ask,
) => readonly BlockHeader[] | Promise<readonly BlockHeader[]>;

/** Transactions whose receipts are read for the logs in one reply, and logs; a reply with more stays claimed. */
const maxTransactions = 16;
const maxLogs = 1_000;
/** Receipts that are remembered. */
const maxReceipts = 128;
/** A block has room for this many times its gas limit where lists of transactions run beside each other (RSKIP-144), and for REMASC. */
const maxLists = 4;

/** The reason of a reply that lacks logs which the bloom of their block has. */
export const leftOut = 'Logs of the block are left out, as its bloom tells.';

export function createVerifier(rules: ChainRules): Verifier {
  const blocks = createKnownBlocks();
  /** Receipts that hold, as JSON, by the hash of their transaction. */
  const receipts = new Map<Hash, { readonly text: string; readonly header: BlockHeader }>();
  /** The hash of the newest block, as far as a reply has shown it. */
  let newest = '';

  function checkBlock([place, isWhole]: readonly unknown[], block: Block): readonly BlockHeader[] {
    if (place === 'pending') throw beyondProof('A pending block has no work.');
    const header = readHeader(block, rules);
    if (isHash(place) && place.toLowerCase() !== header.hash)
      throw contradiction('The block is another than the one that was asked for.');
    if (isHeight(place) && Number(place) !== header.number)
      throw contradiction('The block is at another height than the one that was asked for.');
    checkNext(blocks.header(header.parentHash), header, rules);
    blocks.add(header, block);
    if (place === 'latest' || place === undefined) newest = header.hash;
    if (isWhole === true) blocks.addBody(bodyOf(header, block));
    return [header];
  }

  function bodyOf(header: BlockHeader, { transactions, gasLimit }: Block): BlockBody {
    if (transactions.length > 2 + (maxLists * Number(gasLimit)) / 21_000)
      throw contradiction('The block has more transactions than gas for them.');
    const whole = transactions as readonly Transaction[];
    const values = whole.map(encodeTransaction);
    if (bytesToHex(rootOfValues(values)) !== bytesToHex(header.transactionsRoot))
      throw contradiction('The transactions are not those of the block.');
    const placed = values.map((value, index) => {
      const hash = bytesToHex(keccak256(value));
      const shown = whole[index] as Transaction;
      if (shown.hash.toLowerCase() !== hash)
        throw contradiction('The hash of a transaction is not that of its bytes.');
      checkPlace(shown, header, index);
      return [hash, { index, to: shown.to ?? null, gasPrice: shown.gasPrice }] as const;
    });
    return { header, transactions: new Map(placed) };
  }

  /** The contents of the block with a hash. @throws NotProven */
  async function readBody(hash: Hash, ask: Verifier.Ask): Promise<BlockBody> {
    if (!blocks.body(hash)) await ask('eth_getBlockByHash', [hash, true]);
    const body = blocks.body(hash);
    if (!body) throw noProof('The contents of the block are not shown.');
    return body;
  }

  /** The receipt at the place of a transaction in its block. @throws NotProven */
  async function readLeaf(
    { header }: BlockBody,
    transaction: Hash,
    index: number,
    ask: Verifier.Ask,
  ): Promise<Leaf> {
    if (!blocks.receipt(header.hash, index))
      await ask('rsk_getTransactionReceiptNodesByHash', [header.hash, transaction]);
    const leaf = blocks.receipt(header.hash, index);
    if (!leaf) throw noProof('The service does not show that the receipt is in its block.');
    return leaf;
  }

  function checkNodes(
    [block, transaction]: readonly unknown[],
    nodes: readonly unknown[],
  ): readonly BlockHeader[] {
    const body = blocks.body(String(block));
    const index = body?.transactions.get(String(transaction).toLowerCase() as Hash)?.index;
    if (!body || index === undefined) throw noProof('The contents of the block are not shown.');
    if (!Array.isArray(nodes) || !nodes.every(isNode)) throw noProof('The nodes of the trie are no DATA.');
    const { hash, receiptsRoot } = body.header;
    blocks.addReceipt(hash, index, leafAt(receiptsRoot, indexKey(index), nodes.map(hexToBytes)));
    return [body.header];
  }

  async function checkReceipt([given]: readonly unknown[], receipt: Receipt, ask: Verifier.Ask) {
    const transaction = String(given).toLowerCase() as Hash;
    if (!isHash(receipt.blockHash)) throw noProof('The receipt names no block.');
    const text = JSON.stringify(receipt);
    const known = receipts.get(transaction);
    if (known?.text === text) return [known.header];
    const body = await readBody(receipt.blockHash, ask);
    const { index } = checkAbout(receipt, transaction, body);
    if (!isLeafOf(await readLeaf(body, transaction, index, ask), encodeReceipt(receipt)))
      throw contradiction('The receipt is not that in the block.');
    keep(receipts, transaction, { text, header: body.header }, maxReceipts);
    return [body.header];
  }

  /** Checks what a receipt tells beside its bytes in the trie. @throws NotProven */
  function checkAbout(
    receipt: Receipt,
    transaction: Hash,
    { header, transactions }: BlockBody,
  ): PlacedTransaction {
    const placed = transactions.get(transaction);
    if (!placed) throw contradiction('The block of the receipt does not have the transaction.');
    const { index, to, gasPrice } = placed;
    checkPlace({ ...receipt, hash: receipt.transactionHash }, header, index, transaction);
    if ((receipt.to ?? null)?.toLowerCase() !== to?.toLowerCase())
      throw contradiction('The receipt names another recipient than its transaction.');
    if (isOther(receipt.effectiveGasPrice, gasPrice))
      throw contradiction('The receipt names another price than its transaction.');
    for (const log of receipt.logs ?? [])
      checkPlace({ ...log, hash: log.transactionHash }, header, index, transaction);
    const numbers = (receipt.logs ?? []).map(({ logIndex }) => Number(logIndex));
    if (numbers.some((each, at) => at > 0 && each !== (numbers[at - 1] as number) + 1))
      throw noProof('The logs of a receipt are not numbered in a row.');
    return placed;
  }

  /** All receipts of a block give its root, each at the place of its transaction. */
  async function checkReceipts([place]: readonly unknown[], all: readonly Receipt[], ask: Verifier.Ask) {
    const shown = isHash(place) ? place : all[0]?.blockHash;
    if (!isHash(shown)) throw noProof('The receipts name no block.');
    const body = await readBody(shown, ask);
    if (isHeight(place) && Number(place) !== body.header.number)
      throw contradiction('The receipts are of another height than the one that was asked for.');
    const hashes = [...body.transactions.keys()];
    if (all.length !== hashes.length) throw contradiction('The receipts are not those of the block.');
    for (const [at, receipt] of all.entries()) checkAbout(receipt, hashes[at] as Hash, body);
    if (bytesToHex(rootOfValues(all.map(encodeReceipt))) !== bytesToHex(body.header.receiptsRoot))
      throw contradiction('The receipts are not those of the block.');
    return [body.header];
  }

  /** Each log is in its receipt, and no receipt among them has one more that was asked for; of one block, the bloom has no more either. */
  async function checkLogs([filter]: readonly unknown[], logs: readonly Log[], ask: Verifier.Ask) {
    const byTransaction = new Map<Hash, Log[]>();
    for (const log of logs) {
      const hash = log.transactionHash?.toLowerCase() as Hash;
      if (!isHash(hash)) throw noProof('A log is of no transaction.');
      byTransaction.set(hash, [...(byTransaction.get(hash) ?? []), log]);
    }
    if (logs.length > maxLogs || byTransaction.size > maxTransactions)
      throw noProof('The logs are of too many transactions to check each.');
    const places = logs.map(({ blockNumber, logIndex }) => Number(blockNumber) * 2 ** 24 + Number(logIndex));
    if (places.some((place, at) => at > 0 && !(place > (places[at - 1] as number))))
      throw noProof('The logs are not in their order.');
    const { address, topics } = own(filter as LogFilter);
    const isWanted = createMatcher({ address, topics }).matches;
    const [header] = await Promise.all([
      checkAllThere(filter as LogFilter, logs, ask),
      ...[...byTransaction].map(([hash, shown]) => checkLogsOf(hash, shown, isWanted, ask)),
    ]);
    if (!header) throw beyondProof('Nothing shows that logs of several blocks are all there.');
    return [header];
  }

  async function checkLogsOf(
    hash: Hash,
    shown: readonly Log[],
    isWanted: (log: Log) => boolean,
    ask: Verifier.Ask,
  ) {
    const receipt = (await ask('eth_getTransactionReceipt', [hash])) as Receipt | null;
    if (!receipt) throw noProof('The receipt of a log is not shown.');
    // The chain may have changed meanwhile.
    if (shown.some(({ blockHash }) => blockHash?.toLowerCase() !== receipt.blockHash.toLowerCase()))
      throw noProof('The receipt of a log is of another block.');
    const known = new Map(receipt.logs.map((log) => [Number(log.logIndex), contentOf(log)]));
    if (shown.some((log) => known.get(Number(log.logIndex)) !== contentOf(log)))
      throw contradiction('A log is not in its receipt.');
    if (shown.length !== receipt.logs.filter(isWanted).length)
      throw contradiction('A log of a receipt is left out.');
  }

  /** Holds the logs of one block against its bloom. Logs of a range are not held against blooms: each would be a request. */
  async function checkAllThere(
    { address, topics, blockHash, fromBlock, toBlock }: LogFilter,
    logs: readonly Log[],
    ask: Verifier.Ask,
  ): Promise<BlockHeader | undefined> {
    const isOneBlock = isHeight(fromBlock) && fromBlock === toBlock;
    if (blockHash === undefined && !isOneBlock) return undefined;
    const hash = blockHash ?? logs[0]?.blockHash ?? (await hashAt(fromBlock as Hex, ask));
    if (!hash) throw noProof('The block of the logs is not shown.');
    if (!blocks.header(hash)) await ask('eth_getBlockByHash', [hash, false]);
    const header = blocks.header(hash);
    if (!header) throw noProof('The block of the logs is not shown.');
    const matcher = createMatcher({ address, topics });
    const bloom = blocks.bloom(hash);
    if (!matcher.mayMatch(bloom)) return header;
    const hasCriteria = [address, ...(topics ?? [])].some((each) => alternatives(each).length > 0);
    const all = hasCriteria
      ? ((await ask('eth_getLogs', [{ blockHash: header.hash }])) as readonly Log[] | null)
      : logs;
    if (!all || !areAllLogs(all, bloom) || all.filter(matcher.matches).length !== logs.length)
      throw noProof(leftOut);
    return header;
  }

  async function hashAt(height: Hex, ask: Verifier.Ask): Promise<Hash | undefined> {
    return ((await ask('eth_getBlockByNumber', [height, false])) as Block | null)?.hash ?? undefined;
  }

  const checks: Readonly<Record<NonNullable<MethodFacts['proof']>, Check>> = {
    block: checkBlock,
    receipt: checkReceipt,
    receipts: checkReceipts,
    logs: checkLogs,
    nodes: checkNodes,
  };

  /** The block with this hash, or that of the transaction with it, once its receipt holds. @throws NotProven */
  async function readHeaderOf(hash: Hash, ask: Verifier.Ask): Promise<BlockHeader> {
    const receipt = (await ask('eth_getTransactionReceipt', [hash])) as Receipt | null;
    const block = receipt?.blockHash ?? hash;
    if (!blocks.header(block)) await ask('eth_getBlockByHash', [block, false]);
    const header = blocks.header(block);
    if (!header) throw noProof('No block, and no transaction in a block, has this hash.');
    return header;
  }

  /** The blocks from the newest one down to the one above a block, which must be on the same chain. @throws NotProven */
  async function readAbove(
    header: BlockHeader,
    wanted: number,
    ask: Verifier.Ask,
  ): Promise<readonly BlockHeader[]> {
    const above: BlockHeader[] = [];
    const read = async (place: Hash | Hex): Promise<BlockHeader | undefined> => {
      if (isHash(place) && blocks.header(place)) return blocks.header(place);
      const method = isHash(place) ? 'eth_getBlockByHash' : 'eth_getBlockByNumber';
      const block = (await ask(method, [place, false])) as Block | null;
      return block?.hash ? blocks.header(block.hash) : undefined;
    };
    const top = blocks.header(newest);
    // A node that is behind has the block all the same.
    if (!top || top.number <= header.number) {
      if (top && top.number === header.number && top.hash !== header.hash) throw noProof(notThere);
      return [];
    }
    const isDeep = top.number - header.number > maxKnownHeaders;
    let at = isDeep ? await read(toQuantity(header.number + Math.max(1, wanted))) : top;
    for (; at && at.number > header.number; at = await read(at.parentHash)) above.unshift(at);
    if (at?.hash !== header.hash) throw noProof(notThere);
    return above;
  }

  return {
    check: async ({ method, params }, result, ask) => {
      const { proof } = methodFacts(method);
      return proof && (result ?? null) !== null ? checks[proof](params, result as never, ask) : [];
    },
    checkBlock: (block) => checkBlock([], block),
    floorProblem(headers) {
      try {
        checkFloor(headers, rules);
        return undefined;
      } catch (error) {
        return error as NotProven;
      }
    },
    async verdictOf(hash, wanted, ask) {
      try {
        await ask('eth_getBlockByNumber', ['latest', false]);
        const header = blocks.header(hash) ?? (await readHeaderOf(hash, ask));
        checkFloor([header], rules);
        const above = await readAbove(header, wanted, ask);
        if (blocks.isRivalled(header))
          throw noProof('Another block of its height has as many blocks on top of it.');
        const low = above.findIndex(({ difficulty }) => difficulty < (rules.floor ?? 0n));
        return { verdict: 'proven', confirmations: Math.min(wanted, low < 0 ? above.length : low) };
      } catch (error) {
        if (!(error instanceof NotProven)) throw error;
        return { verdict: error.verdict, why: error.message, confirmations: 0 };
      }
    },
  };
}

const notThere = 'The block is not on the chain that the newest block ends.';

/** A transaction, a receipt or a log, with the place that it names. */
interface Placed {
  readonly blockNumber?: unknown;
  readonly blockHash?: unknown;
  readonly transactionIndex?: unknown;
  readonly removed?: unknown;
  readonly hash?: unknown;
}

/** Checks the place that something names, as far as it names one. @throws NotProven */
function checkPlace(shown: Placed, header: BlockHeader, index: number, transaction?: Hash): void {
  const { blockNumber, blockHash, transactionIndex, removed, hash } = shown;
  const isElsewhere =
    isOther(blockNumber, header.number) ||
    isOther(transactionIndex, index) ||
    isOther(blockHash, header.hash) ||
    (transaction !== undefined && isOther(hash, transaction));
  if (isElsewhere || removed === true)
    throw contradiction('A transaction, a receipt or a log is at another place than it names.');
}

/** Whether a field that is there has another value. */
function isOther(shown: unknown, value: Hash | Hex | number): boolean {
  if ((shown ?? null) === null) return false;
  if (isHash(value)) return String(shown).toLowerCase() !== value;
  return Number(shown) !== Number(value);
}

const isHeight = (place: unknown): boolean => typeof place === 'string' && /^0x[0-9a-f]{1,13}$/i.test(place);

const isNode = (node: unknown): node is Hex =>
  typeof node === 'string' && /^0x([0-9a-f]{2}){1,4096}$/i.test(node);

/** The part of a log that a receipt proves, and its place. */
const contentOf = ({ address, topics, data, blockNumber, transactionIndex, removed }: Log): string =>
  JSON.stringify([
    address,
    topics,
    data,
    Number(blockNumber),
    Number(transactionIndex),
    removed === true,
  ]).toLowerCase();
