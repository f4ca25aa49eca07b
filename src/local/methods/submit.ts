import { type Methods, takes } from '../context.js';
import { decodeSigned } from '../decode.js';
import { Failure, invalidParam } from '../failure.js';
import { readAddress, readBytes, readObject } from '../params.js';

/** The service holds no keys (seed, "What the service does" 4): what needs one is refused as by the node. */
const noWallet = () => invalidParam('Local wallet is disabled in this node');

const personal = (count: number) =>
  takes(count, () => {
    throw new Failure(-32604, 'The local wallet feature is disabled');
  });

export const submitMethods: Methods = {
  eth_sendRawTransaction: takes(1, async ([raw], { chainId, chain, hashReply }) => {
    const transaction = decodeSigned(readBytes(raw), chainId);
    await chain.submit(transaction);
    return hashReply() ?? transaction.hash;
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
  personal_dumpRawKey: personal(1),
  personal_importRawKey: personal(2),
  personal_listAccounts: personal(0),
  personal_lockAccount: personal(1),
  personal_newAccountWithSeed: personal(1),
  personal_newAccount: personal(1),
  personal_sendTransaction: personal(2),
  personal_unlockAccount: personal(3),
};
