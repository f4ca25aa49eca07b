import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Published } from '../support/built.js';
import { atMost, type Extent, type Row } from './row.js';
import { startScriptedNode } from './scripted-node.js';

interface Growth {
  /** Bytes of the heap above the start. */
  readonly bytes: number;
  readonly requests: number;
  readonly events: number;
}

/** The heap that 10,000 requests and 1,000 events leave, in a process that can force garbage collection. */
export async function measureHeap({ short }: Extent): Promise<Row[]> {
  const requests = short ? 1_000 : 10_000;
  const events = short ? 100 : 1_000;
  const growth = await grow(requests, events);
  const counted = (count: number) => count.toLocaleString('en');
  return [
    {
      what: `Heap after ${counted(growth.requests)} requests and ${counted(growth.events)} events, over its start`,
      ours: `${(growth.bytes / 1e6).toFixed(2)} MB`,
      aim: atMost(growth.bytes, 2e6, '≤ 2 MB'),
    },
  ];
}

async function grow(requests: number, events: number): Promise<Growth> {
  // Imported here, so that the measuring process has no bundler in its heap.
  const built = await (await import('../support/built.js')).buildPackage();
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--expose-gc',
      ...['--import', 'tsx'],
      fileURLToPath(import.meta.url),
      'run',
      built.entry,
      String(requests),
      String(events),
    ]);
    return JSON.parse(stdout) as Growth;
  } finally {
    await built.stop();
  }
}

async function run(entry: string, requests: number, events: number): Promise<Growth> {
  const { createMemoryStorage, createVolatileMemory, createWallet } = (await import(entry)) as Published;
  const node = await startScriptedNode();
  const wallet = createWallet({
    networks: [{ chainId: 31, url: node.url('heap') }],
    storage: createMemoryStorage(),
    memory: createVolatileMemory(),
    origin: 'https://app.example',
    pollingInterval: 1,
  });
  const { provider } = wallet;
  let call = 0;
  const ask = async (count: number) => {
    for (let asked = 0; asked < count; asked += 50)
      await Promise.all(
        Array.from({ length: 50 }, () =>
          provider.request({
            method: 'eth_getBalance',
            params: [`0x${(++call).toString(16).padStart(40, '0')}`, 'latest'],
          }),
        ),
      );
  };
  let heard = 0;
  const listen = async (count: number) => {
    const until = heard + count;
    const id = await provider.request({ method: 'eth_subscribe', params: ['newHeads'] });
    await new Promise<void>((resolve) => {
      const listener = () => {
        if (++heard < until) return;
        provider.removeListener('message', listener);
        resolve();
      };
      provider.on('message', listener);
    });
    await provider.request({ method: 'eth_unsubscribe', params: [id] });
  };
  const settled = async () => {
    for (let i = 0; i < 5; i++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      globalThis.gc?.();
    }
    return process.memoryUsage().heapUsed;
  };
  try {
    await ask(500);
    await listen(20);
    const start = await settled();
    await ask(requests);
    await listen(events);
    const bytes = (await settled()) - start;
    return { bytes, requests: call - 500, events: heard - 20 };
  } finally {
    wallet.destroy();
    await node.stop();
  }
}

const [, , command, entry = '', requests, events] = process.argv;
if (command === 'run')
  process.stdout.write(JSON.stringify(await run(entry, Number(requests), Number(events))));
