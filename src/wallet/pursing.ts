import { describeNetwork } from '../methods/requester.js';
import type { WalletParts } from '../purse/parts.js';
import { createPurses, type Purses } from '../purse/purses.js';
import type { ChainRuntime } from './chain-runtime.js';

/** The purses of this wallet, with what they use of it. A chunk of its own, for wallets and frames that have some. */
export const createPursing = ({ chain, ...rest }: createPursing.Options): Purses =>
  createPurses({ ...rest, serviceOf: (chainId) => chain(chainId).sends, describe: describeNetwork });

export declare namespace createPursing {
  interface Options extends Omit<WalletParts, 'serviceOf' | 'describe'> {
    readonly chain: (chainId: number) => ChainRuntime;
  }
}
