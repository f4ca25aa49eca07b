/** The page of `journal.test.ts`: a wallet that pays, and a browser that loses its database. */

import { headless } from '../../../packages/kit/src/testing/index.js';
import { createWallet, type Hex, type RecordedTransaction } from '../../../src/index.js';
import { hastenKdf } from '../../support/hasty-kdf.js';

hastenKdf();

export interface JournalPage {
  /** Makes the wallet from the mnemonic and connects the page. Resolves with the account. */
  start(mnemonic: string, password: string): Promise<Hex>;
  send(transaction: Readonly<Record<string, Hex>>): Promise<Hex>;
  transactions(): Promise<readonly RecordedTransaction[]>;
  exported(format: 'json' | 'csv'): Promise<string>;
  /** Deletes every database of this origin. */
  loseDatabases(): Promise<void>;
}

const wallet = createWallet({
  networks: [{ chainId: 31, url: `${location.origin}/rpc/key` }],
  name: 'journal',
  pollingInterval: 200,
  approver: () => headless(),
});

Object.assign(window, {
  page: {
    async start(mnemonic, password) {
      await wallet.importMnemonic(mnemonic, { password, path: "m/44'/60'/0'/0/0" });
      const [account] = await wallet.provider.request({ method: 'eth_requestAccounts' });
      return account as Hex;
    },
    send: (transaction) =>
      wallet.provider.request({ method: 'eth_sendTransaction', params: [transaction as never] }),
    transactions: () => wallet.transactions(),
    exported: (format) => wallet.exportTransactions(format),
    async loseDatabases() {
      for (const { name } of await indexedDB.databases())
        await new Promise<void>((resolve, reject) => {
          const deleting = indexedDB.deleteDatabase(name as string);
          deleting.onsuccess = () => resolve();
          deleting.onerror = () => reject(deleting.error);
        });
    },
  } satisfies JournalPage,
});
