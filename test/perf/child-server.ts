import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { fileURLToPath } from 'node:url';
import { type HttpServer, startServer } from '../support/http-server.js';

/** Runs the module again, in a process of its own: the work of its server is not counted as the caller's. */
export async function startChild(
  module: string,
  ...args: readonly string[]
): Promise<Pick<HttpServer, 'url' | 'stop'>> {
  const child = fork(fileURLToPath(module), args, { execArgv: ['--import', 'tsx'] });
  const [url] = (await once(child, 'message')) as [string];
  return {
    url,
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

/** Whether this process was started by {@link startChild} with this first argument. */
export const isChild = (name: string): boolean => process.argv[2] === name && process.send !== undefined;

/** Serves in the child until the parent ends. */
export async function serveAsChild(listener: RequestListener): Promise<void> {
  const { url } = await startServer(listener);
  process.send?.(url);
  process.once('disconnect', () => process.exit());
}
