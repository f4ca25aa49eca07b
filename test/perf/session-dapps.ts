import { BrowserProvider, Wallet as EthersWallet, type JsonRpcApiProvider, JsonRpcProvider } from 'ethers';
import {
  type Account,
  type Address,
  createPublicClient,
  createWalletClient,
  custom,
  defineChain,
  type EIP1193Provider,
  http,
  parseAbiItem,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type EthExecutionAPI, Web3, type EIP1193Provider as Web3Provider } from 'web3';
import type { Provider } from '../../src/provider/provider.js';
import type { Hex } from '../../src/rpc/schema.js';

/** The steps of the script with one library: the same on our provider as alone. */
export interface Dapp {
  /** The account. */
  connect(): Promise<Address>;
  balance(address: Address): Promise<unknown>;
  gasPrice(): Promise<unknown>;
  /** Calls the listener with each new height. */
  watchBlocks(onBlock: (height: number) => void): Promise<void>;
  /** Logs of the token with these topics. */
  watchLogs(token: Address, event: Event, onLog: () => void): Promise<void>;
  /** Sends, and waits for the receipt. */
  pay(from: Address, to: Address): Promise<void>;
  close(): void;
}

export type Event = 'Transfer' | 'Approval';

/** Our provider, or a URL and a key for the library alone. */
export type Ground = { readonly provider: Provider } | { readonly url: string; readonly privateKey: Hex };

export type Library = 'viem' | 'ethers' | 'web3';

const abi = {
  Transfer: parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)'),
  Approval: parseAbiItem('event Approval(address indexed owner, address indexed spender, uint256 value)'),
};
export const topics: Readonly<Record<Event, Hex>> = {
  Transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  Approval: '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925',
};

function viem(ground: Ground): Dapp {
  const url = 'url' in ground ? ground.url : '';
  const chain = defineChain({
    id: 33,
    name: 'Rootstock Local',
    nativeCurrency: { name: 'Rootstock Bitcoin', symbol: 'tRBTC', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  const transport = 'url' in ground ? http(url) : custom(ground.provider as EIP1193Provider);
  const own = 'url' in ground ? privateKeyToAccount(ground.privateKey) : undefined;
  const reader = createPublicClient({ chain, transport });
  const writer = createWalletClient({ chain, transport });
  const unwatch: (() => void)[] = [];
  return {
    connect: async () => own?.address ?? ((await writer.requestAddresses())[0] as Address),
    balance: (address) => reader.getBalance({ address }),
    gasPrice: () => reader.getGasPrice(),
    async watchBlocks(onBlock) {
      unwatch.push(reader.watchBlocks({ onBlock: ({ number }) => onBlock(Number(number)) }));
    },
    async watchLogs(address, event, onLog) {
      unwatch.push(reader.watchEvent({ address, event: abi[event], onLogs: (logs) => logs.forEach(onLog) }));
    },
    async pay(from, to) {
      const account: Account | Address = own ?? from;
      const hash = await writer.sendTransaction({ account, to, value: 1n, type: 'legacy' });
      await reader.waitForTransactionReceipt({ hash });
    },
    close() {
      for (const stop of unwatch) stop();
    },
  };
}

function ethers(ground: Ground): Dapp {
  const provider: JsonRpcApiProvider =
    'url' in ground ? new JsonRpcProvider(ground.url, 33) : new BrowserProvider(ground.provider, 33);
  const signer =
    'url' in ground ? async () => new EthersWallet(ground.privateKey, provider) : () => provider.getSigner();
  return {
    connect: async () => (await (await signer()).getAddress()) as Address,
    balance: (address) => provider.getBalance(address),
    gasPrice: async () => (await provider.getFeeData()).gasPrice,
    watchBlocks: async (onBlock) => void (await provider.on('block', onBlock)),
    watchLogs: async (address, event, onLog) =>
      void (await provider.on({ address, topics: [topics[event]] }, onLog)),
    async pay(_from, to) {
      await (await (await signer()).sendTransaction({ to, value: 1n, type: 0 })).wait();
    },
    close: () => provider.destroy(),
  };
}

/** What a page polls over HTTP where the library has no subscriptions. */
const pagePolls = 4_000;

function web3(ground: Ground): Dapp {
  const web3 =
    'url' in ground
      ? new Web3(ground.url)
      : new Web3(ground.provider as unknown as Web3Provider<EthExecutionAPI>);
  web3.setConfig({ defaultTransactionType: '0x0' });
  if ('url' in ground) web3.eth.accounts.wallet.add(ground.privateKey);
  const polls: ReturnType<typeof setInterval>[] = [];
  const poll = (run: () => Promise<void>) => {
    const quietly = () => void run().catch(() => {});
    quietly();
    polls.push(setInterval(quietly, pagePolls));
  };
  return {
    async connect() {
      const accounts =
        'url' in ground ? [web3.eth.accounts.wallet[0]?.address] : await web3.eth.requestAccounts();
      return accounts[0] as Address;
    },
    balance: (address) => web3.eth.getBalance(address),
    gasPrice: () => web3.eth.getGasPrice(),
    async watchBlocks(onBlock) {
      let last = Number(await web3.eth.getBlockNumber());
      poll(async () => {
        const height = Number(await web3.eth.getBlockNumber());
        if (height > last) onBlock(height);
        last = Math.max(last, height);
      });
    },
    async watchLogs(address, event, onLog) {
      const filter = { address, topics: [topics[event]] };
      let next = Number(await web3.eth.getBlockNumber()) + 1;
      poll(async () => {
        const logs = await web3.eth.getPastLogs({ ...filter, fromBlock: web3.utils.toHex(next) });
        for (const log of logs) {
          next = Math.max(next, Number((log as { blockNumber: bigint }).blockNumber) + 1);
          onLog();
        }
      });
    },
    pay: async (from, to) => void (await web3.eth.sendTransaction({ from, to, value: '0x1' })),
    close() {
      for (const each of polls) clearInterval(each);
    },
  };
}

export const dapps: Readonly<Record<Library, (ground: Ground) => Dapp>> = { viem, ethers, web3 };
