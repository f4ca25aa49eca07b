#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { createLocalService } from './service.js';

const usage = `graft-local: a Rootstock-like node service on this machine

  --port <n>          default 0, any free port
  --chain-id <n>      30, 31 or 33 (default)
  --block-time <s>    a block every so many seconds; without it, a block per transaction
  --key <text>        API key; may be given more than once
  --dialect <name>    seed (default) or node
  --help
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
    ...(blockTime !== undefined && {
      mining: { interval: 1000 * readNumber('--block-time', blockTime, 1, 3600) },
    }),
    ...(values.key !== undefined && { apiKeys: values.key }),
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
      `Faucet    POST ${service.baseUrl}/_local/faucet  {"address":"0x…","amount":"<wei>"}`,
    ].join('\n'),
  );
}

function readNumber(flag: string, given: string, min: number, max: number): number {
  const value = Number(given);
  if (!/^\d+$/.test(given) || value < min || value > max)
    throw new TypeError(`${flag}: a whole number from ${min} to ${max}`);
  return value;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
