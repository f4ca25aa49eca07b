import { createRequire } from 'node:module';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { createWallet, type Wallet } from '../../src/index.js';
import { createRandom } from '../support/random.js';
import { createLocks } from './locks.js';
import type { FromTab, TabSettings, ToTab } from './tabs.js';

/**
 * One tab of the browser: a thread with a wallet in it, and the globals of a page that a wallet looks for. As a
 * page it knows only the provider: it asks, hears `message` events and polls its filters at random times.
 */

const {
  locks: lockPort,
  url,
  push,
  chainId,
  interval,
  seed,
} = workerData as TabSettings & { locks: MessagePort };
const port = parentPort as MessagePort;
const random = createRandom(seed);

const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
Object.assign(globalThis, { document: page, window: new EventTarget(), isSecureContext: true });
Object.defineProperty(globalThis, 'navigator', {
  value: { locks: createLocks(lockPort), onLine: true },
  configurable: true,
});

// A page has WebSockets, and Node 20 has none. The bundler would take the package's form for browsers, which only throws.
if (push) Object.assign(globalThis, { WebSocket: createRequire(import.meta.url)('ws').WebSocket });

const { createMemoryStorage } = await import('../../src/storage/memory.js');
const { createVolatileMemory } = await import('../../src/session/volatile-memory.js');
const storage = createMemoryStorage();
const memory = createVolatileMemory();
const say = (word: FromTab) => port.postMessage(word);
const polled = new Set<string>();

function open(): Wallet {
  const opened = createWallet({
    networks: [
      {
        ...{ chainId, name: 'Simulated', url, currency: { name: 'Coin', symbol: 'SIM', decimals: 18 } },
        ...(push && { push }),
      },
    ],
    storage,
    memory,
    origin: 'https://soak.example',
    pollingInterval: interval,
    approver: () => {
      throw new Error('nothing is to be approved here');
    },
  });
  opened.provider.on('message', ({ data }) => {
    // A request resolves before its events come, or the page cannot know whose they are.
    say({ kind: 'event', source: data.subscription, events: [data.result] });
  });
  return opened;
}

/** Of the page that is shown: after a reload another one, over the same storage. */
let wallet = open();

async function poll(filter: string): Promise<void> {
  const asked = wallet;
  try {
    const events = await asked.provider.request({
      method: 'eth_getFilterChanges',
      params: [filter as `0x${string}`],
    });
    if (asked === wallet) say({ kind: 'event', source: filter, events });
  } catch (error) {
    // Nobody is there to hear it.
    if (asked !== wallet) return;
    const { code, message } = error as { code: number; message: string };
    say({ kind: 'unpolled', source: filter, code, text: message });
  }
}

async function pollAgainAndAgain(filter: string, mean: number): Promise<void> {
  polled.add(filter);
  while (polled.has(filter)) {
    await new Promise((resolve) => setTimeout(resolve, random() * 2 * mean));
    if (polled.has(filter)) await poll(filter);
  }
}

async function answer(word: ToTab): Promise<void> {
  switch (word.kind) {
    case 'request': {
      const { id, method, params } = word;
      try {
        const request = { method, params: [...params] } as never;
        say({ kind: 'reply', id, result: await wallet.provider.request(request) });
      } catch (error) {
        const { code, message } = error as { code: number; message: string };
        say({ kind: 'reply', id, error: `${method}: ${code} ${message}` });
      }
      return;
    }
    case 'poll':
      if (word.mean > 0) return pollAgainAndAgain(word.filter, word.mean);
      polled.delete(word.filter);
      await poll(word.filter);
      return say({ kind: 'reply', id: word.id, result: null });
    case 'reload':
      polled.clear();
      wallet.destroy();
      wallet = open();
      return say({ kind: 'reply', id: word.id, result: null });
    case 'freeze':
      // No timer fires, no reply is read and no message is heard, but locks are held: as in a frozen tab.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, word.milliseconds);
      if (word.told) page.dispatchEvent(new Event('resume'));
      return say({ kind: 'thawed' });
    case 'show':
      page.visibilityState = word.visible ? 'visible' : 'hidden';
      page.dispatchEvent(new Event('visibilitychange'));
      return;
    case 'close':
      wallet.destroy();
      process.exit(0);
  }
}

port.on('message', (word: ToTab) => void answer(word));
say({ kind: 'open' });
