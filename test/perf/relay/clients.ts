import { WebSocket } from 'ws';
import { contents } from '../../soak/simulated-engine.js';
import { clientAddress } from './client-address.js';
import type { Command, Opened, Told } from './messages.js';

/**
 * Many clients in one process, each with a WebSocket and an address of its own. Each listens to new heads and, with each,
 * reads the height and what all others read; every tenth has one of five filters of logs.
 *
 * Argument: the URL of the relay, `ws://…`.
 */
const [url = ''] = process.argv.slice(2);
let heads: Record<string, number[]> = {};
let reads: number[] = [];
let logs = 0;
let lost = 0;
let refused = 0;
let sequence = 0;

const sharedCall = { to: `0x${'11'.repeat(20)}`, data: '0x18160ddd' };

function open(index: number, withReads: boolean): Promise<void> {
  const address = clientAddress(index);
  const socket = new WebSocket(url, {
    headers: { 'x-forwarded-for': address, 'cf-connecting-ip': address },
    perMessageDeflate: false,
  });
  const asked = new Map<number, number>();
  const ask = (method: string, params: readonly unknown[]): void => {
    const id = ++sequence;
    if (method === 'eth_call') asked.set(id, performance.now());
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  };
  return new Promise((resolve, reject) => {
    let waiting = index % 10 === 0 ? 2 : 1;
    socket.on('error', reject);
    socket.on('close', () => lost++);
    socket.on('open', () => {
      ask('eth_subscribe', ['newHeads']);
      const filter = { address: contents.addresses[(index / 10) % 5] };
      if (index % 10 === 0) ask('eth_subscribe', ['logs', filter]);
    });
    socket.on('message', (data) => {
      const message = JSON.parse(String(data));
      if (message.method === 'eth_subscription') {
        const { result } = message.params;
        if (result.topics) logs++;
        else {
          heads[result.hash] ??= [];
          heads[result.hash]?.push(Date.now());
          if (withReads) {
            ask('eth_call', [sharedCall, 'latest']);
            ask('eth_blockNumber', []);
          }
        }
        return;
      }
      if (message.error) refused++;
      const since = asked.get(message.id);
      asked.delete(message.id);
      if (since !== undefined) reads.push(performance.now() - since);
      if (waiting > 0 && --waiting === 0) resolve();
    });
  });
}

let opened = 0;
process.on('message', async (command: Command) => {
  if (command.do === 'open') {
    // A few hundred at a time: the queue of new connections is short.
    for (let left = command.clients; left > 0; left -= 200)
      await Promise.all(
        Array.from({ length: Math.min(200, left) }, () => open(opened++, command.reads === true)),
      );
    process.send?.({ kind: 'opened', clients: opened } satisfies Opened);
  } else if (command.do === 'told') {
    process.send?.({ kind: 'told', heads, reads, logs, lost, refused } satisfies Told);
    [heads, reads, logs, lost, refused] = [{}, [], 0, 0, 0];
  }
});
process.on('disconnect', () => process.exit());
