import { BrowserProvider } from 'ethers';
import type { Address, Hex } from 'viem';
import { createPublicClient, custom, defineChain } from 'viem';
import { Web3 } from 'web3';
import type { Provider } from '../../src/index.js';
import { bloomOf } from '../../src/rpc/bloom.js';
import type { Block, Log, Receipt } from '../../src/rpc/schema.js';
import { wrongType } from '../e2e/attack/result-types.js';
import { methodTable } from '../support/methods.js';
import { identity, multicall, quantity, type Sample } from './sample.js';

/** Checks through the wallet, the same in both dialects. They throw what is wrong. */
export interface Check {
  readonly name: string;
  readonly run: () => Promise<void>;
}

export interface Page {
  readonly provider: Provider;
  readonly sample: Sample;
  /** Milliseconds for which blocks are watched. */
  readonly watch: number;
}

const must = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(what);
};

/** Every read of the wallet, with the described result or a rejection with a code. */
export function walletChecks({ provider, sample }: Page): readonly Check[] {
  const { address, block, transaction, height } = sample;
  const mined =
    transaction === null
      ? {}
      : {
          eth_getTransactionByHash: [transaction],
          eth_getTransactionByBlockHashAndIndex: [block.hash, '0x0'],
          eth_getTransactionByBlockNumberAndIndex: [block.number, '0x0'],
          eth_getTransactionReceipt: [transaction],
        };
  const reads: Readonly<Record<string, readonly unknown[]>> = {
    ...mined,
    web3_clientVersion: [],
    net_version: [],
    eth_chainId: [],
    eth_syncing: [],
    eth_gasPrice: [],
    eth_maxPriorityFeePerGas: [],
    eth_blockNumber: [],
    eth_getBalance: [address],
    eth_getTransactionCount: [address],
    eth_getCode: [address],
    eth_getStorageAt: [address, '0x0'],
    eth_call: [{ to: identity, data: '0x1234' }],
    eth_estimateGas: [{ from: address, to: identity }],
    eth_getBlockByHash: [block.hash, true],
    eth_getBlockByNumber: ['latest'],
    eth_getBlockTransactionCountByHash: [block.hash],
    eth_getBlockTransactionCountByNumber: [block.number],
    eth_getUncleCountByBlockHash: [block.hash],
    eth_getUncleCountByBlockNumber: [block.number],
    eth_getUncleByBlockNumberAndIndex: [block.number, '0x0'],
    eth_getLogs: [{ fromBlock: quantity(Math.max(0, height - 9)), toBlock: quantity(height) }],
    eth_feeHistory: ['0x2', 'latest', [50]],
    eth_getBlockReceipts: [block.transactions.length > 12 ? 'pending' : { blockHash: block.hash }],
  };
  const request = (method: string, params: readonly unknown[] = []) =>
    provider.request({ method, params } as { method: string });
  return [
    {
      name: 'wallet: positions of a log filter that match anything may exceed the topics of a log',
      async run() {
        const wide = reads.eth_getLogs?.[0] as object;
        const all = (await request('eth_getLogs', [wide])) as readonly unknown[];
        const topics = [null, null, null, null];
        const same = (await request('eth_getLogs', [{ ...wide, topics }])) as readonly unknown[];
        must(all.length === same.length, `${same.length} logs of ${all.length}`);
      },
    },
    ...Object.entries(reads).map(([method, params]) => ({
      name: `wallet: ${method}`,
      async run() {
        must(methodTable.has(method), 'not in the method table');
        const fault = wrongType(method, await request(method, params));
        must(fault === null, fault ?? '');
      },
    })),
    {
      name: 'wallet: a filter is made, polled and removed',
      async run() {
        const id = await request('eth_newFilter', [{ fromBlock: block.number, toBlock: block.number }]);
        const fault = wrongType('eth_getFilterChanges', await request('eth_getFilterChanges', [id]));
        must(fault === null, fault ?? '');
        must((await request('eth_uninstallFilter', [id])) === true, 'the filter was not there');
      },
    },
    {
      name: 'wallet: criteria longer than the topics of logs give the same logs',
      async run() {
        const logs = await request('eth_getLogs', [{ blockHash: block.hash }]);
        const longer = [{ blockHash: block.hash, topics: [null, [], [null], null] }];
        must(JSON.stringify(await request('eth_getLogs', longer)) === JSON.stringify(logs), 'others');
      },
    },
    {
      name: 'wallet: the receipts of a block have its logs, and its bloom is theirs',
      async run() {
        if (block.transactions.length > 12) return;
        const logs = (await request('eth_getLogs', [{ blockHash: block.hash }])) as readonly Log[];
        const receipts = (await request('eth_getBlockReceipts', [{ blockHash: block.hash }])) as Receipt[];
        const placeOf = ({ transactionHash, address, topics }: Log) =>
          [transactionHash, address, ...topics].join();
        const found = receipts.flatMap((receipt) => receipt.logs);
        must(found.map(placeOf).join() === logs.map(placeOf).join(), 'other logs');
        const { logsBloom } = (await request('eth_getBlockByHash', [block.hash])) as Block;
        const values = logs.flatMap(({ address, topics }) => [address, ...topics]);
        must(bloomOf(values) === logsBloom?.toLowerCase(), 'another bloom');
      },
    },
  ];
}

export function clientChecks(page: Page): readonly Check[] {
  return [...viemChecks(page), ...ethersChecks(page), ...web3Checks(page)];
}

