import { systemClock } from '../../src/async/clock.js';
import type { Wallet } from '../../src/index.js';
import { createFakeOrigin } from '../support/fake-origin.js';
import { type Arrival, play, type SessionChain } from './session-chain.js';
import { pause } from './session-clock.js';
import { dapps } from './session-dapps.js';

/** HTTP requests while blocks came. */
export interface TabsResult {
  /** Pages that subscribe to blocks and to a token's logs. */
  readonly subscribed: { readonly one: number; readonly five: number };
  /** Pages that watch both with viem at 4 s: on our provider, and one without us. */
  readonly viem: { readonly one: number; readonly five: number; readonly alone: number };
  /** A page that subscribed and is hidden, one that listens to nothing, one that has unsubscribed. */
  readonly quiet: { readonly hidden: number; readonly unwatched: number; readonly left: number };
}

type Open = (place: number, options?: { readonly pollingInterval: number }) => Promise<Wallet>;

const everyFour = { pollingInterval: 4_000 };
/** Lets a page watch; resolves to its undo. */
type Watch = (wallet: Wallet) => Promise<() => void>;

/** Wallets of one origin in one process: BroadcastChannel is Node's, Web Locks are test/support/fake-origin.ts. */
export async function measureTabs(
  chains: readonly SessionChain[],
  open: Open,
  schedule: readonly Arrival[],
): Promise<TabsResult> {
  const { locks } = createFakeOrigin(systemClock).createTab();
  define('isSecureContext', true);
  define('navigator', { locks });
  const { token } = chains[0] as SessionChain;

  /** The requests of each chain while these blocks are mined, after 5 s to settle. */
  async function count(blocks: readonly Arrival[], stop: () => void): Promise<readonly number[]> {
    await pause(5_000);
    const before = chains.map((chain) => chain.counts().requests);
    await play(chains, blocks, () => {});
    const made = chains.map((chain, at) => chain.counts().requests - (before[at] as number));
    stop();
    await pause(10_000);
    return made;
  }

  /** Five pages on the first chain, one on the second; `alone` is on the third. */
  async function pages(watch: Watch, alone: () => Promise<() => void>): Promise<readonly number[]> {
    const wallets = await Promise.all([0, 0, 0, 0, 0, 1].map((place) => open(place, everyFour)));
    // As pages that are opened one after another.
    const stops: (() => void)[] = [];
    for (const wallet of wallets) {
      stops.push(await watch(wallet));
      await pause(700);
    }
    stops.push(await alone(), ...wallets.map(({ destroy }) => destroy));
    return count(schedule, () => {
      for (const stop of stops) stop();
    });
  }

  const subscribe = ({ provider }: Wallet) =>
    provider.request({ method: 'eth_subscribe', params: ['newHeads'] });
  const subscribed = await pages(
    async (wallet) => {
      await subscribe(wallet);
      await wallet.provider.request({ method: 'eth_subscribe', params: ['logs', { address: token }] });
      return () => {};
    },
    async () => () => {},
  );

  const watching = async (dapp: ReturnType<typeof dapps.viem>) => {
    await dapp.watchBlocks(() => {});
    await dapp.watchLogs(token, 'Transfer', () => {});
    return dapp.close;
  };
  const url = (chains[2] as SessionChain).service.url;
  const viem = await pages(
    ({ provider }) => watching(dapps.viem({ provider })),
    () => watching(dapps.viem({ url, privateKey: `0x${'46'.repeat(32)}` })),
  );

  const [hidden, unwatched, left] = (await Promise.all([0, 1, 2].map((place) => open(place, everyFour)))) as [
    Wallet,
    Wallet,
    Wallet,
  ];
  await subscribe(hidden);
  await unwatched.provider.request({ method: 'eth_requestAccounts' });
  unwatched.provider.on('message', () => {});
  await left.provider.request({ method: 'eth_unsubscribe', params: [await subscribe(left)] });
  const document = Object.assign(new EventTarget(), { visibilityState: 'hidden' });
  define('document', document);
  document.dispatchEvent(new Event('visibilitychange'));
  // A poll that was on its way has arrived by then.
  for (let read = 0; read < 2; read++)
    await Promise.all(
      [hidden, unwatched, left].map(({ provider }) => provider.request({ method: 'net_peerCount' })),
    );
  const quiet = await count(schedule.slice(0, 10), () => {
    for (const { destroy } of [hidden, unwatched, left]) destroy();
  });

  return {
    subscribed: { five: subscribed[0] as number, one: subscribed[1] as number },
    viem: { five: viem[0] as number, one: viem[1] as number, alone: viem[2] as number },
    quiet: { hidden: quiet[0] as number, unwatched: quiet[1] as number, left: quiet[2] as number },
  };
}

const define = (name: string, value: unknown) =>
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
