import { JsonRpcProvider } from 'ethers';
import type { Browser } from 'playwright-core';
import { createPublicClient, http } from 'viem';
import { type Built, type Published, pageCode } from '../support/built.js';
import { call, serveBundle } from './page.js';
import { rawCaller } from './raw.js';
import { atMost, type Extent, milliseconds, type Row } from './row.js';
import { interleave, median, ratio, time } from './sample.js';
import { type ScriptedNode, startScriptedNode } from './scripted-node.js';

type Contender = 'raw' | 'ours' | 'viem' | 'ethers';
type Times = Partial<Record<Contender, number[]>> & Record<'raw' | 'ours' | 'viem', number[]>;

const method = 'eth_getBalance';
const paramsOf = (call: number) => [`0x${call.toString(16).padStart(40, '0')}`, 'latest'] as const;

/** What `request()` costs over a `fetch` written by hand: reads one after another, no two alike. */
export async function measureOverhead(built: Built, browser: Browser, { short }: Extent): Promise<Row[]> {
  const node = await startScriptedNode();
  try {
    const rows: Row[] = [];
    const here = (delay: number, rounds: number, calls: number) => inNode(built, node, delay, rounds, calls);
    const there = (delay: number, rounds: number, calls: number) =>
      inPage(built, browser, node, delay, rounds, calls);
    rows.push(row('Node, service at 0 ms', await here(0, short ? 5 : 31, 100), 100));
    rows.push(row('Node, service at 30 ms', await here(30, short ? 2 : 9, 10), 10));
    rows.push(row('Chromium, service at 0 ms', await there(0, short ? 5 : 31, 50), 50));
    rows.push(row('Chromium, service at 30 ms', await there(30, short ? 2 : 9, 10), 10));
    rows.push(await preflights(node));
    return rows;
  } finally {
    await node.stop();
  }
}

async function inNode(
  built: Built,
  node: ScriptedNode,
  delay: number,
  rounds: number,
  calls: number,
): Promise<Times> {
  const { createMemoryStorage, createVolatileMemory, createWallet } = (await import(
    built.entry
  )) as Published;
  const wallet = createWallet({
    networks: [{ chainId: 31, url: node.url('node-ours', delay) }],
    storage: createMemoryStorage(),
    memory: createVolatileMemory(),
    origin: 'https://app.example',
  });
  const viem = createPublicClient({ transport: http(node.url('node-viem', delay)) });
  const ethers = new JsonRpcProvider(node.url('node-ethers', delay), 31, { staticNetwork: true });
  const raw = rawCaller(node.url('node-raw', delay));
  let call = 0;
  const batch =
    (ask: (params: readonly unknown[]) => Promise<unknown>, share = 1) =>
    async () =>
      share *
      (await time(async () => {
        for (let i = 0; i < calls / share; i++) await ask(paramsOf(++call));
      }));
  const contenders = {
    raw: batch((params) => raw(method, params)),
    ours: batch((params) => wallet.provider.request({ method, params: params as [`0x${string}`, 'latest'] })),
    viem: batch((params) => viem.request({ method, params } as never)),
    // Each call waits for its batch: a tenth of the calls is enough.
    ethers: batch((params) => ethers.send(method, params as unknown[]), 10),
  };
  try {
    await interleave(1, contenders);
    return await interleave(rounds, contenders);
  } finally {
    wallet.destroy();
    ethers.destroy();
  }
}

async function inPage(
  built: Built,
  browser: Browser,
  node: ScriptedNode,
  delay: number,
  rounds: number,
  calls: number,
): Promise<Times> {
  const bundle = await built.bundle(pageCode('overhead'), { html: true });
  const served = await serveBundle(bundle);
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(served.url);
    const urls = {
      raw: node.url('page-raw', delay),
      ours: node.url('page-ours', delay),
      viem: node.url('page-viem', delay),
    };
    const batch = (name: keyof typeof urls) => (round: number) =>
      call<number>(page, 'bench', name, urls[name], round * calls, calls);
    const contenders = { raw: batch('raw'), ours: batch('ours'), viem: batch('viem') };
    await interleave(1, contenders);
    return await interleave(rounds, contenders);
  } finally {
    await context.close();
    await served.stop();
  }
}

function row(where: string, times: Times, calls: number): Row {
  const each = (values: readonly number[]) => milliseconds(median(values) / calls);
  const over = (values: readonly number[]) => {
    const percent = (ratio(values, times.raw) - 1) * 100;
    return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(0)} %`;
  };
  const { ethers } = times;
  return {
    what: `request() over raw fetch, per call: ${where}`,
    ours: `${each(times.ours)} (fetch ${each(times.raw)})`,
    peers: `viem ${each(times.viem)}${ethers ? `, ethers ${each(ethers)}` : ''}`,
    ratio: `${over(times.ours)}; viem ${over(times.viem)}${ethers ? `, ethers ${over(ethers)}` : ''}`,
    aim: atMost(ratio(times.ours, times.raw), 1.05, '≤ +5 %'),
  };
}

/** A page of another origin sends a CORS preflight first; its answer may be cached. */
async function preflights(node: ScriptedNode): Promise<Row> {
  const [raw, ours, viem] = await Promise.all(
    ['raw', 'ours', 'viem'].map((name) => node.counts(`page-${name}`)),
  );
  const share = (counts: typeof ours) => ((counts?.preflights ?? 0) / (counts?.posts || 1)).toFixed(2);
  return {
    what: 'CORS preflights per request in Chromium (allowed for 600 s)',
    ours: share(ours),
    peers: `fetch ${share(raw)}, viem ${share(viem)}`,
    aim: { text: 'as fetch', met: Number(share(ours)) <= Number(share(raw)) },
  };
}
