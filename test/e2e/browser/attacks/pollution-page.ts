/**
 * A page with a whole wallet that goes through everything a dapp asks for, and notes what the person was asked, what the
 * dapp was answered, and what is remembered.
 */

import {
  createVolatileMemory,
  createWallet,
  isProviderRpcError,
  type Question,
} from '../../../../src/index.js';
import { createKeyring } from '../../../../src/keyring/keyring.js';
import { createIdbStorage } from '../../../../src/storage/idb.js';
import { hastenKdf } from '../../../support/hasty-kdf.js';

hastenKdf();

export interface PollutionPage {
  /** Makes the wallet and its two accounts. */
  furnish(): Promise<void>;
  /**
   * A new wallet over the same vault, and everything that a dapp does with it. Resolves with a {@link Transcript} as JSON,
   * which holds an object's own members alone.
   */
  run(): Promise<string>;
}

export interface Transcript {
  readonly asked: readonly { readonly kind: string; readonly origin: string }[];
  /** The method, and its result or the code and message of its error. */
  readonly outcomes: readonly (readonly [method: string, outcome: unknown])[];
  readonly state: {
    readonly session: { readonly chainId: number; readonly permissions: object };
    readonly networks: readonly { readonly chainId: number }[];
    readonly vault: string;
  };
}

const password = 'a password for hostile pages';
const mnemonic = 'test test test test test test test test test test test junk';
const url = `${location.origin}/rpc/k3y`;
const a0 = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const a1 = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const token = '0x00000000000000000000000000000000000070c0';
const reverting = '0x0000000000000000000000000000000000000bad';
const hex = (text: string) =>
  `0x${Array.from(text, (each) => each.charCodeAt(0).toString(16).padStart(2, '0')).join('')}`;
const signIn = (domain: string) =>
  hex(
    `${domain} wants you to sign in with your Ethereum account:\n0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266\n\n\nURI: http://${domain}/\nVersion: 1\nChain ID: 31\nNonce: 12345678\nIssued At: 2026-01-01T00:00:00Z`,
  );
const typed = (types: object, primaryType: string, message: object, domain: object) => ({
  types,
  primaryType,
  message,
  domain,
});
const note = typed(
  { Note: [{ name: 'text', type: 'string' }] },
  'Note',
  { text: 'Hello' },
  { name: 'Notes' },
);
const permit = typed(
  {
    Permit: [
      { name: 'owner', type: 'address' },
      { name: 'spender', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'nonce', type: 'uint256' },
      { name: 'deadline', type: 'uint256' },
    ],
  },
  'Permit',
  { owner: a0, spender: a1, value: '5', nonce: 0, deadline: 1900000000 },
  { name: 'T', chainId: 31, verifyingContract: token },
);
const order = typed(
  {
    Order: [
      { name: 'makerAsset', type: 'address' },
      { name: 'takerAsset', type: 'address' },
      { name: 'makingAmount', type: 'uint256' },
      { name: 'takingAmount', type: 'uint256' },
    ],
  },
  'Order',
  { makerAsset: token, takerAsset: a1, makingAmount: '7', takingAmount: '1' },
  { name: 'Exchange', chainId: 31, verifyingContract: a1 },
);
const safe = typed(
  {
    SafeTx: [
      { name: 'to', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'data', type: 'bytes' },
      { name: 'operation', type: 'uint8' },
    ],
  },
  'SafeTx',
  {
    to: token,
    value: '0',
    data: `0xa22cb465${a1.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`,
    operation: 0,
  },
  { chainId: 31, verifyingContract: a1 },
);
const calls = { version: '2.0.0', chainId: '0x1f', atomicRequired: false, id: hex('batch').padEnd(66, '0') };

