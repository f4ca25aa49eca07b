import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { WebSocketServer } from 'ws';
import { matchIn, type Program, startProgram } from '../support/browsers/process.js';
import { programOf } from '../support/program.js';
import { createRandom } from '../support/random.js';
import { startRedis, type TestRedis } from '../support/redis.js';
import { type ChainNetwork, createChainNetwork } from './network.js';
import { faultless } from './readers.js';
import { createRelayClient, type RelayTally, relayWishes } from './relay-clients.js';
import { createTrouble } from './trouble.js';

/** The result of a run. */
export interface RelayReport {
  readonly seed: number;
  readonly clients: number;
  readonly blocks: number;
  readonly reorgs: number;
  readonly deepest: number;
  readonly seconds: number;
  /** By kind of subscription. */
  readonly told: Readonly<Record<string, RelayTally>>;
  readonly troubles: Readonly<Record<string, number>>;
  /** At the service, by JSON-RPC method. */
  readonly requests: Readonly<Record<string, number>>;
  /** Descriptions of the defects; empty if every client was told exactly the chain. */
  readonly defects: readonly string[];
}

/**
 * A simulated chain grows and reorganises behind instances of the relay that share a Redis; many clients listen over
 * WebSockets. Instances are killed and frozen, Redis is killed, connections are cut, the service fails, lags and says
 * nothing. What each client was told on a connection is compared with the chain.
 */
export async function soakRelay(options: soakRelay.Options): Promise<RelayReport> {
  const { seed, clients: count, reorgs, instances = 2 } = options;
  const [random, ofReplies, ofMishaps] = [0, 1, 2].map((offset) =>
    createRandom(seed * 10 + offset),
  ) as Randoms;
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const began = performance.now();
  const defects: string[] = [];
  const defect = (what: string) => {
    if (defects.length < 50) defects.push(what);
  };

  const network = await createChainNetwork({ seed, dialect: 'node', random });
  const trouble = createTrouble({ service: network.service, behind: network.behind, random: ofReplies });
  const note = (what: string) => {
    trouble.done[what] = (trouble.done[what] ?? 0) + 1;
  };
  await network.mine(5);
  const announcer = await startAnnouncer(network);
  const redis = await startRedis();
  const relays = await Promise.all(
    Array.from({ length: instances }, () => startInstance(network, announcer.url, redis.url)),
  );
  const told: Record<string, RelayTally> = {};
  const clients = Array.from({ length: count }, (_, at) => {
    const wish = relayWishes[at % relayWishes.length] as (typeof relayWishes)[number];
    told[wish.kind] ??= { ...faultless(), subscriptions: 0, events: 0, resumed: 0, forgotten: 0 };
    return createRelayClient({
      name: `client ${at}`,
      wish,
      network,
      pick: () => (relays[Math.floor(Math.random() * relays.length)] as Instance).url,
      tally: told[wish.kind] as RelayTally,
      defect,
    });
  });
  /** Mishaps that take their time; the chain goes on meanwhile. */
  const underWay = new Set<Promise<void>>();
  const start = (mishap: () => Promise<void>) => {
    const running = mishap().catch((error) => defect(`a mishap failed: ${error.message}`));
    underWay.add(running);
    void running.finally(() => underWay.delete(running));
  };

  async function changeChain(): Promise<void> {
    if (random() < 0.2) {
      const usual = random() < 0.97 ? 1 + upTo(4) : 8 + upTo(20);
      const depth = Math.min(usual, network.height() - 1);
      await network.reorg(depth, {
        blocks: depth + ([0, 1, 1, 1, 2][upTo(4)] as number),
        transactions: 'mined',
      });
    } else await network.mine(random() < 0.9 ? 1 : 2 + upTo(4));
    announcer.announce();
  }

  async function befall(): Promise<void> {
    const chance = ofMishaps();
    const pickOne = <T>(from: readonly T[]) => from[Math.floor(ofMishaps() * from.length)] as T;
    const levels = [0, 0.02, 0.08];
    if (chance < 0.1) {
      note('connections cut');
      pickOne(clients).cut();
    } else if (chance < 0.11) trouble.lagging = !trouble.lagging;
    else if (chance < 0.13) await network.lag(Math.floor(ofMishaps() * 4));
    else if (chance < 0.15)
      trouble.level = { lost: pickOne(levels), garbled: pickOne(levels), nonsense: pickOne(levels) };
    else if (chance < 0.155) {
      note('announcements left out');
      announcer.muteFor(3);
    } else if (underWay.size > 0) return;
    else if (chance < 0.16) start(() => downFor(500 + 1_500 * ofMishaps()));
    else if (chance < 0.165) start(restart);
    else if (chance < 0.168) start(freeze);
    else if (chance < 0.17) start(outage);
  }

  async function downFor(milliseconds: number): Promise<void> {
    note('outages of the service');
    trouble.down = true;
    await pause(milliseconds);
    trouble.down = false;
  }

  async function restart(): Promise<void> {
    note('instances killed');
    const at = Math.floor(ofMishaps() * relays.length);
    await (relays[at] as Instance).stop();
    relays[at] = await startInstance(network, announcer.url, redis.url);
  }

  async function freeze(): Promise<void> {
    note('instances frozen for eight seconds');
    const frozen = relays[Math.floor(ofMishaps() * relays.length)] as Instance;
    frozen.signal('SIGSTOP');
    await pause(8_000);
    frozen.signal('SIGCONT');
  }

  async function outage(): Promise<void> {
    note('Redis killed');
    await redis.kill();
    await pause(3_000 * ofMishaps());
    await redis.restart();
  }

  try {
    await holdsWithin(() => clients.every((each) => each.listens()), 20_000);
    for (let turn = 0; network.reorgs.count < reorgs; turn++) {
      await changeChain();
      await befall();
      const heard = () => {
        const heads = clients.filter((each) => each.kind !== 'logs' && each.listens());
        return heads.filter((each) => each.head() === network.head()).length > 0.8 * heads.length;
      };
      const pace = random();
      // Mostly the clients are given the time to hear of it: what nobody was told of tests nothing when it leaves.
      if (pace < 0.8) await holdsWithin(heard, 400);
      else await pause(upTo(20));
      if (turn % 50 === 0) options.onProgress?.(network.height(), network.reorgs.count, defects.length);
    }

    // The faults end, and the chain outgrows every fork.
    await Promise.all(underWay);
    trouble.calm();
    await network.lag(0);
    await network.mine(3);
    announcer.announce();
    const settled = () => clients.every((each) => each.upToDate());
    if (!(await holdsWithin(settled, 90_000)))
      defect(`${clients.filter((each) => !each.upToDate()).length} clients were not told all in the end`);
    for (const each of clients) each.end();
  } finally {
    await Promise.all(relays.map((each) => each.stop()));
    await Promise.all([announcer.stop(), redis.stop(), network.close()]);
  }

  return {
    ...{ seed, clients: count, told, defects, troubles: trouble.done },
    ...{ reorgs: network.reorgs.count, deepest: network.reorgs.deepest, blocks: network.height() },
    seconds: Math.round((performance.now() - began) / 1_000),
    requests: requestsOf(network),
  };
}

