import type { Provider } from '../../src/provider/provider.js';
import { plainWallet } from './identical.js';
import { atMost, type Extent, type Row } from './row.js';
import { median, time } from './sample.js';
import { startScriptedNode } from './scripted-node.js';

const params = [`0x${'42'.repeat(20)}`, 'latest'] as const;

/** Reads through `request()`, one after another, that the cache answers for the current head without an HTTP request. */
export async function measureCachedReads({ short }: Extent): Promise<Row[]> {
  const [rounds, reads] = short ? [5, 200] : [31, 1_000];
  const node = await startScriptedNode();
  const wallet = plainWallet(node.url('cached'), 3_600_000);
  const { provider } = wallet;
  try {
    // The cache loads at the first repeated poll and read; it answers from then on.
    for (let i = 0; i < 3; i++) await provider.request({ method: 'eth_blockNumber', params: [] });
    await readMany(provider, 1_000);
    const before = (await node.counts('cached')).posts;
    const values: number[] = [];
    for (let round = 0; round < rounds; round++)
      values.push(((await time(() => readMany(provider, reads))) / reads) * 1000);
    const posts = (await node.counts('cached')).posts - before;
    // One at most: a node that lags may have answered the first (src/service/cache/cache.ts).
    if (posts > 1) throw new Error(`${posts} requests for reads that were to come from memory`);
    return [
      {
        what: "A read answered by this head's cache, through request()",
        ours: `${median(values).toFixed(1)} µs`,
        aim: atMost(median(values), 20, '≤ 20 µs'),
      },
    ];
  } finally {
    wallet.destroy();
    await node.stop();
  }
}

async function readMany(provider: Provider, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await provider.request({ method: 'eth_getBalance', params });
}
