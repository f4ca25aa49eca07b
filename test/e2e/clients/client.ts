/**
 * What a dapp does with its library, the same for every library of the matrix. An adapter (`viem.ts`,
 * `ethers-v6.ts`, …) says each act in its library's own words, as that library's documentation would; the
 * behaviours (`behaviours.ts`) call it in Node and, through a page, in Chromium. So everything that passes is
 * JSON: bigints travel as decimal strings, addresses in lower case. An act throws what the library throws.
 */
export interface Acts {
  /** Asks for accounts. The library's own way: `requestAddresses`, `getSigner`, wagmi's `connect`, … */
  connect(): Promise<readonly string[]>;
  /** What a page does when it opens again: finds the account of last time, without asking. `[]` for none. */
  reconnect(): Promise<readonly string[]>;
  /** Takes back the permission (`wallet_revokePermissions`), or ends the session as the library does. */
  disconnect(): Promise<void>;
  chainId(): Promise<number>;
  switchChain(chainId: number): Promise<void>;
  /** `wallet_addEthereumChain`, then a switch if the library makes one; the chain is then active. */
  addChain(chain: ChainToAdd): Promise<void>;

  signMessage(text: string): Promise<string>;
  /** EIP-712 version 4. The object is complete: types with EIP712Domain, primaryType, domain, message. */
  signTypedData(typedData: TypedData): Promise<string>;

  balance(address: string): Promise<string>;
  /** Resolves with the hash. What is left out, the library or the wallet finds. */
  send(transaction: Transaction): Promise<string>;
  /** Until it is mined. */
  wait(hash: string): Promise<'success' | 'reverted'>;
  /** Deploys the reverter (`contracts.ts`) and waits: the address. */
  deploy(): Promise<string>;
  /** The reverter's `stored()` view. */
  read(contract: string): Promise<string>;
  /** `store(uint256)`, which emits `Stored(address indexed by, uint256 value)`: the hash. */
  write(contract: string, value: string): Promise<string>;
  /** A call (`eth_call`) of the function that fails in this way, as the library runs a read or a simulation. */
  callFailing(contract: string, way: Failing): Promise<string>;
  /** Its gas. On the seed's service this is a number; on the node's it is an error. */
  estimateFailing(contract: string, way: Failing): Promise<string>;
  /** A transaction that calls it, as the library sends one. */
  sendFailing(contract: string, way: Failing): Promise<string>;

  /** Starts to listen, in the library's usual way, for blocks; they are collected in {@link seen}. */
  watchBlocks(): Promise<void>;
  /** The same for `Stored` of this contract. */
  watchEvents(contract: string): Promise<void>;
  /** Ends what was started by the two before. */
  unwatch(): Promise<void>;
  /** What reached the library's own hooks, oldest first. */
  seen(): Promise<Seen>;
}

/** The acts as the behaviours call them: a failure is an outcome, in the library's own explanation. */
export type Client = Pick<Acts, 'seen'> & {
  readonly [Name in Exclude<keyof Acts, 'seen'>]: (
    ...args: Parameters<Acts[Name]>
  ) => Promise<Outcome<Awaited<ReturnType<Acts[Name]>>>>;
};

export type Outcome<T> = { readonly value: T } | { readonly error: Explained };

/** How the library itself presents a failure to a dapp. */
export interface Explained {
  /** The constructor's name, or the library's own word for the kind: `UserRejectedRequestError`, `ACTION_REJECTED`. */
  readonly class: string;
  /** Of the EIP-1193 error below it, wherever the library keeps that. */
  readonly code?: number | string;
  /** What a dapp would show: the decoded revert reason or custom error (`TooLow(1, 2)`), else the short message. */
  readonly reason?: string;
  /** All the text there is, for a failing test to print. */
  readonly message: string;
}

export interface Seen {
  /** Each list of accounts that the library's own hook told. */
  readonly accounts: readonly (readonly string[])[];
  readonly chains: readonly number[];
  /** Block numbers. */
  readonly blocks: readonly number[];
  /** Values of `Stored`. */
  readonly stored: readonly string[];
}

/** The failing functions of the reverter. */
export type Failing = 'string' | 'panic' | 'custom' | 'empty';

export interface Transaction {
  readonly to: string;
  /** Wei. */
  readonly value: string;
  readonly gas?: string;
  /** Wei per gas: a legacy transaction. */
  readonly gasPrice?: string;
  /** Wei per gas: one in EIP-1559's form. */
  readonly maxFeePerGas?: string;
  readonly maxPriorityFeePerGas?: string;
  readonly nonce?: number;
}

export interface ChainToAdd {
  readonly chainId: number;
  readonly name: string;
  readonly url: string;
}

export interface TypedData {
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>;
  readonly primaryType: string;
  readonly domain: Readonly<Record<string, string | number>>;
  readonly message: Readonly<Record<string, unknown>>;
}

/** What an adapter is made from: what a page would find in itself. */
export interface Surroundings {
  /** What `window.ethereum` would be; wagmi and web3-onboard find the same one announced (EIP-6963). */
  readonly provider: unknown;
  /** Chains that the dapp is configured for, the active one first. */
  readonly chains: readonly ChainToAdd[];
  /** Milliseconds between polls, where the library polls and can be told. */
  readonly pollingInterval: number;
}

/** A library's acts, and its explanation of what they throw. */
export interface Library {
  create(surroundings: Surroundings): Acts | Promise<Acts>;
  explain(error: unknown): Explained;
}

/** What the matrix knows of a library; `adapters.ts` lists one for each. */
export interface Adapter extends Library {
  /** The package's, as installed. */
  readonly version: string;
  readonly expected: Expected;
}

/** What goes wrong in the matrix; each is a behaviour of `behaviours.ts` by this name. */
export type Failure =
  | 'connect, refused'
  | 'sign a message, refused'
  | 'sign typed data, refused'
  | 'switch chain, refused'
  | 'switch to an unknown chain'
  | 'add a chain, refused'
  | 'send, refused'
  | `call that reverts: ${Failing}`
  | `estimate that reverts: ${Failing}`
  | `send that reverts: ${Failing}`
  | 'insufficient funds'
  | 'nonce too low'
  | 'replacement underpriced'
  | 'gas price under the minimum'
  | 'service down'
  | 'quota spent';

/** How the library shows it: what is named must be equal, what is left out is not looked at. */
export type Shown = Omit<Explained, 'message'>;

/** `succeeds` where the library's way does not fail: a send that nobody estimated is mined, and reverts. */
export type Expectation = Shown | 'succeeds';

/** For every failure what the library makes of it; by dialect of the service where that decides. */
export type Expected = Readonly<
  Record<Failure, Expectation | { readonly seed: Expectation; readonly node: Expectation }>
>;

/** Creates a library whose acts resolve with an outcome. */
export async function createClient(
  { create, explain }: Library,
  surroundings: Surroundings,
): Promise<Client> {
  const { seen, ...acts } = await create(surroundings);
  const explained = Object.entries(acts).map(([name, act]: [string, (...args: never[]) => unknown]) => [
    name,
    async (...args: never[]): Promise<Outcome<unknown>> => {
      try {
        return { value: await act(...args) };
      } catch (error) {
        return { error: explain(error) };
      }
    },
  ]);
  return { ...Object.fromEntries(explained), seen };
}
