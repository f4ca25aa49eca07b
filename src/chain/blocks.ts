import { badReply } from '../rpc/core-errors.js';
import { toQuantity } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import { checkBlock } from '../rpc/results.js';
import type { Block, Hash, Hex } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import { twice } from '../service/twice.js';
import type { SharedService } from './tabs/shared-service.js';

/** A block on the chain: unlike the pending block it has a number and a hash. */
export interface MinedBlock extends Block {
  readonly number: Hex;
  readonly hash: Hash;
}

/** The fields that are kept of a block: a tenth of its size, or less. */
export interface BlockLink extends Pick<MinedBlock, 'number' | 'hash' | 'parentHash' | 'timestamp'> {
  readonly totalDifficulty?: unknown;
}

export function linkOf(block: MinedBlock): BlockLink {
  const { number, hash, parentHash, timestamp, totalDifficulty } = own(block);
  return { number, hash, parentHash, timestamp, totalDifficulty };
}

/** Reads mined blocks without transactions, and checks that each is the requested one. */
export interface Blocks {
  /** The newest block, polled at most `maxAge` milliseconds ago where that is given, else now. */
  latest(signal: AbortSignal, maxAge?: number): Promise<MinedBlock>;
  /** The block at a height; `null` where the node that answered has none. */
  at(height: number, signal: AbortSignal): Promise<MinedBlock | null>;
  /** `null` where two requests in a row found none: a lagging node behind the balancer may have answered the first. */
  parent(block: BlockLink, signal: AbortSignal): Promise<MinedBlock | null>;
}

/** Reads the newest block. */
export type ReadLatest = (options: SharedService.RequestOptions) => Promise<unknown>;

export const heightOf = (block: Pick<MinedBlock, 'number'>): number => Number(block.number);

/** Whether the child names this block as its parent and is one higher. */
export const isParent = (block: MinedBlock, child: BlockLink): boolean =>
  block.hash === child.parentHash && heightOf(block) === heightOf(child) - 1;

/** @param readLatest reads the newest block; default: a request through `service` */
export function createBlocks(
  service: Pick<Service, 'request'>,
  readLatest: ReadLatest = (options) => service.request('eth_getBlockByNumber', ['latest', false], options),
): Blocks {
  /** @param fits whether it is the requested block */
  const checkIf = (fits: (block: MinedBlock | null) => boolean) => (block: unknown) => {
    checkBlock(block);
    if (!((block === null || isMined(block)) && fits(block)))
      throw new Error('not the block that was asked for');
  };

  return {
    latest: async (signal, maxAge) =>
      (await readLatest({ signal, check: checkIf(Boolean), maxAge })) as MinedBlock,
    async at(height, signal) {
      const check = checkIf((block) => block === null || heightOf(block) === height);
      const params = [toQuantity(height), false];
      return (await service.request('eth_getBlockByNumber', params, { signal, check })) as MinedBlock | null;
    },
    async parent(child, signal) {
      const check = checkIf((block) => block === null || isParent(block, child));
      const params = [child.parentHash, false];
      const request = () => service.request('eth_getBlockByHash', params, { signal, check });
      return ((await twice(request)) ?? (await twice(request))) as MinedBlock | null;
    },
  };
}

/** The parent of a block. @throws ProviderRpcError -32603 where the nodes do not have it (yet) */
export async function parentOf(
  block: BlockLink,
  blocks: Pick<Blocks, 'parent'>,
  signal: AbortSignal,
): Promise<MinedBlock> {
  const parent = await blocks.parent(block, signal);
  if (!parent) throw badReply('eth_getBlockByHash', 'the parent of a block is missing');
  return parent;
}

const isMined = (block: Block): block is MinedBlock =>
  block.number !== null && block.hash !== null && Number.isSafeInteger(Number(block.number));
