import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Program, startProgram } from './browsers/process.js';
import { findServer } from './programs.js';
import { until } from './until.js';

/** A Redis server of its own, on loopback, with a password. */
export interface TestRedis {
  /** With the password. */
  readonly url: string;
  readonly password: string;
  /** Ends it at once, without saving. */
  kill(): Promise<void>;
  /** Starts it again at the same port: empty. */
  restart(): Promise<void>;
  /** Stops the process without ending it, and lets it go on. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

/** @throws Error where the program cannot be had */
export async function startRedis(): Promise<TestRedis> {
  const path = await findServer('redis');
  const folder = await mkdtemp(join(tmpdir(), 'graft-redis-'));
  const port = await freePort();
  const password = 'secret-of-the-store';
  let program: Program | undefined;

  async function start(): Promise<void> {
    const options = {
      bind: '127.0.0.1',
      port,
      dir: folder,
      save: '',
      appendonly: 'no',
      requirepass: password,
    };
    program = startProgram(
      path,
      Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
      { stdio: 'ignore' },
    );
    await until(() => answers(port), { failure: 'redis-server does not answer' });
  }
  const signal = (name: NodeJS.Signals) => program?.child.pid && process.kill(program.child.pid, name);

  await start();
  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    password,
    async kill() {
      await program?.stop();
      program = undefined;
    },
    restart: start,
    freeze: () => void signal('SIGSTOP'),
    thaw: () => void signal('SIGCONT'),
    async stop() {
      await program?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A port on loopback that nobody has. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
