import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { build } from 'esbuild';
import { type Program, startProgram } from './browsers/process.js';
import { freePort } from './redis.js';
import { until } from './until.js';

/** The relay in `workerd`, with the database of its objects in a folder. */
export interface TestWorker extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string;
  /** Of the process. */
  pid(): number;
  /** What the process has printed. */
  output(): string;
  /** Ends the process at once, and starts another one with the same database. */
  restart(): Promise<void>;
}

/** Bundles `examples/relay-worker` from the sources, and starts it as a vendor would. */
export async function startWorker(bindings: Readonly<Record<string, unknown>>): Promise<TestWorker> {
  const folder = await mkdtemp(join(tmpdir(), 'graft-workerd-'));
  const disk = join(folder, 'disk');
  await mkdir(disk);
  await build({
    entryPoints: ['examples/relay-worker/index.js'],
    outfile: join(folder, 'worker.js'),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    conditions: ['workerd', 'worker', 'browser'],
    alias: { 'graft-relay/worker': './packages/relay/src/worker.ts' },
    logLevel: 'silent',
  });
  const port = await freePort();
  const wrangler = await readFile('examples/relay-worker/wrangler.jsonc', 'utf8');
  const [, date] = /"compatibility_date": "([\d-]+)"/.exec(wrangler) as unknown as [string, string];
  await writeFile(join(folder, 'workerd.capnp'), configOf({ port, disk, date, bindings }));

  let program: Program;
  let output = '';
  async function start(): Promise<void> {
    program = startProgram(binary(), ['serve', join(folder, 'workerd.capnp')], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [program.child.stdout, program.child.stderr] as Readable[])
      stream.on('data', (part) => {
        output += part;
      });
    const url = `http://127.0.0.1:${port}/unknown`;
    const answers = () =>
      fetch(url).then(
        () => true,
        () => false,
      );
    await until(answers, { failure: 'workerd does not answer' }).catch((error: Error) => {
      throw new Error(`${error.message}: ${output}`);
    });
  }
  await start();
  return {
    url: `http://127.0.0.1:${port}`,
    pid: () => program.child.pid as number,
    output: () => output,
    async restart() {
      await program.stop();
      await start();
    },
    async [Symbol.asyncDispose]() {
      await program.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The program itself: the script in `node_modules/.bin` starts it as a child. */
function binary(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const bits = process.arch === 'x64' ? '64' : process.arch;
  const require = createRequire(createRequire(import.meta.url).resolve('workerd'));
  return require.resolve(`@cloudflare/workerd-${platform}-${bits}/bin/workerd`);
}

const configOf = (options: {
  readonly port: number;
  readonly disk: string;
  readonly date: string;
  readonly bindings: Readonly<Record<string, unknown>>;
}) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .relay),
    (name = "internet", network = (allow = ["public", "private"])),
    (name = "disk", disk = (path = ${text(options.disk)}, writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${options.port}", http = (), service = "main")],
);
const relay :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "${options.date}",
  bindings = [
    (name = "CHAIN", durableObjectNamespace = "Chain"),
    ${Object.entries(options.bindings)
      .map(([name, value]) =>
        typeof value === 'string'
          ? `(name = ${text(name)}, text = ${text(value)}),`
          : `(name = ${text(name)}, json = ${text(JSON.stringify(value))}),`,
      )
      .join('\n    ')}
  ],
  durableObjectNamespaces = [(className = "Chain", uniqueKey = "graft-relay", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
);
`;

/** A text of this configuration language is written as one of JSON. */
const text = (value: string) => JSON.stringify(value);
