import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { headless } from '../../../packages/kit/src/testing/index.js';
import type { Wallet } from '../../../src/index.js';
import { createFakeNode, type FakeNode } from '../../support/fake-node.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openWallet } from '../../support/open-wallet.js';
import { error, result, type Script } from '../../support/scripted-service.js';
import { until } from '../../support/until.js';

hastenKdfOfFile();

/**
 * Between a method and the HTTP client lie at most three `Service` layers (docs/architecture.md, src/wallet/chain-runtime.ts).
 * Each layer is an object with a function `request`, so the layers of a request are the functions of that name on the
 * stack when the client is called.
 */
const { stacks, everyRequest } = vi.hoisted(() => ({
  /** The layers of the requests since the start of the current measurement, by method. */
  stacks: new Map<string, string[][]>(),
  everyRequest: [] as string[][],
}));

vi.mock('../../../src/service/client.js', async (original) => {
  const module = await original<typeof import('../../../src/service/client.js')>();
  return {
    ...module,
    createService(...options: Parameters<typeof module.createService>) {
      const client = module.createService(...options);
      return {
        ...client,
        request(...call: Parameters<typeof client.request>) {
          const [method] = call;
          const layers = layersOf(new Error().stack ?? '');
          stacks.set(method, [...(stacks.get(method) ?? []), layers]);
          everyRequest.push(layers);
          return client.request(...call);
        },
      };
    },
  };
});

/** The files of the layers, the one next to the client first. */
const layersOf = (stack: string): string[] =>
  stack.split('\n').flatMap((frame) => {
    const [, file] = /\brequest \(.*\/src\/(\S+?)\.ts[:?]/.exec(frame) ?? [];
    // The request of the page, not of a service.
    return file === undefined || /^(provider\/.*|wallet\/core)$/.test(file) ? [] : [file];
  });

const patience = { timeout: 60_000 };
const password = 'correct horse';
const privateKey = `0x${'46'.repeat(32)}` as const;
let node: FakeNode;
let wallet: Wallet;
const request = (method: string, ...params: unknown[]) => wallet.provider.request({ method, params });

/** The layers of the requests for `method` while `run` runs, each list once. */
async function layersDuring(method: string, run: () => Promise<unknown>): Promise<readonly string[][]> {
  stacks.clear();
  await run();
  const lists = (stacks.get(method) ?? []).map((files) => JSON.stringify(files));
  return [...new Set(lists)].map((files) => JSON.parse(files) as string[]);
}

beforeAll(async () => {
  Error.stackTraceLimit = 100;
  node = await createFakeNode();
  wallet = openWallet({
    networks: [{ chainId: 31, url: node.url }],
    approver: () => headless({ password }),
    pollingInterval: 50,
  });
  await wallet.importPrivateKey(privateKey, { password });
  await request('eth_requestAccounts');
}, 60_000);
afterAll(async () => {
  Error.stackTraceLimit = 10;
  wallet?.destroy();
  await node?.stop();
});

/** Answers short ranges and refuses longer ones, as the service does with 2,000 blocks. */
const limitedLogs: Script = (response, call) => {
  const { fromBlock, toBlock } = call.params[0] as { fromBlock: string; toBlock: string };
  const isShort = Number(toBlock) - Number(fromBlock) < 20;
  return (isShort ? result([]) : error(-32012, 'Cannot query more than 20 blocks at once'))(response, call);
};

test('eth_getBalance passes three layers, before the cache has loaded and afterwards', patience, async () => {
  const layers = await layersDuring('eth_getBalance', async () => {
    await request('eth_getBalance', wallet.state().accounts[0]?.address, 'latest');
    // Repeated reads load the cache.
    await until(async () => {
      await request('eth_getBalance', wallet.state().accounts[0]?.address, 'latest');
      node.chain.mine();
      return stacks.get('eth_getBalance')?.some(([, , outermost]) => outermost === 'service/cache/cache');
    });
  });
  expect(layers).toEqual([
    ['service/steady/steady-service', 'wallet/chain-runtime', 'wallet/chain-runtime'],
    ['service/steady/steady-service', 'wallet/chain-runtime', 'service/cache/cache'],
  ]);
});

test('the reads and the broadcast of eth_sendTransaction pass three layers', patience, async () => {
  const from = wallet.state().accounts[0]?.address;
  const send = () => request('eth_sendTransaction', { from, to: from, value: '0x1' });
  const prioritised = [
    'service/steady/steady-service',
    'wallet/chain-runtime',
    'service/rate-limit/priority',
  ];
  // The watcher of the previous payment polls meanwhile, without priority.
  for (const method of [
    'eth_sendRawTransaction',
    'eth_gasPrice',
    'eth_getBalance',
    'eth_getTransactionCount',
  ])
    expect(await layersDuring(method, send)).toContainEqual(prioritised);
});

test('a poll of the head passes three layers', patience, async () => {
  const layers = await layersDuring('eth_getBlockByNumber', async () => {
    await request('eth_subscribe', 'newHeads');
    await until(() => (stacks.get('eth_getBlockByNumber')?.length ?? 0) > 2);
  });
  expect(layers).toEqual([
    ['service/steady/steady-service', 'wallet/chain-runtime', 'chain/tabs/shared-service'],
  ]);
});

test('a wide eth_getLogs passes three layers for each span', patience, async () => {
  node.override('eth_getLogs', limitedLogs);
  for (let i = 0; i < 100; i++) node.chain.mine();
  const layers = await layersDuring('eth_getLogs', async () => {
    expect(await request('eth_getLogs', { fromBlock: '0x64', toBlock: '0xc7' })).toEqual([]);
    expect(stacks.get('eth_getLogs')?.length).toBeGreaterThan(4);
  });
  expect(layers).toEqual([['service/steady/steady-service', 'wallet/chain-runtime', 'service/cache/cache']]);
});

test('no request passes more than three layers', () => {
  expect(Math.max(...everyRequest.map((layers) => layers.length))).toBe(3);
});
