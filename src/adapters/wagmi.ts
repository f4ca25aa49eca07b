/** graft-wallet/wagmi: a connector for wagmi 2 and 3 (`wagmi` or `@wagmi/core`), which is a peer dependency. */
import {
  type AddEthereumChainParameter,
  type Address,
  BaseError,
  type Chain,
  type Client,
  createClient,
  type EIP1193RequestFn,
  type EIP1474Methods,
  getAddress,
  type Hex,
  InvalidParamsRpcError,
  numberToHex,
  SwitchChainError,
  UserRejectedRequestError,
} from 'viem';
import type { Provider } from '../index.js';
import { icon as graftIcon } from '../provider/icon.js';
import {
  type ExecutionPermission,
  type GrantedExecutionPermission,
  graftTransport,
  type PermissionActions,
  type ProviderHolder,
  permissionActions,
  type SupportedExecutionPermissions,
} from './viem.js';

/**
 * A wagmi connector for a wallet in this page or over a bridge. Connecting a person who has no wallet yet sets one up in
 * the wallet's own dialog first. After a reload wagmi connects again without a question, until the person or the dapp has
 * disconnected. The connector announces nothing; an announced wallet with the same `rdns` is not listed twice.
 *
 * @example
 * import { createConfig } from 'wagmi'; // or from '@wagmi/core'
 *
 * const config = createConfig({
 *   chains: [rootstockTestnet],
 *   connectors: [graft({ wallet })],
 *   transports: { [rootstockTestnet.id]: graftTransport(wallet) },
 * });
 *
 * @returns what wagmi's `connectors` take. Its functions reject with viem's errors: `UserRejectedRequestError` (4001),
 * `UnauthorizedProviderError` (4100) with `onboarding: 'page'` for a person without a wallet, `SwitchChainError` (4902)
 * for a chain that neither the wallet nor the config knows
 */
