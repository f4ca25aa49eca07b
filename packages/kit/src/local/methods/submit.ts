import type { Hash } from '../../../../../src/rpc/schema.js';
import { type Context, type Methods, refuses, takes } from '../context.js';
import { decodeSigned } from '../decode.js';
import { revertFailure } from '../execution.js';
import { Failure, invalidParam } from '../failure.js';
import { readExecution } from '../node-traces.js';
import { readAddress, readBytes, readObject } from '../params.js';

/** The service holds no keys (docs/notes/service.md#what-the-service-does), so methods that need one fail as in the node. */
const noWallet = () => invalidParam('Local wallet is disabled in this node');

/**
 * Throws the error with which a node with `miner.client.autoMine` replies to a transaction that it accepted: -32009 if
 * the transaction is in the pool, -32015 if it was mined and failed.
 * @throws Failure
 */
async function throwOutcome(hash: Hash, { engine }: Context): Promise<void> {
  const execution = await readExecution(hash, engine);
  if (execution === null)
    throw new Failure(-32009, "Unknown error when sending transaction: transaction wasn't mined");
  if (execution.receipt.status !== '0x0') return;
  const { error = '', output = '0x' } = execution.frame;
  if (/revert/i.test(error)) throw revertFailure(output);
  throw new Failure(-32015, 'VM Exception while processing transaction: transaction reverted');
}

const walletDisabled = () => new Failure(-32604, 'The local wallet feature is disabled');

export const submitMethods: Methods = {
  eth_sendRawTransaction: takes(1, async ([raw], context) => {
    const transaction = decodeSigned(readBytes(raw), context.chainId);
    await context.chain.submit(transaction);
    if (context.switches.sendReplies === 'outcome') await throwOutcome(transaction.hash, context);
    return context.nextFakeHash() ?? transaction.hash;
  }),
  eth_sign: takes(2, ([address, message]) => {
    readAddress(address);
    readBytes(message);
    throw noWallet();
  }),
  eth_sendTransaction: takes(1, ([transaction]) => {
    readObject(transaction);
    throw noWallet();
  }),
  personal_dumpRawKey: refuses(1, walletDisabled),
  personal_importRawKey: refuses(2, walletDisabled),
  personal_listAccounts: refuses(0, walletDisabled),
  personal_lockAccount: refuses(1, walletDisabled),
  personal_newAccountWithSeed: refuses(1, walletDisabled),
  personal_newAccount: refuses(1, walletDisabled),
  personal_sendTransaction: refuses(2, walletDisabled),
  personal_unlockAccount: refuses(3, walletDisabled),
};
