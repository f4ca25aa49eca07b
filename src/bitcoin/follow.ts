import { toQuantity } from '../rpc/hex.js';
import { bridge } from '../rpc/known-contracts.js';
import { checkQuantity, checkWholeReceiptOf } from '../rpc/results.js';
import type { Hash, Log, LogFilter, Receipt } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import { type BatchEvent, isConfirmation, topics } from './bridge-events.js';
import type { BitcoinNetwork } from './network.js';
import {
  type BridgePayment,
  batchedPegOut,
  confirmedPegOut,
  findBatch,
  type PegOut,
  sentPegOut,
  settlePegOut,
  startPegOut,
} from './peg-out.js';

/**
 * Reads how far peg-outs have come. One takes a request for its receipt, one or two for its batch, and one or two for its
 * confirmation and release; all together take one more for the head. Blocks that no reorganisation reaches are read once.
 */
export interface PegOutReader {
  /** Resolves with the peg-outs of the payments that are such. @throws ProviderRpcError as a read of the service */
  read(payments: readonly BridgePayment[]): Promise<readonly PegOut[]>;
}

/** Blocks of a request for logs: five batches of mainnet, and less than services take. */
const blocksAtOnce = 1_800;
/** Requests for the logs of a stage in one read. Further blocks are read by the next one. */
const maxRequests = 2;
/** A block with so many on top of it stays. */
const finalDepth = 512;

/** Facts about a payment that no reorganisation changes. */
interface Progress {
  /** The answer of the bridge; `null` where there was none. */
  start?: PegOut | null;
  batch?: BatchEvent;
  /** The height up to which no batch has it. */
  unbatchedTo?: number;
  /** The height up to which its batch is not released. */
  unreleasedTo?: number;
  isConfirmed?: boolean;
  /** It has ended. */
  end?: PegOut;
}

export function createPegOutReader(options: createPegOutReader.Options): PegOutReader {
  const { network, logs } = options;
  const known = new Map<Hash, Progress>();

  const progressOf = (hash: Hash): Progress => {
    const progress = known.get(hash) ?? {};
    known.set(hash, progress);
    return progress;
  };

  /**
   * Reads logs in order from a height on until `take` finds something in them, or the requests are spent.
   * @param keep called with each height up to which it found nothing
   */
  const search = async <T>(
    filter: LogFilter,
    from: number,
    head: number,
    take: (logs: readonly Log[]) => T | undefined,
    keep: (height: number) => void,
  ): Promise<T | undefined> => {
    let start = from;
    for (let request = 0; request < maxRequests && start <= head; request += 1) {
      const end = Math.min(start + blocksAtOnce - 1, head);
      const range = { fromBlock: toQuantity(start), toBlock: toQuantity(end) };
      const found = take(await logs({ address: bridge, ...filter, ...range }));
      if (found !== undefined) return found;
      keep(Math.min(end, head - finalDepth));
      start = end + 1;
    }
    return undefined;
  };

  const readReceipt = (hash: Hash): Promise<Receipt | null> =>
    options.service().request('eth_getTransactionReceipt', [hash], {
      check: (result) => checkWholeReceiptOf(result, [hash]),
    }) as Promise<Receipt | null>;

  const readOne = async (payment: BridgePayment, height: number): Promise<PegOut | null> => {
    const { hash } = payment;
    const progress = progressOf(hash);
    if (progress.end) return progress.end;

    let start = progress.start;
    let head = height;
    const isFinal = (block: number | undefined) => block !== undefined && block <= head - finalDepth;
    if (start === undefined) {
      const receipt = await readReceipt(hash);
      if (receipt === null) return sentPegOut(payment, network);
      const block = Number(receipt.blockNumber);
      // The receipt may come from a node that is ahead.
      head = Math.max(head, block);
      start = Number(receipt.status ?? 0) === 1 ? startPegOut(payment, receipt.logs, network) : null;
      if (isFinal(block)) progress.start = start;
    }
    if (start === null) return null;
    if (start.stage === 'refused') {
      if (isFinal(start.block)) progress.end = start;
      return start;
    }

    const firstBlock = start.block as number;
    const batch =
      progress.batch ??
      (await search(
        { topics: [topics.batch] },
        Math.max(firstBlock, (progress.unbatchedTo ?? 0) + 1),
        head,
        (found) => findBatch(hash, found),
        (to) => {
          if (progress.start) progress.unbatchedTo = to;
        },
      ));
    if (batch === undefined) return start;
    if (progress.start && isFinal(batch.block)) progress.batch = batch;

    const batched = batchedPegOut(start, batch, network);
    let latest = progress.isConfirmed ? confirmedPegOut(batched) : batched;
    let confirmedAt = Number.POSITIVE_INFINITY;
    const paid = await search(
      {
        topics: [
          [topics.confirmed, topics.release],
          [batch.topic, batch.transaction],
        ],
      },
      Math.max(batched.confirmedFrom as number, (progress.unreleasedTo ?? 0) + 1),
      head,
      (found) => {
        const settled = settlePegOut(latest, batch, payment, found);
        const confirmation = found.find((log) => isConfirmation(log, batch));
        if (confirmation) confirmedAt = Math.min(confirmedAt, Number(confirmation.blockNumber));
        latest = settled;
        return settled.stage === 'paid' ? { settled, found } : undefined;
      },
      (to) => {
        if (!progress.batch) return;
        progress.unreleasedTo = to;
        if (confirmedAt <= to) progress.isConfirmed = true;
      },
    );
    if (paid === undefined) return latest;
    if (progress.batch && paid.found.every(({ blockNumber }) => isFinal(Number(blockNumber))))
      progress.end = paid.settled;
    return paid.settled;
  };

  return {
    async read(payments) {
      const isOpen = ({ hash }: BridgePayment) => known.get(hash)?.end === undefined;
      const head = payments.some(isOpen)
        ? Number(await options.service().request('eth_blockNumber', [], { check: checkQuantity }))
        : 0;
      const read = await Promise.all(payments.map((payment) => readOne(payment, head)));
      return read.filter((each) => each !== null);
    },
  };
}

export declare namespace createPegOutReader {
  interface Options {
    /** The service of the chain, which may change. */
    readonly service: () => Service;
    readonly network: BitcoinNetwork;
    /** Reads the logs of a range of at most {@link blocksAtOnce} blocks, in order. */
    readonly logs: (filter: LogFilter) => Promise<readonly Log[]>;
  }
}
