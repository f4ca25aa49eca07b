import { isIP } from 'node:net';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { encodeHeader } from '../../../../../src/proof/header.js';
import { encodeReceipt } from '../../../../../src/proof/receipt.js';
import { nodesAbove } from '../../../../../src/proof/trie.js';
import { targetOf } from '../../../../../src/proof/work.js';
import { bytesToHex, hexToBytes, wordOf } from '../../../../../src/rpc/hex.js';
import type { Block, Hash, Hex, Receipt } from '../../../../../src/rpc/schema.js';
import { type Context, type Methods, refuses, takes } from '../context.js';
import { modulesOn } from '../dialect.js';
import { Failure, internal, invalidParam, methodDisabled } from '../failure.js';
import {
  readBlockHash,
  readBytes,
  readHashOrNull,
  readText,
  readTopic,
  readTransactionHash,
} from '../params.js';
import { remascReceipt } from '../remasc.js';
import { readPlace } from './block.js';

/** Bridge, miner, peer and raw-encoding methods, of which only the shapes are real (docs/notes/node.md#methods-listed-by-name-only). */

const digest = (hex: Hex) => bytesToHex(keccak_256(hexToBytes(hex)));
const boundary = ({ difficulty }: Context): Hex => `0x${wordOf(targetOf(difficulty))}`;

const headHash = async ({ blocks, chain }: Context) => (await blocks.find(chain.head()))?.hash as Hash;

async function receiptOf(hash: Hash, { engine, blocks }: Context): Promise<Receipt | null> {
  const found = (await engine.request('eth_getTransactionReceipt', [hash])) as Receipt | null;
  if (found) return found;
  const block = await blocks.byRemascHash(hash);
  return block && remascReceipt(block);
}

/** The nodes of the block's trie from the receipt at an index to the root. */
async function receiptNodes(block: Block, index: number, { engine, switches }: Context) {
  const found = (await engine.request('eth_getBlockReceipts', [block.number])) as Receipt[];
  const all = switches.remasc ? [...found, remascReceipt(block)] : found;
  return nodesAbove(all.map(encodeReceipt), index).map(bytesToHex);
}

/** Every submission of merged mining fails, because there is no work. */
const noWork = () => new Failure(-33000, 'Cannot publish block, could not find hash for merged mining');

/** Reads a block hash where the node fails on any other text. */
function readHeaderHash(value: unknown): Hash {
  if (!/^(0x)?[0-9a-fA-F]{64}$/.test(readText(value) ?? '')) throw internal();
  return readBlockHash(value);
}

const rawHeader = async (at: number | Hash, { blocks, switches }: Context) => {
  const block = await (typeof at === 'number' ? blocks.byNumber(at, false) : blocks.byHash(at, false));
  return block && bytesToHex(encodeHeader(block, switches.headerVersion));
};

