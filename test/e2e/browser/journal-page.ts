/** The page of `journal.test.ts`: a wallet that pays, and a browser that loses its database. */

import { headless } from '../../../packages/kit/src/testing/index.js';
import { createWallet, type Hex, type RecordedTransaction } from '../../../src/index.js';
import { hastenKdf } from '../../support/hasty-kdf.js';

hastenKdf();

export interface JournalPage {
  /** Makes the wallet from the mnemonic and connects the page. Resolves with the account. */
  start(mnemonic: string, password: string): Promise<Hex>;
  send(transaction: Readonly<Record<string, Hex>>): Promise<Hex>;
  unlock(password: string): Promise<void>;
  transactions(options?: object): Promise<readonly RecordedTransaction[]>;
  /** Makes the database one of version 2, as the first builds had it, with mined transactions of an account. */
  seed(from: Hex, count: number): Promise<void>;
  /** How many entries the journal has. */
  stored(): Promise<{ readonly journal: number }>;
  /** Watches so many tokens, which are no contracts. */
  watch(count: number): Promise<void>;
  /** Opens the panel. */
  open(): void;
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

const database = 'graft:journal';

const read = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Uses a store of the wallet's database in one transaction. */
async function use<T>(name: string, task: (store: IDBObjectStore) => Promise<T>): Promise<T> {
  const opened = await read(indexedDB.open(database));
  const result = await task(opened.transaction(name, 'readwrite').objectStore(name));
  opened.close();
  return result;
}

const page: JournalPage = {
  async start(mnemonic, password) {
    await wallet.importMnemonic(mnemonic, { password, path: "m/44'/60'/0'/0/0" });
    const [account] = await wallet.provider.request({ method: 'eth_requestAccounts' });
    return account as Hex;
  },
  send: (transaction) =>
    wallet.provider.request({ method: 'eth_sendTransaction', params: [transaction as never] }),
  unlock: (secret) => wallet.unlock(secret),
  transactions: (options) => wallet.transactions(options),
  async seed(from, count) {
    wallet.destroy();
    const vault = await use('vault', (store) =>
      Promise.all([read(store.getAllKeys()), read(store.getAll())]),
    );
    await page.loseDatabases();
    const opening = indexedDB.open(database, 2);
    opening.onupgradeneeded = () => {
      for (const name of ['vault', 'journal', 'cursor', 'calls']) opening.result.createObjectStore(name);
    };
    (await read(opening)).close();
    await use('vault', async (store) => {
      const [keys, values] = vault;
      for (const [at, value] of values.entries()) await read(store.put(value, keys[at]));
    });
    await use('journal', async (store) => {
      for (let i = 0; i < count; i++) {
        const digits = i.toString(16);
        const hash = `0x${digits.padStart(64, '0')}`;
        // Another account signed them, so that the wallet's own nonces begin at zero.
        const other = `0x${'ee'.repeat(20)}`;
        await read(
          store.put(
            {
              ...{
                hash,
                raw: '0x01',
                chainId: 31,
                from: other,
                to: from,
                nonce: `0x${digits}`,
                value: '0x1',
              },
              ...{ data: '0x', gas: '0x5208', gasPrice: '0x1', origin: location.origin, createdAt: i + 1 },
              ...{
                state: 'mined',
                blockNumber: `0x${(i >> 3).toString(16)}`,
                blockHash: `0x${digits.padStart(64, 'b')}`,
              },
            },
            `31:${other}:${`0x${digits}`.padStart(18, ' ')}:${hash}`,
          ),
        );
      }
    });
  },
  stored: async () => ({ journal: await use('journal', (store) => read(store.count())) }),
  async watch(count) {
    for (let i = 0; i < count; i++) {
      const address: Hex = `0x${(0x1000 + i).toString(16).padStart(40, '0')}`;
      const options = { address, symbol: `T${i}`, decimals: 18 };
      await wallet.provider.request({ method: 'wallet_watchAsset', params: { type: 'ERC20', options } });
    }
  },
  open() {
    void wallet.open();
  },
  exported: (format) => wallet.exportTransactions(format),
  async loseDatabases() {
    for (const { name } of await indexedDB.databases())
      await new Promise<void>((resolve, reject) => {
        const deleting = indexedDB.deleteDatabase(name as string);
        deleting.onsuccess = () => resolve();
        deleting.onerror = () => reject(deleting.error);
      });
  },
};

Object.assign(window, { page });
