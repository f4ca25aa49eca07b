import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, hexToBytes } from '../rpc/hex.js';
import { noParams } from '../rpc/no-params.js';
import { data, positions } from '../rpc/params.js';
import { isArray, isBoolean, isData, isQuantityResult, isSyncStatus, isText } from '../rpc/results.js';
import type { Address, Hash, Hex, SyncStatus } from '../rpc/schema.js';
import { forwarded, method } from './method.js';

export const web3_clientVersion = forwarded<[], string>()(noParams, isText);

/** Keccak-256, computed here: there is nothing to ask anybody. */
export const web3_sha3 = method<[data: Hex], Hash>()(positions(data), {
  access: 'public',
  handle: (_context, [bytes]) => bytesToHex(keccak_256(hexToBytes(bytes))),
});

export const net_listening = forwarded<[], boolean>()(noParams, isBoolean);
export const net_peerCount = forwarded<[], Hex>()(noParams, isQuantityResult);
/** Strings of the form `short id | host/address:port`. */
export const net_peerList = forwarded<[], readonly string[]>()(noParams, isArray);
export const eth_protocolVersion = forwarded<[], Hex>()(noParams, isQuantityResult);
export const eth_syncing = forwarded<[], SyncStatus | false>()(noParams, isSyncStatus);
export const eth_coinbase = forwarded<[], Address>()(noParams, isData);
export const eth_mining = forwarded<[], boolean>()(noParams, isBoolean);
export const eth_hashrate = forwarded<[], Hex>()(noParams, isQuantityResult);
/** wei per gas. */
export const eth_gasPrice = forwarded<[], Hex>()(noParams, isQuantityResult);
