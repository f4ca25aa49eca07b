/** graft-wallet/viem: a transport, an account and the chains of Rootstock for viem 2, which is a peer dependency. */
import {
  type Account,
  type Address,
  BaseError,
  type Block,
  bytesToHex,
  type Chain,
  type ChainFees,
  type Client,
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
import { getBlock, getChainId, getGasPrice } from 'viem/actions';
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

/**
 * Actions of a viem client for execution permissions (ERC-7715): the person agrees once to limits, and
 * `client.sendTransaction` and `client.sendCalls` ask nothing within them. Nothing is redeemed by a contract.
 *
 * @example
 * import { createWalletClient, parseEther } from 'viem';
 *
 * const [account] = await createWalletClient({ transport: graftTransport(wallet) }).requestAddresses();
 * const client = createWalletClient({
 *   account: account!,
 *   chain: rootstockTestnet,
 *   transport: graftTransport(wallet),
 * }).extend(permissionActions);
 * const [permission] = await client.requestExecutionPermissions({
 *   permissions: [
 *     {
 *       type: 'native-token-periodic',
 *       payees: ['0x5afe51de5afe51de5afe51de5afe51de5afe51de'],
 *       periodAmount: parseEther('0.0005'), // wei, fees included
 *       periodDuration: 86_400, // seconds
 *       expiry: Math.floor(Date.now() / 1_000) + 604_800, // Unix seconds
 *     },
 *   ],
 * });
 * await client.sendTransaction({ to: '0x5afe51de5afe51de5afe51de5afe51de5afe51de', value: 1n }); // no question
 * await client.revokeExecutionPermission({ context: permission!.context });
 */
export function permissionActions(client: Client): PermissionActions {
  const request = client.request as (args: { method: string; params?: unknown }) => Promise<unknown>;
  return {
    async requestExecutionPermissions({ account = client.account, permissions }) {
      if (!account) throw new BaseError('Name the account that pays, here or in the client.');
      const chainId = numberToHex(client.chain?.id ?? (await getChainId(client)));
      const to = typeof account === 'string' ? account : account.address;
      const params = permissions.map((each) => ({ chainId, to, ...requestOf(each) }));
      return readReplies(await request({ method: 'wallet_requestExecutionPermissions', params }));
    },
    async getGrantedExecutionPermissions() {
      return readReplies(await request({ method: 'wallet_getGrantedExecutionPermissions' }));
    },
    async getSupportedExecutionPermissions() {
      const supported = await request({ method: 'wallet_getSupportedExecutionPermissions' });
      return Object.fromEntries(
        Object.entries(
          supported as Record<string, { chainIds: readonly Hex[]; ruleTypes: readonly string[] }>,
        ).map(([type, { chainIds, ruleTypes }]) => [type, { chainIds: chainIds.map(Number), ruleTypes }]),
      );
    },
    async revokeExecutionPermission({ context }) {
      await request({
        method: 'wallet_revokeExecutionPermission',
        params: [{ permissionContext: context }],
      });
    },
  };
}

/**
 * The actions of {@link permissionActions}, which reject with viem's own errors. A type rather than an interface, as viem's
 * `extend` wants it.
 *
 * @example
 * import { createWalletClient } from 'viem';
 *
 * const client = createWalletClient({ chain: rootstockTestnet, transport: graftTransport(wallet) }).extend(permissionActions);
 * const supported = await client.getSupportedExecutionPermissions();
 * console.log(supported['native-token-allowance']?.chainIds);
 * const [account] = await client.requestAddresses();
 * const expiry = Math.floor(Date.now() / 1_000) + 86_400; // Unix seconds
 * const payees = ['0x5afe51de5afe51de5afe51de5afe51de5afe51de'] as const;
 * await client.requestExecutionPermissions({
 *   account: account!,
 *   permissions: [{ type: 'native-token-allowance', payees, allowanceAmount: 10n ** 15n, expiry }],
 * });
 * for (const { context } of await client.getGrantedExecutionPermissions())
 *   await client.revokeExecutionPermission({ context });
 */
export type PermissionActions = {
  /**
   * Asks the person for one to four permissions on the client's chain, all or none. One of the same kind and token replaces an
   * earlier one, and what that has spent counts.
   *
   * @returns them as granted: the person may have lowered amount and expiry
   * @throws UserRejectedRequestError (4001) for a refusal; InvalidParamsRpcError (-32602) naming the value;
   * UnauthorizedProviderError (4100) for an account that is not shared; UnsupportedProviderMethodError (4200) where the browser
   * has no Web Locks; BaseError without an account
   */
  requestExecutionPermissions(parameters: {
    /** The connected account that pays. Default: the client's. */
    readonly account?: Account | Address | undefined;
    /** One to four permissions. */
    readonly permissions: readonly ExecutionPermission[];
  }): Promise<readonly GrantedExecutionPermission[]>;
  /** The permissions of this site that have not ended, of all its accounts and chains. */
  getGrantedExecutionPermissions(): Promise<readonly GrantedExecutionPermission[]>;
  /** The chains and rules of each type that the wallet grants, by type; no type where the browser has no Web Locks. */
  getSupportedExecutionPermissions(): Promise<SupportedExecutionPermissions>;
  /**
   * Ends a permission of this site, without a question. Nothing is signed under it once this has resolved.
   * @throws InvalidParamsRpcError (-32602) for another context
   */
  revokeExecutionPermission(parameters: { readonly context: Hex }): Promise<void>;
};

/** The result of `getSupportedExecutionPermissions`: chain ids and rules, by type. */
export type SupportedExecutionPermissions = Readonly<
  Record<string, { readonly chainIds: readonly number[]; readonly ruleTypes: readonly string[] }>
>;

/**
 * Limits within which the site sends without a question.
 *
 * @example
 * const moves: ExecutionPermission = {
 *   type: 'graft-contract-calls',
 *   contracts: [{ address: '0x77045e71a7a2c50903d88e564cd72fab11e82051', selectors: ['move(uint8)'] }],
 *   allowanceAmount: 10n ** 14n, // wei in all, fees included
 *   expiry: Math.floor(Date.now() / 1_000) + 86_400, // Unix seconds
 *   justification: 'Moves of your game',
 * };
 */
export type ExecutionPermission = Permitted & {
  /** Until when, Unix seconds; at most 90 days from now. */
  readonly expiry: number;
  /** From when, Unix seconds. Default: now. */
  readonly startTime?: number | undefined;
  /** Whether the person may lower amount and expiry. Default true. */
  readonly isAdjustmentAllowed?: boolean | undefined;
  /** The reason that the person reads; at most 500 characters. */
  readonly justification?: string | undefined;
};

/** A permission that the person has granted. */
export type GrantedExecutionPermission = ExecutionPermission & {
  /** Names it: 32 bytes, no secret. */
  readonly context: Hex;
  /** The account that pays, in lower case. */
  readonly account: Address;
  /** The chain, as a number such as 30. */
  readonly chainId: number;
  /** From when, Unix seconds. */
  readonly startTime: number;
  /** Whether the person could lower amount and expiry. */
  readonly isAdjustmentAllowed: boolean;
};

/** The types of permission, each with its limits. */
type Permitted =
  | ({ readonly type: 'native-token-allowance' } & Coins & InAll)
  | ({ readonly type: 'native-token-periodic' } & Coins & EachPeriod)
  | ({ readonly type: 'erc20-token-allowance' } & Token & InAll)
  | ({ readonly type: 'erc20-token-periodic' } & Token & EachPeriod)
  | ({ readonly type: 'graft-contract-calls' } & Calls & (InAll | EachPeriod));

/** One amount for the whole term. */
interface InAll {
  /** The most in all: wei with the fees, or base units of the token. */
  readonly allowanceAmount: bigint;
}

/** An amount that is new in each period. */
interface EachPeriod {
  /** The most in each period: wei with the fees, or base units of the token. */
  readonly periodAmount: bigint;
  /** Seconds; at least 3,600. */
  readonly periodDuration: number;
}

/** Payments of coins. */
interface Coins {
  /** The addresses that may be paid; at most 64. */
  readonly payees: readonly Address[];
}

/** Transfers of a token. */
interface Token {
  /** A token that the wallet lists. */
  readonly tokenAddress: Address;
  /** The most for fees in each period, wei. Default: some hundred transfers. */
  readonly feeAmount?: bigint | undefined;
  /** The addresses that may get it; absent: anyone. */
  readonly payees?: readonly Address[] | undefined;
}

/** Calls of functions. */
interface Calls {
  /**
   * The functions that may be called, by their signatures (`move(uint8)`) or the first four bytes of their calldata; at most 16
   * contracts of 32 functions.
   */
  readonly contracts: readonly { readonly address: Address; readonly selectors: readonly string[] }[];
}

/** ERC-7715's form of a permission, without chain and accounts. */
function requestOf({ type, expiry, isAdjustmentAllowed = true, ...rest }: ExecutionPermission) {
  const { payees, ...fields } = rest as typeof rest & Partial<Coins>;
  const data: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) data[name] = typeof value === 'bigint' ? numberToHex(value) : value;
  return {
    permission: { type, isAdjustmentAllowed, data },
    rules: [
      { type: 'expiry', data: { timestamp: expiry } },
      ...(payees ? [{ type: 'payee', data: { addresses: payees } }] : []),
    ],
  };
}

