import { toQuantity } from '../rpc/hex.js';
import { checkBlock } from '../rpc/results.js';
import type { Block, Hash, Hex } from '../rpc/schema.js';
import type { Service } from '../service/service.js';

/** A block on the chain: unlike the pending candidate it has a number and a hash. */
export interface MinedBlock extends Block {
  readonly number: Hex;
  readonly hash: Hash;
}

/** Reads of mined blocks, without transactions, held against what was asked. Numbers are block heights. */
export interface Blocks {
  latest(signal: AbortSignal): Promise<MinedBlock>;
  /** `null` where the node that answered has none that high. */
  at(height: number, signal: AbortSignal): Promise<MinedBlock | null>;
  /** @throws ProviderRpcError -32603 where the node that answered does not know its own block's parent (yet). */
  parent(block: MinedBlock, signal: AbortSignal): Promise<MinedBlock>;
}

export const heightOf = (block: MinedBlock): number => Number(block.number);

export function createBlocks(service: Service): Blocks {
  async function read<Found extends MinedBlock | null>(
    method: string,
    selector: string,
    fits: (block: MinedBlock | null) => boolean,
    signal: AbortSignal,
  ): Promise<Found> {
    const check = (block: unknown) => {
      checkBlock(block);
      if (!((block === null || isMined(block)) && fits(block)))
        throw new Error('not the block that was asked for');
    };
    return (await service.request(method, [selector, false], { signal, check })) as Found;
  }

  return {
    latest: (signal) => read('eth_getBlockByNumber', 'latest', Boolean, signal),
    at: (height, signal) =>
      read(
        'eth_getBlockByNumber',
        toQuantity(height),
        (block) => block === null || heightOf(block) === height,
        signal,
      ),
    parent: (child, signal) =>
      read(
        'eth_getBlockByHash',
        child.parentHash,
        (block) => block?.hash === child.parentHash && heightOf(block) === heightOf(child) - 1,
        signal,
      ),
  };
}

const isMined = (block: Block): block is MinedBlock =>
  block.number !== null && block.hash !== null && Number.isSafeInteger(Number(block.number));
