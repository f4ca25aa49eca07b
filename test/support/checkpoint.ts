import { fileURLToPath } from 'node:url';
import { readHeader } from '../../src/proof/header.js';
import { type Checkpoint, rulesOf } from '../../src/proof/rules.js';
import { checkWork } from '../../src/proof/work.js';
import { toQuantity } from '../../src/rpc/hex.js';
import type { Block } from '../../src/rpc/schema.js';

/**
 * `npm run release checkpoint https://one.example/key https://other.example/key`: the checkpoint and the floor of a release, for
 * `src/proof/rules.ts`, read from endpoints of different owners.
 */

/** Blocks below the head: none is replaced any more. */
const depth = 4_000;

/** @throws Error where the endpoints are of one owner, differ, or show a block without work */
export async function readCheckpoint(urls: readonly string[], below = depth): Promise<Checkpoint> {
  if (new Set(urls.map((url) => new URL(url).host)).size < 2)
    throw new Error('Two endpoints of different owners are needed.');
  const heads = await Promise.all(urls.map(async (url) => Number(await ask(url, 'eth_blockNumber'))));
  const number = Math.min(...heads) - below;
  const found = await Promise.all(
    urls.map(async (url) => {
      const rules = rulesOf(Number(await ask(url, 'eth_chainId')));
      const header = readHeader(
        (await ask(url, 'eth_getBlockByNumber', toQuantity(number), false)) as Block,
        rules,
      );
      checkWork(header, rules);
      return header;
    }),
  );
  const [first] = found as [(typeof found)[number]];
  if (found.some(({ hash }) => hash !== first.hash))
    throw new Error(`The endpoints differ in block ${number}.`);
  const { hash, difficulty, timestamp } = first;
  return { number, hash, difficulty, timestamp };
}

async function ask(url: string, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result } = (await response.json()) as { result?: unknown };
  if ((result ?? null) === null) throw new Error(`${new URL(url).host} does not answer ${method}.`);
  return result;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { number, hash, difficulty, timestamp } = await readCheckpoint(process.argv.slice(2));
  process.stdout.write(
    `checkpoint: { number: ${number}, hash: '${hash}', difficulty: ${difficulty}n, timestamp: ${timestamp} }\n` +
      `floor, a third of it: ${difficulty / 3n}n\n`,
  );
}
