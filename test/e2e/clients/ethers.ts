import type { Acts, Transaction } from './client.js';
import { failing } from './contracts.js';
import { chainParameter, type createHeard } from './heard.js';

/** The acts that ethers 5 and ethers 6 say in the same words, with what they name differently. */

interface Listening {
  on(event: string, listener: (...news: readonly unknown[]) => void): unknown;
  removeAllListeners(event?: string): unknown;
}

interface Provider extends Listening {
  send(method: string, params: unknown[]): Promise<unknown>;
  getBalance(address: string): Promise<unknown>;
}

interface Signer {
  signMessage(text: string): Promise<string>;
  sendTransaction(transaction: Omit<Transaction, 'gas'>): Promise<{ readonly hash: string }>;
}

export interface Ethers {
  readonly provider: Provider;
  readonly heard: Pick<ReturnType<typeof createHeard>, 'blocks' | 'stored' | 'seen'>;
  signer(): Signer | Promise<Signer>;
  /** A contract that reads with the provider. */
  listening(address: string): Listening;
  /** Calls a function of a contract: as a transaction, as a dry run, for an estimate. */
  transact(address: string, name: string, ...args: readonly unknown[]): Promise<{ readonly hash: string }>;
  call(address: string, name: string): Promise<unknown>;
  estimate(address: string, name: string): Promise<unknown>;
}

export function createEthersActs({ provider, heard, signer, listening, transact, call, estimate }: Ethers) {
  const watched: Listening[] = [];
  const request = async (method: string, param: object): Promise<void> => {
    await provider.send(method, [param]);
  };
  return {
    disconnect: () => request('wallet_revokePermissions', { eth_accounts: {} }),
    switchChain: (chainId) => request('wallet_switchEthereumChain', { chainId: `0x${chainId.toString(16)}` }),
    addChain: (chain) => request('wallet_addEthereumChain', chainParameter(chain)),

    signMessage: async (text) => (await signer()).signMessage(text),

    balance: async (address) => String(await provider.getBalance(address)),
    send: async ({ gas, ...rest }) =>
      (await (await signer()).sendTransaction({ ...rest, ...(gas && { gasLimit: gas }) })).hash,
    write: async (contract, value) => (await transact(contract, 'store', value)).hash,
    callFailing: async (contract, way) => String(await call(contract, failing[way].view)),
    estimateFailing: async (contract, way) => String(await estimate(contract, failing[way].send)),
    sendFailing: async (contract, way) => (await transact(contract, failing[way].send)).hash,

    async watchBlocks() {
      await provider.on('block', (number) => heard.blocks.push(Number(number)));
    },
    async watchEvents(contract) {
      const events = listening(contract);
      watched.push(events);
      await events.on('Stored', (_by, value) => heard.stored.push(String(value)));
    },
    async unwatch() {
      await provider.removeAllListeners('block');
      for (const each of watched.splice(0)) await each.removeAllListeners();
    },
    seen: heard.seen,
  } satisfies Partial<Acts>;
}

/** Ignores the failure of a look at a chain whose page has closed. */
export const leftMeanwhile = () => {};

/** The arguments of a signature of typed data: the library finds the domain's type by itself. */
export const typesWithoutDomain = <T>({
  EIP712Domain: _domain,
  ...types
}: Readonly<Record<string, readonly T[]>>): Record<string, T[]> =>
  Object.fromEntries(Object.entries(types).map(([name, list]) => [name, [...list]]));
