import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { createSimulatedEngine } from '../../soak/simulated-engine.js';
import { bodyOf } from '../../support/http-server.js';
import type { Command, Mined } from './messages.js';

/**
 * The service behind the relay, in a process of its own: a simulated chain whose replies take 40 ms, as over the
 * internet, with a WebSocket that pushes `newHeads`. It counts what is asked, and mines when it is told to.
 */
const delay = 40;
const engine = createSimulatedEngine({ seed: 7, chainId: 31 });
const asked = new Map<string, number>();
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

async function answer({ id, method, params = [] }: Call): Promise<unknown> {
  asked.set(method, (asked.get(method) ?? 0) + 1);
  if (method === 'eth_chainId') return { jsonrpc: '2.0', id, result: '0x1f' };
  if (method === 'eth_call') {
    // The height that it is read at.
    const [, selector] = params;
    const at = selector === 'latest' ? await engine.request('eth_blockNumber', []) : selector;
    return { jsonrpc: '2.0', id, result: `0x${Number(at).toString(16).padStart(64, '0')}` };
  }
  try {
    return { jsonrpc: '2.0', id, result: await engine.request(method, params) };
  } catch (error) {
    return { jsonrpc: '2.0', id, error: { code: -32000, message: (error as Error).message } };
  }
}

const server = createServer(async (request, response) => {
  const call = JSON.parse(await bodyOf(request)) as Call;
  setTimeout(async () => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(await answer(call)));
  }, delay);
});
server.on('upgrade', (request, socket, head) =>
  sockets.handleUpgrade(request, socket, head, (opened) => {
    opened.on('error', () => {});
    opened.on('message', async (data) => {
      const { id } = JSON.parse(String(data)) as Call;
      opened.send(JSON.stringify({ jsonrpc: '2.0', id, result: '0x1' }));
    });
  }),
);

async function mine(): Promise<void> {
  await engine.mine(1);
  const at = Date.now();
  const { block } = engine.chain().at(-1) as NonNullable<ReturnType<(typeof engine)['chain']>[number]>;
  const told: Mined = { kind: 'mined', height: Number(block.number), hash: block.hash, at };
  process.send?.(told);
  const params = {
    subscription: '0x1',
    result: { number: block.number, hash: block.hash, parentHash: block.parentHash },
  };
  const frame = JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params });
  for (const socket of sockets.clients) socket.send(frame);
}

process.on('message', async (command: Command) => {
  if (command.do === 'mine') await mine();
  else if (command.do === 'count') process.send?.({ kind: 'counts', counts: Object.fromEntries(asked) });
});
process.on('disconnect', () => process.exit());
await engine.mine(50);
server.listen(0, '127.0.0.1', () =>
  process.send?.({ kind: 'ready', port: (server.address() as AddressInfo).port }),
);
