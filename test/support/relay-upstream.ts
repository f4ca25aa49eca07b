import { createRandom } from './random.js';

/** A service for a relay under test: a `fetch` that answers from a table, and keeps what it was sent. */
export interface Upstream {
  readonly fetch: typeof globalThis.fetch;
  readonly url: string;
  /** The same service, where it serves another chain. */
  urlOf(chainId: number): string;
  /** The API key in {@link url}. */
  readonly key: string;
  /** Requests since the start, by method. */
  readonly sent: {
    readonly method: string;
    readonly params: readonly unknown[];
    readonly headers: Headers;
  }[];
  /** Answers to methods: a result, or a function of the params. One that throws an object answers with it as error. */
  readonly answers: Record<string, unknown>;
  /** Adds a block on top. */
  mine(): Head;
}

export interface Head {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly [field: string]: unknown;
}

/** @param seed of the hashes */
export function createUpstream(chainId = 31, seed = 1): Upstream {
  const random = createRandom(seed);
  const hash = () => `0x${Array.from({ length: 64 }, () => Math.floor(random() * 16).toString(16)).join('')}`;
  const key = 'secret-key-of-the-owner';
  const url = `https://node.example/${key}`;
  const blocks: Head[] = [];
  const sent: Upstream['sent'] = [];
  const mine = () => {
    const head: Head = {
      number: `0x${(blocks.length + 1_000).toString(16)}`,
      hash: hash(),
      parentHash: blocks.at(-1)?.hash ?? hash(),
      logsBloom: `0x${'0'.repeat(512)}`,
      timestamp: '0x65000000',
      gasLimit: '0x67c280',
      gasUsed: '0x0',
      miner: `0x${'ec'.repeat(20)}`,
      difficulty: '0x1',
      totalDifficulty: `0x${(blocks.length + 1_000).toString(16)}`,
      size: '0x100',
      extraData: '0x',
      nonce: null,
      stateRoot: hash(),
      receiptsRoot: hash(),
      transactionsRoot: hash(),
      sha3Uncles: hash(),
      transactions: [],
      uncles: [],
    };
    blocks.push(head);
    return head;
  };
  mine();
  const answers: Record<string, unknown> = {
    eth_chainId: `0x${chainId.toString(16)}`,
    net_version: `${chainId}`,
    eth_blockNumber: () => blocks.at(-1)?.number,
    eth_getBlockByNumber: ([selector]: readonly unknown[]) =>
      blocks.find(({ number }) => number === selector) ?? blocks.at(-1),
    eth_getBlockByHash: ([wanted]: readonly unknown[]) => blocks.find((each) => each.hash === wanted) ?? null,
    eth_getLogs: [],
    eth_gasPrice: '0x3938700',
  };
  return {
    key,
    url,
    sent,
    answers,
    mine,
    urlOf: (chain) => `https://node.example/${chain}/${key}`,
    fetch: async (input, init) => {
      const { id, method, params } = JSON.parse(String(init?.body));
      sent.push({ method, params, headers: new Headers(init?.headers) });
      const [, named] = /\/(\d+)\//.exec(String(input)) ?? [];
      const known = Object.hasOwn(answers, method) ? answers[method] : '0x1';
      const answer =
        named !== undefined && method === 'eth_chainId' ? `0x${Number(named).toString(16)}` : known;
      const reply = (body: object, status = 200) =>
        new Response(JSON.stringify({ jsonrpc: '2.0', id, ...body }), {
          status,
          headers: { 'content-type': 'application/json' },
        });
      try {
        return reply({ result: typeof answer === 'function' ? await answer(params) : answer });
      } catch (error) {
        if (error instanceof Error) throw error;
        return reply({ error });
      }
    },
  };
}
