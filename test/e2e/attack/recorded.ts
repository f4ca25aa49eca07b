import { headless } from '../../../packages/kit/src/testing/index.js';
import {
  createMemoryStorage,
  createVolatileMemory,
  createWallet,
  type Provider,
} from '../../../src/index.js';
import { origin, plantedSession, values } from '../../support/keys.js';
import { nobody, sign, word } from '../../support/local-client.js';
import { openPage, type Page } from '../dialect/page.js';

/**
 * What the local service answers to what the wallet asks of it, in one dialect: the true replies that are spoilt.
 * A scenario is one or more requests of a page; most are a single read.
 */
export interface Scenario {
  readonly name: string;
  readonly steps: readonly Step[];
}

export interface Step {
  readonly method: string;
  /** Of the steps before it, where it needs their results. */
  readonly params: readonly unknown[] | ((results: readonly unknown[]) => readonly unknown[]);
}

export interface Recording {
  readonly dialect: 'seed' | 'node';
  readonly scenarios: readonly Scenario[];
  /** Methods that the wallet asked the service for during each scenario. */
  readonly asks: ReadonlyMap<Scenario, readonly string[]>;
  /** The reply to a request, without its id: `$ID` stands for it. */
  replyTo(method: string, params: readonly unknown[]): string;
}

export async function record(dialect: 'seed' | 'node'): Promise<Recording> {
  const real = globalThis.fetch;
  const exact = new Map<string, string>();
  const any = new Map<string, string>();
  const asked: string[] = [];
  globalThis.fetch = async (input, init) => {
    const response = await real(input, init);
    const text = await response.clone().text();
    const { method, params } = JSON.parse(String(init?.body)) as { method: string; params: unknown[] };
    const reply = JSON.stringify({ ...JSON.parse(text), id: 0 }).replace('"id":0', '"id":$ID');
    exact.set(keyOf(method, params), reply);
    if (!any.has(method) || reply.includes('"result":')) any.set(method, reply);
    asked.push(method);
    return response;
  };
  let page: Page | undefined;
  try {
    page = await openPage(dialect, { service: { switches: { modules: 'all' } } });
    const scenarios = await scenariosOf(page);
    const wallet = createWallet({
      networks: [{ chainId: 33, url: page.service.url }],
      origin,
      memory: sessionOf(),
      storage: createMemoryStorage(),
      // The person refuses: what a transaction needs to know is asked before.
      approver: () => headless({ answer: () => false }),
    });
    const asks = new Map<Scenario, readonly string[]>();
    for (const scenario of scenarios) {
      const from = asked.length;
      await play(wallet.provider, scenario);
      asks.set(scenario, [...new Set(asked.slice(from))]);
    }
    wallet.destroy();
    const missing = '{"jsonrpc":"2.0","id":$ID,"error":{"code":-32601,"message":"method not found"}}';
    return {
      dialect,
      scenarios: scenarios.filter((scenario) => asks.get(scenario)?.length),
      asks,
      replyTo: (method, params) => exact.get(keyOf(method, params)) ?? any.get(method) ?? missing,
    };
  } finally {
    globalThis.fetch = real;
    await page?.close();
  }
}

/** The session of a page that was given an account, on the chain of the recording. */
export function sessionOf() {
  const memory = createVolatileMemory();
  memory.write(plantedSession(origin).replace('"chainId":31', '"chainId":33'));
  return memory;
}

