import { expect, test } from 'vitest';
import {
  deserializeError,
  openTabChannel,
  readTabMessage,
  serializeError,
  type TabMessage,
} from '../../../../src/chain/tabs/protocol.js';
import { ProviderRpcError } from '../../../../src/rpc/errors.js';
import { fc } from '../../../support/property.js';

const messages: TabMessage[] = [
  { kind: 'leading' },
  { kind: 'polling' },
  { kind: 'head', poll: 'l1' },
  { kind: 'ack', id: 'a.1' },
  { kind: 'request', id: 'a.1', from: 'a', at: 1, method: 'eth_syncing', params: [] },
  {
    kind: 'request',
    id: 'a.2',
    from: 'a',
    at: 1.5,
    method: 'm',
    params: ['x', false],
    lastPoll: 'l1',
    maxAge: 0,
  },
  { kind: 'reply', id: 'a.1', result: '{"number":"0x1"}' },
  { kind: 'reply', id: 'a.1', result: 'null', poll: 'l1' },
  { kind: 'reply', id: 'a.1', result: 'null', poll: 'l1', live: true },
  { kind: 'reply', id: 'a.1', failure: { code: -32005, message: '' } },
  { kind: 'reply', id: 'a.1', failure: { code: 3, message: 'm', data: '"0x"' }, poll: 'l1' },
];

test('reads each kind of message, without additional fields', () => {
  for (const message of messages) {
    expect(readTabMessage(message)).toEqual(message);
    expect(readTabMessage({ ...message, more: 1 })).toEqual(message);
  }
});

test('rejects a message in which anything is malformed', () => {
  const [long, request, reply] = ['x'.repeat(101), messages[5], messages[10]];
  const wrong = [
    ...[undefined, null, 7, 'leading', [], {}, { kind: 'other', id: 'a' }, { kind: 'head' }, { kind: 'ack' }],
    ...[
      { kind: 'head', poll: long },
      { kind: 'ack', id: '' },
      { kind: 'ack', id: long },
    ],
    ...[{ at: '1' }, { at: -1 }, { at: Number.NaN }, { from: 7 }, { method: 7 }, { method: long }].map(
      (part) => ({ ...request, ...part }),
    ),
    ...[{ params: {} }, { params: [1, 2, 3] }, { lastPoll: 7 }, { maxAge: '1' }, { maxAge: -1 }].map(
      (part) => ({
        ...request,
        ...part,
      }),
    ),
    ...[{ poll: 7 }, { failure: null }, { failure: { code: '3', message: '' } }].map((part) => ({
      ...reply,
      ...part,
    })),
    ...[
      { code: 1.5, message: '' },
      { code: 3, message: 7 },
      { code: 3, message: 'x'.repeat(1_001) },
      { code: 3, message: '', data: {} },
      { code: 3, message: '', data: 'no JSON' },
      { code: 3, message: '', data: `"${'x'.repeat(10_000)}"` },
    ].map((failure) => ({ ...reply, failure })),
    { kind: 'reply', id: 'a' },
    { kind: 'reply', id: 'a', result: { number: '0x1' } },
    { kind: 'reply', id: 'a', result: '{' },
    { kind: 'reply', id: 'a', result: `"${' '.repeat(11_000_000)}"` },
  ];
  for (const each of wrong) expect(readTabMessage(each)).toBe(null);
});

test('never throws, and reads its own result as the same message', () => {
  const part = fc.oneof(fc.anything(), fc.constantFrom(...messages.flatMap((each) => Object.values(each))));
  const anyMessage = fc.record(
    {
      kind: fc.constantFrom('request', 'ack', 'reply', 'leading', 'head'),
      ...Object.fromEntries(
        ['id', 'from', 'at', 'method', 'params', 'lastPoll', 'maxAge', 'result', 'failure', 'poll'].map(
          (key) => [key, part],
        ),
      ),
    },
    { requiredKeys: [] },
  );
  let read = 0;
  fc.assert(
    fc.property(fc.oneof(anyMessage, fc.anything()), (received) => {
      const message = readTabMessage(received);
      if (!message) return;
      read += 1;
      expect(readTabMessage(message)).toEqual(message);
    }),
    { numRuns: 2_000 },
  );
  expect(read).toBeGreaterThan(100);
});

test('an error of ours keeps code, message and data within limits; any other error passes nothing on', () => {
  const error = new ProviderRpcError(-32005, 'Slow down', { reason: 'rate', retryAfter: 3 });
  expect(deserializeError(serializeError(error))).toEqual(error);
  expect(
    deserializeError(serializeError(new ProviderRpcError(4901, 'x'.repeat(5_000)))).message,
  ).toHaveLength(1_000);
  expect(deserializeError(serializeError(new ProviderRpcError(3, '', 'x'.repeat(20_000)))).data).toBe(
    undefined,
  );
  for (const foreign of [new TypeError('fetch failed: https://node.example/secret'), 'text', undefined])
    expect(serializeError(foreign)).toEqual({ code: -32603, message: 'The request failed' });
});

test('a message on the BroadcastChannel reaches all tabs but the sender', async () => {
  const heard: unknown[] = [];
  const all = new Promise<void>((resolve) => {
    const hear = (tab: string) => (message: TabMessage) => {
      heard.push([tab, message]);
      if (heard.length === 4) resolve();
    };
    const [first, second] = [
      openTabChannel('graft:test', hear('first')),
      openTabChannel('graft:test', hear('second')),
    ];
    const elsewhere = openTabChannel('graft:other', hear('elsewhere'));
    const stranger = new BroadcastChannel('graft:test');
    first.post({ kind: 'leading' });
    second.post({ kind: 'head', poll: 'l1' });
    stranger.postMessage('nonsense');
    stranger.postMessage({ kind: 'ack', id: 'x' });
    setTimeout(() => {
      for (const channel of [first, second, elsewhere, stranger]) channel.close();
    }, 500);
  });
  await all;
  expect(heard).toEqual(
    expect.arrayContaining([
      ['second', { kind: 'leading' }],
      ['first', { kind: 'head', poll: 'l1' }],
      ['first', { kind: 'ack', id: 'x' }],
      ['second', { kind: 'ack', id: 'x' }],
    ]),
  );
});

test('a reply is of a leader with pushed heads only where it says so by true', () => {
  const reply = { kind: 'reply', id: 'a.1', result: 'null' };
  for (const live of ['true', 1, {}, false, null]) expect(readTabMessage({ ...reply, live })).toEqual(reply);
});
