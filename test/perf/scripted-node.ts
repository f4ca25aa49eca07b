import type { ServerResponse } from 'node:http';
import { bodyOf } from '../support/http-server.js';
import { isChild, serveAsChild, startChild } from './child-server.js';

/**
 * A node with constant answers, in a process of its own, so that its work is not counted as the caller's. Each request
 * for the latest block returns a new one. It takes batches and CORS preflights, which the scripted service does not.
 */
export interface ScriptedNode {
  /** Answers after `delay` milliseconds. `name` tells one caller's requests from another's. */
  url(name: string, delay?: number): string;
  /** HTTP requests of one caller so far: POSTs, and CORS preflights. */
  counts(name: string): Promise<Counts>;
  stop(): Promise<void>;
}

export interface Counts {
  readonly posts: number;
  readonly preflights: number;
}

export async function startScriptedNode(): Promise<ScriptedNode> {
  const child = await startChild(import.meta.url, 'serve');
  return {
    url: (name, delay = 0) => `${child.url}/${delay}/${name}`,
    counts: async (name) => (await fetch(`${child.url}/counts/${name}`)).json() as Promise<Counts>,
    stop: child.stop,
  };
}

function serve(): void {
  const counts = new Map<string, { posts: number; preflights: number }>();
  const heights = new Map<string, number>();
  serveAsChild(async (request, response) => {
    const [, delay, name = ''] = (request.url ?? '').split('/');
    const counted = counts.get(name) ?? { posts: 0, preflights: 0 };
    counts.set(name, counted);
    response.setHeader('access-control-allow-origin', '*');
    if (request.method === 'OPTIONS') {
      counted.preflights++;
      response.setHeader('access-control-allow-headers', '*, content-type');
      response.setHeader('access-control-max-age', '600');
      return response.writeHead(204).end();
    }
    if (delay === 'counts') return reply(response, counted);
    counted.posts++;
    const asked = JSON.parse(await bodyOf(request));
    const one = ({ id, method }: { id: unknown; method: string }) => ({
      jsonrpc: '2.0',
      id,
      result: answer(method, name),
    });
    const answered = Array.isArray(asked) ? asked.map(one) : one(asked);
    if (Number(delay) > 0) setTimeout(() => reply(response, answered), Number(delay));
    else reply(response, answered);
  });

  function answer(method: string, name: string): unknown {
    if (method === 'eth_chainId') return '0x1f';
    if (method === 'net_version') return '31';
    if (method !== 'eth_getBlockByNumber') return '0x2a';
    const height = (heights.get(name) ?? 1000) + 1;
    heights.set(name, height);
    return block(height);
  }
}

const word = (value: number, letter: string): string => `0x${letter}${value.toString(16).padStart(63, '0')}`;

/** The fields of docs/notes/service.md#block-object that a follower reads, and a few for their size. */
const block = (height: number) => ({
  number: `0x${height.toString(16)}`,
  hash: word(height, 'b'),
  parentHash: word(height - 1, 'b'),
  stateRoot: word(height, 'a'),
  transactionsRoot: word(height, 'd'),
  receiptsRoot: word(height, 'e'),
  sha3Uncles: word(0, 'c'),
  logsBloom: `0x${'0'.repeat(512)}`,
  miner: `0x${'12'.repeat(20)}`,
  difficulty: '0x1',
  totalDifficulty: `0x${height.toString(16)}`,
  cumulativeDifficulty: '0x1',
  extraData: '0x',
  size: '0x400',
  gasLimit: '0x67c280',
  gasUsed: '0x0',
  minimumGasPrice: '0x387ee40',
  paidFees: '0x0',
  timestamp: `0x${(1_700_000_000 + height * 25).toString(16)}`,
  transactions: [],
  uncles: [],
});

function reply(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

if (isChild('serve')) serve();
