import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Asked, Mined, Opened, Ready, Usage } from './relay/messages.js';
import {
  ask,
  child,
  end,
  heard,
  megabytes,
  pause,
  percentile,
  requests,
  startOnNode,
  usageOf,
} from './relay.js';
import { type Extent, milliseconds, type Row } from './row.js';

/**
 * HTTP clients that poll a node through the relay, through the proxies that one would take in its place, and without any:
 * `npm run bench proxies`. It is no part of the whole run, since it needs programs that a machine may lack; their rows are left
 * out then.
 *
 * - nginx: the program `nginx`, which keeps replies for a second, and serves an older one while it fetches the next.
 * - eRPC: `ERPC` names the program, and `ERPC_CONFIG` its configuration, in which `{node}` stands for the node's URL and `{port}`
 *   for the port to listen on; `ERPC_PATH` is the path that it serves.
 *
 * A block comes every 4 seconds, an answer of the node takes 40 ms, each client polls every 4 seconds.
 */
export async function measureProxies({ short }: Extent): Promise<Row[]> {
  const counts = short ? [100] : [100, 1_000];
  const seconds = short ? 24 : 48;
  const rows: Row[] = [];
  for (const clients of counts)
    for (const [name, start] of Object.entries(contenders)) {
      const row = await measure(name, start, clients, seconds);
      if (row) rows.push(row);
    }
  return rows;
}

/** A server between the clients and the node. */
interface Proxy {
  readonly url: string;
  usage?(): Promise<Usage>;
  stop(): Promise<void>;
}

/** Resolves with `undefined` where the machine lacks it. */
type Start = (node: string) => Promise<Proxy | undefined>;

async function startRelay(node: string, interval: number): Promise<Proxy> {
  const relay = await startOnNode(node, interval);
  return { ...relay, url: `${relay.url.replace('ws', 'http')}/31` };
}

const startNginx: Start = (node) =>
  startProgram('nginx', {
    config: (
      port,
      folder,
    ) => `daemon off; master_process off; worker_processes 1; pid ${folder}/pid; error_log stderr error;
events { worker_connections 4096; }
http {
  access_log off; ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  proxy_cache_path ${folder}/cache keys_zone=replies:10m;
  upstream node { server ${new URL(node).host}; keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://node${new URL(node).pathname};
      proxy_http_version 1.1; proxy_set_header Connection "";
      client_body_buffer_size 64k; client_body_in_single_buffer on;
      proxy_cache replies; proxy_cache_methods POST; proxy_cache_key $request_body;
      proxy_cache_valid 200 1s; proxy_cache_lock on; proxy_cache_use_stale updating;
    }
  }
}
`,
    args: (file, folder) => ['-p', folder, '-c', file, '-e', 'stderr'],
  });

const startErpc: Start = async (node) => {
  const { ERPC, ERPC_CONFIG, ERPC_PATH } = process.env;
  if (!ERPC || !ERPC_CONFIG) return undefined;
  const template = await readFile(ERPC_CONFIG, 'utf8');
  return startProgram(ERPC, {
    config: (port) => template.replaceAll('{node}', node).replaceAll('{port}', `${port}`),
    args: (file) => [file],
    path: ERPC_PATH,
  });
};

interface Program {
  config(port: number, folder: string): string;
  args(file: string, folder: string): readonly string[];
  readonly path?: string | undefined;
}

/** Starts a program with a configuration. Resolves once it answers; with `undefined` where there is no such program. */
async function startProgram(
  program: string,
  { config, args, path = '' }: Program,
): Promise<Proxy | undefined> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/${path}`;
  const folder = await mkdtemp(join(tmpdir(), 'graft-bench-'));
  const clean = () => rm(folder, { recursive: true });
  const file = join(folder, 'config.yaml');
  await writeFile(file, config(port, folder));
  const process = spawn(program, args(file, folder), { stdio: 'ignore' });
  const isMissing = await new Promise<boolean>((resolve) => {
    process.once('error', () => resolve(true));
    process.once('spawn', () => resolve(false));
  });
  if (isMissing) {
    await clean();
    return undefined;
  }
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}';
  const headers = { 'content-type': 'application/json' };
  while (!(await fetch(url, { method: 'POST', body, headers }).catch(() => undefined))?.ok) {
    if (process.exitCode !== null) throw new Error(`${program} has ended with ${process.exitCode}`);
    await pause(100);
  }
  return {
    url,
    usage: () => usageOf(process.pid as number),
    async stop() {
      await end(process);
      await clean();
    },
  };
}

const contenders: Readonly<Record<string, Start>> = {
  'no proxy': async (url) => ({ url, stop: async () => {} }),
  'Graft’s relay, interval 4 s': (node) => startRelay(node, 4_000),
  'Graft’s relay, interval 1 s': (node) => startRelay(node, 1_000),
  nginx: startNginx,
  eRPC: startErpc,
};

async function measure(
  name: string,
  start: Start,
  clients: number,
  seconds: number,
): Promise<Row | undefined> {
  const node = child('node');
  const { port } = await heard<Ready>(node, 'ready');
  const proxy = await start(`http://127.0.0.1:${port}/key`);
  try {
    if (!proxy) return undefined;
    const crowd = child('http-clients', proxy.url);
    try {
      await ask<Opened>(crowd, { do: 'open', clients }, 'opened');
      await mineEach(node, 8);
      await ask<Asked>(crowd, { do: 'told' }, 'asked');
      const before = await proxy.usage?.();
      const [askedBefore, began] = [await requests(node), Date.now()];
      const mined = await mineEach(node, seconds);
      const minutes = (Date.now() - began) / 60_000;
      const perMinute = ((await requests(node)) - askedBefore) / minutes;
      const after = await proxy.usage?.();
      const { heads, answers, torn, failed } = await ask<Asked>(crowd, { do: 'told' }, 'asked');
      const delays = mined.flatMap(({ height, at }) => (heads[height] ?? []).map((each) => each - at));
      const cost =
        before && after
          ? `; ${megabytes(after.resident)}, ${((100 * (after.cpu - before.cpu)) / (minutes * 60_000)).toFixed(1)} % of a core`
          : '';
      return {
        what: `${clients} HTTP clients, ${name}`,
        ours: `${perMinute.toFixed(1)} requests a minute; answer ${percentiles(answers)}; block ${percentiles(delays)}; ${torn} torn, ${failed} failed${cost}`,
      };
    } finally {
      await end(crowd);
    }
  } finally {
    await proxy?.stop();
    await end(node);
  }
}

const percentiles = (values: readonly number[]) =>
  `${milliseconds(percentile(values, 50))}, 95th percentile ${milliseconds(percentile(values, 95))}`;

/** Mines every 4.1 seconds: the clients' polls fall on all times between two blocks. */
async function mineEach(node: Parameters<typeof ask>[0], seconds: number): Promise<readonly Mined[]> {
  const mined: Mined[] = [];
  for (let left = seconds * 1_000; left >= 4_100; left -= 4_100) {
    mined.push(await ask<Mined>(node, { do: 'mine' }, 'mined'));
    await pause(4_100);
  }
  return mined;
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
