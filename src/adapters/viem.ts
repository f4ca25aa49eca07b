/** graft-wallet/viem: a transport, an account and the chains of Rootstock for viem 2, which is a peer dependency. */
import {
  type Address,
  type Block,
  bytesToHex,
  type Chain,
  type ChainFees,
  createTransport,
  defineBlock,
  defineChain,
  type EIP1193RequestFn,
  formatTransactionRequest,
  getTypesForEIP712Domain,
  type Hex,
  type LocalAccount,
  numberToHex,
  serializeTypedData,
  stringToHex,
  type Transport,
  type TypedDataDefinition,
} from 'viem';
import { toAccount } from 'viem/accounts';
import { getBlock, getGasPrice } from 'viem/actions';
import type { Provider } from '../index.js';

/** The wallet of an adapter: the result of `createWallet` or `connectBridge`, or an object with their provider. */
export interface ProviderHolder {
  /** The EIP-1193 provider of the wallet. */
  readonly provider: Provider;
}

/**
 * A viem transport over the wallet: reads are cached, shared and split as the wallet does it, and are sent once, since
 * the wallet repeats by itself what may be repeated. A person is asked for what needs their approval. Errors are viem's
 * own; a revert is a `ContractFunctionRevertedError` after one request.
 *
 * A client with a `chain` is refused with code 4901 while the wallet is on another one, before anything is sent. In a
 * `fallback` transport the next one then takes over.
 *
 * @example
 * import { createPublicClient } from 'viem';
 *
 * const client = createPublicClient({ chain: rootstockTestnet, transport: graftTransport(wallet) });
 * const balance = await client.getBalance({ address: '0x5afe51de5afe51de5afe51de5afe51de5afe51de' });
 */
export function graftTransport({ provider }: ProviderHolder): Transport<'graft'> {
  return ({ chain }) => {
    const request = async (args: { method: string }, options?: object) => {
      if (chain && !chainless.test(args.method)) await requireChain(provider, chain.id);
      return provider.request(args, options);
    };
    return createTransport({
      key: 'graft',
      name: 'Graft',
      type: 'graft',
      retryCount: 0,
      request: request as EIP1193RequestFn,
    });
  };
}

/**
 * Methods that do not depend on the chain: the connection, the chain's id, and signatures of data, which name their chain themselves.
 * A list of its own, because an adapter loads nothing of the wallet; a test compares it with the table of methods.
 */
const chainless =
  /^(wallet_|personal_|net_version$|web3_sha3$|eth_(chainId|accounts|requestAccounts|selectAccounts|sign|signTypedData(_v[134])?)$)/;

async function requireChain(provider: Provider, expected: number): Promise<void> {
  const active = Number(await provider.request({ method: 'eth_chainId' }));
  if (active !== expected)
    throw Object.assign(new Error(`The wallet is on chain ${active}, the client on chain ${expected}.`), {
      code: 4901,
    });
}

/**
 * An account of the wallet for libraries that sign through viem's `Account` and send by themselves. Every signature is a
 * question to a person, and the page must be connected to the address. `signTransaction` resolves with what the person
 * approved: the gas price, or the limit of a token approval, may differ from the request.
 *
 * To send, prefer the address itself as viem's `account`: then the wallet sends, and offers the transaction again until
 * it is mined.
 *
 * @param address of a connected account, 20 bytes
 * @example
 * import { createWalletClient } from 'viem';
 *
 * const client = createWalletClient({ chain: rootstockTestnet, transport: graftTransport(wallet) });
 * const [address] = await client.requestAddresses();
 * const signature = await graftAccount(wallet, address!).signMessage({ message: 'Hello' });
 *
 * @throws InvalidAddressError of viem. The signatures reject with viem's `UserRejectedRequestError` (4001),
 * `UnauthorizedProviderError` (4100) for an account that the page is not connected to, `InvalidParamsRpcError` (-32602)
 * or `TransactionRejectedRpcError` (-32003)
 */
