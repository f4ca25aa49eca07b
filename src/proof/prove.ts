import { badReply, resourceUnavailable } from '../rpc/core-errors.js';
import { errorCode, invalidParams, isProviderRpcError, ProviderRpcError } from '../rpc/errors.js';
import { bytesToHex, bytesToInteger, hexToBytes, toQuantity } from '../rpc/hex.js';
import { keccak256 } from '../rpc/keccak.js';
import { own } from '../rpc/own.js';
import type { Block, Hash, Hex, Receipt, Transaction } from '../rpc/schema.js';
import { checkBranch, checkFloor } from './branch.js';
import { readHeader } from './header.js';
import { listOf, type OpenProof, type PaymentProof, writeProof } from './payment-proof.js';
import { encodeReceipt } from './receipt.js';
import { rulesOf, rulesOfNetwork } from './rules.js';
import { encodeTransaction } from './transaction.js';
import { checkInTrie, indexKey, nodesAbove } from './trie.js';
import { NotProven } from './verdict.js';

/** The part of a service that proofs need. */
interface Service {
  readonly network: { readonly chainId: number; readonly floor?: Hex | undefined };
  request(
    method: string,
    params: readonly unknown[],
    options: { readonly priority: 'person' },
  ): Promise<unknown>;
}

export declare namespace prove {
  /** The options of `wallet.prove`. */
  interface Options {
    /** How many blocks on top of the payment's the proof has. Default 12. */
    readonly confirmations?: number | undefined;
  }
}

/** Blocks that a verifier reads by default, less that of the payment. */
const maxConfirmations = 63;

/** Tries to put a proof together, where blocks were replaced meanwhile. */
const attempts = 3;

/**
 * Puts together the proof of a transaction from what the service says of it, and holds each part against the others: what it returns
 * verifies. It takes two round trips where the service takes batches.
 *
 * @throws ProviderRpcError -32602 for a wrong option; -32001 if the transaction is in no block; -32002 with `data.reason`
 * `confirmations` (and their number so far) or `no-proof`; -32603 if the service contradicts itself; else as a read of the service
 */
export async function prove(
  service: Service,
  hash: Hash,
  options: prove.Options = {},
): Promise<PaymentProof> {
  const { confirmations = 12 } = own(options);
  if (!Number.isInteger(confirmations) || confirmations < 0 || confirmations > maxConfirmations)
    throw invalidParams(`confirmations: expected a whole number, 0 to ${maxConfirmations}`);
  for (let attempt = 1; ; attempt++) {
    try {
      return writeProof(await assemble(service, hash, confirmations));
    } catch (error) {
      if (!(error instanceof NotProven)) throw error;
      const { verdict, message } = error;
      if (verdict === 'claimed')
        throw resourceUnavailable(`The service's replies prove nothing: ${message}`, { reason: 'no-proof' });
      if (attempt === attempts) throw badReply('eth_getBlockByHash', message, { reason: 'contradicted' });
    }
  }
}

/** The outcome of a transaction, as Bitcoin's work shows it. */
export interface ProvenOutcome {
  readonly hasSucceeded: boolean;
  readonly gasUsed: bigint;
  /** Time of its block, Unix seconds. */
  readonly time: number;
}

/**
 * Proves the outcome of a transaction; `null` where the service's replies do not.
 * @param confirmations blocks on top of its own
 * @throws ProviderRpcError as {@link prove}
 */
export async function proveOutcome(
  service: Service,
  hash: Hash,
  confirmations: number,
): Promise<ProvenOutcome | null> {
  try {
    const proof = await assemble(service, hash, confirmations);
    checkFloor(proof.blocks, rulesOfNetwork(service.network));
    const fields = listOf(proof.receipt, 'The receipt is of a form that is not known.');
    const [gasUsed, status] = [fields[4], fields[5]];
    const [block] = proof.blocks;
    if (bytesToHex(keccak256(proof.transaction)) !== hash || !block) return null;
    if (!(gasUsed instanceof Uint8Array) || !(status instanceof Uint8Array)) return null;
    return { hasSucceeded: status[0] === 1, gasUsed: bytesToInteger(gasUsed), time: block.timestamp };
  } catch (error) {
    if (error instanceof NotProven) return null;
    throw error;
  }
}

