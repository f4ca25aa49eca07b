import { absent } from './method.js';

/**
 * Methods that libraries probe and that neither the service nor this wallet has (docs/notes/node.md#methods-it-lacks).
 * They are not forwarded: on -32601, viem and web3-onboard continue without the method
 * (docs/notes/clients.md#methods-that-are-probed). Methods that the wallet computes from other reads are in fee.ts and
 * receipts.ts.
 */

/** viem remembers -32601 and fills the transaction itself; after 4200 it would probe at every transaction. */
export const eth_fillTransaction = absent('Fields that are left out of eth_sendTransaction are filled in.');

/**
 * viem tries this after -32602, and shows the first error only if the second is -32601
 * (docs/notes/clients.md#a-second-method-after-a-refused-send).
 */
export const wallet_sendTransaction = absent('Use eth_sendTransaction.');

const noTypes = 'The chain has legacy transactions only';
export const eth_createAccessList = absent(`${noTypes}, which carry no access list.`);
export const eth_blobBaseFee = absent(`${noTypes}, which carry no blobs.`);

export const eth_simulateV1 = absent('The service cannot simulate blocks; use eth_call.');
export const eth_callMany = absent('The service cannot simulate bundles; use eth_call.');

/** The service has raw forms of receipts and block headers only; that of a transaction follows from its fields. */
const noRaw = absent('The service keeps no raw form of transactions; use eth_getTransactionByHash.');
export const eth_getRawTransactionByHash = noRaw;
export const eth_getRawTransactionByBlockHashAndIndex = noRaw;
export const eth_getRawTransactionByBlockNumberAndIndex = noRaw;

const noIndex = absent('The service has no index for it.');
export const eth_getTransactionBySenderAndNonce = noIndex;
export const eth_getStorageValues = absent('Use eth_getStorageAt.');

/** Waiting for a receipt in one HTTP request would exceed the service's time limit. */
const noWait = absent('Send it, then ask eth_getTransactionReceipt.');
export const eth_sendRawTransactionSync = noWait;
export const eth_sendTransactionSync = noWait;

/** Proposals of which this wallet implements none; viem falls back to eth_requestAccounts for the first. */
const proposal = absent('The wallet does not implement this proposal.');
export const wallet_connect = proposal;
export const wallet_disconnect = proposal;
export const wallet_grantPermissions = proposal;
export const wallet_getAssets = proposal;
export const wallet_addSubAccount = proposal;
