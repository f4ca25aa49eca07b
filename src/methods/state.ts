import { address, hash, optional, positions, quantity } from '../rpc/params.js';
import { isData, isDataOrNull, isQuantityResult } from '../rpc/results.js';
import type { Address, BlockReference, Hash, Hex } from '../rpc/schema.js';
import { blockReference } from '../rpc/selectors.js';
import { forwarded } from './method.js';

/** Native balance in wei. */
export const eth_getBalance = forwarded<[address: Address, block?: BlockReference], Hex>()(
  positions(address, optional(blockReference, 'latest')),
  isQuantityResult,
);

/** Transactions sent from the address; `pending` counts the pool's too. */
export const eth_getTransactionCount = forwarded<[address: Address, block?: BlockReference], Hex>()(
  positions(address, optional(blockReference, 'latest')),
  isQuantityResult,
);

/** Contract byte code, `0x` where there is none. The node says `null` for a block it does not know. */
export const eth_getCode = forwarded<[address: Address, block?: BlockReference], Hex>()(
  positions(address, optional(blockReference, 'latest')),
  isDataOrNull,
);

/** 32 bytes; zero for a position that was never written. */
export const eth_getStorageAt = forwarded<[address: Address, position: Hex, block?: BlockReference], Hex>()(
  positions(address, quantity, optional(blockReference, 'latest')),
  isData,
);

/** Not in the node today (node-facts §0): the service's own refusal is passed on. */
export const eth_getProof = forwarded<
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
