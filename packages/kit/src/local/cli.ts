#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { createLocalService } from './service.js';

const usage = `graft-local: a Rootstock-like node service on this machine

  --port <n>          default 0, any free port
  --chain-id <n>      30, 31 or 33 (default), or any other from 1 to 109
  --block-time <s>    a block every so many seconds; without it, a block per transaction
  --key <text>        API key; may be given more than once; default local-key
  --dialect <name>    seed (default): as the hosted service is described; node: as an RSKj node answers
  --help

Examples

  graft-local
      Chain 33 on any free port, a block for each transaction.
  graft-local --port 4444 --chain-id 31 --block-time 5
      Looks like the testnet, with a block every five seconds.
  graft-local --key first --key second --dialect node
      Two API keys, each with a URL of its own, in front of a node.

The chain is in memory and ends with the command. Coins come from the faucet that is printed:

  curl http://127.0.0.1:4444/_local/faucet -H 'content-type: application/json' \\
      -d '{"address":"0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc","amount":"1000000000000000000"}'
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      'chain-id': { type: 'string', default: '33' },
      'block-time': { type: 'string' },
      key: { type: 'string', multiple: true },
      dialect: { type: 'string', default: 'seed' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const { dialect } = values;
  if (dialect !== 'seed' && dialect !== 'node') throw new TypeError('--dialect: seed or node');
  const blockTime = values['block-time'];
  const service = await createLocalService({
    port: readNumber('--port', values.port, 0, 65_535),
    chainId: readNumber('--chain-id', values['chain-id'], 1, 109),
    dialect,
    mining:
      blockTime === undefined
        ? undefined
        : { interval: 1000 * readNumber('--block-time', blockTime, 1, 3600) },
    apiKeys: values.key,
  });
  const stop = () => {
    service.close().then(() => process.exit(0));
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  console.log(
    [
      `Service   ${service.url}`,
      `Chain id  ${service.chainId}`,
      `Faucet    curl ${service.baseUrl}/_local/faucet -H 'content-type: application/json' -d '{"address":"0x…"}'`,
    ].join('\n'),
  );
}

function readNumber(flag: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max)
    throw new TypeError(`${flag}: a whole number from ${min} to ${max}`);
  return value;
}

/** Describes an error, and how to fix it. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, port } = error as NodeJS.ErrnoException & { readonly port?: number };
  if (code === 'EADDRINUSE') return `--port: ${port} is taken; choose another one, or 0 for any free one`;
  if (code?.startsWith('ERR_PARSE_ARGS')) return `${error.message}\nSee graft-local --help.`;
  return error.message;
}

main().catch((error: unknown) => {
  console.error(explain(error));
  process.exitCode = 1;
});
