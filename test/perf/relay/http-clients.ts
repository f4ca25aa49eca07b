import { Agent, request } from 'node:http';
import { clientAddress } from './client-address.js';
import type { Asked, Command, Opened } from './messages.js';

/**
 * Many HTTP clients in one process. Each polls the height every four seconds, at a time of its own, and at a new one reads the
 * logs of that block and what all others read. They have one id, by which a proxy that keeps replies as they are can serve all.
 *
 * Argument: the URL, `http://…`.
 */
const [url = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 512 });
const pollInterval = 4_000;
let heads: Record<string, number[]> = {};
let answers: number[] = [];
let torn = 0;
let failed = 0;

function ask(method: string, params: readonly unknown[], address: string): Promise<string> {
  const began = performance.now();
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': address };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      answers.push(performance.now() - began);
      try {
        const { result } = JSON.parse(text);
        if (result === undefined) throw new Error(text);
        resolve(result);
      } catch (error) {
        reject(error);
      }
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function open(index: number): void {
  const address = clientAddress(index);
  let known = -1;
  async function poll(): Promise<void> {
    const height = Number(await ask('eth_blockNumber', [], address));
    if (height <= known) return;
    known = height;
    heads[height] ??= [];
    heads[height]?.push(Date.now());
    const block = `0x${height.toString(16)}`;
    const [, at] = await Promise.all([
      ask('eth_getLogs', [{ fromBlock: block, toBlock: block }], address),
      ask('eth_call', [{ to: `0x${'11'.repeat(20)}`, data: '0x18160ddd' }, 'latest'], address),
    ]);
    if (Number(at) < height) torn += 1;
  }
  const run = () => {
    poll().catch(() => failed++);
  };
  setTimeout(
    () => {
      run();
      setInterval(run, pollInterval);
    },
    (index * 997) % pollInterval,
  );
}

let opened = 0;
process.on('message', (command: Command) => {
  if (command.do === 'open') {
    for (let left = command.clients; left > 0; left--) open(opened++);
    process.send?.({ kind: 'opened', clients: opened } satisfies Opened);
  } else if (command.do === 'told') {
    process.send?.({ kind: 'asked', heads, answers, torn, failed } satisfies Asked);
    [heads, answers, torn, failed] = [{}, [], 0, 0];
  }
});
process.on('disconnect', () => process.exit());
