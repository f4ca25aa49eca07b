import { canonicalQuantity } from '../rpc/canonical.js';
import { bytesToHex, hexToBytes } from '../rpc/hex.js';
import { keccak256 } from '../rpc/keccak.js';
import { noParams } from '../rpc/message.js';
import { data, positions } from '../rpc/params.js';
import type { Address, Hash, Hex, SyncStatus } from '../rpc/schema.js';
import { forwarded, method } from './method.js';

export const web3_clientVersion = forwarded<[], string>()(noParams);

/**
 * Keccak-256, computed in the page. `0x` (no bytes) is accepted, since it is DATA like any other (EIP-1474); the node
 * would refuse it (docs/notes/node.md#form-of-params).
 */
export const web3_sha3 = method<[data: Hex], Hash>()(positions(data), (_context, [bytes]) =>
  bytesToHex(keccak256(hexToBytes(bytes))),
);

export const net_listening = forwarded<[], boolean>()(noParams);
export const net_peerCount = forwarded<[], Hex>()(noParams, canonicalQuantity);
/** Resolves with strings of the form `short id | host/address:port`. */
export const net_peerList = forwarded<[], readonly string[]>()(noParams);
export const eth_protocolVersion = forwarded<[], Hex>()(noParams, canonicalQuantity);
export const eth_syncing = forwarded<[], SyncStatus | false>()(noParams);
export const eth_coinbase = forwarded<[], Address>()(noParams);
export const eth_mining = forwarded<[], boolean>()(noParams);
export const eth_hashrate = forwarded<[], Hex>()(noParams, canonicalQuantity);
