import type { Address, Block, Hex } from '../../../../src/rpc/schema.js';
import type { LocalService } from '../local/controls.js';
import { createLocalService, defaultOptions } from '../local/service.js';
import { isAddress, requireMembers } from '../testing/checks.js';

/**
 * A chain on this machine for one worker of a test run.
 *
 * @example
 * await chain.fund(account, 5n * 10n ** 18n);
 * await chain.keep(); // from here on, reset() comes back to this
 * await chain.increaseTime(24 * 60 * 60);
 * console.log(await chain.time(), await chain.request('eth_blockNumber'));
 * await chain.reset();
 */
export interface TestChain {
  /** Its id: 33 unless the options say otherwise. */
  readonly chainId: number;
  /** URL of its service, for a wallet's network. */
  readonly url: string;
  /** The service itself: reorganisations, faults, the log of requests. */
  readonly service: LocalService;
  /** Credits wei, default 10^18, without a transaction. @throws Error for an invalid address or amount */
  fund(address: Address, wei?: bigint): Promise<void>;
  /** Mines blocks, default 1. The first includes the pending transactions. @throws RangeError for less than one */
  mine(count?: number): Promise<void>;
  /**
   * Mines a block this many seconds after the newest one; later blocks continue from its time.
   * @throws RangeError unless it is a whole number of at least 1
   */
  increaseTime(seconds: number): Promise<void>;
  /** As {@link TestChain.increaseTime}, to this date. @throws RangeError for one that is not after the newest block */
  setTime(date: Date): Promise<void>;
  /** The time of the newest block. */
  time(): Promise<Date>;
  /** Sends one JSON-RPC request past the wallet. @throws Error with the service's message */
  // biome-ignore lint/suspicious/noExplicitAny: a test says by its assertion what it expects
  request<result = any>(method: string, params?: readonly unknown[]): Promise<result>;
  /** Undoes all blocks since the chain was started, or since {@link TestChain.keep}. Faults end too. */
  reset(): Promise<void>;
  /** Keeps the present state, such as deployed contracts, through each later {@link TestChain.reset}. */
  keep(): Promise<void>;
  /** Ends the chain. */
  close(): Promise<void>;
}

/**
 * Starts a chain with accounts that have coins: the local service, with one EVM. Needs `@foundry-rs/anvil`.
 *
 * @example
 * const chain = await startChain({ funded: ['0x…'] });
 * await chain.reset(); // between two tests
 *
 * @throws Error if `@foundry-rs/anvil` is not installed
 */
export async function startChain(options: startChain.Options = {}): Promise<TestChain> {
  requireMembers('chainOptions', options, ['funded', ...Object.keys(defaultOptions())]);
  const { funded = [], ...serviceOptions } = options;
  const service = await createLocalService(serviceOptions);
  const { controls } = service;
  const request: TestChain['request'] = async (method, params = []) => {
    const response = await postCall(service.url, method, params);
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result as never;
  };
  let snapshot: unknown;
  const keep = async () => {
    snapshot = await request('evm_snapshot');
  };
  const time = async () => {
    const { timestamp } = (await request('eth_getBlockByNumber', ['latest', false])) as Block;
    return new Date(Number(timestamp as Hex) * 1_000);
  };
  const fund = async (address: Address, wei = 10n ** 18n) => {
    if (!isAddress(address))
      throw new Error(`fund: expected an address, 0x and 40 hexadecimal digits, but got ${print(address)}`);
    if (typeof wei !== 'bigint' || wei < 0n)
      throw new Error(`fund: expected wei as a bigint from 0, but got ${print(wei)}`);
    await controls.faucet(address, wei);
  };
  const increaseTime = async (seconds: number) => {
    requirePositive('increaseTime', seconds);
    await request('evm_increaseTime', [String(seconds)]);
    await controls.mine();
  };
  for (const address of funded) await fund(address, initialBalance);
  await keep();
  return {
    chainId: service.chainId,
    url: service.url,
    service,
    fund,
    async mine(count = 1) {
      requirePositive('mine', count);
      await controls.mine(count);
    },
    increaseTime,
    async setTime(date) {
      const seconds = Math.floor(Number(date) / 1_000) - Math.floor((await time()).getTime() / 1_000);
      if (Number.isNaN(seconds)) throw new RangeError('setTime: expected a valid Date');
      if (!(seconds > 0)) throw new RangeError('setTime: expected a date after the newest block');
      await increaseTime(seconds);
    },
    time,
    request,
    async reset() {
      controls.clearFaults();
      await controls.restart();
      await request('evm_revert', [snapshot]);
      // To revert uses a snapshot up.
      await keep();
    },
    keep,
    close: service.close,
  };
}

export declare namespace startChain {
  /** The options of {@link startChain}. */
  interface Options extends createLocalService.Options {
    /** Accounts that get 100 coins each. */
    readonly funded?: readonly Address[] | undefined;
  }
}

/** Sends one JSON-RPC request to a service. */
export const postCall = (url: string, method: string, params: unknown): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });

/** @throws RangeError naming the function */
function requirePositive(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1)
    throw new RangeError(`${name}: expected a whole number from 1, but got ${print(value)}`);
}

/** Prints a value, but only the length of text longer than an address, because it may be a private key. */
function print(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 44 ? `a ${typeof value} of ${text.length} characters` : text;
}

/** Initial balance of a test's account, wei. */
export const initialBalance = 100n * 10n ** 18n;
