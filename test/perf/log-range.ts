import { bodyOf } from '../support/http-server.js';
import {
  rangeBlocks as blocks,
  logLimits as cap,
  fewestRequests,
  type LogDensity,
  logDensities,
  logsBelow,
} from '../support/log-density.js';
import { isChild, serveAsChild, startChild } from './child-server.js';
import { plainWallet } from './identical.js';
import { rawCaller } from './raw.js';
import { type Extent, type Row, times } from './row.js';
import { time } from './sample.js';

/**
 * Milliseconds that every answer is delayed: a round trip to the hosted service, as in the other rows. Writing and
 * reading the answers takes its time on top, for both contenders.
 */
const latency = { short: 10, full: 150 };

const densities: Readonly<Record<string, LogDensity>> = {
  '100k even': logDensities.even,
  '200k growing': logDensities.growing,
  '400k dense': logDensities.dense,
  '200k bursty': logDensities.bursty,
  '5k, which fit': () => 0.05,
};
const bounded = ['100k even', '200k growing'];

/** The logs of 100,000 blocks through `request()`, and in steps of 2,000 blocks one after another by `fetch`. */
export async function measureLogRanges({ short }: Extent): Promise<Row[]> {
  const child = await startChild(import.meta.url, 'serve-logs', `${short ? latency.short : latency.full}`);
  const url = (name: string, who: string) => `${child.url}/${encodeURIComponent(name)}/${who}`;
  const counted = async (name: string, who: string) =>
    Number(await (await fetch(`${url(name, who)}/count`)).text());
  const names = Object.keys(densities);
  try {
    const rows: Row[] = [];
    for (const name of short ? ['100k even', '5k, which fit'] : names) {
      const total = logsBelow(densities[name] as LogDensity).at(-1);
      const wallet = plainWallet(url(name, 'ours'));
      const ask = rawCaller(url(name, 'naive'));
      let [ours, naive] = [0, 0];
      try {
        // The core has been read from the disk before anything is timed.
        await wallet.provider.request({ method: 'eth_gasPrice', params: [] });
        const before = await counted(name, 'ours');
        const took = {
          ours: await time(async () => {
            const range = { fromBlock: '0x0', toBlock: quantity(blocks - 1) } as const;
            ours = (await wallet.provider.request({ method: 'eth_getLogs', params: [range] })).length;
          }),
          naive: await time(async () => {
            for (let from = 0; from < blocks; from += cap.blocks) {
              const range = { fromBlock: quantity(from), toBlock: quantity(from + cap.blocks - 1) };
              naive += ((await ask('eth_getLogs', [range])) as unknown[]).length;
            }
          }),
        };
        if (ours !== total || naive !== total)
          throw new Error(`${name}: ${ours} and ${naive} of ${total} logs`);
        rows.push(row(name, { ours: (await counted(name, 'ours')) - before, naive: 50 }, took));
      } finally {
        wallet.destroy();
      }
    }
    return rows;
  } finally {
    await child.stop();
  }
}

interface Pair {
  readonly ours: number;
  readonly naive: number;
}

function row(name: string, requests: Pair, took: Pair): Row {
  const fewest = fewestRequests(logsBelow(densities[name] as LogDensity));
  const fits = fewest === 1;
  const overBound = requests.ours / fewest;
  const overTime = took.ours / took.naive;
  const limit = fits ? 1 : bounded.includes(name) ? 1.5 : undefined;
  const aims = [
    ...(fits ? ['1 request'] : limit ? [`≤ ${limit}× bound`] : []),
    ...(fits ? [] : ['≤ naive', '≤ 0.35× its time']),
  ];
  return {
    what: `Logs of 100,000 blocks, ${name}: requests`,
    ours: `${requests.ours}, ${(took.ours / 1000).toFixed(1)} s`,
    peers: `lower bound ${fewest}; naive steps ${requests.naive}, ${(took.naive / 1000).toFixed(1)} s`,
    ratio: `${times(overBound)} bound, ${times(requests.ours / requests.naive)} naive, ${times(overTime)} its time`,
    aim: {
      text: aims.join(', '),
      met:
        (limit === undefined || overBound <= limit) &&
        requests.ours <= requests.naive &&
        (fits || overTime <= 0.35),
    },
  };
}

const quantity = (value: number): `0x${string}` => `0x${value.toString(16)}`;
const word = (letter: string, value: number) => `0x${letter}${value.toString(16).padStart(63, '0')}`;
const address = `0x${'70'.repeat(20)}`;
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** A service with these log densities and the limits of docs/notes/service.md#limits, in a process of its own. */
function serve(wait: number): void {
  const counts = new Map<string, number>();
  const tables = new Map(Object.entries(densities).map(([name, density]) => [name, logsBelow(density)]));
  serveAsChild(async (request, response) => {
    const [, name = '', who = '', count] = decodeURIComponent(request.url ?? '').split('/');
    const key = `${name}/${who}`;
    if (count) {
      response.end(String(counts.get(key) ?? 0));
      return;
    }
    counts.set(key, (counts.get(key) ?? 0) + 1);
    const { id, method, params } = JSON.parse(await bodyOf(request));
    const body = `{"jsonrpc":"2.0","id":${id},${answer(tables.get(name) as readonly number[], method, params)}}`;
    setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(body), wait);
  });
}

function answer(below: readonly number[], method: string, params: readonly unknown[]): string {
  if (method === 'eth_chainId') return '"result":"0x1f"';
  if (method === 'eth_blockNumber') return `"result":"${quantity(blocks - 1)}"`;
  if (method === 'eth_getBlockByNumber') {
    const height = params[0] === 'latest' ? blocks - 1 : Number(params[0]);
    return `"result":${JSON.stringify(block(height))}`;
  }
  if (method !== 'eth_getLogs') return '"result":"0x2a"';
  const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
  const [from, to] = [Number(fromBlock), Number(toBlock)];
  const total = (below[to + 1] as number) - (below[from] as number);
  if (to - from + 1 > cap.blocks && total > cap.logs)
    return '"error":{"code":-32012,"message":"query exceeds the limit of 10000 logs or 2000 blocks"}';
  const logs: string[] = [];
  for (let height = from; height <= to; height++)
    for (let at = below[height] as number; at < (below[height + 1] as number); at++)
      logs.push(log(height, at - (below[height] as number)));
  return `"result":[${logs.join(',')}]`;
}

const log = (height: number, index: number): string =>
  `{"address":"${address}","topics":["${transferTopic}"],"data":"0x","blockNumber":"${quantity(height)}","blockHash":"${word('b', height)}","transactionHash":"${word('a', height * 64 + index)}","transactionIndex":"${quantity(index)}","logIndex":"${quantity(index)}","removed":false}`;

const block = (height: number) => ({
  number: quantity(height),
  hash: word('b', height),
  parentHash: word('b', height - 1),
  logsBloom: `0x${'f'.repeat(512)}`,
  timestamp: quantity(1_700_000_000 + height * 25),
  transactions: [],
});

if (isChild('serve-logs')) serve(Number(process.argv[3]));
