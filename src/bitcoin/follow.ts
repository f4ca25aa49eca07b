import { toQuantity } from '../rpc/hex.js';
import { batchInterval, bridge } from '../rpc/known-contracts.js';
import { checkQuantity, checkWholeReceiptOf } from '../rpc/results.js';
import type { Hash, Log, LogFilter, Receipt } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import { type BatchEvent, isConfirmation, readRelease, topics } from './bridge-events.js';
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
 *
 * A stage that was read is not taken back because a node is behind or has lost logs: only if what showed it has left the chain.
 */
export interface PegOutReader {
  /**
   * Resolves with the peg-outs of the payments that are such. Where the chain cannot be read for one, it has the stage that it had
   * before. @throws ProviderRpcError as a read of the service, if nothing could be read
   */
  read(payments: readonly BridgePayment[]): Promise<readonly PegOut[]>;
}

/** Blocks of a request for logs: five batches of mainnet, and less than services take. */
const blocksAtOnce = 1_800;
/** Requests for the logs of a stage in one read. Further blocks are read by the next one. */
const maxRequests = 2;
/** A block with so many on top of it stays. */
const finalDepth = 512;

/** A stage, and the transaction whose logs show it. */
interface Reading {
  /** `null` for a payment that the bridge has not answered. */
  readonly pegOut: PegOut | null;
  readonly by: Hash;
}

/** Facts about a payment that no reorganisation changes, and its last stage. */
interface Progress {
  /** The answer of the bridge. */
  start?: PegOut;
  batch?: BatchEvent;
  /** The height up to which no batch has it. */
  unbatchedTo?: number | undefined;
  /** The height up to which its batch is not released. */
  unreleasedTo?: number | undefined;
  isConfirmed?: boolean;
  last?: Reading;
  /** It has ended. */
  hasEnded?: boolean;
}

const ranks = { unknown: 0, sent: 0, waiting: 1, batched: 2, confirmed: 3, paid: 4, refused: 4 } as const;
const rankOf = ({ pegOut }: Reading): number => (pegOut === null ? 0 : ranks[pegOut.stage]);

export function createPegOutReader(options: createPegOutReader.Options): PegOutReader {
  const { network, logs } = options;
  const known = new Map<Hash, Progress>();
  /** The greatest height of a head so far. */
  let highest = 0;

  const progressOf = (hash: Hash): Progress => {
    const progress = known.get(hash) ?? {};
    known.set(hash, progress);
    return progress;
  };

  /**
   * Reads logs in order from a height on until `take` finds something in them, or the requests are spent.
   * @param keep gets each height up to which nothing was found, and `undefined` at last where something was due: a node may have lost
   * the logs, and the next read starts over
   */
  const search = async <T>(
    filter: LogFilter,
    { from, head, due }: { readonly from: number; readonly head: number; readonly due: number },
    take: (logs: readonly Log[]) => T | undefined,
    keep: (height: number | undefined) => void,
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
    if (start > head && head > due) keep(undefined);
    return undefined;
  };

  const readReceipt = (hash: Hash): Promise<Receipt | null> =>
    options.service().request('eth_getTransactionReceipt', [hash], {
      check: (result) => checkWholeReceiptOf(result, [hash]),
    }) as Promise<Receipt | null>;

  const readStage = async (payment: BridgePayment, progress: Progress, height: number): Promise<Reading> => {
    const { hash } = payment;
    let { start } = progress;
    let head = height;
    const isFinal = (block: number | undefined) => block !== undefined && block <= head - finalDepth;
    if (start === undefined) {
      const receipt = await readReceipt(hash);
      if (receipt === null) return { pegOut: sentPegOut(payment, network), by: hash };
      const block = Number(receipt.blockNumber);
      // The receipt may come from a node that is ahead.
      head = Math.max(head, block);
      const answer = Number(receipt.status ?? 0) === 1 ? startPegOut(payment, receipt.logs, network) : null;
      // A node may have lost the logs.
      if (answer === null) return { pegOut: null, by: hash };
      start = answer;
      if (isFinal(block)) progress.start = start;
    }
    if (start.stage === 'refused') {
      progress.hasEnded = isFinal(start.block);
      return { pegOut: start, by: hash };
    }

    const firstBlock = start.block as number;
    const interval = batchInterval(options.service().network.chainId);
    const batch =
      progress.batch ??
      (await search(
        { topics: [topics.batch] },
        {
          from: Math.max(firstBlock, (progress.unbatchedTo ?? 0) + 1),
          head,
          due: firstBlock + 2 * interval,
        },
        (found) => findBatch(hash, found),
        (to) => {
          if (progress.start) progress.unbatchedTo = to;
        },
      ));
    if (batch === undefined) return { pegOut: start, by: hash };
    if (progress.start && isFinal(batch.block)) progress.batch = batch;

    const batched = batchedPegOut(start, batch, network, head);
    const confirmedFrom = batched.confirmedFrom as number;
    let latest: Reading = {
      pegOut: progress.isConfirmed ? confirmedPegOut(batched) : batched,
      by: batch.transaction,
    };
    let confirmedAt = Number.POSITIVE_INFINITY;
    const paid = await search(
      {
        topics: [
          [topics.confirmed, topics.release],
          [batch.topic, batch.transaction],
        ],
      },
      {
        from: Math.max(confirmedFrom, (progress.unreleasedTo ?? 0) + 1),
        head,
        due: confirmedFrom + interval,
      },
      (found) => {
        const settled = settlePegOut(latest.pegOut as PegOut, batch, payment, found);
        const confirmation = found.find((log) => isConfirmation(log, batch));
        if (confirmation) confirmedAt = Math.min(confirmedAt, Number(confirmation.blockNumber));
        const shown = found.find((log) => readRelease(log, batch)) ?? confirmation;
        latest = { pegOut: settled, by: shown?.transactionHash ?? latest.by };
        return settled.stage === 'paid' ? found : undefined;
      },
      (to) => {
        if (!progress.batch) return;
        progress.unreleasedTo = to;
        if (to !== undefined && confirmedAt <= to) progress.isConfirmed = true;
      },
    );
    if (paid && progress.batch)
      progress.hasEnded = paid.every(({ blockNumber }) => isFinal(Number(blockNumber)));
    return latest;
  };

  const readOne = async (payment: BridgePayment, head: number): Promise<PegOut | null> => {
    const progress = progressOf(payment.hash);
    const { last } = progress;
    if (last && (progress.hasEnded || head < highest)) return last.pegOut;
    try {
      const read = await readStage(payment, progress, head);
      if (last && rankOf(read) < rankOf(last) && (await readReceipt(last.by)) !== null) return last.pegOut;
      progress.last = read;
      return read.pegOut;
    } catch (error) {
      if (last) return last.pegOut;
      throw error;
    }
  };

  return {
    async read(payments) {
      const isOpen = ({ hash }: BridgePayment) => !known.get(hash)?.hasEnded;
      const head = payments.some(isOpen)
        ? Number(await options.service().request('eth_blockNumber', [], { check: checkQuantity }))
        : highest;
      const read = await Promise.allSettled(payments.map((payment) => readOne(payment, head)));
      highest = Math.max(highest, head);
      const failed = read.find((each) => each.status === 'rejected');
      if (failed && read.every(({ status }) => status === 'rejected')) throw failed.reason;
      return read.flatMap((each, at) => {
        if (each.status === 'fulfilled') return each.value ?? [];
        return { ...sentPegOut(payments[at] as BridgePayment, network), stage: 'unknown' as const };
      });
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
