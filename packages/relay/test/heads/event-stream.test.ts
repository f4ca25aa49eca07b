import { expect, test } from 'vitest';
import { until } from '../../../../test/support/until.js';
import { createEventStream } from '../../src/heads/event-stream.js';

type Write = (event: string, id: string, data: string) => void;

function streamOf(start: (write: Write) => void = () => {}) {
  const ends: string[] = [];
  let stops = 0;
  let write: Write = () => {};
  const stream = createEventStream(
    (given) => {
      write = given;
      start(given);
      return () => void stops++;
    },
    (reason) => void ends.push(reason),
  );
  return { ...stream, ends, stops: () => stops, write: (...args: Parameters<Write>) => write(...args) };
}

test('an event has its name, its id and its data; an empty id is left out', async () => {
  const stream = streamOf();
  stream.write('step', '0xab', '{}');
  stream.write('step', '', '[]');
  stream.end();
  const text = await new Response(stream.body).text();
  expect(text.replace(/^retry: [1-4]\d{3}\n\n/, '')).toBe(
    'event: step\nid: 0xab\ndata: {}\n\nevent: step\ndata: []\n\n',
  );
  expect([stream.ends, stream.stops()]).toEqual([['ended'], 1]);
});

test('a reader that leaves 2 MB unread is dropped', async () => {
  const stream = streamOf();
  for (let i = 0; i < 5_000; i++) stream.write('step', '', 'x'.repeat(1_000));
  await until(() => stream.ends.length > 0);
  expect([stream.ends, stream.stops()]).toEqual([['slow'], 1]);
  expect((await new Response(stream.body).text()).length).toBeLessThan(2_200_000);
});

test('also where the first events are too much', async () => {
  const stream = streamOf((write) => {
    for (let i = 0; i < 3; i++) write('step', '', 'x'.repeat(2_000_000));
  });
  await until(() => stream.ends.length > 0);
  expect([stream.ends, stream.stops()]).toEqual([['slow'], 1]);
});

test('a reader that leaves ends it once', async () => {
  const stream = streamOf();
  await stream.body.cancel();
  stream.end();
  await until(() => stream.ends.length > 0);
  expect([stream.ends, stream.stops()]).toEqual([['ended'], 1]);
});

test('an error that start throws is thrown on', () => {
  expect(() =>
    streamOf(() => {
      throw new Error('full');
    }),
  ).toThrow('full');
});