export interface Ended {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Asks the steps one after the other; a step that fails ends it. */
export async function play(provider: Provider, { steps }: Scenario): Promise<readonly Ended[]> {
  const ended: Ended[] = [];
  for (const { method, params } of steps) {
    const given = typeof params === 'function' ? params(ended.map(({ result }) => result)) : params;
    try {
      const result = await provider.request({ method, params: given } as { method: string });
      ended.push({ method, params: given, result });
    } catch (error) {
      ended.push({ method, params: given, error });
      return ended;
    }
  }
  return ended;
}

const keyOf = (method: string, params: unknown) => `${method} ${JSON.stringify(params)}`;

async function scenariosOf({ chain, service, wire }: Page): Promise<readonly Scenario[]> {
  const { emitter, reverting, logging, block, waiting } = chain;
  await service.controls.sibling();
  await service.controls.mine();
  const raw = await sign({ nonce: 9, to: nobody });
  const own = values.$A0;
  const single = (method: string, ...params: unknown[]): Scenario => ({
    name: `${method} ${JSON.stringify(params)}`,
    steps: [{ method, params }],
  });
  const filter = (make: string, params: readonly unknown[], ...polls: readonly string[]): Scenario => ({
    name: `${make} ${JSON.stringify(params)}`,
    steps: [
      { method: make, params },
      ...polls.map((method) => ({ method, params: ([id]: readonly unknown[]) => [id] })),
    ],
  });
  const call = { to: emitter, data: `0x${word(7)}${word(9)}` };
  const withUncle = await heightWithUncle(wire);
  const quiet = [
    'web3_clientVersion',
    'net_listening',
    'net_peerCount',
    'net_peerList',
    'eth_protocolVersion',
  ];
  const plain = [
    'eth_syncing',
    'eth_coinbase',
    'eth_mining',
    'eth_hashrate',
    'eth_gasPrice',
    'eth_blockNumber',
  ];
  const named = [
    'txpool_content',
    'txpool_status',
    'eth_bridgeState',
    'eth_netHashrate',
    'rsk_protocolVersion',
  ];
  return [
    ...[...quiet, ...plain, ...named, 'debug_wireProtocolQueueSize'].map((method) => single(method)),
    single('eth_pendingTransactions'),
    ...['latest', '0x2', { blockHash: block }, 'pending'].flatMap((at) => [
      single('eth_getBalance', own, at),
      single('eth_getTransactionCount', own, at),
      single('eth_getCode', emitter, at),
      single('eth_getStorageAt', emitter, '0x0', at),
      single('eth_call', call, at),
    ]),
    ...Object.values(reverting).map((to) => single('eth_call', { to, data: '0x' }, 'latest')),
    single('eth_estimateGas', call),
    single('eth_estimateGas', { to: reverting.string, data: '0x' }, 'latest'),
    single('eth_getProof', emitter, [`0x${word(0)}`], 'latest'),
    ...['0x2', 'latest', '0xffff', 'pending'].flatMap((at) => [
      single('eth_getBlockByNumber', at, true),
      single('eth_getBlockByNumber', at, false),
      single('eth_getBlockTransactionCountByNumber', at),
      single('eth_getUncleCountByBlockNumber', at),
      single('eth_getTransactionByBlockNumberAndIndex', at, '0x0'),
    ]),
    single('eth_getBlockByHash', block, true),
    single('eth_getBlockByHash', block, false),
    single('eth_getBlockTransactionCountByHash', block),
    single('eth_getUncleCountByBlockHash', block),
    single('eth_getTransactionByBlockHashAndIndex', block, '0x0'),
    single('eth_getUncleByBlockNumberAndIndex', withUncle, '0x0'),
    single('eth_getUncleByBlockHashAndIndex', block, '0x0'),
    ...[logging, waiting, `0x${word(0x5ead)}`].flatMap((hash) => [
      single('eth_getTransactionByHash', hash),
      single('eth_getTransactionReceipt', hash),
    ]),
    single('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }),
    single('eth_getLogs', { blockHash: block, address: emitter, topics: [`0x${word(7)}`] }),
    single('eth_feeHistory', '0x2', 'latest', [50]),
    single('eth_getBlockReceipts', '0x2'),
    single('eth_getBlockReceipts', { blockHash: block }),
    single('trace_transaction', logging),
    single('debug_traceTransaction', logging),
    single('rsk_getRawTransactionReceiptByHash', logging),
    single('rsk_getTransactionReceiptNodesByHash', block, logging),
    single('rsk_getRawBlockHeaderByNumber', '0x2'),
    single('rsk_getRawBlockHeaderByHash', block),
    single('eth_sendRawTransaction', raw),
    single('eth_sendTransaction', { from: own, to: nobody, value: '0x1' }),
    single('eth_signTransaction', { from: own, to: emitter, data: call.data, gas: '0x15f90' }),
    filter(
      'eth_newFilter',
      [{ fromBlock: '0x0' }],
      'eth_getFilterChanges',
      'eth_getFilterLogs',
      'eth_uninstallFilter',
    ),
    filter('eth_newFilter', [{ address: emitter }], 'eth_getFilterChanges', 'eth_getFilterChanges'),
    filter('eth_newBlockFilter', [], 'eth_getFilterChanges', 'eth_uninstallFilter'),
    filter('eth_newPendingTransactionFilter', [], 'eth_getFilterChanges', 'eth_getFilterChanges'),
    ...['newHeads', 'logs', 'newPendingTransactions', 'syncing'].map((kind) =>
      filter('eth_subscribe', [kind], 'eth_unsubscribe'),
    ),
  ];
}

/** The sibling became somebody's uncle. */
async function heightWithUncle(wire: Page['wire']): Promise<string> {
  for (let height = 0; height < 6; height++) {
    const at = `0x${height.toString(16)}`;
    const said = await wire('eth_getUncleCountByBlockNumber', at);
    if ('result' in said && said.result === '0x1') return at;
  }
  return 'latest';
}
