import { serveRelay } from '../../../packages/relay/src/node.js';
import type { Command, Ready, Usage } from './messages.js';

/**
 * The relay on Node.js, in a process of its own. Arguments: the node's URL, the interval, and the node's WebSocket. The node
 * counts as a hosted one: of one on the same machine the relay asks more.
 */
const [url = '', interval = '4000', socket] = process.argv.slice(2);
const hosted = 'https://service.example';
const relay = await serveRelay({
  networks: [
    {
      chainId: 31,
      url: `${hosted}/key`,
      interval: Number(interval),
      requestsPerDay: null,
      requestsPerSecond: null,
      ...(socket && { socket }),
    },
  ],
  fetch: (input, init) => fetch(`${input}`.replace(hosted, new URL(url).origin), init),
  origins: ['*'],
  open: true,
  trustedProxies: 1,
  limits: { connectionsInAll: 20_000 },
  port: 0,
  admin: null,
});
process.on('message', ({ do: what }: Command) => {
  if (what !== 'usage') return;
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const usage: Usage = { kind: 'usage', resident: process.memoryUsage.rss(), cpu: (user + system) / 1000 };
  process.send?.(usage);
});
process.on('disconnect', () => process.exit());
process.send?.({ kind: 'ready', port: relay.port } satisfies Ready);
