import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRandom } from '../support/random.js';
import { startWorker } from '../support/workerd.js';
import type { Command, Message, Mined, Opened, Ready, Told, Usage } from './relay/messages.js';
import { atMost, type Extent, milliseconds, type Row, times } from './row.js';
import { median } from './sample.js';

/**
 * The relay between many clients and one service, each in a process of its own: how many requests reach the service, how
 * late the clients hear of a block, and what the relay costs. Blocks come every 8 seconds on average, three times as often
 * as on Rootstock.
 */
export async function measureRelay({ short }: Extent): Promise<Row[]> {
  const seconds = short ? 12 : 90;
  const counts = short ? [1, 20] : [1, 10, 100, 1_000];
  const rows: Row[] = [];
  let alone: Measured | undefined;
  for (const clients of counts) {
    const measured = await run({ clients, seconds, interval });
    alone ??= measured;
    rows.push(
      ...rowsOf(
        `${clients} client${clients > 1 ? 's' : ''}, polling at 4 s`,
        measured,
        alone,
        interval + 500,
      ),
    );
    if (clients >= 1_000) rows.push(...costs(measured, clients));
  }
  const pushed = await run({ clients: short ? 20 : 1_000, seconds, interval, isPushed: true });
  rows.push(...rowsOf(`${pushed.clients} clients, by the node’s newHeads`, pushed, alone as Measured, 600));
  if (!short) rows.push(await held(10_000));
  const workers = short ? [20] : counts;
  let first: Measured | undefined;
  for (const clients of workers) {
    const measured = await run({ clients, seconds, interval, runtime: 'workerd' });
    first ??= measured;
    const name = `${clients} client${clients > 1 ? 's' : ''} in workerd, polling at 4 s`;
    rows.push(...rowsOf(name, measured, first, interval + 500));
    if (clients >= 1_000) rows.push(...costs(measured, clients, ' in workerd'));
  }
  return rows;
}

/** Milliseconds between two polls of the relay. */
const interval = 4_000;
/** Milliseconds between two blocks, on average. */
const blockTime = 8_000;

interface Measured {
  readonly clients: number;
  /** Requests to the service in a minute. */
  readonly perMinute: number;
  /** Milliseconds from a block to its arrival, of each client and block. */
  readonly delays: readonly number[];
  /** Milliseconds from the first client that was told of a block to the last. */
  readonly spreads: readonly number[];
  readonly reads: readonly number[];
  readonly blocks: number;
  readonly missing: number;
  /** Bytes before and with the clients. */
  readonly memory: readonly [idle: number, loaded: number];
  /** Share of a core. */
  readonly cpu: number;
}

interface Run {
  readonly clients: number;
  readonly seconds: number;
  readonly interval: number;
  readonly isPushed?: boolean;
  /** Default `node`. */
  readonly runtime?: 'node' | 'workerd';
}

async function run({ clients, seconds, interval: polled, isPushed, runtime }: Run): Promise<Measured> {
  await using setup = await start(polled, isPushed, runtime);
  const { node, usage, crowd } = setup;
  const idle = await usage();
  await ask<Opened>(crowd, { do: 'open', clients, reads: true }, 'opened');
  // The first heads bring the caches and the compiler to where they stay.
  await ask<Mined>(node, { do: 'mine' }, 'mined');
  await pause(polled + 2_000);
  await ask<Told>(crowd, { do: 'told' }, 'told');
  const before = await usage();
  const askedBefore = await requests(node);
  const began = Date.now();
  const mined = await mineFor(node, seconds);
  await pause(polled + 2_000);
  const elapsed = Date.now() - began;
  const after = await usage();
  const askedAfter = await requests(node);
  const told = await ask<Told>(crowd, { do: 'told' }, 'told');
  const arrivals = mined.map(({ hash, at }) => (told.heads[hash] ?? []).map((each) => each - at));
  return {
    clients,
    perMinute: ((askedAfter - askedBefore) * 60_000) / elapsed,
    delays: arrivals.flat(),
    spreads: arrivals.filter((each) => each.length > 0).map((each) => Math.max(...each) - Math.min(...each)),
    reads: told.reads,
    blocks: mined.length,
    missing: mined.length * clients - arrivals.flat().length + told.lost + told.refused,
    memory: [idle.resident, after.resident],
    cpu: (after.cpu - before.cpu) / elapsed,
  };
}

