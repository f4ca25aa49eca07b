import {
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  fallback,
  type Hex,
  http,
  parseTransaction,
  recoverMessageAddress,
  recoverTransactionAddress,
  recoverTypedDataAddress,
  toHex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { estimateFeesPerGas, prepareTransactionRequest } from 'viem/actions';
import * as viemChains from 'viem/chains';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import {
  graftAccount,
  graftTransport,
  rootstock,
  rootstockRegtest,
  rootstockTestnet,
} from '../../../src/adapters/viem.js';
import { createWallet } from '../../../src/index.js';
import { failing, reverter } from '../../e2e/clients/contracts.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { owners } from '../../support/keys.js';
import { alice, clientOf, minimum, nobody, sign } from '../../support/local-client.js';
import { openPage, type Page, withKeys } from '../../support/page.js';

hastenKdfOfFile();

const owner = owners[0] as (typeof owners)[number];
const coin = 10n ** 18n;

let service: LocalService;
let other: LocalService;
let page: Page;
let contract: Hex;
/** Every request that viem has made to the provider, by method. */
let asked: string[] = [];

beforeAll(async () => {
  [service, other] = await Promise.all([
    createLocalService({ chainId: 33 }),
    createLocalService({ chainId: 31 }),
  ]);
  const node = clientOf(service);
  await service.controls.faucet(alice.address, coin);
  await service.controls.faucet(owner.address, coin);
  const hash = await node.call(
    'eth_sendRawTransaction',
    await sign({ to: null, data: reverter.code as Hex, gas: 1_000_000n, value: 0n }),
  );
  ({ contractAddress: contract } = await node.call('eth_getTransactionReceipt', hash));
  page = await withKeys(
    openPage({
      session: 'none',
      networks: [
        { chainId: 33, url: service.url },
        { chainId: 31, url: other.url },
      ],
    }),
  );
});
afterAll(async () => {
  page?.close();
  await Promise.all([service?.close(), other?.close()]);
});
beforeEach(() => {
  page.wallet.switchChain(33);
  page.decide(() => true);
  service.controls.clearFaults();
  asked = [];
});

/** The wallet, with each request to its provider counted. */
const counted = () => ({
  provider: new Proxy(page.provider, {
    get: (provider, name) =>
      name === 'request'
        ? (args: { method: string }, options?: object) => {
            asked.push(args.method);
            return provider.request(args, options);
          }
        : Reflect.get(provider, name),
  }),
});
const reader = () => createPublicClient({ chain: rootstockRegtest, transport: graftTransport(counted()) });
const writer = () => createWalletClient({ chain: rootstockRegtest, transport: graftTransport(counted()) });
const questions = () => page.questions.map(({ kind }) => kind);
const reads = () => asked.filter((method) => method !== 'eth_chainId');
const thrown = async (run: () => Promise<unknown>): Promise<BaseError> => {
  const error = await run().then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(BaseError);
  return error as BaseError;
};

describe('the transport', () => {
  test('reads what the service answers', async () => {
    expect(await reader().getBalance({ address: owner.address })).toBe(coin);
    expect(await reader().getChainId()).toBe(33);
  });

  test('shares equal reads: ten at once are one request', async () => {
    await reader().getBlockNumber();
    const before = service.requests.count('eth_getBalance');
    const client = reader();
    await Promise.all(Array.from({ length: 10 }, () => client.getBalance({ address: nobody })));
    expect(service.requests.count('eth_getBalance') - before).toBe(1);
  });

  test.each(['string', 'panic', 'custom', 'empty'] as const)(
    'a call that reverts (%s) is viem’s ContractFunctionRevertedError after one request',
    async (way) => {
      const { view: functionName } = failing[way];
      const before = service.requests.count('eth_call');
      const error = await thrown(() =>
        reader().readContract({ abi: reverter.abi, address: contract, functionName }),
      );
      const why = error.walk((each) => each instanceof ContractFunctionRevertedError);
      expect(why).toBeInstanceOf(ContractFunctionRevertedError);
      expect(reads()).toEqual(['eth_call']);
      expect(service.requests.count('eth_call') - before).toBe(1);
      if (way === 'custom')
        expect((why as ContractFunctionRevertedError).data).toMatchObject({
          errorName: 'TooLow',
          args: [1n, 2n],
        });
    },
  );

  test('a reply that breaks the protocol is not asked for again by viem', async () => {
    service.controls.intercept(({ calls }) =>
      calls[0]?.method === 'eth_getCode'
        ? { body: JSON.stringify({ jsonrpc: '2.0', id: calls[0].id, result: 7 }) }
        : undefined,
    );
    const error = await thrown(() => reader().getCode({ address: contract }));
    expect(error.walk((each) => (each as { code?: number }).code === -32603)).not.toBeNull();
    expect(reads()).toEqual(['eth_getCode']);
  });

  test('a refusal is viem’s UserRejectedRequestError, and is asked once', async () => {
    page.decide(() => false);
    const before = questions().length;
    const error = await thrown(() => writer().signMessage({ account: owner.address, message: 'Hello' }));
    expect(error.walk((each) => (each as Error).name === 'UserRejectedRequestError')).not.toBeNull();
    expect(questions().slice(before)).toEqual(['message']);
  });

  test('calls that viem runs as one contract call (Multicall3) are one request, with each result and each revert', async () => {
    const before = service.requests.count('eth_call');
    const call = { abi: reverter.abi, address: contract } as const;
    const results = await reader().multicall({
      contracts: [
        { ...call, functionName: 'stored' },
        { ...call, functionName: failing.custom.view },
      ],
    });
    expect(results).toMatchObject([
      { status: 'success', result: 0n },
      { status: 'failure', error: { cause: { data: { errorName: 'TooLow', args: [1n, 2n] } } } },
    ]);
    expect(service.requests.count('eth_call') - before).toBe(1);
  });

  test('with `batch.multicall` reads of the same moment are one request', async () => {
    const client = createPublicClient({
      chain: rootstockRegtest,
      transport: graftTransport(counted()),
      batch: { multicall: true },
    });
    const { abi } = reverter;
    const read = () => client.readContract({ abi, address: contract, functionName: 'stored' });
    await service.controls.mine();
    await reader().getBlockNumber();
    const before = service.requests.count('eth_call');
    expect(await Promise.all([read(), read(), client.getBalance({ address: owner.address })])).toEqual([
      0n,
      0n,
      coin,
    ]);
    expect(service.requests.count('eth_call') - before).toBe(1);
  });

  test('logs of a range that the service refuses come in pieces', async () => {
    const node = clientOf(service);
    for (let count = 0; count < 3; count++) await service.controls.mine();
    const head = Number(await node.call('eth_blockNumber'));
    service.controls.intercept(({ calls }) => {
      const [{ fromBlock, toBlock } = {}] = (calls[0]?.params ?? []) as { fromBlock?: Hex; toBlock?: Hex }[];
      const isWide = calls[0]?.method === 'eth_getLogs' && Number(toBlock) - Number(fromBlock) >= 2;
      const error = { code: -32614, message: 'eth_getLogs is limited to a 2 range' };
      return isWide ? { body: JSON.stringify({ jsonrpc: '2.0', id: calls[0]?.id, error }) } : undefined;
    });
    const before = service.requests.count('eth_getLogs');
    const logs = await reader().getLogs({ fromBlock: BigInt(head - 3), toBlock: BigInt(head) });
    expect(logs).toEqual([]);
    expect(reads()).toEqual(['eth_getLogs']);
    expect(service.requests.count('eth_getLogs') - before).toBeGreaterThan(2);
  });

  test('a client of another chain is refused before anything is sent, and a fallback takes over', async () => {
    page.wallet.switchChain(31);
    const before = service.requests.length + other.requests.length;
    const error = await thrown(() => reader().getBalance({ address: owner.address }));
    expect(error.message).toContain('The wallet is on chain 31, the client on chain 33.');
    expect(error.walk((each) => (each as Error).name === 'ChainDisconnectedError')).not.toBeNull();
    expect(service.requests.length + other.requests.length).toBe(before);

    const transport = fallback([graftTransport(counted()), http(service.url)]);
    const client = createPublicClient({ chain: rootstockRegtest, transport });
    expect(await client.getBalance({ address: owner.address })).toBe(coin);
    // What is not about the chain is answered.
    expect(await writer().getAddresses()).toHaveLength(1);
    expect(await reader().getChainId()).toBe(31);
  });

  test('needs neither storage nor a page: a wallet in Node that only reads', async () => {
    const wallet = createWallet({ networks: [{ chainId: 33, url: service.url }] });
    const client = createPublicClient({ chain: rootstockRegtest, transport: graftTransport(wallet) });
    expect(await client.getBalance({ address: owner.address })).toBe(coin);
    wallet.destroy();
    await thrown(() => client.getBalance({ address: owner.address }));
  });
});

describe('the chains', () => {
  const chains = [rootstock, rootstockTestnet, rootstockRegtest];

  test('are those of the wallet by id, name, currency and explorer', () => {
    const wallet = createWallet({
      networks: chains.map(({ id }) => ({ chainId: id, url: 'https://node.example/key' })),
    });
    expect(
      chains.map((chain) => ({
        chainId: chain.id,
        name: chain.name,
        currency: chain.nativeCurrency,
        testnet: 'testnet' in chain && chain.testnet,
        explorer: chain.blockExplorers?.default.url,
      })),
    ).toEqual(
      wallet.networks().map(({ chainId, name, currency, testnet, explorer }) => ({
        ...{ chainId, name, currency, testnet, explorer },
      })),
    );
    wallet.destroy();
  });

  test.each([
    [rootstock, viemChains.rootstock],
    [rootstockTestnet, viemChains.rootstockTestnet],
  ])('have the endpoint and the multicall contract of viem’s own definition', (ours, theirs) => {
    expect(ours.rpcUrls).toEqual(theirs.rpcUrls);
    expect(ours.contracts).toEqual(theirs.contracts);
    expect(ours.nativeCurrency).toEqual(theirs.nativeCurrency);
  });

  test('a block has its minimum gas price, wei per gas', async () => {
    const { minimumGasPrice } = await reader().getBlock();
    expect(minimumGasPrice satisfies bigint).toBe(minimum);
  });

  test('a transaction pays the suggested price as a legacy one, and is mined', async () => {
    const request = await prepareTransactionRequest(reader(), {
      account: privateKeyToAccount(`0x${'11'.repeat(32)}`),
      to: nobody,
      value: 1n,
    });
    expect(request).toMatchObject({ type: 'legacy', gasPrice: await reader().getGasPrice() });
    const hash = await writer().sendRawTransaction({
      serializedTransaction: await alice.signTransaction(request as never),
    });
    expect(await reader().waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
  });

  test('a minimum above the suggestion is paid', async () => {
    service.controls.intercept(({ calls }) =>
      calls[0]?.method === 'eth_gasPrice'
        ? { body: JSON.stringify({ jsonrpc: '2.0', id: calls[0].id, result: '0x1' }) }
        : undefined,
    );
    await service.controls.mine();
    expect(await estimateFeesPerGas(reader(), { type: 'legacy' })).toEqual({ gasPrice: minimum });
  });

  test('EIP-1559 fees are refused, as on any chain without a base fee', async () => {
    const error = await thrown(() => estimateFeesPerGas(reader()));
    expect(error.name).toBe('Eip1559FeesNotSupportedError');
  });

  test.each([
    // With a market it is viem's own: the base fee and a fifth, and the service's tip.
    ['0x64', { maxFeePerGas: 127n, maxPriorityFeePerGas: 7n }],
    // The one price, in the new form.
    ['0x0', { maxFeePerGas: 65_164_000n, maxPriorityFeePerGas: 65_164_000n }],
  ] as const)(
    'once blocks have a base fee of %s, fees are those of EIP-1559',
    async (baseFeePerGas, fees) => {
      const answers: Record<string, unknown> = {
        eth_maxPriorityFeePerGas: '0x7',
        eth_gasPrice: toHex(65_164_000),
        eth_getBlockByNumber: { baseFeePerGas, minimumGasPrice: '0x3', transactions: [] },
      };
      const client = createPublicClient({
        chain: rootstockRegtest,
        transport: () => ({
          ...graftTransport(counted())({}),
          request: (async ({ method }: { method: string }) => answers[method]) as never,
        }),
      });
      expect(await estimateFeesPerGas(client)).toEqual(fees);
    },
  );
});

describe('the account', () => {
  const account = () => graftAccount(page.wallet, owner.address);

  test.each([
    ['text', 'Hello, Rootstock'],
    ['hexadecimal bytes', { raw: '0x00ff' }],
    ['bytes', { raw: new Uint8Array([0, 255]) }],
  ] as const)('signs a message of %s after one question', async (_, message) => {
    const before = questions().length;
    const signature = await account().signMessage({ message });
    expect(await recoverMessageAddress({ message, signature })).toBe(owner.address);
    expect(questions().slice(before)).toEqual(['message']);
  });

  test('signs typed data after one question', async () => {
    const typedData = {
      domain: { name: 'Orchard', version: '1', chainId: 33, verifyingContract: nobody },
      types: {
        Harvest: [
          { name: 'by', type: 'address' },
          { name: 'weight', type: 'uint256' },
        ],
      },
      primaryType: 'Harvest',
      message: { by: owner.address, weight: 2n ** 200n },
    } as const;
    const before = questions().length;
    const signature = await account().signTypedData(typedData);
    expect(await recoverTypedDataAddress({ ...typedData, signature })).toBe(owner.address);
    expect(questions().slice(before)).toEqual(['typed-data']);
  });

  test('signs a transaction that viem has prepared, after one question; viem sends it', async () => {
    const client = createWalletClient({
      account: account(),
      chain: rootstockRegtest,
      transport: graftTransport(page.wallet),
    });
    const before = questions().length;
    const hash = await client.sendTransaction({ to: contract, data: '0x', value: 0n, gas: 100_000n });
    expect(questions().slice(before)).toEqual(['transaction']);
    const sent = await reader().getTransaction({ hash });
    expect(sent).toMatchObject({ from: owner.address.toLowerCase(), to: contract, type: 'legacy' });
  });

  test('signs the fields that it was given', async () => {
    const raw = await account().signTransaction({
      ...{
        type: 'legacy',
        chainId: 33,
        nonce: 7,
        gas: 21_000n,
        gasPrice: 70_000_000n,
        to: nobody,
        value: 5n,
      },
    });
    expect(parseTransaction(raw)).toMatchObject({ nonce: 7, gasPrice: 70_000_000n, value: 5n, chainId: 33 });
    expect(await recoverTransactionAddress({ serializedTransaction: raw as never })).toBe(owner.address);
  });

  test('for another chain than the wallet’s it refuses to sign a transaction, without a question', async () => {
    const before = questions().length;
    const transaction = {
      type: 'legacy',
      chainId: 31,
      nonce: 0,
      gas: 21_000n,
      gasPrice: minimum,
      to: nobody,
    } as const;
    const error = await thrown(() => account().signTransaction(transaction));
    expect(error.name).toBe('ChainDisconnectedError');
    expect(questions()).toHaveLength(before);
  });

  test('a refusal, and an account that the page is not connected to, are viem’s errors', async () => {
    page.decide(() => false);
    expect((await thrown(() => account().signMessage({ message: 'x' }))).name).toBe(
      'UserRejectedRequestError',
    );
    const stranger = graftAccount(page.wallet, alice.address);
    expect((await thrown(() => stranger.signMessage({ message: 'x' }))).name).toBe(
      'UnauthorizedProviderError',
    );
  });
});
