import { randomBytes } from 'node:crypto';
import type { Address } from '../../../../src/rpc/schema.js';
import { createAccountQuota } from './account-quota.js';
import { createAnvilEngine } from './anvil.js';
import { createChain, type Mining } from './chain.js';
import type { SyncStatus } from './context.js';
import type { LocalService } from './controls.js';
import { type Dialect, dialects, type Switches } from './dialect.js';
import type { StartEngine } from './engine.js';
import { createFaucet } from './faucet.js';
import { createFilters } from './filters.js';
import { createMinimumPrice } from './minimum-price.js';
import { mineBlock } from './mining.js';
import { multicall3 } from './multicall3.js';
import { createNetwork } from './network.js';
import { type NodeSettings, openNode } from './node.js';
import { createPool } from './pool.js';
import { createQuota } from './quota.js';
import { withRootstockNonces } from './rootstock-nonces.js';
import { type SealingRules, withRootstockHashes } from './sealed-engine.js';

export declare namespace createLocalService {
  /** The options of {@link createLocalService}. */
  interface Options {
    /** TCP port on 127.0.0.1. Default 0, any free port. */
    readonly port?: number | undefined;
    /** 30 for mainnet, 31 for testnet, 33 (default) for a local chain. */
    readonly chainId?: number | undefined;
    /** `auto` (default) mines a block with each transaction, `manual` on demand, `{ interval }` every so many milliseconds. */
    readonly mining?: Mining | undefined;
    /** Accepted API keys; the first is in `url`. Default `['local-key']`. */
    readonly apiKeys?: readonly string[] | undefined;
    /** Calls per key and day, or null (default) for no limit. */
    readonly quota?: number | null | undefined;
    /** `Retry-After` of a reply 429: seconds until midnight UTC (`reset`, default), a number of seconds, or null for no header. */
    readonly retryAfter?: 'reset' | number | null | undefined;
    /** `seed` (default) behaves as a hosted service is described, `node` as the open-source node. */
    readonly dialect?: Dialect | undefined;
    /** Overrides single switches of the dialect. */
    readonly switches?: Partial<Switches> | undefined;
    /** Wei. Default 59,240,000, a usual value on mainnet and testnet. */
    readonly minimumGasPrice?: bigint | undefined;
    /** Every block takes its miner as many hashes on average, at least three. Default 1. */
    readonly difficulty?: bigint | undefined;
    /** Gas. Default 6,800,000. */
    readonly blockGasLimit?: number | undefined;
    /** Milliseconds without a poll after which a filter is removed. Default 300,000. */
    readonly filterExpiry?: number | undefined;
    /** The age at which the pool drops a transaction. Default 10 blocks or 650,000 ms (docs/notes/node.md#the-pool-forgets). */
    readonly outdatedAfter?: { readonly blocks: number; readonly milliseconds: number } | undefined;
    /** Origins allowed by CORS. Default `*`. */
    readonly origins?: '*' | readonly string[] | undefined;
    /** Whether `POST {baseUrl}/_local/faucet` credits coins. Default true. */
    readonly faucetPath?: boolean | undefined;
    /** Calls per batch. Default 50. */
    readonly batchLimit?: number | undefined;
    /** Maximum request body in bytes. Default 5,242,880. */
    readonly bodyLimit?: number | undefined;
    /** Maximum reply body in bytes. Default 10,485,760. */
    readonly responseLimit?: number | undefined;
    /** Maximum milliseconds per HTTP request. Default 5,000. */
    readonly timeout?: number | undefined;
    /**
     * The clock of filters, pool, quotas and request log, in milliseconds since 1970. Default `Date.now`. Block
     * timestamps always use the system clock.
     */
    readonly now?: (() => number) | undefined;
    /** The source of opaque filter ids. Default `randomBytes` of node:crypto. */
    readonly randomBytes?: ((length: number) => Uint8Array) | undefined;
    /** Starts the EVM. Default anvil, from the npm package `@foundry-rs/anvil`. */
    readonly engine?: StartEngine | undefined;
  }
}

const miner: Address = '0x1fab9a0e24ffc209b01faa5a61ad4366982d0b7f';