/** The relay with many connections that only listen. */
async function held(clients: number): Promise<Row> {
  await using setup = await start(interval, true);
  const { node, usage, crowd } = setup;
  const idle = await usage();
  await ask<Opened>(crowd, { do: 'open', clients, reads: false }, 'opened');
  await ask<Mined>(node, { do: 'mine' }, 'mined');
  await pause(6_000);
  await ask<Told>(crowd, { do: 'told' }, 'told');
  const delays: number[] = [];
  for (let block = 0; block < 5; block++) {
    const { hash, at } = await ask<Mined>(node, { do: 'mine' }, 'mined');
    await pause(6_000);
    const { heads } = await ask<Told>(crowd, { do: 'told' }, 'told');
    delays.push(...(heads[hash] ?? []).map((each) => each - at));
  }
  const { resident } = await usage();
  return {
    what: `Relay: ${clients.toLocaleString('en')} connections that listen to blocks, held on Node`,
    ours: `${megabytes(resident)} (${megabytes(idle.resident)} without); a block is there after ${milliseconds(percentile(delays, 50))}, 95th percentile ${milliseconds(percentile(delays, 95))}; ${5 * clients - delays.length} not told`,
  };
}

function rowsOf(name: string, measured: Measured, alone: Measured, limit: number): Row[] {
  const { perMinute, delays, blocks, missing } = measured;
  const ratio = perMinute / alone.perMinute;
  const late = percentile(delays, 95);
  return [
    {
      what: `Relay, ${name}: requests to the service a minute`,
      ours: perMinute.toFixed(1),
      ratio: `${times(ratio)} one client`,
      ...(measured !== alone && { aim: atMost(ratio, 1.25, '≤ 1.25× one client') }),
    },
    {
      what: `Relay, ${name}: from a block to the client`,
      ours: `${milliseconds(percentile(delays, 50))}, 95th percentile ${milliseconds(late)} (${blocks} blocks, ${missing} not told)`,
      aim: atMost(
        missing > 0 ? Number.POSITIVE_INFINITY : late,
        limit,
        `95th percentile ≤ ${limit / 1000} s`,
      ),
    },
  ];
}

function costs(measured: Measured, clients: number, where = ''): Row[] {
  const { cpu, spreads, reads } = measured;
  const [idle, loaded] = measured.memory;
  const perThousand = ((loaded - idle) * 1_000) / clients;
  return [
    {
      what: `Relay${where}: memory for 1,000 clients`,
      ours: `${megabytes(perThousand)} (${megabytes(idle)} without)`,
      aim: atMost(perThousand, 60_000_000, '≤ 60 MB'),
    },
    {
      what: `Relay${where}: a core’s time for ${clients} clients that read twice with each block`,
      ours: `${(cpu * 100).toFixed(1)} %`,
      aim: atMost(cpu, 0.05, '≤ 5 %'),
    },
    {
      what: `Relay${where}: from the first of ${clients} clients that is told of a block to the last`,
      ours: milliseconds(median(spreads)),
    },
    {
      what: `Relay${where}: a read that ${clients} clients make with each block`,
      ours: `${milliseconds(percentile(reads, 50))}, 95th percentile ${milliseconds(percentile(reads, 95))}, of which the service takes 40 ms once`,
      aim: atMost(percentile(reads, 95), 200, '95th percentile ≤ 200 ms'),
    },
  ];
}

