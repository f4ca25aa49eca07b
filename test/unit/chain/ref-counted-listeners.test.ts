import { expect, test } from 'vitest';
import { createPoller } from '../../../src/chain/poller.js';
import { createRefCountedListeners } from '../../../src/chain/ref-counted-listeners.js';
import { createFakeClock, settled } from '../../support/fake-clock.js';

function setUp() {
  const time = createFakeClock();
  let runs = 0;
  let emptied = 0;
  const run = async () => {
    runs += 1;
  };
  const poller = createPoller({ run, interval: () => 1_000, clock: time.clock });
  const listeners = createRefCountedListeners<string>(poller, () => {
    emptied += 1;
  });
  return {
    time,
    listeners,
    seen: () => ({ runs, emptied, all: [...listeners.all], next: time.next() }),
  };
}

test('the poller starts with the first listener and stops with the last', async () => {
  const { listeners, seen } = setUp();
  const leave = [listeners.add('a', false), listeners.add('b', undefined)];
  await settled();
  expect(seen()).toMatchObject({ emptied: 0, all: ['a', 'b'], next: 1_000 });
  leave[0]?.();
  leave[0]?.();
  expect(seen()).toMatchObject({ emptied: 0, all: ['b'], next: 1_000 });
  leave[1]?.();
  expect(seen()).toMatchObject({ emptied: 1, all: [], next: undefined });
});

test('a passive listener neither starts the poller nor keeps it running', async () => {
  const { listeners, seen } = setUp();
  const leave = listeners.add('passive', true);
  await settled();
  expect(seen()).toEqual({ runs: 0, emptied: 0, all: ['passive'], next: undefined });
  const active = listeners.add('active', false);
  await settled();
  active();
  expect(seen()).toEqual({ runs: 1, emptied: 0, all: ['passive'], next: undefined });
  leave();
  expect(seen()).toMatchObject({ emptied: 1 });
});

test('clear() removes all listeners, and calls onEmpty once', async () => {
  const { listeners, seen } = setUp();
  listeners.add('a', false);
  listeners.add('b', true);
  listeners.clear();
  listeners.clear();
  await settled();
  expect(seen()).toEqual({ runs: 1, emptied: 1, all: [], next: undefined });
});