const readReplies = (replies: unknown): readonly GrantedExecutionPermission[] =>
  (replies as readonly PermissionReply[]).map(({ chainId, from, context, permission, rules }) => {
    const { type, isAdjustmentAllowed, data } = permission;
    // A site may have requested it by ERC-7715's other name.
    const { allowance, allowanceAmount = allowance, periodAmount, feeAmount, ...fields } = data;
    const amounts = Object.entries({ allowanceAmount, periodAmount, feeAmount }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, BigInt(value)]],
    );
    const rule = (name: string) => rules.find((each) => each.type === name)?.data;
    const payees = rule('payee')?.addresses;
    return {
      ...{ type, context, account: from, chainId: Number(chainId) },
      ...{ ...fields, ...Object.fromEntries(amounts), isAdjustmentAllowed },
      ...(payees && { payees }),
      expiry: rule('expiry')?.timestamp,
    } as GrantedExecutionPermission;
  });

/** A granted permission in the words of ERC-7715. */
interface PermissionReply {
  readonly chainId: Hex;
  readonly from: Address;
  readonly context: Hex;
  readonly permission: {
    readonly type: string;
    readonly isAdjustmentAllowed: boolean;
    readonly data: {
      readonly [name in 'allowance' | 'allowanceAmount' | 'periodAmount' | 'feeAmount']?: Hex;
    };
  };
  readonly rules: readonly {
    readonly type: string;
    readonly data: { readonly timestamp?: number; readonly addresses?: readonly Address[] };
  }[];
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
