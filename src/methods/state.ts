import { canonicalCode, canonicalQuantity, canonicalWord } from '../rpc/canonical.js';
import { address, hash, optional, positions, quantity } from '../rpc/params.js';
import type { Address, BlockReference, Hash, Hex } from '../rpc/schema.js';
import { blockReference } from '../rpc/selectors.js';
import { atBlock, hashInMap } from './reading.js';

/** Native balance in wei. */
export const eth_getBalance = atBlock<[address: Address, block?: BlockReference], Hex>()(
  positions(address, optional(blockReference, 'latest')),
  canonicalQuantity,
);

/** Number of transactions sent from the address; with `pending`, those in the mempool count too. */
export const eth_getTransactionCount = atBlock<[address: Address, block?: BlockReference], Hex>()(
  positions(address, optional(blockReference, 'latest')),
  canonicalQuantity,
);

/** Contract byte code; `0x` for an address without code. */
export const eth_getCode = atBlock<[address: Address, block?: BlockReference], Hex>()(
  positions(address, optional(hashInMap, 'latest')),
  canonicalCode,
);

/** A storage word of 32 bytes; zero for a position that was never written. */
export const eth_getStorageAt = atBlock<[address: Address, position: Hex, block?: BlockReference], Hex>()(
  positions(address, quantity, optional(blockReference, 'latest')),
  canonicalWord,
);

/** The node does not have this method today; the service's error is passed on (docs/notes/node.md#methods-it-lacks). */
export const eth_getProof = atBlock<
  [address: Address, keys: readonly Hash[], block?: BlockReference],
  unknown
>()(
  positions(
    address,
    (keys, path) => {
      const list = Array.isArray(keys) ? keys : [keys];
      return list.map((key, i) => hash(key, `${path}[${i}]`));
    },
    optional(blockReference, 'latest'),
  ),
);
