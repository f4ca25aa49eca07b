/** A page with a whole wallet and its real dialog: what an attacker frames, clobbers or pollutes. */

import {
  createMemoryStorage,
  createVolatileMemory,
  createWallet,
  isProviderRpcError,
  type Wallet,
} from '../../../../src/index.js';
import { dialog } from '../../../../src/ui/index.js';
import { hastenKdf } from '../../../support/hasty-kdf.js';

hastenKdf();

export interface WalletPage {
  readonly wallet: Wallet;
  /** Makes a wallet and gives this page its first account, without a question. Resolves with the account. */
  furnish(): Promise<string>;
  /** What a request ends with. */
  outcome(method: string, params?: readonly unknown[]): Promise<Outcome>;
}

export type Outcome = { readonly result: unknown } | { readonly code: number; readonly message: string };

const given = new URLSearchParams(location.search);
const memory = createVolatileMemory();
let changed = () => {};
const wallet = createWallet({
  networks: [{ chainId: 33, url: given.get('service') as string }],
  approver: () => dialog({ ...JSON.parse(given.get('look') ?? '{}'), frameMayAsk: given.getAll('within') }),
  memory: {
    ...memory,
    watch(listener) {
      changed = listener;
      return () => {};
    },
  },
  storage: createMemoryStorage(),
});

Object.assign(window, {
  page: {
    wallet,
    async furnish() {
      const { account } = await wallet.create('a password for attacks');
      const permissions = { [origin]: { accounts: [account.address], date: 0 } };
      memory.write(JSON.stringify({ ...wallet.state(), permissions }));
      changed();
      return account.address;
    },
    async outcome(method, params = []) {
      try {
        return { result: await wallet.provider.request({ method, params }) };
      } catch (error) {
        if (!isProviderRpcError(error)) throw error;
        return { code: error.code, message: error.message };
      }
    },
  } satisfies WalletPage,
});