export function graft(options: graft.Options): CreateGraftConnector {
  const { wallet, id = 'graft', name = 'Graft', icon = graftIcon, rdns = 'io.github.graft-wallet' } = options;
  const { provider } = wallet;
  const transport = graftTransport(wallet);
  const request = transport({}).request as EIP1193RequestFn<EIP1474Methods>;

  return ({ chains, emitter }) => {
    let listening = false;
    /** wagmi sets a connector up once, and may connect several times: React's StrictMode reconnects twice. */
    function listen(): void {
      if (listening) return;
      listening = true;
      provider.on('accountsChanged', (accounts) => void onAccountsChanged(accounts));
      provider.on('chainChanged', onChainChanged);
    }

    async function onAccountsChanged(accounts: readonly string[]): Promise<void> {
      const addresses = accounts.map((account) => getAddress(account));
      if (addresses.length === 0) emitter.emit('disconnect');
      // wagmi listens for it while it is not connected: the owner has given an account, here or in another tab.
      else if (emitter.listenerCount('connect') > 0)
        emitter.emit('connect', { accounts: addresses, chainId: await getChainId() });
      else emitter.emit('change', { accounts: addresses });
    }

    const onChainChanged = (chainId: string) => emitter.emit('change', { chainId: Number(chainId) });

    const getChainId = async () => Number(await request({ method: 'eth_chainId' }));

    const readAccounts = async (method: 'eth_accounts' | 'eth_requestAccounts') =>
      (await request({ method })).map((account) => getAddress(account));

    const getAccounts = () => readAccounts('eth_accounts');

    /** Connects and signs in by one question (ERC-7846). */
    async function signIn(fields: SignInRequest, chainId: number): Promise<readonly ConnectedAccount[]> {
      const times = ['issuedAt', 'expirationTime', 'notBefore'] as const;
      const stated: Record<string, unknown> = { ...fields, chainId: numberToHex(fields.chainId ?? chainId) };
      for (const name of times) {
        const time = fields[name];
        // An invalid date is text that the wallet refuses.
        if (time instanceof Date) stated[name] = Number.isNaN(+time) ? `${time}` : time.toISOString();
      }
      const connect = request as unknown as (
        args: object,
      ) => Promise<{ accounts: readonly ConnectedAccount[] }>;
      const { accounts } = await connect({
        method: 'wallet_connect',
        params: [{ version: '1', capabilities: { signInWithEthereum: stated } }],
      });
      return accounts.map((each) => ({ ...each, address: getAddress(each.address) }));
    }

    async function switchChain({ chainId, addEthereumChainParameter: added }: SwitchChain): Promise<Chain> {
      const chain = chains.find((each) => each.id === chainId);
      if (!chain) throw new SwitchChainError(new Error(`Chain ${chainId} is not in the config's chains.`));
      const id = numberToHex(chainId);
      try {
        await request({ method: 'wallet_switchEthereumChain', params: [{ chainId: id }] });
      } catch (error) {
        if (!(error instanceof SwitchChainError)) throw error;
        // One question: to add it, and to switch to it.
        const explorer = chain.blockExplorers?.default.url;
        const parameter: AddEthereumChainParameter = {
          chainName: chain.name,
          nativeCurrency: chain.nativeCurrency,
          rpcUrls: chain.rpcUrls.default.http,
          ...(explorer !== undefined && { blockExplorerUrls: [explorer] }),
          ...added,
          chainId: id,
        };
        await request({ method: 'wallet_addEthereumChain', params: [parameter] });
      }
      return chain;
    }

    return {
      id,
      name,
      icon,
      rdns,
      type: 'graft',
      async setup() {
        // A server creates a config for each request, whose listeners nothing would remove.
        if (typeof window !== 'undefined') listen();
      },
      async connect<withCapabilities extends boolean = false>({
        chainId,
        isReconnecting,
        withCapabilities,
        capabilities,
      }: Connect<withCapabilities> = {}) {
        listen();
        if (isReconnecting) await pageIsIdle();
        const signInFields = isReconnecting ? undefined : capabilities?.signInWithEthereum;
        if (signInFields && !withCapabilities)
          throw new InvalidParamsRpcError(
            new Error('Signing in needs withCapabilities: true, since the signature is in the capabilities.'),
          );
        const described = signInFields
          ? await signIn(signInFields, chainId ?? (await getChainId()))
          : (await readAccounts(isReconnecting ? 'eth_accounts' : 'eth_requestAccounts')).map((address) => ({
              address,
              capabilities: {},
            }));
        let active = await getChainId();
        if (chainId !== undefined && chainId !== active)
          // Like wagmi's own connectors: only a refusal ends it, else the dapp sees the wallet's chain.
          try {
            await switchChain({ chainId });
            active = chainId;
          } catch (error) {
            // A signature that was given is not lost with the refusal.
            if (error instanceof UserRejectedRequestError && !signInFields) throw error;
          }
        const accounts = withCapabilities ? described : described.map(({ address }) => address);
        return { accounts: accounts as never, chainId: active };
      },
      async disconnect() {
        await request({ method: 'wallet_revokePermissions', params: [{ eth_accounts: {} }] });
      },
      getAccounts,
      getChainId,
      getProvider: async () => provider,
      async getClient({ chainId } = {}) {
        const [account] = await getAccounts();
        const chain = chains.find((each) => each.id === chainId);
        return createClient({ account, chain, name: 'Graft', transport });
      },
      async isAuthorized() {
        await pageIsIdle();
        return (await getAccounts().catch(() => [])).length > 0;
      },
      switchChain,
      onAccountsChanged,
      onChainChanged,
      onDisconnect: () => emitter.emit('disconnect'),
    };
  };
}

/**
 * Resolves once the page is idle, within half a second. React hydrates a page that a server has rendered as "reconnecting" in
 * tasks, its parts in `Suspense` last: an answer to wagmi's `reconnect` before that makes it differ from the server's.
 */
const pageIsIdle = () =>
  new Promise<void>((resolve) => {
    const inTask = () => setTimeout(resolve);
    if (typeof requestIdleCallback === 'function') requestIdleCallback(inTask, { timeout: 500 });
    else setTimeout(resolve, 50);
  });

export declare namespace graft {
  /** The options of {@link graft}. */
  interface Options {
    /** The result of `createWallet` or `connectBridge`, or an object with their `provider`. */
    readonly wallet: ProviderHolder;
    /** The id by which wagmi remembers the connector. Default "graft". */
    readonly id?: string | undefined;
    /** Default "Graft". */
    readonly name?: string | undefined;
    /** A square image as a data URI. Default: the icon of Graft. */
    readonly icon?: string | undefined;
    /** As in the wallet's `announce`, so that wagmi does not list the announced wallet too. Default "io.github.graft-wallet". */
    readonly rdns?: string | undefined;
  }
}

