import type { Adapter } from './client.js';
import { openInDom } from './dom-place.js';
import { ethersV5 } from './ethers-v5.js';
import { ethersV6 } from './ethers-v6.js';
import { graftViem, graftViemAccount, graftWagmi } from './graft-adapters.js';
import { type OpenPlace, openHere } from './place.js';
import { viem } from './viem.js';
import { wagmi } from './wagmi.js';
import { web3Onboard } from './web3-onboard.js';
import { web3V1 } from './web3-v1.js';
import { web3V4 } from './web3-v4.js';

/** A library, and where it is at home in Node. */
export interface Listed extends Adapter {
  readonly open: OpenPlace;
}

/** The libraries of the matrix, in the order of the table. Those that find an announced wallet need a window. */
export const adapters: Readonly<Record<string, Listed>> = {
  viem: { ...viem, open: openHere },
  wagmi: { ...wagmi, open: openInDom },
  'ethers 6': { ...ethersV6, open: openHere },
  'ethers 5': { ...ethersV5, open: openHere },
  'web3.js 4': { ...web3V4, open: openHere },
  'web3.js 1': { ...web3V1, open: openHere },
  'web3-onboard': { ...web3Onboard, open: openInDom },
};

/** Our adapters, as further columns after the libraries. They run in Node only. */
export const graftAdapters: Readonly<Record<string, Listed>> = {
  'graft-wallet/viem': { ...graftViem, open: openHere },
  'graft-wallet/viem, Account': { ...graftViemAccount, open: openHere },
  'graft-wallet/wagmi': { ...graftWagmi, open: openHere },
};
