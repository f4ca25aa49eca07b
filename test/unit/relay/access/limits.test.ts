import { describe, expect, test } from 'vitest';
import { createLimits, type LimitOptions } from '../../../../src/relay/access/limits.js';
import type { Service } from '../../../../src/service/service.js';

const noon = Date.UTC(2026, 10, 23, 12);

function limitsAt(limits: LimitOptions = {}, quota?: Service.Quota, most?: number) {
  const clock = { now: noon, quota };
  return {
    clock,
    ...createLimits({
      limits,
      now: () => clock.now,
      quota: () => clock.quota,
      ...(most !== undefined && { most }),
    }),
  };
}

/** How often `take` is allowed, one after another. */
function allowed(take: () => unknown, most = 1_000): number {
  let count = 0;
  while (count < most && take() === undefined) count++;
  return count;
}

test('of one client 64 requests by POST are under way at once, on whichever chain', () => {
  const { of } = limitsAt();
  expect(allowed(() => of('a', 31).post())).toBe(64);
  expect(of('a', 30).post()).toMatchObject({ status: 429, retryAfter: 1 });
  expect(of('b', 31).post()).toBeUndefined();
  of('a', 31).posted();
  expect(allowed(() => of('a', 31).post())).toBe(1);
});

describe('messages', () => {
  test('60 at once, then 20 a second', () => {
    const { of, clock } = limitsAt();
    const client = of('a', 31);
    expect(allowed(() => client.message())).toBe(60);
    clock.now += 1_000;
    expect(allowed(() => client.message())).toBe(20);
    clock.now += 60_000;
    expect(allowed(() => client.message())).toBe(60);
  });

  test('a refusal says when to come back', () => {
    const { of } = limitsAt({ messagesPerSecond: 0.5, messageBurst: 1 });
    const client = of('a');
    client.message();
    expect(client.message()).toEqual({
      error: {
        code: -32005,
        message: 'too many messages: try again in 2 s',
        data: { reason: 'rate', retryAfter: 2 },
      },
      status: 429,
      retryAfter: 2,
    });
  });

  test('clients do not share a bucket, connections of one client do', () => {
    const { of } = limitsAt({ messageBurst: 2 });
    expect(allowed(() => of('a').message())).toBe(2);
    expect(allowed(() => of('a', 30).message())).toBe(0);
    expect(allowed(() => of('b').message())).toBe(2);
  });
});

describe('reads', () => {
  test('60 that reach the service at once, then 30 a minute', () => {
    const { of, clock } = limitsAt();
    const client = of('a', 31);
    const read = () => client.read(1);
    // The last tenth is enough to begin one more.
    expect(allowed(read)).toBe(60);
    clock.now += 60_000;
    expect(allowed(read)).toBe(30);
  });

  test('a read from memory, or one that was shared, costs a tenth', () => {
    const { of } = limitsAt();
    const client = of('a', 31);
    const hit = () => {
      const refusal = client.read(1);
      if (!refusal) client.settle(1, 'hit');
      return refusal;
    };
    expect(allowed(hit)).toBe(600);
  });

  test('logs cost more, and a client owes what it did not have', () => {
    const { of, clock } = limitsAt();
    const client = of('a', 31);
    expect(allowed(() => client.read(10))).toBe(6);
    clock.now += 2_000;
    expect(allowed(() => client.read(10))).toBe(1);
    clock.now += 2_000;
    expect(client.read(1)).toMatchObject({ status: 429 });
  });

  test('a token widens them', () => {
    const { of, clock } = limitsAt();
    const client = of('a', 31, { readsPerMinute: 600 });
    allowed(() => client.read(1));
    clock.now += 60_000;
    expect(allowed(() => client.read(1))).toBe(600);
  });
});

describe('the day', () => {
  const quota = (today: number): Service.Quota => ({ today, perDay: 1_000, state: 'normal' });

  test('one client has at most a twentieth of the requests, for each chain', () => {
    const { of, clock } = limitsAt({ readBurst: 10_000, readsPerMinute: 10_000 }, quota(0));
    expect(allowed(() => of('a', 31).read(1))).toBe(50);
    expect(of('a', 31).read(1)).toMatchObject({
      error: { code: -32005, data: { reason: 'quota', retryAfter: 43_200 } },
      status: 429,
    });
    expect(of('a', 30).read(1)).toBeUndefined();
    expect(of('b', 31).read(1)).toBeUndefined();
    clock.now += 12 * 3_600_000;
    expect(of('a', 31).read(1)).toBeUndefined();
  });

  test('what costs the service nothing hardly counts', () => {
    const { of } = limitsAt({ readBurst: 10_000 }, quota(0));
    const client = of('a', 31);
    const hit = () => {
      const refusal = client.read(1);
      if (!refusal) client.settle(1, 'shared');
      return refusal;
    };
    expect(allowed(hit, 2_000)).toBe(2_000);
  });

  test('transactions are none of it', () => {
    const { of } = limitsAt({ readBurst: 10_000 }, quota(0));
    const client = of('a', 31);
    allowed(() => client.read(1));
    expect(client.read(1)).toMatchObject({ error: { data: { reason: 'quota' } } });
    expect(client.send()).toBeUndefined();
  });

  test('a service without a limit has no day', () => {
    const { of } = limitsAt({ readBurst: 5_000 }, { today: 1e9, perDay: null, state: 'normal' });
    expect(allowed(() => of('a', 31).read(1), 3_000)).toBe(3_000);
  });
});

test('five transactions at once, then one a second', () => {
  const { of, clock } = limitsAt();
  const client = of('a', 31);
  expect(allowed(() => client.send())).toBe(5);
  clock.now += 3_000;
  expect(allowed(() => client.send())).toBe(3);
});

describe('connections', () => {
  test('ten of one client', () => {
    const { of } = limitsAt();
    const tries = Array.from({ length: 11 }, () => of('a', 31).connect());
    expect(tries.filter(Boolean)).toHaveLength(10);
    of('a', 31).disconnect();
    expect(of('a', 30).connect()).toBe(true);
    expect(of('a', 30).connect()).toBe(false);
  });

  test('20 subscriptions each', () => {
    expect(limitsAt().of('a').maxSubscriptions).toBe(20);
    expect(limitsAt({ subscriptions: 3 }).of('a').maxSubscriptions).toBe(3);
  });
});

describe('memory', () => {
  test('50,000 clients are remembered', () => {
    const { of, size } = limitsAt();
    for (let i = 0; i < 60_000; i++) of(`client ${i}`, 31).message();
    expect(size()).toBe(50_000);
  });

  test('the client that was idle longest is forgotten first, and none that holds a connection', () => {
    const { of, size } = limitsAt({ messageBurst: 1 }, undefined, 3);
    const first = of('connected');
    first.connect();
    first.message();
    of('idle').message();
    of('active').message();
    of('active').message();
    of('new').message();
    expect(size()).toBe(3);
    // Who was forgotten starts with a full bucket.
    expect(of('connected').message()).toBeDefined();
    expect(of('active').message()).toBeDefined();
    expect(of('idle').message()).toBeUndefined();
  });

  test('where all hold connections, none is forgotten', () => {
    const { of, size } = limitsAt({ messageBurst: 1 }, undefined, 3);
    for (const name of ['a', 'b', 'c', 'd']) {
      of(name).connect();
      of(name).message();
    }
    expect(size()).toBe(4);
    for (const name of ['a', 'b', 'c', 'd']) expect(of(name).message()).toBeDefined();
  });
});
