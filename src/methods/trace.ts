import { type Json, noParams } from '../rpc/message.js';
import { anything, hash, optional, positions } from '../rpc/params.js';
import type { BlockReference, BlockSelector, Hash, Hex } from '../rpc/schema.js';
import { blockReference, blockSelector } from '../rpc/selectors.js';
import { forwarded } from './method.js';

/**
 * Reads that the service's description lists by name only. Objects in their params are passed on unchecked, since their
 * form is not specified (docs/notes/node.md#methods-listed-by-name-only). A service that has them disabled returns -32601.
 */

export const debug_traceTransaction = forwarded<[hash: Hash, options?: Json], unknown>()(hashAndOptions);
export const debug_traceBlockByHash = forwarded<[hash: Hash, options?: Json], unknown>()(hashAndOptions);
export const debug_wireProtocolQueueSize = forwarded<[], Hex>()(noParams);

export const trace_transaction = forwarded<[hash: Hash], unknown>()(positions(hash));
export const trace_block = forwarded<[block: BlockReference], unknown>()(positions(blockReference));
export const trace_filter = forwarded<[filter: Json], unknown>()(positions(anything));

export const txpool_content = forwarded<[], unknown>()(noParams);
export const txpool_inspect = forwarded<[], unknown>()(noParams);
export const txpool_status = forwarded<[], unknown>()(noParams);

export const eth_bridgeState = forwarded<[], unknown>()(noParams);
export const eth_netHashrate = forwarded<[], unknown>()(noParams);

export const rsk_protocolVersion = forwarded<[], Hex>()(noParams);
export const rsk_getRawTransactionReceiptByHash = forwarded<[hash: Hash], Hex | null>()(positions(hash));
export const rsk_getTransactionReceiptNodesByHash = forwarded<
  [block: Hash, transaction: Hash],
  readonly Hex[] | null
>()(positions(hash, hash));
export const rsk_getRawBlockHeaderByHash = forwarded<[hash: Hash], Hex | null>()(positions(hash));
export const rsk_getRawBlockHeaderByNumber = forwarded<[block: BlockSelector], Hex | null>()(
  positions(blockSelector),
);

/** Leaves out options that the page has left out, because the node checks the number of params. */
function hashAndOptions(params: Json): readonly Json[] {
  const [id, options] = positions(hash, optional(anything, null))(params);
  return options === null ? [id] : [id, options];
}
