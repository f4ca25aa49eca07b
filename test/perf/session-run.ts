import { privateKeyToAccount } from 'viem/accounts';
import type { Wallet } from '../../src/index.js';
import type { Address, Hex } from '../../src/rpc/schema.js';
import { openWallet } from '../support/open-wallet.js';
import {
  type Arrival,
  arrivals,
  type Counts,
  play,
  type SessionChain,
  startSessionChain,
} from './session-chain.js';
import { pause, speedUp } from './session-clock.js';
import { type Dapp, dapps, type Ground, type Library } from './session-dapps.js';
import { measureTabs, type TabsResult } from './session-tabs.js';

/** The polling interval: the library's own (4 s), or our default. */
export type Pace = 'alone' | 'same' | 'usual';

export interface SessionResult extends Counts {
  readonly library: Library;
  readonly busy: boolean;
  readonly pace: Pace;
  /** Mean milliseconds from a block to its listener. */
  readonly delay: number;
  /** Logs that should have been delivered, and that were. */
  readonly logs: number;
  readonly heard: number;
  /** Whether every step has ended: each payment has its receipt. */
  readonly paid: boolean;
}

export interface SessionSettings {
  readonly factor: number;
  readonly blocks: number;
  readonly payments: number;
  /** The library of the sessions; without one, several tabs and quiet pages are measured. */
  readonly library?: Library;
}

export interface Results {
  readonly sessions: readonly SessionResult[];
  readonly tabs?: TabsResult;
}

const privateKey: Hex = `0x${'46'.repeat(32)}`;
const account = privateKeyToAccount(privateKey).address;
const others = Array.from({ length: 5 }, (_, i): Address => `0x${`${i + 1}`.repeat(40)}`);
const paces: readonly Pace[] = ['alone', 'same', 'usual'];
const libraryInterval = 4_000;

/** A hosted service's address, because a service on this machine is polled each second (src/chain/interval.ts). */
const hostOf = (place: number) => `https://service-${place}.example/key`;

/** Redirects requests for {@link hostOf} to these services. */
function route(chains: readonly SessionChain[]): void {
  const { fetch } = globalThis;
  globalThis.fetch = (input, init) => {
    const place = chains.findIndex((_, at) => input === hostOf(at));
    return fetch(place < 0 ? input : (chains[place] as SessionChain).service.url, init);
  };
}

async function openSessionWallet(place: number, options: openSessionWallet.Options = {}): Promise<Wallet> {
  const { pollingInterval, batch } = options;
  const wallet = openWallet({
    networks: [{ chainId: 33, url: hostOf(place), ...(batch !== undefined && { batch }) }],
    lockAfter: 24 * 3_600_000,
    approver: () => ({ ask: async () => ({ approved: true }) }),
    ...(pollingInterval !== undefined && { pollingInterval }),
  });
  await wallet.importPrivateKey(privateKey, { password: 'correct horse battery' });
  return wallet;
}

declare namespace openSessionWallet {
  interface Options {
    readonly pollingInterval?: number;
    readonly batch?: number;
  }
}

/** ethers sends batches, so a service that it is used with takes them; the others, and we by default, send none. */
const batches: Readonly<Partial<Record<Library, number>>> = { ethers: 50 };

/** Runs the steps of the script in parallel; a busy page has more watchers. Resolves when all payments are mined. */
async function script(dapp: Dapp, token: Address, options: script.Options): Promise<void> {
  const { busy, payments, onBlock, onLog } = options;
  const from = await dapp.connect();
  const balances = () => Promise.all(others.map(dapp.balance));
  const pay = async () => {
    for (let i = 0; i < payments; i++) await dapp.pay(from, others[0] as Address);
  };
  const refresh = () => void Promise.all([balances(), dapp.gasPrice()]).catch(() => {});
  await Promise.all([
    balances(),
    dapp.watchBlocks(onBlock),
    dapp.watchLogs(token, 'Transfer', onLog),
    ...(busy
      ? [dapp.watchBlocks(refresh), dapp.watchBlocks(refresh), dapp.watchLogs(token, 'Approval', () => {})]
      : []),
    pay(),
  ]);
}

