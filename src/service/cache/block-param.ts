import { membersOf } from '../../rpc/own-data.js';

/** The block that a read is about: the newest, a height, or one that only the response names. */
export type BlockRef = 'latest' | 'answer' | number;

/** The block of a selector; `undefined` for the pending one, and for what is no selector. */
export function blockOfSelector(selector: unknown): BlockRef | undefined {
  if (selector === undefined || selector === 'latest') return 'latest';
  if (selector === 'earliest') return 0;
  const { blockHash, blockNumber = blockHash ?? selector } = membersOf(selector);
  if (typeof blockNumber !== 'string' || !/^0x[0-9a-f]+$/i.test(blockNumber)) return undefined;
  return blockNumber.length === 66 ? 'answer' : Number(blockNumber);
}

/** The heights of an `eth_getLogs` filter with the head at `head`; `undefined` if they are not known. */
export function spanOf(filter: unknown, head: number): readonly [from: number, to: number] | undefined {
  const { blockHash, fromBlock, toBlock } = membersOf(filter);
  if (blockHash !== undefined) return undefined;
  const [from, to] = [fromBlock, toBlock].map((selector) => {
    const block = blockOfSelector(selector);
    return block === 'latest' ? head : block;
  });
  return typeof from === 'number' && typeof to === 'number' ? [from, Math.min(to, head)] : undefined;
}
