/** A dapp of `bridge.ts`: a bridge to the wallet on another origin, and the same wallet in its own page. */

import { headless } from '../../../packages/kit/src/testing/index.js';
import { connectBridge } from '../../../src/bridge/client.js';
import { createWallet, type Wallet } from '../../../src/index.js';

export type Place = 'bridge' | 'page';

/** Times are milliseconds since 1970, with fractions. */
export interface BridgeDapp {
  /** When the page had the wallet's first message. */
  known(): Promise<number>;
  /** Milliseconds of the reads of so many accounts from `first` on, one after another. */
  read(place: Place, first: number, count: number): Promise<number[]>;
  /** Milliseconds of so many reads of one account, which the cache answers. */
  readCached(place: Place, count: number): Promise<number[]>;
  /** Milliseconds of so many bare messages to a document of the wallet and back. */
  echo(count: number): Promise<number[]>;
  /** Asks for the account over the bridge. Resolves at once with when it did. */
  connect(): number;
  /** Asks for a signature over the bridge. Resolves with when it did, not with its outcome. */
  ask(): Promise<number>;
  /** Connects, reads and pays, as a dapp does in its first minute. */
  act(place: Place): Promise<void>;
  /** Listens to blocks over the bridge. */
  subscribe(): Promise<unknown>;
}

const config = JSON.parse(document.getElementById('config')?.textContent as string) as {
  readonly host: string;
  readonly url: string;
  readonly privateKey: `0x${string}`;
};
const password = 'a password of the page';
const somebody = `0x${'35'.repeat(20)}` as const;

const now = (): number => performance.timeOrigin + performance.now();
const bridge = connectBridge({ host: config.host });
const knownAt = bridge.provider.request({ method: 'eth_accounts' }).then(now);

let wallet: Wallet | undefined;
/** Made when it is first used: a page that only listens over the bridge has none. */
function inPage(): Wallet {
  wallet ??= createWallet({
    networks: [{ chainId: 31, url: config.url }],
    name: 'in-page',
    pollingInterval: 3_600_000,
    approver: () => headless({ password }),
  });
  return wallet;
}
const requestOf = (place: Place) => (place === 'bridge' ? bridge : inPage()).provider.request;

function readAccount(place: Place, index: number): Promise<unknown> {
  const address = `0x${index.toString(16).padStart(40, '0')}` as const;
  return requestOf(place)({ method: 'eth_getBalance', params: [address, 'latest'] });
}

async function timeEach(count: number, act: (index: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const start = performance.now();
    await act(index);
    times.push(performance.now() - start);
  }
  return times;
}

const bench: BridgeDapp = {
  known: () => knownAt,
  read: (place, first, count) => timeEach(count, (index) => readAccount(place, first + index)),
  async readCached(place, count) {
    await readAccount(place, 0);
    return timeEach(count, () => readAccount(place, 0));
  },
  async echo(count) {
    const frame = document.createElement('iframe');
    frame.src = `${config.host}/frame.html`;
    frame.hidden = true;
    document.body.append(frame);
    await new Promise((resolve) => frame.addEventListener('load', resolve));
    const { port1, port2 } = new MessageChannel();
    frame.contentWindow?.postMessage('echo', config.host, [port2]);
    const there = () =>
      new Promise((resolve) => {
        port1.onmessage = resolve;
        port1.postMessage({ t: 'request', id: 1, method: 'eth_getBalance', json: '["0x35","latest"]' });
      });
    await there();
    const times = await timeEach(count, there);
    frame.remove();
    return times;
  },
  connect() {
    const start = now();
    bridge.provider.request({ method: 'eth_requestAccounts' }).catch(() => {});
    return start;
  },
  async ask() {
    const { request } = bridge.provider;
    const [account] = await request({ method: 'eth_accounts' });
    const start = now();
    request({ method: 'personal_sign', params: ['0x68656c6c6f', account as `0x${string}`] }).catch(() => {});
    return start;
  },
  async act(place) {
    if (place === 'page') await inPage().importPrivateKey(config.privateKey, { password });
    const request = requestOf(place);
    const [account] = await request({ method: 'eth_requestAccounts' });
    const from = account as `0x${string}`;
    await request({ method: 'eth_chainId' });
    await request({ method: 'eth_blockNumber' });
    await request({ method: 'eth_getBalance', params: [from, 'latest'] });
    await request({ method: 'eth_call', params: [{ to: somebody, data: '0x' }, 'latest'] });
    await request({ method: 'eth_getLogs', params: [{ fromBlock: 'latest' }] });
    await request({ method: 'eth_sendTransaction', params: [{ from, to: somebody, value: '0x1' }] });
  },
  subscribe: () => bridge.provider.request({ method: 'eth_subscribe', params: ['newHeads'] }),
};
Object.assign(window, { bench });