/** Mines at random times. */
async function mineFor(node: ChildProcess, seconds: number): Promise<readonly Mined[]> {
  const random = createRandom(11);
  const mined: Mined[] = [];
  const ends = Date.now() + seconds * 1_000;
  for (;;) {
    const wait = blockTime * (0.25 + 1.5 * random());
    if (Date.now() + wait > ends) return mined;
    await pause(wait);
    mined.push(await ask<Mined>(node, { do: 'mine' }, 'mined'));
  }
}

async function start(polled: number, isPushed = false, runtime: Run['runtime'] = 'node') {
  const node = child('node');
  const { port } = await heard<Ready>(node, 'ready');
  const upstream = `127.0.0.1:${port}/key`;
  const relay = await (runtime === 'node'
    ? startOnNode(`http://${upstream}`, polled, isPushed ? `ws://${upstream}` : undefined)
    : startInWorkerd(`http://${upstream}`, polled));
  const crowd = child('clients', `${relay.url}/31`);
  return {
    node,
    usage: relay.usage,
    crowd,
    async [Symbol.asyncDispose]() {
      await end(crowd);
      await relay.stop();
      await end(node);
    },
  };
}

/** A relay in a process of its own. */
export interface Started {
  /** For WebSockets. */
  readonly url: string;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

export async function startOnNode(url: string, polled: number, socket?: string): Promise<Started> {
  const relay = child('server', url, ...(socket ? ['30000', socket] : [`${polled}`]));
  const { port } = await heard<Ready>(relay, 'ready');
  return {
    url: `ws://127.0.0.1:${port}`,
    usage: () => ask<Usage>(relay, { do: 'usage' }, 'usage'),
    stop: () => end(relay),
  };
}

async function startInWorkerd(url: string, polled: number): Promise<Started> {
  const worker = await startWorker({
    GRAFT_RELAY_URL_31: url,
    GRAFT_RELAY_CONFIG: {
      networks: [{ chainId: 31, interval: polled, requestsPerDay: null, requestsPerSecond: null }],
      origins: ['*'],
      open: true,
    },
  });
  return {
    url: worker.url.replace('http', 'ws'),
    usage: async () => usageOf(worker.pid()),
    stop: async () => worker[Symbol.asyncDispose](),
  };
}

/** What Linux says of a process: pages of 4,096 bytes, and hundredths of a second. */
export async function usageOf(pid: number): Promise<Usage> {
  const [memory, times] = await Promise.all([
    readFile(`/proc/${pid}/statm`, 'utf8'),
    readFile(`/proc/${pid}/stat`, 'utf8'),
  ]);
  const [user, system] = times
    .replace(/^.*\) /, '')
    .split(' ')
    .slice(11, 13)
    .map(Number);
  const ticks = (user as number) + (system as number);
  return { kind: 'usage', resident: 4_096 * Number(memory.split(' ')[1]), cpu: 10 * ticks };
}

export async function end(process: ChildProcess): Promise<void> {
  process.kill('SIGKILL');
  if (process.exitCode === null && process.signalCode === null) await once(process, 'exit');
}

export const child = (name: string, ...args: string[]): ChildProcess =>
  fork(join(import.meta.dirname, 'relay', `${name}.ts`), args, {
    execArgv: ['--import', 'tsx', '--expose-gc'],
  });

export async function ask<T>(process: ChildProcess, command: Command, kind: Message['kind']): Promise<T> {
  const answer = heard<T>(process, kind);
  process.send(command);
  return answer;
}

export function heard<T>(process: ChildProcess, kind: Message['kind']): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(new Error(`${process.spawnargs.at(2)} has ended`));
    process.once('exit', end);
    const listen = (message: Message) => {
      if (message.kind !== kind) return;
      process.off('message', listen);
      process.off('exit', end);
      resolve(message as T);
    };
    process.on('message', listen);
  });
}

export async function requests(node: ChildProcess): Promise<number> {
  const { counts } = await ask<{ counts: Record<string, number> }>(node, { do: 'count' }, 'counts');
  return Object.values(counts).reduce((sum, each) => sum + each, 0);
}

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
export const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}