/**
 * Asks the person for permissions to send without a question (ERC-7715), one to four, all or none, for the account and the chain
 * of the connection. `sendTransaction` and `sendCalls` then ask nothing within their limits.
 *
 * @param config of wagmi; in React that of `useConfig`
 * @returns them as granted: the person may have lowered amount and expiry
 * @throws as the action of `graft-wallet/viem`; `ConnectorNotConnectedError` without a connection
 *
 * @example
 * import type { Config } from 'wagmi';
 *
 * declare const config: Config; // of createConfig or useConfig
 * const [permission] = await requestExecutionPermissions(config, {
 *   permissions: [
 *     {
 *       type: 'native-token-allowance',
 *       payees: ['0x5afe51de5afe51de5afe51de5afe51de5afe51de'],
 *       allowanceAmount: 10n ** 15n, // wei in all, fees included
 *       expiry: Math.floor(Date.now() / 1_000) + 86_400, // Unix seconds
 *     },
 *   ],
 * });
 */
export const requestExecutionPermissions = async (
  config: ConnectedConfig,
  { permissions, ...parameters }: RequestExecutionPermissions,
): Promise<readonly GrantedExecutionPermission[]> =>
  actionsOf(config, parameters).then((actions) => actions.requestExecutionPermissions({ permissions }));

/**
 * The permissions of this site that have not ended, of all its accounts and chains.
 *
 * @throws `ConnectorNotConnectedError` without a connection
 * @example
 * import type { Config } from 'wagmi';
 *
 * declare const config: Config; // of createConfig or useConfig
 * const permissions = await getGrantedExecutionPermissions(config);
 */
export const getGrantedExecutionPermissions = async (
  config: ConnectedConfig,
  parameters: PermissionConnection = {},
): Promise<readonly GrantedExecutionPermission[]> =>
  actionsOf(config, parameters).then((actions) => actions.getGrantedExecutionPermissions());

/**
 * The chains and rules of each type that the wallet grants, by type; no type where the browser has no Web Locks.
 *
 * @throws `ConnectorNotConnectedError` without a connection
 * @example
 * import type { Config } from 'wagmi';
 *
 * declare const config: Config; // of createConfig or useConfig
 * const canCall = 'graft-contract-calls' in (await getSupportedExecutionPermissions(config));
 */
export const getSupportedExecutionPermissions = async (
  config: ConnectedConfig,
  parameters: PermissionConnection = {},
): Promise<SupportedExecutionPermissions> =>
  actionsOf(config, parameters).then((actions) => actions.getSupportedExecutionPermissions());

/**
 * Ends a permission of this site, without a question. Nothing is signed under it once this has resolved.
 *
 * @throws InvalidParamsRpcError (-32602) for another context; `ConnectorNotConnectedError` without a connection
 * @example
 * import type { Config } from 'wagmi';
 *
 * declare const config: Config; // of createConfig or useConfig
 * for (const { context } of await getGrantedExecutionPermissions(config))
 *   await revokeExecutionPermission(config, { context });
 */
export const revokeExecutionPermission = async (
  config: ConnectedConfig,
  { context, ...parameters }: PermissionConnection & { readonly context: Hex },
): Promise<void> =>
  actionsOf(config, parameters).then((actions) => actions.revokeExecutionPermission({ context }));

/** The parameters of {@link requestExecutionPermissions}. */
export interface RequestExecutionPermissions extends PermissionConnection {
  /** The account that pays. Default: the one of the connection. */
  readonly account?: Address | undefined;
  /** Default: the chain of the connection. */
  readonly chainId?: number | undefined;
  /** One to four permissions. */
  readonly permissions: readonly ExecutionPermission[];
}

/** The connection whose wallet is asked. */
export interface PermissionConnection {
  /** A connected connector. Default: the current one. */
  readonly connector?: { readonly uid: string } | undefined;
}

/** wagmi's `Config`, as far as it is used. */
export interface ConnectedConfig {
  /** The connections, by the `uid` of their connector. */
  readonly state: {
    readonly current: string | null;
    readonly connections: ReadonlyMap<
      string,
      {
        readonly accounts: readonly Address[];
        readonly chainId: number;
        readonly connector: { getProvider(): Promise<unknown> };
      }
    >;
  };
}

