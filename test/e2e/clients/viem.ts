import {
  type Account,
  type Address,
  BaseError,
  type Chain,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  custom,
  defineChain,
  type EIP1193Provider,
  type Hex,
  type SendTransactionParameters,
  TransactionRejectedRpcError,
  type Transport,
} from 'viem';
import manifest from 'viem/package.json' with { type: 'json' };
import type { Acts, Adapter, ChainToAdd, Explained, Failing, Library, Shown, Transaction } from './client.js';
import { failing, reverter } from './contracts.js';
import { onNode, refusals, reverts, succeeds } from './expected.js';
import { createHeard } from './heard.js';

const { abi } = reverter;

/** How a client of viem reaches the wallet. */
export interface ViemSetup {
  transport(provider: EIP1193Provider): Transport;
  chain(told: ChainToAdd): Chain;
  /** What signs and sends: the address, for the wallet to do both, or an `Account` of it. */
  account(provider: EIP1193Provider, address: Address): Address | Account;
}

export const createWith =
  (setup: ViemSetup): Library['create'] =>
  (surroundings) => {
    const { provider, chains, pollingInterval } = surroundings;
    const ethereum = provider as EIP1193Provider;
    const chain = setup.chain(chains[0] as ChainToAdd);
    const transport = setup.transport(ethereum);
    const reader = createPublicClient({ chain, transport, pollingInterval });
    const writer = createWalletClient({ chain, transport, pollingInterval });

    const heard = createHeard();
    const { accounts, chains: chainIds } = heard;
    // viem has no hooks of its own for these: its users listen to the provider.
    ethereum.on('accountsChanged', (list) => void accounts.push([...list]));
    ethereum.on('chainChanged', (id) => void chainIds.push(Number(id)));

    const account = async () => setup.account(ethereum, (await writer.getAddresses())[0] as Address);
    const mined = (hash: string) => reader.waitForTransactionReceipt({ hash: hash as Hex });
    const lower = (addresses: readonly Address[]) => addresses.map((address) => address.toLowerCase());
    const viewing = (address: string, way: Failing) =>
      ({ abi, address: address as Address, functionName: failing[way].view }) as const;
    const sending = async (address: string, way: Failing) =>
      ({
        abi,
        address: address as Address,
        functionName: failing[way].send,
        account: await account(),
      }) as const;

    return {
      connect: async () => lower(await writer.requestAddresses()),
      reconnect: async () => lower(await writer.getAddresses()),
      async disconnect() {
        await ethereum.request({ method: 'wallet_revokePermissions', params: [{ eth_accounts: {} }] });
      },
      chainId: () => writer.getChainId(),
      switchChain: (id) => writer.switchChain({ id }),
      addChain: (added) => writer.addChain({ chain: setup.chain(added) }),

      signMessage: async (message) => writer.signMessage({ account: await account(), message }),
      signTypedData: async (typedData) =>
        writer.signTypedData({ ...typedData, account: await account() } as never),

      balance: async (address) => String(await reader.getBalance({ address: address as Address })),
      send: async (transaction) =>
        writer.sendTransaction({
          account: await account(),
          ...requestOf(transaction),
        } as SendTransactionParameters<typeof chain>),
      wait: async (hash) => (await mined(hash)).status,
      async deploy() {
        const hash = await writer.deployContract({
          account: await account(),
          abi,
          bytecode: reverter.code as Hex,
        });
        return ((await mined(hash)).contractAddress as Address).toLowerCase();
      },
      read: async (address) =>
        String(await reader.readContract({ abi, address: address as Address, functionName: 'stored' })),
      write: async (address, value) =>
        writer.writeContract({
          account: await account(),
          abi,
          address: address as Address,
          functionName: 'store',
          args: [BigInt(value)],
        }),
      callFailing: async (address, way) => String(await reader.readContract(viewing(address, way))),
      estimateFailing: async (address, way) =>
        String(await reader.estimateContractGas(await sending(address, way))),
      sendFailing: async (address, way) => writer.writeContract(await sending(address, way)),

      ...watchingActs(
        heard,
        (options) => reader.watchBlockNumber(options),
        (options) => reader.watchContractEvent(options),
      ),
    };
  };

