import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createFilterSource } from '../../../../src/chain/heads/filter-source.js';
import type { HeadSource } from '../../../../src/chain/heads/head-source.js';
import { createSocketSource, type Socket } from '../../../../src/chain/heads/socket-source.js';
import { createPushServer, listenForSockets } from '../../../support/push-server.js';
import { createSimulatedChain, type SimulatedChain } from '../../../support/simulated-chain.js';
import { until } from '../../../support/until.js';

/** What every source of heads has to do, over real sockets and in real time. */

interface Served {
  readonly source: HeadSource;
  /** Makes the head of the chain known to the source. */
  push(): void;
  /** The server, or the filter on it, is gone for a moment. */
  interrupt(): void;
  /** Connections, or filters, that the server has. */
  connections(): number;
  stop(): Promise<void>;
}

const openSocket = (url: string) => new WebSocket(url) as unknown as Socket;

async function serveSocket(chain: SimulatedChain, kind: 'relay' | 'node'): Promise<Served> {
  const server = createPushServer(chain, kind);
  const listening = await listenForSockets(server);
  const { url } = listening;
  return {
    source: createSocketSource({ url, takesBlocks: kind === 'relay', openSocket, random: () => 0 }),
    push: server.push,
    interrupt: () => server.close(1001),
    connections: server.count,
    stop: listening.stop,
  };
}

const kinds: Record<string, (chain: SimulatedChain) => Promise<Served>> = {
  'the steps of a relay': (chain) => serveSocket(chain, 'relay'),
  'the newHeads of a node': (chain) => serveSocket(chain, 'node'),
  'a block filter of the service': async (chain) => ({
    source: createFilterSource({ service: chain.service, interval: () => 20 }),
    push: () => {},
    interrupt: chain.restart,
    connections: chain.blockFilterCount,
    stop: async () => {},
  }),
};

const ends: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function open(kind: string) {
  const chain = createSimulatedChain();
  for (let i = 0; i < 5; i++) chain.mine();
  const served = await (kinds[kind] as (typeof kinds)[string])(chain);
  const hints: HeadSource.Hint[] = [];
  const states: string[] = [];
  const connection = served.source.open({
    head: (hint) => void hints.push(hint),
    state: (state) => void states.push(state),
  });
  ends.push(connection.close, served.stop);
  const live = () => until(() => states.at(-1) === 'live');
  return { chain, served, hints, states, connection, live };
}

describe.each(Object.keys(kinds))('%s', (kind) => {
  test('reports nothing before it is live, and then each new head by its hash', async () => {
    const { chain, served, hints, states, live } = await open(kind);
    expect(states).toEqual([]);
    await live();
    expect(hints).toEqual([]);
    for (let block = 1; block <= 3; block++) {
      const { hash } = chain.mine();
      served.push();
      await until(() => hints.length === block);
      expect(hints.at(-1)?.hash).toBe(hash);
    }
    expect(states).toEqual(['live']);
  });

  test('reports the new head of a reorg', async () => {
    const { chain, served, hints, live } = await open(kind);
    await live();
    chain.reorg(2, [], [], []);
    served.push();
    await until(() => hints.length > 0);
    expect(hints.at(-1)?.hash).toBe(chain.head().hash);
  });

  test('says when it is interrupted, and that it is live again', async () => {
    const { chain, served, hints, states, live } = await open(kind);
    await live();
    served.interrupt();
    await until(() => states.length === 2);
    expect(states).toEqual(['live', 'lost']);
    await live();
    const { hash } = chain.mine();
    served.push();
    await until(() => hints.at(-1)?.hash === hash);
  }, 10_000);

  test('reconnects after its hints proved false', async () => {
    const { chain, served, connection, hints, states, live } = await open(kind);
    await live();
    connection.fail();
    expect(states).toEqual(['live', 'lost']);
    await live();
    const { hash } = chain.mine();
    served.push();
    await until(() => hints.at(-1)?.hash === hash);
  }, 10_000);

  test('reports nothing after it was closed, and leaves no connection', async () => {
    const { chain, served, connection, hints, live } = await open(kind);
    await live();
    connection.close();
    await until(() => served.connections() === 0);
    chain.mine();
    served.push();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(hints).toEqual([]);
  });

  test('closed while it connects, it leaves no connection', async () => {
    const { served, connection, states } = await open(kind);
    connection.close();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([served.connections(), states]).toEqual([0, []]);
  });
});

test('a server that refuses the upgrade, or ends at once, is tried again', async () => {
  let upgrades = 0;
  const server = new WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    verifyClient: () => {
      upgrades += 1;
      return false;
    },
  });
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const source = createSocketSource({
    url: `ws://127.0.0.1:${port}/`,
    takesBlocks: false,
    openSocket,
    random: () => 0,
  });
  const states: string[] = [];
  const connection = source.open({ head() {}, state: (state) => void states.push(state) });
  await until(() => upgrades === 2);
  connection.close();
  expect(states).toEqual([]);
  server.close();
}, 10_000);
