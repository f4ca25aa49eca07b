import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startServer } from '../support/http-server.js';
import type { Served } from '../support/serve.js';
import { until } from '../support/until.js';

/**
 * Starts the production server of a built project on a free port of this machine. Resolves once it answers.
 *
 * @param command gets the port as `PORT`, and as its argument `$PORT`
 * @throws Error with what it has printed, if it ends first
 */
export async function startProduction(
  folder: string,
  [command, ...args]: readonly [string, ...string[]],
): Promise<Served> {
  const free = await startServer(() => {});
  await free.stop();
  const { NODE_OPTIONS: _options, VITEST: _vitest, ...env } = process.env;
  const server = spawn(
    command,
    args.map((argument) => argument.replace('$PORT', `${free.port}`)),
    { cwd: folder, env: { ...env, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: `${free.port}` } },
  );
  let printed = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (part) => (printed += part));
  const ended = once(server, 'exit');
  const stop = async () => {
    server.kill();
    await ended;
  };
  try {
    await until(
      () => {
        if (server.exitCode !== null) throw new Error(`The server has ended:\n${printed}`);
        return fetch(free.url).then(
          (response) => response.body?.cancel().then(() => true) ?? true,
          () => false,
        );
      },
      { timeout: 60_000, interval: 50, failure: `${command} does not answer:\n${printed}` },
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: free.url, stop };
}