/** The options, and their defaults. */
export const defaultOptions = (): Complete<createLocalService.Options> => ({
  port: 0,
  chainId: 33,
  mining: 'auto',
  apiKeys: ['local-key'],
  quota: null,
  retryAfter: 'reset',
  dialect: 'seed',
  switches: {},
  minimumGasPrice: 59_240_000n,
  difficulty: 1n,
  blockGasLimit: 6_800_000,
  filterExpiry: 300_000,
  outdatedAfter: { blocks: 10, milliseconds: 650_000 },
  origins: '*',
  faucetPath: true,
  batchLimit: 50,
  bodyLimit: 5_242_880,
  responseLimit: 10_485_760,
  timeout: 5_000,
  now: Date.now,
  randomBytes,
  engine: createAnvilEngine,
});

type Complete<T> = { [name in keyof T]-?: Exclude<T[name], undefined> };

/**
 * Starts a local service that behaves like a hosted Rootstock node. Node.js only.
 *
 * @example
 * const service = await createLocalService({ mining: 'manual' });
 * const wallet = createWallet({ networks: [{ chainId: service.chainId, url: service.url }] });
 */
export async function createLocalService(options: createLocalService.Options = {}): Promise<LocalService> {
  const present = Object.entries(options).filter(([, value]) => value !== undefined);
  const all: Complete<createLocalService.Options> = { ...defaultOptions(), ...Object.fromEntries(present) };
  const { chainId, blockGasLimit, now, apiKeys, outdatedAfter } = all;
  if (apiKeys.length === 0 || apiKeys.some((key) => !/^[\w.~-]+$/.test(key)))
    throw new TypeError('apiKeys: at least one, each of letters, digits, "-", "_", "." or "~"');
  const switches: Switches = { ...dialects[all.dialect], ...all.switches };
  const started = await all.engine({
    chainId,
    blockGasLimit,
    miner,
    steps: switches.nodeFields && switches.modules !== 'default',
    contracts: { [multicall3.address]: multicall3.code },
  });
  const evm = switches.evm === 'rootstock' ? withRootstockNonces(started) : started;
  const price = createMinimumPrice(all.minimumGasPrice);
  const sealing: SealingRules = { ...switches, difficulty: all.difficulty, minimumGasPrice: price.at };
  const engine = withRootstockHashes(evm, sealing);
  const quota = createQuota(all.quota, now);
  const newFilters = () =>
    createFilters({ switches, now, expiry: all.filterExpiry, randomBytes: all.randomBytes });
  const filters = newFilters();
  const newPool: createNetwork.Options['newPool'] = (poolEngine, head, onPending) =>
    createPool({
      engine: poolEngine,
      head,
      now,
      rules: () => ({
        minimumGasPrice: price.at(head()),
        blockGasLimit: BigInt(blockGasLimit),
        accountSlots: 16,
        gasPriceBump: 40,
      }),
      quota: switches.accountQuota ? createAccountQuota(now) : null,
      outdatedAfter,
      onPending,
    });
  const pool = newPool(
    engine,
    () => chain.head(),
    (transaction) => {
      filters.onPendingTransaction(transaction.hash);
      return network.relay(transaction, pool);
    },
  );
  const network = createNetwork({
    engine,
    newFilters,
    newPool,
    chain: () => chain,
    miningPool: () => pool,
    settings: () => settings,
  });
  const { mining } = all;
  const chain = createChain({
    engine,
    pool,
    mining,
    filters,
    mineBlock: (block) => mineBlock(block, switches),
    onHeadChanged: network.follow,
  });
  let syncing: SyncStatus = false;
  const faucet = createFaucet(chain);
  const settings: NodeSettings = {
    ...all,
    miner,
    switches,
    quota,
    minimumGasPriceAt: price.at,
    syncing: () => syncing,
    keys: new Set(apiKeys),
    faucet: all.faucetPath ? faucet.handle : null,
  };
  const stopEngine = async () => {
    chain.stop();
    await engine.close();
  };
  const parts = { port: all.port, engine, chain, pool, filters };
  const { controls, ...node } = await openNode(settings, parts).catch(async (error: unknown) => {
    await stopEngine();
    throw error;
  });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= Promise.all([node.close(), network.close()]).then(stopEngine);
    return closing;
  };
  return {
    ...node,
    baseUrl: new URL(node.url).origin,
    chainId,
    apiKeys,
    addNode: network.add,
    controls: {
      ...controls,
      mine: chain.mine,
      setMining: chain.setMining,
      reorg: chain.reorg,
      sibling: chain.sibling,
      faucet: faucet.credit,
      setMinimumGasPrice: (wei) => price.setAfter(chain.head(), wei),
      setQuota: quota.set,
      setSyncing(status) {
        syncing = status;
      },
      filterCount: filters.count,
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