/** Everything that a dapp asks for, in order. */
const requests: readonly (readonly [method: string, params?: unknown])[] = [
  ['eth_chainId'],
  ['eth_accounts'],
  ['eth_requestAccounts'],
  ['wallet_getPermissions'],
  ['eth_getBalance', [a0]],
  ['eth_blockNumber'],
  ['eth_call', [{ to: token, data: '0x18160ddd' }]],
  ['eth_call', [{ to: reverting }]],
  ['eth_estimateGas', [{ from: a0, to: a1 }]],
  ['eth_feeHistory', ['0x1', 'latest', []]],
  ['eth_maxPriorityFeePerGas'],
  ['eth_getBlockByNumber', ['latest', false]],
  ['eth_getTransactionReceipt', [hex('nothing').padEnd(66, '0')]],
  ['eth_getTransactionByHash', [hex('nothing').padEnd(66, '0')]],
  ['eth_getLogs', [{ address: token }]],
  ['eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x64' }]],
  ['eth_newFilter', [{ address: token }]],
  ['eth_newBlockFilter'],
  ['eth_subscribe', ['newHeads']],
  ['eth_subscribe', ['logs', { address: token }]],
  ['wallet_getCapabilities', [a0]],
  ['personal_sign', [hex('Hello'), a0]],
  ['personal_sign', [signIn(location.host), a0]],
  ['personal_sign', [signIn('bank.example'), a0]],
  ['eth_signTypedData_v4', [a0, note]],
  ['eth_signTypedData_v4', [a0, permit]],
  ['eth_signTypedData_v4', [a0, order]],
  ['eth_signTypedData_v4', [a0, safe]],
  ['eth_signTypedData_v1', [[{ type: 'string', name: 'text', value: 'Hello' }], a0]],
  ['eth_signTransaction', [{ from: a0, to: a1, value: '0x1' }]],
  ['eth_sendTransaction', [{ from: a0, to: a1 }]],
  [
    'eth_sendTransaction',
    [{ from: a0, to: token, data: `0x095ea7b3${a1.slice(2).padStart(64, '0')}${'f'.repeat(64)}` }],
  ],
  ['eth_sendTransaction', [{ from: a0, data: '0x6001' }]],
  ['eth_sendTransaction', [{ from: a0, to: reverting, value: '0x1' }]],
  ['eth_sendTransaction', [{ from: a1, to: a0 }]],
  ['wallet_sendCalls', [{ ...calls, calls: [{ to: a1 }, { to: token, data: '0x12345678' }] }]],
  ['wallet_getCallsStatus', [calls.id]],
  ['wallet_watchAsset', { type: 'ERC20', options: { address: token, symbol: 'TKN', decimals: 18 } }],
  ['wallet_switchEthereumChain', [{ chainId: '0x1e' }]],
  ['eth_chainId'],
  ['wallet_switchEthereumChain', [{ chainId: '0x1f' }]],
  [
    'wallet_addEthereumChain',
    [
      {
        chainId: '0x21',
        chainName: 'Garden',
        nativeCurrency: { name: 'Leaf', symbol: 'LEAF', decimals: 18 },
        rpcUrls: [`${location.origin}/rpc33/k3y`],
      },
    ],
  ],
  ['personal_sign', [hex('Hello'), a0]],
  ['wallet_switchEthereumChain', [{ chainId: '0x1f' }]],
  [
    'wallet_connect',
    [
      {
        version: '1',
        capabilities: {
          signInWithEthereum: { nonce: 'c0ffee1234', chainId: '0x1f', issuedAt: '2026-11-02T16:25:24Z' },
        },
      },
    ],
  ],
  ['wallet_connect', [{ version: '1', capabilities: {} }]],
  ['wallet_disconnect'],
  ['eth_accounts'],
  ['wallet_connect', [{ version: '1' }]],
  ['wallet_revokePermissions', [{ eth_accounts: {} }]],
  ['eth_accounts'],
  ['eth_mining'],
];

const open = (asked: Question[]) =>
  createWallet({
    networks: [
      { chainId: 31, url },
      { chainId: 30, url: `${location.origin}/rpc30/k3y` },
    ],
    name: 'pollution',
    memory: createVolatileMemory(),
    refuse: ['eth_mining'],
    approver: () => ({
      async ask(question, session) {
        asked.push(question);
        if (question.locked) await session.unlock(password);
        return { approved: true };
      },
    }),
  });

/** Nothing is signed or sent yet; the vault stays. The journal has a second copy in the private file system. */
async function forget(): Promise<void> {
  const directory = await navigator.storage.getDirectory();
  const files: string[] = [];
  for await (const file of directory.keys()) files.push(file);
  for (const file of files) if (file.includes('.journal.')) await directory.removeEntry(file);
  await new Promise<void>((resolve, reject) => {
    const opening = indexedDB.open('graft:pollution');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const database = opening.result;
      const transaction = database.transaction(['journal', 'calls'], 'readwrite');
      transaction.objectStore('journal').clear();
      transaction.objectStore('calls').clear();
      transaction.oncomplete = () => {
        database.close();
        resolve();
      };
    };
  });
}

/** Without what differs from run to run. */
const plain = (value: unknown): string =>
  JSON.stringify(value, (key, member) => (key === 'date' || key === 'createdAt' ? 0 : member));

Object.assign(window, {
  page: {
    async furnish() {
      const storage = createIdbStorage({ name: 'graft:pollution' });
      // Cheap to open: it is opened hundreds of times.
      const kdf = { name: 'scrypt', N: 2, r: 8, p: 1 } as const;
      const keyring = createKeyring({ name: 'graft:pollution', storage, kdf });
      const path = "m/44'/60'/0'/0";
      await keyring.create({ type: 'mnemonic', mnemonic, path: `${path}/0` }, password);
      await keyring.derive(`${path}/1`);
      keyring.close();
      storage.close();
    },
    async run() {
      await forget();
      const asked: Question[] = [];
      const outcomes: unknown[] = [];
      const wallet = open(asked);
      await wallet.unlock(password);
      for (const [method, params] of requests) {
        // From here on the first question is answered with the password.
        if (method === 'eth_signTypedData_v1') await wallet.lock();
        const request = { method, ...(params === undefined ? {} : { params: params as readonly unknown[] }) };
        outcomes.push([
          method,
          await wallet.provider.request(request).then(
            (value: unknown) => (/Filter$|subscribe$/.test(method) ? typeof value : (value ?? null)),
            (error: unknown) =>
              isProviderRpcError(error) ? `${error.code} ${error.message}` : String(error),
          ),
        ]);
      }
      const state = {
        // A page that has opened an entry of the journal says so by a random number.
        session: { ...wallet.state(), journal: typeof wallet.state().journal },
        networks: wallet.networks(),
        vault: await wallet.vaultState(),
      };
      wallet.destroy();
      return plain({ asked, outcomes, state });
    },
  } satisfies PollutionPage,
});
