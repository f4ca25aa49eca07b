import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  fromFailure,
  type Message,
  openChannel,
  readMessage,
  toFailure,
} from '../../../../src/chain/tabs/protocol.js';
import { ProviderRpcError } from '../../../../src/rpc/errors.js';

const messages: Message[] = [
  { kind: 'lead' },
  { kind: 'head', look: 'l1' },
  { kind: 'heard', id: 'a.1' },
  { kind: 'ask', id: 'a.1', from: 'a', at: 1, method: 'eth_syncing', params: [] },
  { kind: 'ask', id: 'a.2', from: 'a', at: 1.5, method: 'm', params: ['x', false], seen: 'l1', maxAge: 0 },
  { kind: 'reply', id: 'a.1', result: '{"number":"0x1"}' },
  { kind: 'reply', id: 'a.1', result: 'null', look: 'l1' },
  { kind: 'reply', id: 'a.1', failure: { code: -32005, message: '' } },
  { kind: 'reply', id: 'a.1', failure: { code: 3, message: 'm', data: '"0x"' }, look: 'l1' },
];

test('reads what tabs say, and nothing more of it', () => {
  for (const message of messages) {
    expect(readMessage(message)).toEqual(message);
    expect(readMessage({ ...message, more: 1 })).toEqual(message);
  }
});

test('a message with anything wrong in it is none', () => {
  const [long, ask, reply] = ['x'.repeat(101), messages[4], messages[8]];
  const wrong = [
    ...[undefined, null, 7, 'lead', [], {}, { kind: 'other', id: 'a' }, { kind: 'head' }, { kind: 'heard' }],
    ...[
      { kind: 'head', look: long },
      { kind: 'heard', id: '' },
      { kind: 'heard', id: long },
    ],
    ...[{ at: '1' }, { at: -1 }, { at: Number.NaN }, { from: 7 }, { method: 7 }, { method: long }].map(
      (part) => ({ ...ask, ...part }),
    ),
    ...[{ params: {} }, { params: [1, 2, 3] }, { seen: 7 }, { maxAge: '1' }, { maxAge: -1 }].map((part) => ({
      ...ask,
      ...part,
    })),
    ...[{ look: 7 }, { failure: null }, { failure: { code: '3', message: '' } }].map((part) => ({
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
  for (const each of wrong) expect(readMessage(each)).toBe(null);
});

test('never throws, and what it reads it reads again', () => {
  const part = fc.oneof(fc.anything(), fc.constantFrom(...messages.flatMap((each) => Object.values(each))));
  const anyMessage = fc.record(
    {
      kind: fc.constantFrom('ask', 'heard', 'reply', 'lead', 'head'),
      ...Object.fromEntries(
        ['id', 'from', 'at', 'method', 'params', 'seen', 'maxAge', 'result', 'failure', 'look'].map((key) => [
          key,
          part,
        ]),
      ),
    },
    { requiredKeys: [] },
  );
  let read = 0;
  fc.assert(
    fc.property(fc.oneof(anyMessage, fc.anything()), (received) => {
      const message = readMessage(received);
      if (!message) return;
      read += 1;
      expect(readMessage(message)).toEqual(message);
    }),
    { numRuns: 2_000 },
  );
  expect(read).toBeGreaterThan(100);
});

test('an error arrives as it was, without what must not be said', () => {
  const error = new ProviderRpcError(-32005, 'Slow down', { reason: 'rate', retryAfter: 3 });
  expect(fromFailure(toFailure(error))).toEqual(error);
  expect(fromFailure(toFailure(new ProviderRpcError(4901, 'x'.repeat(5_000)))).message).toHaveLength(1_000);
  expect(fromFailure(toFailure(new ProviderRpcError(3, '', 'x'.repeat(20_000)))).data).toBe(undefined);
  for (const foreign of [new TypeError('fetch failed: https://node.example/secret'), 'text', undefined])
    expect(toFailure(foreign)).toEqual({ code: -32603, message: 'The request failed' });
});

test('opens a BroadcastChannel, on which all but the sender hear', async () => {
  const heard: unknown[] = [];
  const all = new Promise<void>((resolve) => {
    const hear = (tab: string) => (message: Message) => {
      heard.push([tab, message]);
      if (heard.length === 4) resolve();
    };
    const [first, second] = [
      openChannel('graft:test', hear('first')),
      openChannel('graft:test', hear('second')),
    ];
    const elsewhere = openChannel('graft:other', hear('elsewhere'));
    const stranger = new BroadcastChannel('graft:test');
    first.post({ kind: 'lead' });
    second.post({ kind: 'head', look: 'l1' });
    stranger.postMessage('nonsense');
    stranger.postMessage({ kind: 'heard', id: 'x' });
    setTimeout(() => {
      for (const channel of [first, second, elsewhere, stranger]) channel.close();
    }, 500);
  });
  await all;
  expect(heard).toEqual(
    expect.arrayContaining([
      ['second', { kind: 'lead' }],
      ['first', { kind: 'head', look: 'l1' }],
      ['first', { kind: 'heard', id: 'x' }],
      ['second', { kind: 'heard', id: 'x' }],
    ]),
  );
});