export function graftAccount(wallet: ProviderHolder, address: Address): LocalAccount<'custom'> {
  const { request } = graftTransport(wallet)({});
  return toAccount({
    address,
    signMessage: ({ message }) => {
      const data = typeof message === 'string' ? stringToHex(message) : message.raw;
      const bytes = typeof data === 'string' ? data : bytesToHex(data);
      return request({ method: 'personal_sign', params: [bytes, address] });
    },
    signTypedData: (parameters) => {
      const definition = parameters as unknown as TypedDataDefinition;
      const types = { EIP712Domain: getTypesForEIP712Domain(definition), ...definition.types };
      const typedData = serializeTypedData({ ...definition, types } as TypedDataDefinition);
      return request({ method: 'eth_signTypedData_v4', params: [address, typedData] });
    },
    signTransaction: (transaction) => {
      const { chainId } = transaction;
      const fields = formatTransactionRequest({ ...transaction, from: address } as never);
      const named = { ...fields, ...(chainId !== undefined && { chainId: numberToHex(chainId) }) };
      return request({ method: 'eth_signTransaction', params: [named] } as never) as Promise<Hex>;
    },
  }) as LocalAccount<'custom'>;
}

/** A block with Rootstock's own fields besides viem's. */
export interface RootstockBlock extends Block {
  /** The lowest gas price that it takes, wei per gas. Zero where the block names none. */
  readonly minimumGasPrice: bigint;
}

const formatters = {
  block: /* @__PURE__ */ defineBlock({
    // viem adds its own fields.
    format: (block: { readonly minimumGasPrice?: Hex | null | undefined }) =>
      ({ minimumGasPrice: BigInt(block.minimumGasPrice ?? 0) }) as RootstockBlock,
  }),
} as const;

/**
 * The one gas price, wei per gas: what the service suggests, and at least the newest block's minimum. It is not raised by
 * viem's usual fifth, since the suggestion is a tenth above the minimum (docs/notes/node.md#one-price). A chain whose
 * blocks have a base fee above zero is left to viem; with a base fee of zero, types 1 and 2 pay the same price.
 */
const fees: ChainFees<typeof formatters> = {
  async estimateFeesPerGas({ block, client, type }) {
    // viem passes no block when its `estimateFeesPerGas` is called by itself, although the type says so.
    const head = (block as RootstockBlock | undefined) ?? ((await getBlock(client)) as RootstockBlock);
    const { baseFeePerGas, minimumGasPrice } = head;
    if (baseFeePerGas || (type === 'eip1559' && baseFeePerGas === null)) return null;
    const gasPrice = higher(await getGasPrice(client), minimumGasPrice);
    return type === 'eip1559' ? { maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice } : { gasPrice };
  },
};

const higher = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** viem's chain, with the blocks of Rootstock. Named, since viem adds members to what `defineChain` returns. */
type RootstockChain<id extends number> = Chain<typeof formatters> & { readonly id: id };

/** The properties that the three chains have in common. */
const common = <const id extends number>(id: id, name: string, symbol: string, url: string) =>
  ({
    id,
    name,
    nativeCurrency: { name: 'Rootstock Bitcoin', symbol, decimals: 18 },
    rpcUrls: { default: { http: [url] } },
    formatters,
    fees,
  }) as const;

const explorer = (url: string) => ({ default: { name: 'Rootstock Explorer', url } });
const multicall3 = { address: '0xcA11bde05977b3631167028862bE2a173976CA11' } as const;

/** Rootstock mainnet, 30, with the wallet's fees. The endpoint is a public one, for transports that need it. */
export const rootstock: RootstockChain<30> = /* @__PURE__ */ defineChain({
  .../* @__PURE__ */ common(30, 'Rootstock Mainnet', 'RBTC', 'https://public-node.rsk.co'),
  blockExplorers: /* @__PURE__ */ explorer('https://explorer.rootstock.io'),
  contracts: { multicall3: { ...multicall3, blockCreated: 4_249_540 } },
});

/** Rootstock testnet, 31, with the wallet's fees. The endpoint is a public one, for transports that need it. */
export const rootstockTestnet: RootstockChain<31> = /* @__PURE__ */ defineChain({
  .../* @__PURE__ */ common(31, 'Rootstock Testnet', 'tRBTC', 'https://public-node.testnet.rsk.co'),
  blockExplorers: /* @__PURE__ */ explorer('https://explorer.testnet.rootstock.io'),
  contracts: { multicall3: { ...multicall3, blockCreated: 2_771_150 } },
  testnet: true,
});

/**
 * A local chain, 33: `graft-local`, or the regtest mode of a node at its usual port. `graft-local` has Multicall3 from its
 * first block; for a node without it, take `{ ...rootstockRegtest, contracts: {} }`.
 */
export const rootstockRegtest: RootstockChain<33> = /* @__PURE__ */ defineChain({
  .../* @__PURE__ */ common(33, 'Rootstock Local', 'tRBTC', 'http://127.0.0.1:4444'),
  contracts: { multicall3 },
  testnet: true,
});
