import { expect, onTestFinished, test } from 'vitest';
import type { HeadSource } from '../../../../src/chain/heads/head-source.js';
import { createSocketSource, type Socket } from '../../../../src/chain/heads/socket-source.js';
import { createFakeClock, settled } from '../../../support/fake-clock.js';
import { createFakeVisibility } from '../../../support/fake-visibility.js';
import { word } from '../../../support/simulated-chain.js';

/** Gateways that have `newHeads`, and answer the unknown subscription `graft_steps` in a way of their own. */

interface Gateway {
  readonly send: (message: unknown) => void;
  readonly close: (code: number) => void;
}

type Answer = (gateway: Gateway, id: number) => void;

const header = { number: '0x7', hash: word(0x77), parentHash: word(0x76) };

function open(answerSteps: Answer, idOfHeads: (id: number) => unknown = (id) => id) {
  const { clock, advance } = createFakeClock();
  const asked: string[] = [];
  /** Pushes a header to who has subscribed to heads; for gateways that ignore the name, to all. */
  let push = () => {};
  const openSocket = (): Socket => {
    let isOpen = true;
    const close = (code: number) => {
      if (!isOpen) return;
      isOpen = false;
      queueMicrotask(() => socket.onclose?.({ code }));
    };
    const send = (message: unknown) =>
      queueMicrotask(() => {
        const data = typeof message === 'string' ? message : JSON.stringify(message);
        if (isOpen) socket.onmessage?.({ data });
      });
    const socket: Socket = {
      onopen: null,
      onmessage: null,
      onclose: null,
      onerror: null,
      send(text) {
        const { id, method, params } = JSON.parse(text) as { id: number; method: string; params: string[] };
        if (method === 'eth_chainId') return send({ jsonrpc: '2.0', id, result: '0x1e' });
        asked.push(params[0] as string);
        push = () =>
          send({
            jsonrpc: '2.0',
            method: 'eth_subscription',
            params: { subscription: '0x5', result: header },
          });
        if (params[0] === 'newHeads') send({ jsonrpc: '2.0', id: idOfHeads(id), result: '0x5' });
        else answerSteps({ send, close }, id);
      },
      close: () => close(1005),
    };
    queueMicrotask(() => socket.onopen?.());
    return socket;
  };
  const source = createSocketSource({
    ...{ url: 'wss://gateway.example/key', takesBlocks: true, clock, openSocket, random: () => 0 },
    visibility: createFakeVisibility().visibility,
  });
  const hints: HeadSource.Hint[] = [];
  const states: string[] = [];
  const connection = source.open({
    head: (hint) => void hints.push(hint),
    state: (state) => void states.push(state),
  });
  onTestFinished(() => connection.close());
  const wait = async (ms: number) => {
    await settled();
    await advance(ms);
    await settled();
  };
  return { asked, hints, states, wait, push: () => push() };
}

const result =
  (value: unknown): Answer =>
  ({ send }, id) =>
    send({ jsonrpc: '2.0', id, result: value });
const error =
  (code: number, message = 'no'): Answer =>
  ({ send }, id) =>
    send({ jsonrpc: '2.0', id, error: { code, message } });

const odd: readonly [what: string, answer: Answer][] = [
  ['with the error of JSON-RPC', error(-32601)],
  ['with an error of params', error(-32602)],
  ['with an error that looks like a limit', error(-32005, 'subscription type not in your plan')],
  ['with an error that looks like an outage', error(-32002)],
  [
    'with an error without an id',
    ({ send }) => send({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'no' } }),
  ],
  ['with an error and no id at all', ({ send }) => send({ error: 'unsupported' })],
  [
    'with an error under the id as a text',
    ({ send }, id) => send({ jsonrpc: '2.0', id: `${id}`, error: { code: 1, message: 'no' } }),
  ],
  ['with the result null', result(null)],
  ['with the result true', result(true)],
  ['with an empty text', result('')],
  ['with an object', result({})],
  ['with a list', result([])],
  ['with a sentence as its result', result('error: unknown subscription')],
  ['with neither result nor error', ({ send }, id) => send({ jsonrpc: '2.0', id })],
  ['with a text that is not JSON', ({ send }) => send('Unsupported')],
  ['not at all', () => {}],
  ['by closing for a broken rule', ({ close }) => close(1008)],
  ['by closing for a wrong message', ({ close }) => close(1003)],
  ['by closing for an error', ({ close }) => close(1011)],
  ['by dropping the connection', ({ close }) => close(1006)],
  ['with an id, and pushes nothing', result('0x5')],
];

test.each(odd)(
  'a gateway that answers an unknown subscription %s is asked for newHeads',
  async (_, answer) => {
    const { asked, hints, states, wait, push } = open(answer);
    await wait(65_000);
    expect([...new Set(asked)]).toEqual(['graft_steps', 'newHeads']);
    expect(states.at(-1)).toBe('live');
    push();
    await settled();
    expect(hints).toEqual([{ hash: header.hash, height: 7 }]);
  },
);

test('a gateway that confirms any subscription and pushes headers is used as a node', async () => {
  const { hints, states, wait, push } = open(result('0x5'));
  await wait(1_000);
  push();
  await settled();
  expect([states, hints]).toEqual([['live'], [{ hash: header.hash, height: 7 }]]);
});

test('a gateway that gives ids as texts, and numbers as ids of subscriptions, is understood', async () => {
  const { states, wait } = open(error(-32601), (id) => `${id}`);
  await wait(1_000);
  expect(states).toEqual(['live']);
});

test.each([4001, 4003])('a relay that closes with %i is not connected to again', async (code) => {
  const { asked, wait } = open(({ close }) => close(code));
  await wait(300_000);
  expect(asked).toEqual(['graft_steps']);
});
