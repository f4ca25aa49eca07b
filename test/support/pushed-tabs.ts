import { createHeadTracker } from '../../src/chain/head-tracker.js';
import { createFilterSource } from '../../src/chain/heads/filter-source.js';
import { createPushedHeads } from '../../src/chain/heads/pushed-heads.js';
import { createSocketSource } from '../../src/chain/heads/socket-source.js';
import type { Hash, Hex } from '../../src/rpc/schema.js';
import { createMemoryStorage } from '../../src/storage/memory.js';
import { createFollowing } from '../../src/wallet/following.js';
import { createFakeClock, settled } from './fake-clock.js';
import { createFakeOrigin } from './fake-origin.js';
import { observed } from './observed.js';
import { createFakeSockets, createPushServer } from './push-server.js';
import { createRandom } from './random.js';
import { createSimulatedChain } from './simulated-chain.js';

export type SourceKind = 'relay' | 'node' | 'filter' | 'none';

/** Milliseconds between polls without a source. */
export const period = 12_000;

/** Tabs of one browser that follow a simulated chain, whose heads are pushed by a source of one kind. */
export function createPushedTabs(kind: SourceKind, chainOptions: createSimulatedChain.Options = {}) {
  const chain = createSimulatedChain({ urls: ['https://relay.example/31'], ...chainOptions });
  for (let i = 0; i < 5; i++) chain.mine();
  const time = createFakeClock();
  const origin = createFakeOrigin(time.clock);
  const server = createPushServer(chain, kind === 'relay' ? 'relay' : 'node');
  const sockets = createFakeSockets(server);

  const random = createRandom(5);

  function openTab({ takesBlocks = kind === 'relay' } = {}) {
    const tab = origin.createTab();
    const { clock, page, locks, open } = tab;
    const head = createHeadTracker({
      service: () => following.service,
      interval: period,
      now: clock.now,
    });
    const service = observed(tab.reach(chain.service), head);
    const { visibility } = page;
    const { openSocket } = sockets;
    const socketSource = () =>
      createSocketSource({
        url: 'wss://relay.example/31',
        takesBlocks,
        ...{ clock, visibility, random, openSocket },
      });
    const push: createFollowing.Push = {
      createPushedHeads,
      createSource: (_, interval) =>
        kind === 'filter' ? createFilterSource({ service, interval, clock }) : socketSource(),
    };
    const received: { readonly hash: Hash; readonly at: number }[] = [];
    const following = createFollowing({
      ...{ service, head, name: 'test', origin: 'https://dapp.example' },
      logRanges: undefined as never,
      storage: createMemoryStorage(),
      notify: (_id: Hex, block: unknown) =>
        void received.push({ hash: (block as { hash: Hash }).hash, at: clock.now() }),
      push: kind === 'none' ? undefined : push,
      ports: { clock, visibility, locks, open, random },
    });
    return {
      ...tab,
      head,
      following,
      received,
      hashes: () => received.map(({ hash }) => hash),
      subscribe: () => following.subscriptions.subscribe({ kind: 'newHeads' }),
    };
  }

  /** Lets messages, locks and replies take all their hops; time moves by less than a second. */
  async function settle(): Promise<void> {
    for (let i = 0; i < 20; i++) {
      await settled();
      await time.advance(1);
    }
  }

  /** A tab that follows, whose source has earned trust by a first head. */
  async function openLive(options: Parameters<typeof openTab>[0] = {}) {
    const tab = openTab(options);
    await tab.subscribe();
    await settle();
    // The first poll while it is live.
    await time.advance(2_000);
    await settle();
    chain.mine();
    server.push();
    await settle();
    await time.advance(kind === 'filter' ? period : 2_000);
    await settle();
    tab.received.length = 0;
    return tab;
  }

  const headPolls = () =>
    chain.asked.filter(({ method, params }) => method === 'eth_getBlockByNumber' && params[0] === 'latest')
      .length;

  return { chain, time, origin, server, sockets, openTab, openLive, settle, headPolls };
}