export const nodeMethods: Methods = {
  eth_bridgeState: takes(0, () => ({ rskTxsWaitingForSignatures: [], btcBlockchainBestChainHeight: 0 })),
  eth_netHashrate: takes(0, () => 0),
  /** Described by the seed, but neither in its support list nor in the node (docs/notes/node.md#where-the-node-differs-from-the-description). */
  eth_getWork: takes(0, async (_, context) => {
    const hash = await headHash(context);
    return [digest(hash), digest(digest(hash)), boundary(context)];
  }),
  eth_submitWork: takes(3, ([nonce, powHash, mixDigest]) => {
    if (readBytes(nonce).length !== 18) throw invalidParam('Invalid data format: invalid hex value.');
    readTopic(powHash);
    readTopic(mixDigest);
    return false;
  }),
  eth_submitHashrate: takes(2, ([hashrate, client]) => {
    readTopic(hashrate);
    readTopic(client);
    return true;
  }),
  mnr_getWork: takes(0, async (_, context) => {
    const hash = await headHash(context);
    return {
      blockHashForMergedMining: digest(hash),
      target: boundary(context),
      feesPaidToMiner: '0',
      notify: false,
      parentBlockHash: hash,
    };
  }),
  mnr_submitBitcoinBlock: refuses(1, noWork),
  mnr_submitBitcoinBlockTransactions: refuses(4, noWork),
  mnr_submitBitcoinBlockPartialMerkle: refuses(5, noWork),
  rsk_protocolVersion: takes(0, () => '0x3e'),
  rsk_getRawTransactionReceiptByHash: takes(1, async ([hash], context) => {
    const read = readHashOrNull(hash);
    const receipt = read && (await receiptOf(read, context));
    return receipt && bytesToHex(encodeReceipt(receipt));
  }),
  rsk_getTransactionReceiptNodesByHash: takes(2, async ([block, hash], context) => {
    const inBlock = readHeaderHash(block);
    const found = await context.blocks.find(inBlock);
    if (context.switches.unknownBlock === 'refused' && found === null) throw internal();
    const receipt = await receiptOf(readTransactionHash(hash), context);
    if (found === null || receipt?.blockHash !== inBlock) return null;
    return receiptNodes(found, Number(receipt.transactionIndex), context);
  }),
  rsk_getRawBlockHeaderByHash: takes(1, ([hash], context) => rawHeader(readHeaderHash(hash), context)),
  rsk_getRawBlockHeaderByNumber: takes(1, ([value], context) =>
    rawHeader(readPlace(value, context), context),
  ),
  rpc_modules: takes(0, (_, { switches }) => {
    const names = ['eth', 'net', 'rpc', 'web3', 'evm', 'txpool', 'personal', 'rsk', ...modulesOn(switches)];
    return Object.fromEntries(names.map((name) => [name, '1.0']));
  }),
  eth_getCompilers: takes(0, () => ['solidity']),
  debug_accountTransactionQuota: takes(1, ([value], { pool }) => {
    const digits = (readText(value) ?? '').replace(/^0x/, '');
    if (digits.length !== 40)
      throw invalidParam(
        `invalid argument 0: hex string has length ${digits.length}, want 40 for RSK address`,
      );
    if (!/^[0-9a-fA-F]{40}$/.test(digits)) throw internal();
    return pool.quotaOf(`0x${digits.toLowerCase()}`);
  }),
  rsk_shutdown: refuses(0, () => methodDisabled('rsk_shutdown')),
  rsk_flush: refuses(0, () => methodDisabled('rsk_flush')),
  rsk_getStorageBytesAt: refuses(3, () => methodDisabled('rsk_getStorageBytesAt')),
};

/** Methods about peers. The node has none, but keeps the list of banned addresses. */
export function peerMethods(): Methods {
  const banned = new Set<string>();
  const readPeer = (value: unknown): string => {
    const text = readText(value) ?? '';
    const [address = '', bits, ...rest] = text.split('/');
    const isPeer = isIP(address) !== 0 && rest.length === 0 && (bits === undefined || /^\d{1,3}$/.test(bits));
    if (!isPeer) throw invalidParam(`invalid banned address ${text}`);
    return text;
  };
  return {
    sco_banAddress: takes(1, ([address]) => {
      banned.add(readPeer(address));
      return null;
    }),
    sco_unbanAddress: takes(1, ([address]) => {
      banned.delete(readPeer(address));
      return null;
    }),
    sco_peerList: takes(0, () => []),
    sco_bannedAddresses: takes(0, () => [...banned]),
    sco_clearPeerScoring: takes(1, ([address]) => {
      banned.delete(readPeer(address));
      return [];
    }),
    sco_reputationSummary: takes(0, () => ({
      count: 0,
      successfulHandshakes: 0,
      failedHandshakes: 0,
      invalidHeader: 0,
      validBlocks: 0,
      invalidBlocks: 0,
      validTransactions: 0,
      invalidTransactions: 0,
      invalidNetworks: 0,
      invalidMessages: 0,
      repeatedMessages: 0,
      timeoutMessages: 0,
      unexpectedMessages: 0,
      peersTotalScore: 0,
      punishments: 0,
      goodReputationCount: 0,
      badReputationCount: 0,
    })),
  };
}