/** The acts that follow the chain, which viem and wagmi say in the same words. */
export function watchingActs(
  { blocks, stored, seen }: ReturnType<typeof createHeard>,
  watchBlockNumber: (options: { onBlockNumber(number: bigint): void }) => () => void,
  watchContractEvent: (options: StoredWatch) => () => void,
) {
  const stops: (() => void)[] = [];
  return {
    async watchBlocks() {
      stops.push(watchBlockNumber({ onBlockNumber: (number) => void blocks.push(Number(number)) }));
    },
    async watchEvents(address) {
      stops.push(
        watchContractEvent({
          abi,
          address: address as Address,
          eventName: 'Stored',
          onLogs: (logs) => void stored.push(...logs.map(({ args }) => String(args.value))),
        }),
      );
    },
    async unwatch() {
      for (const stop of stops.splice(0)) stop();
    },
    seen,
  } satisfies Partial<Acts>;
}

interface StoredWatch {
  readonly abi: typeof abi;
  readonly address: Address;
  readonly eventName: 'Stored';
  onLogs(logs: readonly { readonly args: { readonly value?: bigint | undefined } }[]): void;
}

/** A transaction in viem's words, which are wagmi's too. */
export const requestOf = ({ to, nonce, ...amounts }: Transaction) => ({
  to: to as Address,
  ...Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, BigInt(amount)])),
  ...(nonce !== undefined && { nonce }),
});

export const chainOf = ({ chainId, name, url }: ChainToAdd) =>
  defineChain({
    id: chainId,
    name,
    nativeCurrency: { name: 'Rootstock Bitcoin', symbol: 'tRBTC', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });

/** These say which act failed; the first below them says why. */
const wrappers = /^(Transaction|Call|EstimateGas|ContractFunction)ExecutionError$/;

export function explain(error: unknown): Explained {
  if (!(error instanceof BaseError)) return { class: (error as Error).name, message: String(error) };
  const why = error.walk((each) => !wrappers.test((each as Error).name)) as BaseError;
  const code = codeOf(error);
  return {
    class: why.name,
    ...(code !== undefined && { code }),
    reason: reasonOf(why),
    message: error.message,
  };
}

/** The innermost: viem puts a code of its own, -1, around one that it does not know. */
function codeOf(error: BaseError): number | undefined {
  let code: number | undefined;
  error.walk((each) => {
    const own = (each as { code?: unknown }).code;
    if (typeof own === 'number') code = own;
    return false;
  });
  return code;
}

function reasonOf(why: BaseError): string {
  if (why instanceof TransactionRejectedRpcError) return why.details;
  if (!(why instanceof ContractFunctionRevertedError)) return why.shortMessage;
  const { data, reason } = why;
  if (reason !== undefined || data === undefined) return reason ?? why.shortMessage;
  return `${data.errorName}(${data.args?.join(', ')})`;
}

const rejected = (reason: string): Shown => ({ class: 'TransactionRejectedRpcError', code: -32003, reason });
const reverted = (reason: string): Shown => ({ class: 'ContractFunctionRevertedError', code: 3, reason });
export const contractReverts = {
  string: reverted('Reverter: said no'),
  panic: reverted('Arithmetic operation resulted in underflow or overflow.'),
  custom: reverted('TooLow(1, 2)'),
  empty: reverted('execution reverted'),
} satisfies Record<Failing, Shown>;

export const viem: Adapter = {
  version: manifest.version,
  create: createWith({ transport: custom, chain: chainOf, account: (_, address) => address }),
  explain,
  expected: {
    ...refusals({ class: 'UserRejectedRequestError', code: 4001, reason: 'User rejected the request.' }),
    'switch to an unknown chain': { class: 'SwitchChainError', code: 4902 },
    ...reverts('call', contractReverts),
    ...reverts('estimate', onNode(contractReverts)),
    // viem leaves the gas to the wallet, which warns the person that it will fail.
    ...reverts('send', succeeds),
    'insufficient funds': { class: 'InsufficientFundsError', code: -32003 },
    'nonce too low': { class: 'NonceTooLowError', code: -32003 },
    // viem has no class for these two.
    'replacement underpriced': rejected(
      'replacement transaction underpriced: a transaction with this nonce is pending, replacing it takes 40 % more, at least 140000000 wei per gas',
    ),
    'gas price under the minimum': { class: 'FeeCapTooLowError', code: -32003 },
    'service down': { class: 'ResourceUnavailableRpcError', code: -32002 },
    'quota spent': { class: 'LimitExceededRpcError', code: -32005 },
  },
};
