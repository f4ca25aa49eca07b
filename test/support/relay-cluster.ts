import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { LocalService } from '../../packages/kit/src/local/index.js';
import type { NodeRelayOptions } from '../../packages/relay/src/node.js';
import { matchIn, startProgram } from './browsers/process.js';
import { clientOf } from './local-client.js';
import { programOf } from './program.js';
import { type Client, connect, type deployEmitter, startRelay } from './relay-server.js';
import { until } from './until.js';

/** A relay in a process of its own. */
export interface RelayProcess {
  /** Without a slash at the end. */
  readonly url: string;
  /** What it has printed so far. */
  output(): string;
  metrics(): Promise<string>;
  /** Whether it polls the chain. */
  leads(): Promise<boolean>;
  connect(): Promise<Follower>;
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void;
  stop(): Promise<void>;
}

/** A client that follows the heads. */
export interface Follower {
  readonly client: Client;
  /** Hashes of the blocks, as they came. */
  heads(): readonly string[];
  /** The blocks of `graft_steps`, as they came: `-` before a removed one. */
  steps(): readonly string[];
  /** Hashes of the blocks of the logs, as they came. */
  logs(): readonly string[];
}

const token = 'token-of-the-administrator';

/** Starts `graft-relay`. */
export async function startRelayProcess(
  service: LocalService,
  { redisUrl, port = 0, limits }: startRelayProcess.Options = {},
): Promise<RelayProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'graft-relay-'));
  const config = join(folder, 'relay.json');
  const { chainId } = service;
  await writeFile(
    config,
    JSON.stringify({
      ...{ networks: [{ chainId, interval: 1_000 }], origins: ['*'], open: true, port, limits },
      ...{ admin: null, adminToken: token },
    }),
  );
  const program = startProgram(
    process.execPath,
    [programOf('packages/relay/src/cli.ts'), '--config', config],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        [`GRAFT_RELAY_URL_${chainId}`]: service.url,
        ...(redisUrl && { GRAFT_RELAY_REDIS_URL: redisUrl }),
      },
    },
  );
  let output = '';
  for (const stream of [program.child.stdout, program.child.stderr] as Readable[])
    stream.on('data', (part) => {
      output += part;
    });
  const url = await matchIn(program.child.stdout as Readable, /Relay +(http:\S+)/);
  const metrics = async () => {
    const reply = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    return reply.text();
  };
  return {
    url,
    output: () => output,
    metrics,
    leads: async () => /graft_relay_leading\{[^}]*\} 1$/m.test(await metrics()),
    connect: () => follow(`${url.replace('http', 'ws')}/${chainId}`),
    signal: (name) => void process.kill(program.child.pid as number, name),
    async stop() {
      await program.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export declare namespace startRelayProcess {
  interface Options {
    /** Without one it is alone. */
    readonly redisUrl?: string | undefined;
    readonly port?: number | undefined;
    readonly limits?: NodeRelayOptions['limits'];
  }
}

/** Connects, and subscribes to heads, steps and all logs. */
export async function follow(url: string): Promise<Follower> {
  const client = await connect(url);
  const heads = await client.call('eth_subscribe', 'newHeads');
  const steps = await client.call('eth_subscribe', 'graft_steps', {});
  const logs = await client.call('eth_subscribe', 'logs', {});
  // biome-ignore lint/suspicious/noExplicitAny: results of any subscription
  const of = (id: string) => (client.pushed.get(id) ?? []) as any[];
  return {
    client,
    heads: () => of(heads).map(({ hash }) => hash),
    steps: () =>
      of(steps).flatMap(({ removed, added }) => [
        ...removed.map(({ hash }: { hash: string }) => `-${hash}`),
        ...added.map(({ hash }: { hash: string }) => hash),
      ]),
    logs: () => of(logs).map(({ blockHash }) => blockHash),
  };
}

/** Mines blocks with a log each for some time. Returns their hashes. */
export async function mineFor(
  service: LocalService,
  contract: Awaited<ReturnType<typeof deployEmitter>>,
  milliseconds: number,
  pause = 700,
): Promise<string[]> {
  const mined: string[] = [];
  for (const end = Date.now() + milliseconds; Date.now() < end; ) {
    await contract.emit(1, 7);
    await service.controls.mine();
    mined.push((await clientOf(service).call('eth_getBlockByNumber', 'latest', false)).hash);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return mined;
}

/** Starts relays in this process that share a Redis, with a client at each. They end with the test. */
export async function startInstances(service: LocalService, redisUrl: string, count: number) {
  const rigs = await Promise.all(Array.from({ length: count }, () => startRelay({ redisUrl }, service)));
  onTestFinished(async () => {
    for (const rig of rigs) await rig[Symbol.asyncDispose]();
  });
  const clients = await Promise.all(rigs.map(({ socketUrl }) => follow(socketUrl)));
  const { chainId } = service;
  const leaders = () => rigs.filter(({ node }) => node.relay.core.leads(chainId)).length;
  await until(() => leaders() === 1);
  const upstream = () =>
    rigs.reduce(
      (sum, { node }) =>
        sum +
        Object.values(node.relay.metrics.snapshot().chains[0]?.upstream ?? {}).reduce((a, b) => a + b, 0),
      0,
    );
  const degraded = () => rigs.filter(({ node }) => node.relay.core.health(chainId).degraded).length;
  return { rigs, clients, leaders, upstream, degraded };
}
