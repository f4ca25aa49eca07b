import { refused } from './method.js';

/**
 * Known methods that this provider never forwards: those that the service does not support, and those whose params
 * would carry a secret to the service or whose effect is on the node.
 */

const compiler = refused('The node has no compilers; compile before you deploy.');
export const eth_getCompilers = compiler;
export const eth_compileLLL = compiler;
export const eth_compileSolidity = compiler;
export const eth_compileSerpent = compiler;

const database = refused('The node stores nothing for clients.');
export const db_putString = database;
export const db_getString = database;
export const db_putHex = database;
export const db_getHex = database;

const whisper = refused('The whisper protocol is not supported by the node.');
export const shh_post = whisper;
export const shh_version = whisper;
export const shh_newIdentity = whisper;
export const shh_hasIdentity = whisper;
export const shh_newGroup = whisper;
export const shh_addToGroup = whisper;
export const shh_newFilter = whisper;
export const shh_uninstallFilter = whisper;
export const shh_getFilterChanges = whisper;
export const shh_getMessages = whisper;

const secret = refused('It would carry a key or a password to the service; use the wallet’s own functions.');
export const personal_dumpRawKey = secret;
export const personal_importRawKey = secret;
export const personal_listAccounts = refused('The service holds no accounts; use eth_accounts.');
export const personal_lockAccount = refused('The service holds no accounts; use wallet.lock().');
export const personal_newAccountWithSeed = secret;
export const personal_newAccount = secret;
export const personal_sendTransaction = refused(
  'It would carry a password to the service; use eth_sendTransaction.',
);
export const personal_unlockAccount = secret;

const miner = refused('It is for miners of the node, not for pages.');
export const eth_getWork = miner;
export const eth_submitWork = miner;
export const eth_submitHashrate = miner;
export const mnr_getWork = miner;
export const mnr_submitBitcoinBlock = miner;
export const mnr_submitBitcoinBlockTransactions = miner;
export const mnr_submitBitcoinBlockPartialMerkle = miner;

const development = refused('It changes a development node; ask that node directly.');
export const evm_increaseTime = development;
export const evm_mine = development;
export const evm_reset = development;
export const evm_revert = development;
export const evm_snapshot = development;
export const evm_startMining = development;
export const evm_stopMining = development;

const operator = refused('It is for the operator of the node, not for pages.');
export const sco_banAddress = operator;
export const sco_unbanAddress = operator;
export const sco_peerList = operator;
export const sco_bannedAddresses = operator;
export const sco_reputationSummary = operator;

const withdrawn = refused(
  'It uses a signing key to encrypt and has been withdrawn by those who proposed it.',
);
export const eth_getEncryptionPublicKey = withdrawn;
export const eth_decrypt = withdrawn;