export declare namespace soakRelay {
  interface Options {
    readonly seed: number;
    readonly clients: number;
    /** How many reorganisations the chain has; about four blocks are mined for each. */
    readonly reorgs: number;
    /** Default 2. */
    readonly instances?: number;
    readonly onProgress?: (height: number, reorgs: number, defects: number) => void;
  }
}

type Randoms = [() => number, () => number, () => number];

function requestsOf({ service }: ChainNetwork): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { method } of service.requests) counts[method] = (counts[method] ?? 0) + 1;
  return counts;
}

/** The node's WebSocket, which the local service does not have: it announces the newest block. */
async function startAnnouncer({ engine }: ChainNetwork) {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const server = createServer();
  let mute = 0;
  server.on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on('error', () => {});
      opened.on('message', (data) => {
        const { id } = JSON.parse(String(data));
        opened.send(JSON.stringify({ jsonrpc: '2.0', id, result: '0x1' }));
      });
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    announce() {
      if (mute-- > 0) return;
      const block = engine.chain().at(-1)?.block;
      const result = { number: block?.number, hash: block?.hash, parentHash: block?.parentHash };
      const params = { subscription: '0x1', result };
      const frame = JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params });
      for (const each of sockets.clients) each.send(frame);
    },
    /** Leaves out the next announcements. */
    muteFor(announcements: number) {
      mute = announcements;
    },
    async stop() {
      for (const each of sockets.clients) each.terminate();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A relay in a process of its own. */
interface Instance {
  /** For WebSockets. */
  readonly url: string;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  stop(): Promise<void>;
}

async function startInstance(
  { service }: ChainNetwork,
  announcements: string,
  redisUrl: TestRedis['url'],
): Promise<Instance> {
  const { chainId } = service;
  const program: Program = startProgram(
    process.execPath,
    [
      ...[programOf('packages/relay/src/cli.ts'), '--chain', `${chainId}`, '--origin', '*', '--open'],
      ...['--port', '0', '--admin-port', 'none', '--config', new URL('relay.json', import.meta.url).pathname],
    ],
    {
      stdio: ['ignore', 'pipe', process.env.SOAK_VERBOSE ? 'inherit' : 'ignore'],
      env: {
        ...process.env,
        [`GRAFT_RELAY_URL_${chainId}`]: service.url,
        [`GRAFT_RELAY_SOCKET_${chainId}`]: announcements,
        GRAFT_RELAY_REDIS_URL: redisUrl,
      },
    },
  );
  const url = await matchIn(program.child.stdout as Readable, /Relay +http:(\S+)/);
  return {
    url: `ws:${url}/${chainId}`,
    signal: (name) => void process.kill(program.child.pid as number, name),
    stop: program.stop,
  };
}

async function holdsWithin(holds: () => boolean, milliseconds: number): Promise<boolean> {
  const end = performance.now() + milliseconds;
  while (!holds()) {
    if (performance.now() > end) return false;
    await pause(5);
  }
  return true;
}

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
