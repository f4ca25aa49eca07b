import { expect, test } from 'vitest';
import { createAudience } from '../../../src/chain/audience.js';
import { createTicker } from '../../../src/chain/poller.js';
import { createFakeClock, settled } from '../../support/fake-clock.js';

function setUp() {
  const time = createFakeClock();
  let runs = 0;
  let emptied = 0;
  const run = async () => {
    runs += 1;
  };
  const ticker = createTicker({ run, interval: () => 1_000, clock: time.clock });
  const audience = createAudience<string>(ticker, () => {
    emptied += 1;
  });
  return {
    time,
    audience,
    seen: () => ({ runs, emptied, members: [...audience.members], next: time.next() }),
  };
}

test('the ticker runs with the first and stops with the last', async () => {
  const { audience, seen } = setUp();
  const leave = [audience.join('a', false), audience.join('b', undefined)];
  await settled();
  expect(seen()).toMatchObject({ emptied: 0, members: ['a', 'b'], next: 1_000 });
  leave[0]?.();
  leave[0]?.();
  expect(seen()).toMatchObject({ emptied: 0, members: ['b'], next: 1_000 });
  leave[1]?.();
  expect(seen()).toMatchObject({ emptied: 1, members: [], next: undefined });
});

test('passive members start nothing and keep nothing running', async () => {
  const { audience, seen } = setUp();
  const leave = audience.join('passive', true);
  await settled();
  expect(seen()).toEqual({ runs: 0, emptied: 0, members: ['passive'], next: undefined });
  const active = audience.join('active', false);
  await settled();
  active();
  expect(seen()).toEqual({ runs: 1, emptied: 0, members: ['passive'], next: undefined });
  leave();
  expect(seen()).toMatchObject({ emptied: 1 });
});

test('leaveAll() ends it for all, once', async () => {
  const { audience, seen } = setUp();
  audience.join('a', false);
  audience.join('b', true);
  audience.leaveAll();
  audience.leaveAll();
  await settled();
  expect(seen()).toEqual({ runs: 1, emptied: 1, members: [], next: undefined });
});
