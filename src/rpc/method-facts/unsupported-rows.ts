/**
 * Known methods that are not answered, each with a sentence for the developer.
 * - `refused`: 4200. The service does not support it, or its params would carry a secret to the service, or its effect is on the
 *   node. Its params are never read.
 * - `absent`: -32601, on which libraries use their fallback, unlike on 4200 (docs/notes/clients.md#error-codes). They probe for it,
 *   and neither the service nor the wallet has it (docs/notes/node.md#methods-it-lacks). It costs no request.
 */
export interface Unsupported {
  readonly access: 'refused' | 'absent';
  readonly reason: string;
}

const refused = (reason: string): Unsupported => ({ access: 'refused', reason });
const absent = (reason: string): Unsupported => ({ access: 'absent', reason });

const compiler = refused('The node has no compilers; compile before you deploy.');
const database = refused('The node stores nothing for clients.');
const whisper = refused('The whisper protocol is not supported by the node.');
const secret = refused('It would carry a key or a password to the service; use the wallet’s own functions.');
const miner = refused('It is for miners of the node, not for pages.');
const development = refused('It changes a development node; ask that node directly.');
const operator = refused('It is for the operator of the node, not for pages.');
const withdrawn = refused(
  'It uses a signing key to encrypt and has been withdrawn by those who proposed it.',
);

const noTypes = 'The chain has legacy transactions only';
/** The service has raw forms of receipts and block headers only; that of a transaction follows from its fields. */
const noRaw = absent('The service keeps no raw form of transactions; use eth_getTransactionByHash.');
const noIndex = absent('The service has no index for it.');
/** Waiting for a receipt in one HTTP request would exceed the service's time limit. */
const noWait = absent('Send it, then ask eth_getTransactionReceipt.');
const proposal = absent('The wallet does not implement this proposal.');

export const unsupportedRows = {
  eth_getCompilers: compiler,
  eth_compileLLL: compiler,
  eth_compileSolidity: compiler,
  eth_compileSerpent: compiler,
  db_putString: database,
  db_getString: database,
  db_putHex: database,
  db_getHex: database,
  shh_post: whisper,
  shh_version: whisper,
  shh_newIdentity: whisper,
  shh_hasIdentity: whisper,
  shh_newGroup: whisper,
  shh_addToGroup: whisper,
  shh_newFilter: whisper,
  shh_uninstallFilter: whisper,
  shh_getFilterChanges: whisper,
  shh_getMessages: whisper,
  personal_dumpRawKey: secret,
  personal_importRawKey: secret,
  personal_listAccounts: refused('The service holds no accounts; use eth_accounts.'),
  personal_lockAccount: refused('The service holds no accounts; use wallet.lock().'),
  personal_newAccountWithSeed: secret,
  personal_newAccount: secret,
  personal_sendTransaction: refused('It would carry a password to the service; use eth_sendTransaction.'),
  personal_unlockAccount: secret,
  eth_getWork: miner,
  eth_submitWork: miner,
  eth_submitHashrate: miner,
  mnr_getWork: miner,
  mnr_submitBitcoinBlock: miner,
  mnr_submitBitcoinBlockTransactions: miner,
  mnr_submitBitcoinBlockPartialMerkle: miner,
  evm_increaseTime: development,
  evm_mine: development,
  evm_reset: development,
  evm_revert: development,
  evm_snapshot: development,
  evm_startMining: development,
  evm_stopMining: development,
  sco_banAddress: operator,
  sco_unbanAddress: operator,
  sco_peerList: operator,
  sco_bannedAddresses: operator,
  sco_reputationSummary: operator,
  eth_getEncryptionPublicKey: withdrawn,
  eth_decrypt: withdrawn,

  // viem remembers -32601 and fills the transaction itself; after 4200 it would probe at every transaction.
  eth_fillTransaction: absent('Fields that are left out of eth_sendTransaction are filled in.'),
  // viem tries this after -32602, and shows the first error only if the second is -32601
  // (docs/notes/clients.md#a-second-method-after-a-refused-send).
  wallet_sendTransaction: absent('Use eth_sendTransaction.'),
  eth_createAccessList: absent(`${noTypes}, which carry no access list.`),
  eth_blobBaseFee: absent(`${noTypes}, which carry no blobs.`),
  eth_simulateV1: absent('The service cannot simulate blocks; use eth_call.'),
  eth_callMany: absent('The service cannot simulate bundles; use eth_call.'),
  eth_getRawTransactionByHash: noRaw,
  eth_getRawTransactionByBlockHashAndIndex: noRaw,
  eth_getRawTransactionByBlockNumberAndIndex: noRaw,
  eth_getTransactionBySenderAndNonce: noIndex,
  eth_getStorageValues: absent('Use eth_getStorageAt.'),
  eth_sendRawTransactionSync: noWait,
  eth_sendTransactionSync: noWait,
  wallet_grantPermissions: refused('It is an earlier form of wallet_requestExecutionPermissions (ERC-7715).'),
  wallet_getAssets: proposal,
  wallet_addSubAccount: proposal,
} satisfies Readonly<Record<string, Unsupported>>;