async function actionsOf(
  { state }: ConnectedConfig,
  { connector, account, chainId }: Omit<RequestExecutionPermissions, 'permissions'>,
): Promise<PermissionActions> {
  const connection = state.connections.get(connector?.uid ?? state.current ?? '');
  if (!connection) throw new BaseError('Connector not connected.', { name: 'ConnectorNotConnectedError' });
  const provider = (await connection.connector.getProvider()) as Provider;
  const client = createClient({
    account: account ?? connection.accounts[0],
    // Permissions depend on nothing but its id.
    chain: { id: chainId ?? connection.chainId } as Chain,
    transport: graftTransport({ provider }),
  });
  return permissionActions(client);
}

/**
 * wagmi's `CreateConnectorFn`, as far as it is used: a type of our own fits wagmi 2 and 3, and needs neither to be
 * resolved.
 */
export type CreateGraftConnector = (config: {
  readonly chains: readonly Chain[];
  readonly emitter: {
    emit(
      event: 'change',
      change: { accounts?: readonly Address[] | undefined; chainId?: number | undefined },
    ): void;
    emit(event: 'connect', connection: { accounts: readonly Address[]; chainId: number }): void;
    emit(event: 'disconnect'): void;
    listenerCount(event: 'connect'): number;
  };
}) => GraftConnector;

/**
 * The definition from which wagmi creates a connector. A type rather than an interface, since wagmi allows further properties.
 */
export type GraftConnector = {
  readonly id: string;
  readonly name: string;
  readonly icon: string;
  readonly rdns: string;
  readonly type: 'graft';
  setup(): Promise<void>;
  connect<withCapabilities extends boolean = false>(
    parameters?: Connect<withCapabilities>,
  ): Promise<{ accounts: AccountsOf<withCapabilities>; chainId: number }>;
  disconnect(): Promise<void>;
  getAccounts(): Promise<readonly Address[]>;
  getChainId(): Promise<number>;
  getProvider(): Promise<Provider>;
  getClient(parameters?: { chainId?: number | undefined }): Promise<Client>;
  isAuthorized(): Promise<boolean>;
  switchChain(parameters: SwitchChain): Promise<Chain>;
  onAccountsChanged(accounts: readonly string[]): void;
  onChainChanged(chainId: string): void;
  onDisconnect(error?: Error): void;
};

interface Connect<withCapabilities extends boolean> {
  chainId?: number | undefined;
  isReconnecting?: boolean | undefined;
  withCapabilities?: withCapabilities | boolean | undefined;
  /** With `withCapabilities: true`: the person connects and signs in by one question. */
  capabilities?: { readonly signInWithEthereum?: SignInRequest | undefined } | undefined;
}

/** The fields of a sign-in message (EIP-4361) that a page may give. The wallet writes the others, and the message. */
export interface SignInRequest {
  /** At least 8 letters and digits, which the server made for this sign-in. */
  readonly nonce: string;
  /** Default: the chain of the connection. */
  readonly chainId?: number | undefined;
  /** One line of ASCII. */
  readonly statement?: string | undefined;
  /** Default: now. Text is RFC 3339, as for the other times. */
  readonly issuedAt?: Date | string | undefined;
  /** The end of the sign-in. Default: none. */
  readonly expirationTime?: Date | string | undefined;
  /** The time from which it holds. */
  readonly notBefore?: Date | string | undefined;
  /** The server's own id for the request. */
  readonly requestId?: string | undefined;
  /** URIs that the sign-in is about. */
  readonly resources?: readonly string[] | undefined;
}

/** An account of a connection with `withCapabilities`. */
export interface ConnectedAccount {
  /** With its checksum. */
  readonly address: Address;
  /** The sign-in, or nothing. */
  readonly capabilities: {
    /** For one account, where a sign-in was requested: the message as it was signed. */
    readonly signInWithEthereum?: { readonly message: string; readonly signature: Hex } | undefined;
  };
}

type AccountsOf<withCapabilities extends boolean> = withCapabilities extends true
  ? readonly ConnectedAccount[]
  : readonly Address[];

interface SwitchChain {
  chainId: number;
  addEthereumChainParameter?: Partial<Omit<AddEthereumChainParameter, 'chainId'>> | undefined;
}
