import { badReply, errorCode, isProviderRpcError } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import { checkBlock } from '../rpc/results.js';
import type { Block, Hash, Hex } from '../rpc/schema.js';
import type { Service } from '../service/service.js';

/** A block on the chain: unlike the pending candidate it has a number and a hash. */
export interface MinedBlock extends Block {
  readonly number: Hex;
  readonly hash: Hash;
}

/** What is kept of a block that was told of: a tenth of it, or less. */
export interface BlockLink extends Pick<MinedBlock, 'number' | 'hash' | 'parentHash' | 'timestamp'> {
  readonly totalDifficulty?: unknown;
}

export function linkOf(block: MinedBlock): BlockLink {
  const { number, hash, parentHash, timestamp, totalDifficulty } = own(block);
  return { number, hash, parentHash, timestamp, totalDifficulty };
}

/** Reads of mined blocks, without transactions, held against what was asked. Numbers are block heights. */
export interface Blocks {
  /** Another tab may have asked, up to `maxAge` milliseconds ago; without one, nobody has. */
  latest(signal: AbortSignal, maxAge?: number): Promise<MinedBlock>;
  /** `null` where the node that answered has none that high. */
  at(height: number, signal: AbortSignal): Promise<MinedBlock | null>;
  /** `null` where two nodes in a row have none: one behind the balancer that lags may be asked first. */
  parent(block: BlockLink, signal: AbortSignal): Promise<MinedBlock | null>;
}

export const heightOf = (block: Pick<MinedBlock, 'number'>): number => Number(block.number);

/** Whether the child names this block as its parent and is one higher. */
export const isParent = (block: MinedBlock, child: BlockLink): boolean =>
  block.hash === child.parentHash && heightOf(block) === heightOf(child) - 1;

export function createBlocks(service: Service): Blocks {
  async function read<Found extends MinedBlock | null>(
    method: string,
    selector: string,
    fits: (block: MinedBlock | null) => boolean,
    signal: AbortSignal,
    maxAge?: number,
  ): Promise<Found> {
    const check = (block: unknown) => {
      checkBlock(block);
      if (!((block === null || isMined(block)) && fits(block)))
        throw new Error('not the block that was asked for');
    };
    // Which only a shared service reads.
    const options = own({ signal, check, ...(maxAge !== undefined && { maxAge }) });
    return (await service.request(method, [selector, false], options)) as Found;
  }

  return {
    latest: (signal, maxAge) => read('eth_getBlockByNumber', 'latest', Boolean, signal, maxAge),
    at: (height, signal) =>
      read(
        'eth_getBlockByNumber',
        toQuantity(height),
        (block) => block === null || heightOf(block) === height,
        signal,
      ),
    async parent(child, signal) {
      const fits = (block: MinedBlock | null) => block === null || isParent(block, child);
      const ask = () =>
        twice(() => read<MinedBlock | null>('eth_getBlockByHash', child.parentHash, fits, signal));
      return (await ask()) ?? (await ask());
    },
  };
}

/** The parent, which whoever tells of a block should have. @throws ProviderRpcError -32603 where it does not (yet). */
export async function parentOf(
  block: BlockLink,
  blocks: Pick<Blocks, 'parent'>,
  signal: AbortSignal,
): Promise<MinedBlock> {
  const parent = await blocks.parent(block, signal);
  if (!parent) throw badReply('eth_getBlockByHash', 'the parent of a block is missing');
  return parent;
}

/** Once more where what the service said was wrong: another node may know better. */
export const twice = <T>(ask: () => Promise<T>): Promise<T> =>
  ask().catch((error) => {
    if (isProviderRpcError(error) && error.code === errorCode.internal) return ask();
    throw error;
  });

const isMined = (block: Block): block is MinedBlock =>
  block.number !== null && block.hash !== null && Number.isSafeInteger(Number(block.number));
