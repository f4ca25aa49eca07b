import { expect, test } from 'vitest';
import type { HeadSource } from '../../../../src/chain/heads/head-source.js';
import { createSocketSource, isSameOrigin } from '../../../../src/chain/heads/socket-source.js';
import { createFakeClock, settled } from '../../../support/fake-clock.js';
import { createFakeVisibility } from '../../../support/fake-visibility.js';
import { createFakeSockets, createPushServer } from '../../../support/push-server.js';
import { createSimulatedChain } from '../../../support/simulated-chain.js';

async function setUp(kind: 'relay' | 'node' = 'relay', options: Partial<createSocketSource.Options> = {}) {
  const chain = createSimulatedChain();
  for (let i = 0; i < 5; i++) chain.mine();
  const time = createFakeClock();
  const page = createFakeVisibility();
  const server = createPushServer(chain, kind);
  const sockets = createFakeSockets(server);
  const source = createSocketSource({
    url: 'wss://relay.example/31',
    takesBlocks: true,
    clock: time.clock,
    visibility: page.visibility,
    random: () => 0,
    openSocket: sockets.openSocket,
    ...options,
  });
  const hints: HeadSource.Hint[] = [];
  const states: string[] = [];
  const connection = source.open({
    head: (hint) => void hints.push(hint),
    state: (state) => void states.push(state),
  });
  await settled();
  return { chain, time, page, server, sockets, hints, states, connection };
}

test('the blocks of a step are passed on where they are trusted, oldest first', async () => {
  const { chain, server, hints } = await setUp();
  const blocks = [chain.mine(), chain.mine()];
  server.push();
  await settled();
  const { hash, number } = chain.head();
  expect(hints).toEqual([{ hash, height: Number(number), blocks }]);
});

test('blocks that are not linked or have the form of none are not passed on, the hash is', async () => {
  const { chain, server, hints } = await setUp();
  const [first, , third] = [chain.mine(), chain.mine(), chain.mine()];
  for (const added of [
    [first, third],
    [{ ...first, parentHash: 7 }, third],
    [7, third],
  ]) {
    server.notify(() => ({ removed: [], added }));
    await settled();
    expect(hints.splice(0)).toEqual([{ hash: third?.hash, height: Number(third?.number), blocks: [] }]);
  }
});

test('blocks of a server at another origin than the service are not passed on', async () => {
  const { chain, server, hints } = await setUp('relay', { takesBlocks: false });
  chain.mine();
  server.push();
  await settled();
  expect(hints).toEqual([{ hash: chain.head().hash, height: 6 }]);
});

test('a server without steps is asked for newHeads', async () => {
  const { server, states } = await setUp('node');
  expect(server.asked.map(({ params }) => params[0])).toEqual(['graft_steps', 'newHeads']);
  expect(states).toEqual(['live']);
});

test.each([-32002, -32005])(
  'a relay that refuses steps for a moment (%i) is asked for them again',
  async (code) => {
    const { time, server, states, sockets } = await setUp('relay');
    server.refuse(code);
    server.close(1006);
    await settled();
    await time.advance(1_000);
    await settled();
    expect(states).toEqual(['live', 'lost']);
    server.refuse(undefined);
    await time.advance(2_000);
    await settled();
    expect(states).toEqual(['live', 'lost', 'live']);
    expect(sockets.urls).toHaveLength(3);
    expect(server.asked.map(({ params }) => params[0])).toEqual([
      'graft_steps',
      'graft_steps',
      'graft_steps',
    ]);
  },
);

test('after an interruption a relay is asked for the steps since the last head', async () => {
  const { chain, time, server, hints } = await setUp();
  const { hash } = chain.mine();
  server.push();
  await settled();
  server.close(1006);
  await settled();
  chain.mine();
  chain.mine();
  await time.advance(2_000);
  await settled();
  expect(server.asked.at(-1)?.params).toEqual(['graft_steps', { since: hash }]);
  expect(hints.at(-1)?.blocks).toHaveLength(2);
});

test('a step without blocks says that some may be missing; an empty one is no hint', async () => {
  const { server, hints } = await setUp();
  server.notify(() => ({ removed: [], added: [] }));
  await settled();
  expect(hints).toEqual([]);
  server.notify(() => ({ removed: [], added: [], missed: { from: '0x1', to: '0x9' } }));
  await settled();
  expect(hints).toEqual([{}]);
});

test('a relay that cannot read the chain itself is lost until it can', async () => {
  const { server, states } = await setUp();
  server.notify(() => ({ removed: [], added: [], stale: true }));
  await settled();
  server.notify(() => ({ removed: [], added: [] }));
  await settled();
  expect(states).toEqual(['live', 'lost', 'live']);
});

test('a silent server is asked for a message after 30 s; after 45 s the connection is lost', async () => {
  const { time, server, states } = await setUp('node');
  await time.advance(29_999);
  expect(server.asked.at(-1)?.method).toBe('eth_subscribe');
  await time.advance(1);
  await settled();
  expect(server.asked.at(-1)?.method).toBe('eth_chainId');
  server.mute(true);
  await time.advance(44_999);
  expect(states).toEqual(['live']);
  await time.advance(2);
  expect(states).toEqual(['live', 'lost']);
  expect(server.count()).toBe(0);
});

