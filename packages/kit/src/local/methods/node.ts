import { isIP } from 'node:net';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, hexToBytes } from '../../../../../src/rpc/hex.js';
import type { Hash, Hex, Receipt } from '../../../../../src/rpc/schema.js';
import { type Context, disabled, type Methods, off, takes } from '../context.js';
import { encodeHeader, encodeReceipt } from '../encoding.js';
import { Failure, internal, invalidParam } from '../failure.js';
import {
  readBlockHash,
  readBytes,
  readHashOrNull,
  readText,
  readTopic,
  readTransactionHash,
} from '../params.js';
import { parseIdentifier } from '../reference.js';
import { placeOf } from './block.js';

/** Bridge, miner, peer and raw-encoding methods, of which only the shapes are real (docs/notes/node.md#methods-listed-by-name-only). */

const digest = (hex: Hex) => bytesToHex(keccak_256(hexToBytes(hex)));
const boundary = `0x${((1n << 256n) / 0x1aa2b738n).toString(16).padStart(64, '0')}` as const;

const headHash = async ({ blocks, chain }: Context) => (await blocks.find(chain.head()))?.hash as Hash;

async function receiptOf(hash: Hash, { engine }: Context): Promise<Receipt | null> {
  return (await engine.request('eth_getTransactionReceipt', [hash])) as Receipt | null;
}

/** A submission of merged mining, which always fails because there is no work. */
const noSuchWork = (count: number) =>
  off(
    takes(count, () => {
      throw new Failure(-33000, 'Cannot publish block, could not find hash for merged mining');
    }),
  );

const work = off(
  takes(0, async (_, context) => {
    const hash = await headHash(context);
    return {
      blockHashForMergedMining: digest(hash),
      target: boundary,
      feesPaidToMiner: '0',
      notify: false,
      parentBlockHash: hash,
    };
  }),
);

/** Reads a block hash where the node fails on any other text. */
function readHeaderHash(value: unknown): Hash {
  if (!/^(0x)?[0-9a-fA-F]{64}$/.test(readText(value) ?? '')) throw internal();
  return readBlockHash(value);
}

const rawHeader = async (at: number | Hash, { blocks }: Context) => {
  const block = await (typeof at === 'number' ? blocks.byNumber(at, false) : blocks.byHash(at, false));
  return block && bytesToHex(encodeHeader(block));
};

export const nodeMethods: Methods = {
  eth_bridgeState: takes(0, () => ({ rskTxsWaitingForSignatures: [], btcBlockchainBestChainHeight: 0 })),
  eth_netHashrate: takes(0, () => 0),
  /** Described by the seed, but neither in its support list nor in the node (docs/notes/node.md#where-the-node-differs-from-the-description). */
  eth_getWork: takes(0, async (_, context) => {
    const hash = await headHash(context);
    return [digest(hash), digest(digest(hash)), boundary];
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
  mnr_getWork: work,
  mnr_submitBitcoinBlock: noSuchWork(1),
  mnr_submitBitcoinBlockTransactions: noSuchWork(4),
  mnr_submitBitcoinBlockPartialMerkle: noSuchWork(5),
  rsk_protocolVersion: takes(0, () => '0x3e'),
  rsk_getRawTransactionReceiptByHash: takes(1, async ([hash], context) => {
    const known = readHashOrNull(hash);
    const receipt = known && (await receiptOf(known, context));
    return receipt && bytesToHex(encodeReceipt(receipt));
  }),
  rsk_getTransactionReceiptNodesByHash: takes(2, async ([block, hash], context) => {
    const inBlock = readHeaderHash(block);
    if (context.switches.unknownBlock === 'refused' && (await context.blocks.find(inBlock)) === null)
      throw internal();
    const receipt = await receiptOf(readTransactionHash(hash), context);
    return receipt?.blockHash === inBlock ? [bytesToHex(encodeReceipt(receipt))] : null;
  }),
  rsk_getRawBlockHeaderByHash: takes(1, ([hash], context) => rawHeader(readHeaderHash(hash), context)),
  rsk_getRawBlockHeaderByNumber: takes(1, ([value], context) => {
    return rawHeader(placeOf(parseIdentifier(readText(value) ?? ''), context), context);
  }),
  rpc_modules: takes(0, (_, { switches: { modules } }) => {
    const optional =
      modules === 'default' ? [] : modules === 'all' ? ['debug', 'trace', 'sco', 'mnr'] : modules;
    const names = ['eth', 'net', 'rpc', 'web3', 'evm', 'txpool', 'personal', 'rsk', ...optional];
    return Object.fromEntries(names.map((name) => [name, '1.0']));
  }),
  eth_getCompilers: takes(0, () => ['solidity']),
  debug_accountTransactionQuota: off(
    takes(1, ([value], { pool }) => {
      const given = readText(value) ?? '';
      const digits = given.replace(/^0x/, '');
      if (digits.length !== 40)
        throw invalidParam(
          `invalid argument 0: hex string has length ${digits.length}, want 40 for RSK address`,
        );
      if (!/^[0-9a-fA-F]{40}$/.test(digits)) throw internal();
      return pool.quotaOf(`0x${given.slice(-40).toLowerCase()}`);
    }),
  ),
  rsk_shutdown: disabled(0),
  rsk_flush: disabled(0),
  rsk_getStorageBytesAt: disabled(3),
};

/** Methods about peers. The node has none, but keeps the list of banned addresses. */
export function peerMethods(): Methods {
  const banned = new Set<string>();
  const readPeer = (value: unknown): string => {
    const given = readText(value) ?? '';
    const [address = '', bits, ...rest] = given.split('/');
    const valid = isIP(address) !== 0 && rest.length === 0 && (bits === undefined || /^\d{1,3}$/.test(bits));
    if (!valid) throw invalidParam(`invalid banned address ${given}`);
    return given;
  };
  return {
    sco_banAddress: off(
      takes(1, ([address]) => {
        banned.add(readPeer(address));
        return null;
      }),
    ),
    sco_unbanAddress: off(
      takes(1, ([address]) => {
        banned.delete(readPeer(address));
        return null;
      }),
    ),
    sco_peerList: off(takes(0, () => [])),
    sco_bannedAddresses: off(takes(0, () => [...banned])),
    sco_clearPeerScoring: off(
      takes(1, ([address]) => {
        banned.delete(readPeer(address));
        return [];
      }),
    ),
    sco_reputationSummary: off(
      takes(0, () => ({
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
    ),
  };
}