declare namespace script {
  interface Options {
    readonly busy: boolean;
    readonly payments: number;
    readonly onBlock: (height: number) => void;
    readonly onLog: () => void;
  }
}

/** Alone, on our provider at the same pace, and at ours: at the same time, each on a chain of its own. */
async function session(
  chains: readonly SessionChain[],
  library: Library,
  busy: boolean,
  schedule: readonly Arrival[],
  payments: number,
): Promise<SessionResult[]> {
  const contenders = await Promise.all(
    paces.map(async (pace, place) => {
      const chain = chains[place] as SessionChain;
      const batch = batches[library];
      const wallet =
        pace === 'alone'
          ? undefined
          : await openSessionWallet(place, {
              ...(pace === 'same' && { pollingInterval: libraryInterval }),
              ...(batch !== undefined && { batch }),
            });
      const ground: Ground = wallet ? { provider: wallet.provider } : { url: chain.service.url, privateKey };
      return { pace, chain, wallet, dapp: dapps[library](ground), before: chain.counts() };
    }),
  );
  const mined = contenders.map(() => new Map<number, number>());
  const waits = contenders.map(() => [] as number[]);
  const heard = contenders.map(() => 0);
  const scripts = contenders.map(({ dapp, chain }, at) =>
    script(dapp, chain.token, {
      busy,
      payments,
      onBlock(height) {
        for (const [each, minedAt] of mined[at] as Map<number, number>) {
          if (each > height) continue;
          mined[at]?.delete(each);
          waits[at]?.push(Math.max(0, Date.now() - minedAt));
        }
      },
      onLog() {
        heard[at] = (heard[at] as number) + 1;
      },
    }),
  );
  await play(chains, schedule, (at, height, minedAt) => mined[at]?.set(height, minedAt));
  // Wait until the last block has been delivered.
  await pause(15_000);
  const ended = contenders.map(() => false);
  for (const [at, each] of scripts.entries())
    each.then(
      () => {
        ended[at] = true;
      },
      (error) => process.stderr.write(`${library}, ${paces[at]}: ${error}\n`),
    );
  await pause(15_000);
  const results = contenders.map(({ pace, chain, before }, at): SessionResult => {
    const { requests, calls } = chain.counts();
    return {
      ...{ library, busy, pace },
      requests: requests - before.requests,
      calls: calls - before.calls,
      delay: (waits[at] as number[]).reduce((sum, each) => sum + each, 0) / (waits[at] as number[]).length,
      logs: schedule.filter(({ transfers }) => transfers).length,
      heard: heard[at] as number,
      paid: ended[at] as boolean,
    };
  });
  for (const { dapp, wallet } of contenders) {
    dapp.close();
    wallet?.destroy();
  }
  // Requests in flight must not count for the next measurement.
  await pause(10_000);
  return results;
}

async function run({ factor, blocks, payments, library }: SessionSettings): Promise<Results> {
  const chains = await Promise.all(paces.map(() => startSessionChain(factor)));
  await Promise.all(chains.map(({ service }) => service.controls.faucet(account)));
  try {
    route(chains);
    speedUp(factor);
    const schedule = arrivals(blocks);
    if (!library) return { sessions: [], tabs: await measureTabs(chains, openSessionWallet, schedule) };
    const sessions: SessionResult[] = [];
    for (const busy of [false, true])
      sessions.push(...(await session(chains, library, busy, schedule, payments)));
    return { sessions };
  } finally {
    await Promise.all(chains.map(({ service }) => service.close()));
  }
}

// A library may still reject what was in flight when its page closed: print it, the counts are complete.
process.on('unhandledRejection', (error) => process.stderr.write(`unhandled: ${error}\n`));
if (process.argv[2] === 'run') {
  const results = await run(JSON.parse(process.argv[3] as string) as SessionSettings);
  process.stdout.write(JSON.stringify(results), () => process.exit());
}
