import { connect } from 'node:net';
import { createLocalService } from '../../packages/kit/src/local/index.js';
import { createPushedTabs, type SourceKind } from '../support/pushed-tabs.js';
import { createRandom } from '../support/random.js';

/**
 * What following the head costs an hour, by source: requests are counted on a simulated chain with blocks at random, one
 * each 25 s on average; the bytes of each request are those that the local service takes and sends, headers
 * included. Run by `npx tsx test/perf/head-sources.ts`.
 */

const hours = 24;

async function countRequests(kind: SourceKind) {
  const { chain, time, server, openLive, settle } = createPushedTabs(kind);
  const tab = await openLive();
  const random = createRandom(3);
  const before = { ...chain.sent };
  const end = time.clock.now() + hours * 3_600_000;
  const delays: number[] = [];
  const minedAt = new Map<string, number>();
  while (time.clock.now() < end) {
    await time.advance(-Math.log(1 - random()) * 25_000);
    minedAt.set(chain.mine().hash, time.clock.now());
    server.push();
    await settle();
  }
  for (const { hash, at } of tab.received) delays.push(at - (minedAt.get(hash) as number));
  tab.following.close();
  delays.sort((a, b) => a - b);
  const sent: Record<string, number> = {};
  for (const [method, count] of Object.entries(chain.sent))
    sent[method] = (count - (before[method] ?? 0)) / hours;
  return {
    sent,
    blocks: minedAt.size / hours,
    messages: server.asked.length / hours,
    p50: (delays[delays.length >> 1] ?? 0) / 1_000,
    p95: (delays[Math.floor(delays.length * 0.95)] ?? 0) / 1_000,
    missed: minedAt.size - tab.received.length,
  };
}

/** Bytes of each request to the local service and of its reply, body and with headers. */
async function measureBytes() {
  const service = await createLocalService({ chainId: 33, mining: 'manual' });
  const { port, pathname } = new URL(service.url);

  const ask = async (method: string, params: readonly unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const text = `POST ${pathname} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(text);
    let reply = '';
    for await (const part of socket) reply += String(part);
    const total = text.length + reply.length;
    const content = reply.slice(reply.indexOf('\r\n\r\n') + 4);
    return { content, total, result: (JSON.parse(content) as { result: unknown }).result };
  };
  const filter = await ask('eth_newBlockFilter', []);
  const empty = await ask('eth_getFilterChanges', [filter.result]);
  await service.controls.mine();
  const one = await ask('eth_getFilterChanges', [filter.result]);
  const head = await ask('eth_getBlockByNumber', ['latest', false]);
  await service.close();
  const sizes = { empty, one, head };
  return Object.fromEntries(
    Object.entries(sizes).map(([name, { content, total }]) => [name, { body: content.length, total }]),
  ) as Record<keyof typeof sizes, { body: number; total: number }>;
}

const bytes = await measureBytes();
console.log('bytes of a reply, and of request and reply with headers:', bytes);
for (const kind of ['none', 'filter', 'node', 'relay'] as const) {
  const { sent, blocks, messages, p50, p95, missed } = await countRequests(kind);
  const heads = sent.eth_getBlockByNumber ?? 0;
  const byHash = sent.eth_getBlockByHash ?? 0;
  const changes = sent.eth_getFilterChanges ?? 0;
  const filled = Math.min(changes, blocks);
  const total = Object.values(sent).reduce((sum, count) => sum + count, 0);
  const moved = (size: 'body' | 'total') =>
    ((heads + byHash) * bytes.head[size] +
      filled * bytes.one[size] +
      (changes - filled) * bytes.empty[size]) /
    1_000;
  console.log(
    kind.padEnd(7),
    `${total.toFixed(0)} requests an hour (${(total * 24).toFixed(0)} a day; heads ${heads.toFixed(0)}, by hash ${byHash.toFixed(0)}, filter ${changes.toFixed(0)}),`,
    `${moved('body').toFixed(0)} kB of replies, ${moved('total').toFixed(0)} kB with requests and headers;`,
    `socket requests ${messages.toFixed(1)}; blocks ${blocks.toFixed(0)}; delay p50 ${p50} s, p95 ${p95} s; not delivered ${missed}`,
  );
}