test('a relay that sends something each 15 s is never asked', async () => {
  const { time, server } = await setUp();
  for (let i = 0; i < 20; i++) {
    await time.advance(15_000);
    server.notify(() => ({ removed: [], added: [] }));
    await settled();
  }
  expect(server.asked).toHaveLength(1);
});

test('it connects again after 1 s, 2 s, 4 s and so on to 60 s, with up to 4 s at random', async () => {
  for (const [random, first, second] of [
    [0, 1_000, 2_000],
    [1, 5_000, 6_000],
  ] as const) {
    const { time, sockets } = await setUp('relay', { random: () => random });
    sockets.setDown(true);
    await settled();
    const pauses: number[] = [];
    for (let i = 0; i < 9; i++) {
      pauses.push(time.next() as number);
      await time.advance(pauses.at(-1) as number);
      await settled();
    }
    expect(pauses.slice(0, 2)).toEqual([first, second]);
    expect(pauses.at(-1)).toBe(60_000);
    expect(sockets.urls).toHaveLength(10);
  }
});

test('a connection that lasted a minute is made again soon', async () => {
  const { time, server, sockets } = await setUp();
  for (let i = 0; i < 5; i++) {
    server.close(1006);
    await settled();
    await time.advance(60_000);
    server.notify(() => ({ removed: [], added: [] }));
    await settled();
  }
  await time.advance(31_000);
  await settled();
  await time.advance(31_000);
  await settled();
  const before = sockets.urls.length;
  server.close(1006);
  await settled();
  await time.advance(1_000);
  expect(sockets.urls).toHaveLength(before + 1);
});

test.each([1008, 4001, 4003])(
  'closed with %s, it connects again only once the page is shown again',
  async (code) => {
    const { time, page, server, sockets } = await setUp();
    server.close(code);
    await settled();
    await time.advance(600_000);
    expect(sockets.urls).toHaveLength(1);
    page.set(false);
    expect(sockets.urls).toHaveLength(1);
    page.set(true);
    expect(sockets.urls).toHaveLength(2);
  },
);

test.each([
  ['too long', ' '.repeat(256_001)],
  ['not JSON', '{'],
  ['not an object', '7'],
])('a message that is %s ends the connection', async (_, text) => {
  const { server, states } = await setUp();
  server.sendText(text);
  await settled();
  expect(states).toEqual(['live', 'lost']);
});

test('more than 512 messages in a second end the connection', async () => {
  const { server, states } = await setUp();
  for (let i = 0; i < 600; i++) server.sendText('{}');
  await settled();
  expect(states).toEqual(['live', 'lost']);
});

test.each([
  'null',
  '[]',
  '{}',
  '{"method":"eth_subscription"}',
  '{"method":"eth_subscription","params":null}',
  '{"method":"eth_subscription","params":{"subscription":"0x5ab"}}',
  '{"method":"eth_subscription","params":{"subscription":"0x5ab","result":7}}',
  '{"method":"eth_subscription","params":{"subscription":"0x5ab","result":{"added":7,"removed":7}}}',
  '{"method":"eth_subscription","params":{"subscription":"0x5ab","result":{"added":[null]}}}',
  '{"method":"eth_subscription","params":{"subscription":"0x5ab","result":{"added":[{"hash":"0x1"}]}}}',
  '{"method":"eth_subscription","params":{"subscription":"0xother","result":{"added":[{"hash":"0x1"}]}}}',
])('the message %s is no hint', async (text) => {
  const { server, hints } = await setUp();
  server.sendText(text);
  await settled();
  expect(hints).toEqual([]);
});

test('properties that a page adds to Object.prototype are not read as parts of a message', async () => {
  const hash = `0x${'ab'.repeat(32)}`;
  const polluted = { hash, number: '0x7', added: [{ hash }], missed: {}, stale: true, removed: [1] };
  Object.assign(Object.prototype, polluted);
  try {
    const { server, hints, states } = await setUp();
    server.notify(() => ({}));
    server.notify(() => ({ added: [{}] }));
    await settled();
    expect(hints).toEqual([]);
    expect(states).toEqual(['live']);
  } finally {
    for (const name of Object.keys(polluted)) delete (Object.prototype as Record<string, unknown>)[name];
  }
});

test('where there is no WebSocket, nothing is thrown', () => {
  const time = createFakeClock();
  const page = createFakeVisibility();
  const source = createSocketSource({
    url: 'wss://relay.example/31',
    takesBlocks: true,
    clock: time.clock,
    visibility: page.visibility,
    openSocket() {
      throw new SyntaxError('The URL wss://relay.example/31 is invalid');
    },
  });
  const states: string[] = [];
  source.open({ head() {}, state: (state) => void states.push(state) }).close();
  expect(states).toEqual([]);
});

test('a socket is at the origin of the service where scheme, host and port correspond', () => {
  expect(isSameOrigin('wss://relay.example/31', 'https://relay.example/other')).toBe(true);
  expect(isSameOrigin('ws://localhost:8545/31', 'http://localhost:8545/31')).toBe(true);
  expect(isSameOrigin('wss://relay.example:444/31', 'https://relay.example/31')).toBe(false);
  expect(isSameOrigin('wss://relay.example.evil/31', 'https://relay.example/31')).toBe(false);
  expect(isSameOrigin('ws://localhost/31', 'https://localhost/31')).toBe(false);
});