async function assemble(service: Service, hash: Hash, confirmations: number): Promise<OpenProof> {
  const { chainId } = service.network;
  const rules = rulesOf(chainId);
  const ask = <T>(method: string, ...params: readonly unknown[]) =>
    service.request(method, params, { priority: 'person' }) as Promise<T | null>;
  const receipt = await ask<Receipt>('eth_getTransactionReceipt', hash);
  if (!receipt?.blockHash)
    throw new ProviderRpcError(errorCode.resourceNotFound, 'The transaction is in no block.');
  const { blockHash, blockNumber } = receipt;
  const above = Array.from({ length: confirmations }, (_, at) =>
    ask<Block>('eth_getBlockByNumber', toQuantity(Number(blockNumber) + 1 + at), false),
  );
  const [block, nodes, ...blocks] = await Promise.all([
    ask<Block>('eth_getBlockByHash', blockHash, true),
    receiptNodes(service, blockHash, hash),
    ...above,
  ]);
  if (!block) throw badReply('eth_getBlockByHash', 'the block of a receipt is missing');
  const missing = blocks.indexOf(null);
  if (missing >= 0)
    throw resourceUnavailable(
      `The payment has ${missing} blocks on top of it so far, not ${confirmations}.`,
      {
        reason: 'confirmations',
        confirmations: missing,
      },
    );
  const headers = [block, ...(blocks as readonly Block[])].map((each) => readHeader(each, rules));
  checkBranch(headers, rules);
  const transactions = (block.transactions as readonly Transaction[]).map(encodeTransaction);
  const index = Number(receipt.transactionIndex);
  const proof: OpenProof = {
    ...{ chainId, index, blocks: headers },
    transaction: transactions[index] ?? new Uint8Array(0),
    receipt: encodeReceipt(receipt),
    transactionNodes: nodesAbove(transactions, index),
    receiptNodes: nodes ?? (await rebuiltNodes(service, block, index)),
  };
  const [{ transactionsRoot, receiptsRoot }] = headers as [(typeof headers)[number]];
  checkInTrie(transactionsRoot, indexKey(index), proof.transaction, proof.transactionNodes);
  checkInTrie(receiptsRoot, indexKey(index), proof.receipt, proof.receiptNodes);
  return proof;
}

/** The nodes as the service gives them; `null` where it does not have the method. */
async function receiptNodes(
  service: Service,
  block: Hash,
  transaction: Hash,
): Promise<readonly Uint8Array[] | null> {
  try {
    const method = 'rsk_getTransactionReceiptNodesByHash';
    const nodes = await service.request(method, [block, transaction], { priority: 'person' });
    return Array.isArray(nodes) && nodes.every(isData) ? nodes.map(hexToBytes) : null;
  } catch (error) {
    if (isProviderRpcError(error) && error.code === errorCode.methodNotFound) return null;
    throw error;
  }
}

const isData = (node: unknown): node is Hex =>
  typeof node === 'string' && /^0x([0-9a-f]{2}){1,4096}$/i.test(node);

/** The nodes of the trie of all receipts of the block. */
async function rebuiltNodes(service: Service, block: Block, index: number): Promise<readonly Uint8Array[]> {
  const receipts = await Promise.all(
    (block.transactions as readonly Transaction[]).map(({ hash }) =>
      service.request('eth_getTransactionReceipt', [hash], { priority: 'person' }),
    ),
  );
  return nodesAbove(
    receipts.map((receipt) => encodeReceipt((receipt ?? {}) as Receipt)),
    index,
  );
}
