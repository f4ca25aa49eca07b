#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { NodeRelayOptions } from './node.js';
import { readSettings } from './options/settings.js';

const usage = `graft-relay: keeps the API key of a hosted node, and follows the chain once for all browsers of an app

  --chain <id>           a chain to serve, such as 30 or 31; may be given more than once
  --origin <origin>      an origin whose pages may use it, such as https://app.example; may be given more than once
  --open                 with --origin '*': everybody may use it
  --host <address>       default 127.0.0.1
  --port <n>             default 8545; 0 for any free port
  --admin-port <n>       metrics and status page, on 127.0.0.1; default 9464; none for no such port
  --trusted-proxies <n>  proxies in front of it that write X-Forwarded-For; default 0
  --config <file>        a JSON file with these and all other options
  --help

The API key is never an argument, which others on the machine could read. It comes from the environment, or from a file:

  GRAFT_RELAY_URL_31         the URL of chain 31 with its key; several with spaces between them, in order of preference
  GRAFT_RELAY_URL_31_FILE    a file with it
  GRAFT_RELAY_SOCKET_31      the node's WebSocket URL, if it has one: blocks then arrive at once
  GRAFT_RELAY_REDIS_URL      a Redis or Valkey with its password: instances that share it follow each chain once, together

Examples

  GRAFT_RELAY_URL_31=https://rpc.testnet.rootstock.io/<key> graft-relay --chain 31 --origin https://app.example
      The testnet for one app. The wallet's url is then http://127.0.0.1:8545/31.
  GRAFT_RELAY_URL_30_FILE=/run/secrets/rsk graft-relay --chain 30 --origin https://app.example --host 0.0.0.0 --trusted-proxies 1
      In a container behind one proxy, with the key in a file.
  graft-relay --config relay.json --port 8600
      All from a file, but for the port.
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      chain: { type: 'string', multiple: true },
      origin: { type: 'string', multiple: true },
      open: { type: 'boolean' },
      host: { type: 'string' },
      port: { type: 'string' },
      'admin-port': { type: 'string' },
      'trusted-proxies': { type: 'string' },
      config: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { help, config, ...flags } = values;
  if (help) {
    console.log(usage);
    return;
  }
  const read = (path: string) => readFile(path, 'utf8');
  const file = config === undefined ? undefined : parse(await read(config), config);
  const options = await readSettings(flags, process.env, file, read);
  const { serveRelay } = await import('./node.js');
  const printRedis = (state: string) => console.log(`Redis     ${state}`);
  /** States from before the start. They are printed below the relay's addresses, and not at all where the start fails. */
  const earlier: string[] = [];
  let onRedis: (state: string) => void = (state) => earlier.push(state);
  // serveRelay checks every option.
  const { url, adminUrl, relay, stop } = await serveRelay({
    ...(options as unknown as NodeRelayOptions),
    onRedis: (state) => onRedis(state),
  });

  let stopping = false;
  const end = () => {
    if (stopping) process.exit(1);
    stopping = true;
    console.log('Stopping  closing the connections; once more to stop at once');
    stop().then(() => process.exit(0));
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);

  const chains = [...relay.core.chains.values()].map(
    ({ chainId, interval }) =>
      `${chainId} at ${url}/${chainId}, a poll every ${interval() / 1000} s while somebody listens`,
  );
  console.log(
    [
      `Relay     ${url}`,
      ...chains.map((each) => `Chain     ${each}`),
      `Origins   ${(options.origins as string[]).join(', ')}`,
      adminUrl === undefined ? 'Admin     none' : `Admin     ${adminUrl}/status and ${adminUrl}/metrics`,
    ].join('\n'),
  );
  earlier.forEach(printRedis);
  onRedis = printRedis;
}

function parse(text: string, path: string): unknown {
  try {
    // Editors on Windows begin a file with a byte order mark.
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    // The message of the parser shows some of the text, which may be a key.
    throw new TypeError(`--config: ${path} is not JSON`);
  }
}

/** Describes an error, and how to fix it. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path } = error as NodeJS.ErrnoException;
  if (path !== undefined && (code === 'ENOENT' || code === 'EACCES'))
    return `--config: ${path} cannot be read`;
  if (code === 'EISDIR') return '--config: a folder cannot be read; name a file';
  if (code?.toString().startsWith('ERR_PARSE_ARGS')) return `${error.message}\nSee graft-relay --help.`;
  return error.message;
}

main().catch((error: unknown) => {
  console.error(explain(error));
  process.exitCode = 1;
});
