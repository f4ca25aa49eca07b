import { randomBytes } from 'node:crypto';
import type { Address } from '../rpc/schema.js';
import { createAccountQuota } from './account-quota.js';
import { createAnvilEngine } from './anvil.js';
import { createChain, type Mining } from './chain.js';
import type { SyncWord } from './context.js';
import type { LocalService } from './controls.js';
import { type Dialect, dialects, type Switches } from './dialect.js';
import type { StartEngine } from './engine.js';
import { createFaucet } from './faucet.js';
import { createFilters } from './filters.js';
import { createMinimumPrice } from './minimum-price.js';
import { createNetwork } from './network.js';
import { type NodeSettings, openNode } from './node.js';
import { createPool } from './pool.js';
import { createQuota } from './quota.js';
import { makeSibling } from './sibling.js';

export declare namespace createLocalService {
  interface Options {
    /** Default 0: any free one. The service listens on 127.0.0.1 only. */
    readonly port?: number;
    /** 30 mainnet, 31 testnet, 33 local (default). */
    readonly chainId?: number;
    /** `auto` (default) mines a block for each transaction; `manual` on demand; or every so many milliseconds. */
    readonly mining?: Mining;
    /** Keys that open the service; the first is in `url`. Default `local-key`. */
    readonly apiKeys?: readonly string[];
    /** Calls per key and day; default no limit. */
    readonly quota?: number | null;
    /** `Retry-After` with HTTP 429: seconds until midnight UTC (`reset`, default), a number, or no header. */
    readonly retryAfter?: 'reset' | number | null;
    /** `seed` (default) answers as the seed's document, `node` as the real node behind it. */
    readonly dialect?: Dialect;
    readonly switches?: Partial<Switches>;
    /** Wei; default 59,240,000, a usual figure on both networks. */
    readonly minimumGasPrice?: bigint;
    readonly blockGasLimit?: number;
    /** Milliseconds without a poll after which a filter is removed. Default 5 minutes. */
    readonly filterExpiry?: number;
    /** Age at which the pool forgets. Default 10 blocks, 650,000 ms (docs/notes/node.md#the-pool-forgets). */
    readonly outdatedAfter?: { readonly blocks: number; readonly milliseconds: number };
    /** Origins that may read answers. Default any. */
    readonly origins?: '*' | readonly string[];
    /** Whether `POST {base}/_local/faucet` credits coins. Default true. */
    readonly faucetPath?: boolean;
    /** Requests per batch; default 50. */
    readonly batchLimit?: number;
    /** Bytes; default 5,242,880. */
    readonly bodyLimit?: number;
    /** Bytes; default 10,485,760. */
    readonly responseLimit?: number;
    /** Milliseconds a request may take; default 5,000. */
    readonly timeout?: number;
    /** Milliseconds since 1970; for filters, pool, quota and log. Blocks take the machine's time. */
    readonly now?: () => number;
    readonly randomBytes?: (length: number) => Uint8Array;
    /** The EVM; default anvil. */
    readonly engine?: StartEngine;
  }
}

const miner: Address = '0x1fab9a0e24ffc209b01faa5a61ad4366982d0b7f';
const defaultMinimumGasPrice = 59_240_000n;

/** Starts the seed's service on this machine. Node only; never part of a page. */
export async function createLocalService(options: createLocalService.Options = {}): Promise<LocalService> {
  const { chainId = 33, blockGasLimit = 6_800_000, now = Date.now, apiKeys = ['local-key'] } = options;
  if (apiKeys.length === 0 || apiKeys.some((key) => !/^[\w.~-]+$/.test(key)))
    throw new TypeError('apiKeys: at least one, each of letters, digits, "-", "_", "." or "~"');
  const switches: Switches = { ...dialects[options.dialect ?? 'seed'], ...options.switches };
  const engine = await (options.engine ?? createAnvilEngine)({
    chainId,
    blockGasLimit,
    miner,
    steps: switches.nodeFields && switches.modules !== 'default',
  });
  const price = createMinimumPrice(options.minimumGasPrice ?? defaultMinimumGasPrice);
  const quota = createQuota(options.quota ?? null, now);
  const newFilters = () =>
    createFilters({
      switches,
      now,
      expiry: options.filterExpiry ?? 300_000,
      randomBytes: options.randomBytes ?? randomBytes,
    });
  const filters = newFilters();
  const newPool: createNetwork.Options['newPool'] = (ofEngine, head, onPending) =>
    createPool({
      engine: ofEngine,
      head,
      now,
      rules: () => ({
        minimumGasPrice: price.at(head()),
        blockGasLimit: BigInt(blockGasLimit),
        accountSlots: 16,
        gasPriceBump: 40,
      }),
      quota: switches.accountQuota ? createAccountQuota(now) : null,
      outdatedAfter: options.outdatedAfter ?? { blocks: 10, milliseconds: 650_000 },
      onPending,
    });
  const pool = newPool(
    engine,
    () => chain.head(),
    (transaction) => {
      filters.pending(transaction.hash);
      return network.relay(transaction, pool);
    },
  );
  const network = createNetwork({
    engine,
    newFilters,
    newPool,
    chain: () => chain,
    mining: () => pool,
    settings: () => settings,
  });
  const chain = createChain({
    engine,
    pool,
    mining: options.mining ?? 'auto',
    onNews: filters.heard,
    wanted: filters.wanted,
    makeSibling,
    onMoved: network.follow,
  });
  let syncing: SyncWord = false;
  const faucet = createFaucet(chain);
  const settings: NodeSettings = {
    chainId,
    miner,
    switches,
    now,
    quota,
    minimumGasPriceAt: price.at,
    syncing: () => syncing,
    keys: new Set(apiKeys),
    origins: options.origins ?? '*',
    batchLimit: options.batchLimit ?? 50,
    bodyLimit: options.bodyLimit ?? 5_242_880,
    responseLimit: options.responseLimit ?? 10_485_760,
    timeout: options.timeout ?? 5_000,
    retryAfter: options.retryAfter === undefined ? 'reset' : options.retryAfter,
    faucet: (options.faucetPath ?? true) ? faucet.answer : null,
  };
  const stopEngine = async () => {
    chain.stop();
    await engine.close();
  };
  const parts = { port: options.port ?? 0, engine, chain, pool, filters };
  const { front, faults, requests } = await openNode(settings, parts).catch(async (error: unknown) => {
    await stopEngine();
    throw error;
  });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= Promise.all([front.close(), network.close()]).then(stopEngine);
    return closing;
  };
  const baseUrl = `http://127.0.0.1:${front.port}`;
  return {
    url: `${baseUrl}/${apiKeys[0]}`,
    baseUrl,
    port: front.port,
    chainId,
    apiKeys,
    requests,
    addNode: (wish = {}) => network.add(wish),
    controls: {
      ...faults.controls,
      mine: chain.mine,
      setMining: chain.setMining,
      reorg: chain.reorg,
      sibling: chain.sibling,
      faucet: faucet.credit,
      restart: () => {
        filters.clear();
        return chain.alone(pool.restart);
      },
      evictPending: (hash) => chain.alone(() => pool.evict(hash)),
      setMinimumGasPrice: (wei) => price.setAfter(chain.head(), wei),
      setQuota: quota.set,
      setSyncing: (status) => {
        syncing = status;
      },
      filterCount: filters.count,
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
