import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { createPublicClient, custom } from 'viem';
import { headless } from '../../packages/kit/src/testing/index.js';
import type { Wallet } from '../../src/index.js';
import { bridgeTo } from '../support/bridged.js';
import { createFakeNode } from '../support/fake-node.js';
import { hastenKdf } from '../support/hasty-kdf.js';
import '../support/load-diagnosis.js';
import { mnemonic, origin, password, values } from '../support/keys.js';
import { openWallet } from '../support/open-wallet.js';
import { until } from '../support/until.js';
import { isChild } from './child-server.js';

/** The length of one request's way through `src`. It is counted, so it depends on no clock. */
export interface Walk {
  /** Frames on the stack of `fetch`, those of callers that await included; of several requests the most. */
  readonly frames: number;
  /** Files in which a function ran. */
  readonly files: number;
}

export type Walks = Readonly<Record<string, Walk>>;

/**
 * Counts each walk in a process of its own, where nothing else runs: a wallet with accounts, whose code has loaded, sends
 * requests over HTTP to a fake node. With WALKS=1 it prints the files and the stacks.
 */
export async function measureWalks(): Promise<Walks> {
  const child = fork(fileURLToPath(import.meta.url), ['walk'], { execArgv: ['--import', 'tsx'] });
  const [walks] = (await once(child, 'message')) as [Walks];
  return walks;
}

interface Counter {
  readonly walks: Walks;
  count(name: string, walk: () => Promise<unknown>): Promise<void>;
  /** Resolves when what earlier requests started has ended: nothing has run for a while. All code must have loaded. */
  idle(): Promise<void>;
}

/** Counts files by the coverage of V8, and frames by the stacks of `fetch`. */
async function createCounter(): Promise<Counter> {
  const walks: Record<string, Walk> = {};
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  /** The files in which a function ran since the last call. Loading a module does not count. */
  const filesRun = async (): Promise<string[]> => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url }) => url.includes(source))
      .filter(({ functions }) =>
        functions.some(({ ranges: [range] }) => range && range.startOffset > 0 && range.count > 0),
      )
      .map(({ url }) => url);
  };

  let stacks: string[][] = [];
  Error.stackTraceLimit = Number.POSITIVE_INFINITY;
  const { fetch } = globalThis;
  globalThis.fetch = (...call) => {
    stacks.push(`${new Error().stack}`.split('\n').filter((line) => line.includes(source)));
    return fetch(...call);
  };

  return {
    walks,
    async count(name, walk) {
      await filesRun();
      stacks = [];
      await walk();
      const files = await filesRun();
      walks[name] = { frames: Math.max(...stacks.map(({ length }) => length)), files: files.length };
      if (!process.env.WALKS) return;
      console.log([name, ...files.sort(), ...stacks.map((stack) => stack.join('\n')), ''].join('\n'));
    },
    async idle() {
      for (let quiet = 0; quiet < 5; ) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        quiet = (await filesRun()).length === 0 ? quiet + 1 : 0;
      }
    },
  };
}

const source = new URL('../../src/', import.meta.url).pathname;

async function walk(): Promise<Walks> {
  hastenKdf();
  const counter = await createCounter();
  // First, because they load all code that the others need.
  await blockWalks(counter);
  await sendWalk(counter);
  await readWalks(counter);
  return counter.walks;
}

type Page = Pick<Wallet, 'provider'>;

const ask = ({ provider }: Page, method: string, ...params: readonly unknown[]) =>
  provider.request({ method, params } as never) as Promise<unknown>;

const pay = (page: Page) =>
  ask(page, 'eth_sendTransaction', { from: values.$A0, to: values.$X, value: '0x1' });

async function open(url: string, pollingInterval?: number): Promise<Wallet> {
  const approver = headless({ password });
  const wallet = openWallet({ networks: [{ chainId: 31, url }], approver: () => approver, pollingInterval });
  await wallet.importMnemonic(mnemonic, { password });
  await ask(wallet, 'eth_requestAccounts');
  return wallet;
}

async function readWalks({ count, idle }: Counter): Promise<void> {
  const { url } = await createFakeNode();
  /** The second read loads the cache, the third is in it, and the fourth computes what its repetition needs. */
  const warmed = async (read: () => Promise<unknown>) => {
    for (let i = 0; i < 4; i++) {
      await read();
      await idle();
    }
    return read;
  };
  // A wallet each: within 3 s of a first block on this machine a read of the newest state polls the head before.
  const plain = await open(url);
  const blockNumber = () => ask(plain, 'eth_blockNumber');
  await idle();
  await count('eth_blockNumber, first', blockNumber);
  await count('eth_blockNumber, warm', await warmed(blockNumber));

  const client = createPublicClient({ transport: custom((await open(url)).provider) });
  const call = () => client.call({ to: values.$X, data: '0x12345678' });
  await count('eth_call through viem', await warmed(call));

  const framed = await open(url);
  const bridged = bridgeTo({ origin, make: () => framed });
  const balance = () => ask(bridged, 'eth_getBalance', values.$A0, 'latest');
  await count('eth_getBalance over the bridge', await warmed(balance));
}

async function sendWalk({ count, idle }: Counter): Promise<void> {
  // So rarely that no poll of the head falls into the walk.
  const payer = await open((await createFakeNode()).url, 3_600_000);
  await pay(payer);
  await idle();
  await count('eth_sendTransaction, click to hash', () => pay(payer));
}

async function blockWalks({ count, idle }: Counter): Promise<void> {
  const node = await createFakeNode();
  const wallet = await open(node.url, 50);
  /** Resolves after polls that began later than this call. */
  const polled = async () => {
    const polls = () => node.count('eth_getBlockByNumber');
    const before = polls();
    await until(() => polls() > before + 4);
  };
  const mined = async (times: number) =>
    (await wallet.transactions()).filter(({ state }) => state === 'mined').length === times;
  const mine = (hash: unknown) => node.chain.mine({ transactions: [String(hash)] });
  mine(await pay(wallet));
  await until(() => mined(1));
  const hash = await pay(wallet);
  await polled();
  await count('payment, block to mined', async () => {
    const recorded = new Promise<void>((resolve) => {
      wallet.watch(async () => {
        if (await mined(2)) resolve();
      });
    });
    mine(hash);
    await recorded;
  });
  wallet.destroy();

  const listener = await open(node.url, 50);
  await ask(listener, 'eth_subscribe', 'logs', { address: values.$X });
  const logged = async () => {
    const message = new Promise((resolve) => listener.provider.once('message', resolve));
    const logs: object[] = [];
    const { number, hash: blockHash } = node.chain.mine({ logs });
    logs.push({
      ...{ address: values.$X, topics: [], data: '0x', removed: false, logIndex: '0x0' },
      ...{ blockNumber: number, blockHash, transactionHash: values.$H32, transactionIndex: '0x0' },
    });
    await message;
  };
  await logged();
  await polled();
  await count('log, block to message', logged);
  listener.destroy();
  await idle();
}

if (isChild('walk')) {
  process.send?.(await walk());
  process.once('disconnect', () => process.exit());
  process.disconnect();
}