function viemChecks({ provider, sample, watch }: Page): readonly Check[] {
  const { chainId, address, block, transaction } = sample;
  const chain = defineChain({
    id: chainId,
    name: `Chain ${chainId}`,
    nativeCurrency: { name: 'Rootstock Bitcoin', symbol: 'RBTC', decimals: 18 },
    rpcUrls: { default: { http: [] } },
    contracts: { multicall3: { address: multicall } },
  });
  const client = createPublicClient({
    chain,
    transport: custom(provider, { retryCount: 0 }),
    pollingInterval: Math.max(100, watch / 3),
  });
  const hash = block.hash as Hex;
  return [
    {
      name: 'viem: getBlock',
      run: async () => must((await client.getBlock({ blockHash: hash })).hash === hash, 'another block'),
    },
    {
      name: 'viem: getBalance',
      run: async () => must((await client.getBalance({ address: address as Address })) >= 0n, 'no balance'),
    },
    { name: 'viem: getGasPrice', run: async () => must((await client.getGasPrice()) >= 0n, 'no price') },
    {
      name: 'viem: call',
      run: async () =>
        must((await client.call({ to: identity, data: '0x1234' })).data === '0x1234', 'another answer'),
    },
    {
      name: 'viem: readContract (Multicall3, where it is)',
      async run() {
        if (!(await client.getCode({ address: multicall }))) return;
        const abi = [
          {
            type: 'function',
            name: 'getBlockNumber',
            stateMutability: 'view',
            inputs: [],
            outputs: [{ type: 'uint256' }],
          },
        ] as const;
        const read = await client.readContract({ address: multicall, abi, functionName: 'getBlockNumber' });
        must(read >= BigInt(sample.height) - 10n, 'a block number of long ago');
      },
    },
    {
      name: 'viem: getLogs',
      run: async () => must(Array.isArray(await client.getLogs({ blockHash: hash })), 'no logs'),
    },
    ...(transaction === null
      ? []
      : [
          {
            name: 'viem: getTransactionReceipt',
            run: async () =>
              must(
                (await client.getTransactionReceipt({ hash: transaction as Hex })).blockHash === hash,
                'another block',
              ),
          },
        ]),
    {
      name: 'viem: estimateFeesPerGas',
      run: async () => void (await client.estimateFeesPerGas({ type: 'legacy' })),
    },
    {
      name: 'viem: watchBlocks',
      run: () =>
        new Promise((resolve, reject) => {
          let seen = 0;
          const stop = client.watchBlocks({
            emitOnBegin: true,
            onBlock: () => {
              seen++;
            },
            onError: (error) => {
              stop();
              reject(error);
            },
          });
          setTimeout(() => {
            stop();
            seen > 0 ? resolve() : reject(new Error('no block was seen'));
          }, watch);
        }),
    },
  ];
}

function ethersChecks({ provider, sample }: Page): readonly Check[] {
  const { address, block, transaction, chainId } = sample;
  const browser = new BrowserProvider(provider, chainId);
  return [
    {
      name: 'ethers: getNetwork',
      run: async () => must((await browser.getNetwork()).chainId === BigInt(chainId), 'another chain'),
    },
    {
      name: 'ethers: getBlock',
      run: async () => must((await browser.getBlock(block.hash))?.hash === block.hash, 'another block'),
    },
    {
      name: 'ethers: getBalance',
      run: async () => must((await browser.getBalance(address)) >= 0n, 'no balance'),
    },
    {
      name: 'ethers: call',
      run: async () =>
        must((await browser.call({ to: identity, data: '0x1234' })) === '0x1234', 'another answer'),
    },
    {
      name: 'ethers: getLogs',
      run: async () => must(Array.isArray(await browser.getLogs({ blockHash: block.hash })), 'no logs'),
    },
    {
      name: 'ethers: getFeeData',
      run: async () => must((await browser.getFeeData()).gasPrice !== null, 'no price'),
    },
    ...(transaction === null
      ? []
      : [
          {
            name: 'ethers: getTransactionReceipt',
            run: async () =>
              must(
                (await browser.getTransactionReceipt(transaction))?.blockHash === block.hash,
                'another block',
              ),
          },
        ]),
    { name: 'ethers: goes', run: async () => browser.destroy() },
  ];
}

function web3Checks({ provider, sample }: Page): readonly Check[] {
  const { address, block, transaction } = sample;
  const { eth } = new Web3(provider as ConstructorParameters<typeof Web3>[0]);
  return [
    {
      name: 'web3: getBlock',
      run: async () => must((await eth.getBlock(block.hash)).hash === block.hash, 'another block'),
    },
    { name: 'web3: getBalance', run: async () => must((await eth.getBalance(address)) >= 0n, 'no balance') },
    { name: 'web3: getGasPrice', run: async () => must((await eth.getGasPrice()) >= 0n, 'no price') },
    {
      name: 'web3: call',
      run: async () =>
        must((await eth.call({ to: identity, data: '0x1234' })) === '0x1234', 'another answer'),
    },
    {
      name: 'web3: getPastLogs',
      run: async () =>
        must(Array.isArray(await eth.getPastLogs({ blockHash: block.hash } as object)), 'no logs'),
    },
    ...(transaction === null
      ? []
      : [
          {
            name: 'web3: getTransactionReceipt',
            run: async () =>
              must((await eth.getTransactionReceipt(transaction)).blockHash === block.hash, 'another block'),
          },
        ]),
  ];
}
