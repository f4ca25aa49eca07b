import { describe, expect, test } from 'vitest';
import type { Service } from '../../../../src/service/service.js';
import { settled } from '../../../../test/support/fake-clock.js';
import { createLimits, type LimitOptions, type Turn } from '../../src/access/limits.js';

const noon = Date.UTC(2026, 10, 23, 12);

function limitsAt(limits: LimitOptions = {}, quota?: Service.Quota, maxClients?: number) {
  const clock = { now: noon, quota };
  return {
    clock,
    ...createLimits({
      limits,
      now: () => clock.now,
      quota: () => clock.quota,
      maxClients,
    }),
  };
}

/** How often `take` is allowed, one after another. */
function allowed(take: () => unknown, max = 1_000): number {
  let count = 0;
  while (count < max && take() === undefined) count++;
  return count;
}

test('64 requests of one client by POST are in flight at once, on whichever chain', () => {
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

  test('reads of one client have nine tenths of a twentieth of the requests, for each chain', () => {
    const { of, clock } = limitsAt({ readBurst: 10_000, readsPerMinute: 10_000 }, quota(0));
    expect(allowed(() => of('a', 31).read(1))).toBe(45);
    expect(of('a', 31).read(1)).toMatchObject({
      error: { code: -32005, data: { reason: 'quota', retryAfter: 43_200 } },
      status: 429,
    });
    expect(of('a', 30).read(1)).toBeUndefined();
    expect(of('b', 31).read(1)).toBeUndefined();
    clock.now += 12 * 3_600_000;
    expect(of('a', 31).read(1)).toBeUndefined();
  });

  test('reads that cost the service nothing hardly count', () => {
    const { of } = limitsAt({ readBurst: 10_000 }, quota(0));
    const client = of('a', 31);
    const hit = () => {
      const refusal = client.read(1);
      if (!refusal) client.settle(1, 'shared');
      return refusal;
    };
    expect(allowed(hit, 2_000)).toBe(2_000);
  });

  test('transactions count too, and have the last tenth of the share', () => {
    const { of } = limitsAt({ readBurst: 10_000, sendBurst: 10_000 }, quota(0));
    const [reader, sender] = [of('a', 31), of('b', 31)];
    allowed(() => reader.read(1));
    expect(reader.read(1)).toMatchObject({ error: { data: { reason: 'quota' } } });
    expect(allowed(() => reader.send())).toBe(5);
    expect(reader.send()).toMatchObject({ error: { data: { reason: 'quota' } }, status: 429 });
    expect(allowed(() => sender.send())).toBe(50);
    expect(sender.read(1)).toMatchObject({ error: { data: { reason: 'quota' } } });
  });

  test('a transaction counts as two, one that the service refuses as five, one that was shared as none', () => {
    const { of } = limitsAt({ sendBurst: 10_000 }, quota(0));
    const accepted = () => {
      const refusal = of('c', 31).send();
      if (!refusal) of('c', 31).sent('accepted');
      return refusal;
    };
    expect(allowed(accepted)).toBe(25);
    const refused = () => {
      const refusal = of('a', 31).send();
      if (!refusal) of('a', 31).sent('refused');
      return refusal;
    };
    expect(allowed(refused)).toBe(10);
    const joined = () => {
      const refusal = of('b', 31).send();
      if (!refusal) of('b', 31).sent('shared');
      return refusal;
    };
    expect(allowed(joined, 500)).toBe(500);
  });

  test('the requests of a subscription are charged, also where they are more than the client has left', () => {
    const { of } = limitsAt({}, quota(0));
    const client = of('a', 31);
    expect(client.spent()).toBeUndefined();
    client.charge(46);
    expect(client.spent()).toMatchObject({ error: { data: { reason: 'quota' } } });
    expect(client.stream()).toMatchObject({ error: { data: { reason: 'quota' } } });
    expect(client.send()).toBeUndefined();
  });

  test('requests beyond the cost of a read are charged, also where the answer came from memory', () => {
    const { of } = limitsAt({ readBurst: 100, readsPerMinute: 1 });
    const client = of('a', 31);
    client.read(1);
    client.settle(1, 'upstream', 40);
    client.read(1);
    client.settle(1, 'hit', 59);
    expect(allowed(() => client.read(1))).toBe(1);
  });

  test('the share that a client has used is stored, and holds in the next process until the day ends', () => {
    const stored = new Map<string, string>();
    let writes = 0;
    const share = (chainId: number, client: string) => ({
      read: () => stored.get(`${chainId} ${client}`) ?? null,
      write(text: string) {
        writes += 1;
        stored.set(`${chainId} ${client}`, text);
      },
    });
    const time = { now: noon };
    const open = () =>
      createLimits({ limits: { readBurst: 1_000 }, now: () => time.now, quota: () => quota(0), share });
    const name = 'ip 2001:db8:1:2::/64';
    const read = (outcome: 'hit' | 'upstream') => {
      const client = open().of(name, 31);
      const refusal = client.read(1);
      if (!refusal) client.settle(1, outcome);
      return refusal;
    };
    expect(allowed(() => read('hit'), 200)).toBe(200);
    expect(writes).toBe(0);
    expect(allowed(() => read('upstream'))).toBe(45);
    expect(writes).toBe(4 * 45);
    expect(stored.get('31 ip 2001:db8:1::/48')).toBe(`${noon / 86_400_000 - 0.5} 45`);
    time.now += 86_400_000;
    expect(read('upstream')).toBeUndefined();
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

test('a transaction that the service refuses takes five seconds of the next ones', () => {
  const { of, clock } = limitsAt();
  const client = of('a', 31);
  client.send();
  client.sent('refused');
  expect(allowed(() => client.send())).toBe(0);
  clock.now += 2_000;
  expect(allowed(() => client.send())).toBe(2);
});

test('earlier steps are sent again up to two MiB a minute, of which one answer may be more', () => {
  const { of, clock } = limitsAt();
  const client = of('a', 31);
  expect(client.replay(2 ** 21 - 1)).toBeUndefined();
  expect(client.replay(500_000)).toBeUndefined();
  expect(client.replay(0)).toMatchObject({ status: 429, error: { data: { reason: 'rate' } } });
  clock.now += 15_000;
  expect(client.replay(0)).toBeUndefined();
});

test('eight requests of one client are at the service at once, and its others wait in order', async () => {
  const { of } = limitsAt();
  const ends: (() => void)[] = [];
  const begun: number[] = [];
  const all = Array.from({ length: 12 }, async (_, i) => {
    const { end, isFirst } = await of('a', 31).turn();
    expect(isFirst).toBe(i === 0);
    ends.push(end);
    begun.push(i);
  });
  (await of('b', 31).turn()).end();
  await Promise.resolve();
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  for (let i = 0; i < 4; i++) {
    ends[i]?.();
    ends[i]?.();
  }
  await Promise.all(all);
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

describe('blocks of addresses', () => {
  const nameOf = (i: number) => `ip 2001:db8:7:${i.toString(16)}::/64`;
  const quota = (perDay: number): Service.Quota => ({ today: 0, perDay, state: 'normal' });

  test('a /48 has as much as four clients, whichever of its 65,536 /64s asks', () => {
    const { of, size } = limitsAt({ readBurst: 1_000 }, quota(1_000));
    const counts = { reads: 0, messages: 0, sends: 0, connections: 0, posts: 0 };
    for (let i = 0; i < 65_536; i++) {
      const client = of(nameOf(i), 31);
      if (!client.message()) counts.messages++;
      if (!client.read(1)) counts.reads++;
      if (!client.send()) counts.sends++;
      if (client.connect()) counts.connections++;
      if (!client.post()) counts.posts++;
    }
    expect(counts).toEqual({ messages: 240, reads: 160, sends: 20, connections: 40, posts: 256 });
    expect(of('ip 2001:db8:8:0::/64', 31).read(1)).toBeUndefined();
    expect(size()).toBeLessThanOrEqual(50_000);
  });

  test('a /56 has as much as two clients, and a /64 as one', () => {
    const { of } = limitsAt();
    expect(allowed(() => of(nameOf(0x100), 31).message())).toBe(60);
    expect(allowed(() => of(nameOf(0x101), 31).message())).toBe(60);
    expect(allowed(() => of(nameOf(0x102), 31).message())).toBe(0);
    expect(allowed(() => of(nameOf(0x200), 31).message())).toBe(60);
  });

  test('a /32 has half of the day and of all connections, and no rate of its own', () => {
    const { of } = limitsAt({ connectionsInAll: 100 }, quota(1_000));
    const counts = { reads: 0, messages: 0, connections: 0 };
    for (let i = 0; i < 5_000; i++) {
      const client = of(`ip 2001:db8:${i.toString(16)}:1::/64`, 31);
      if (i < 1_000 && !client.message()) counts.messages++;
      if (!client.read(1)) counts.reads++;
      if (client.connect()) counts.connections++;
    }
    expect(counts).toEqual({ messages: 1_000, reads: 450, connections: 50 });
    const other = of('ip 2001:db9:1:1::/64', 31);
    expect([other.read(1), other.connect()]).toEqual([undefined, true]);
  });

  test('a /32 makes none of its clients wait for another', async () => {
    const { of } = limitsAt();
    const turns = Array.from({ length: 50 }, (_, i) => of(`ip 2001:db8:${i.toString(16)}:1::/64`, 31).turn());
    expect((await Promise.all(turns)).every(({ isFirst }) => isFirst)).toBe(true);
  });

  test('a refusal of one /64 takes nothing from its neighbours', () => {
    const { of } = limitsAt();
    for (let i = 0; i < 1_000; i++) of(nameOf(1), 31).message();
    expect(allowed(() => of(nameOf(2), 31).message())).toBe(60);
  });

  test('many addresses make no client forget what it has used of the day', () => {
    const { of, size } = limitsAt({}, quota(1_000), 500);
    const greedy = of('ip 203.0.113.9', 31);
    while (!greedy.read(1)) greedy.settle(1, 'upstream', 1);
    greedy.charge(45);
    for (let i = 0; i < 20_000; i++) of(`ip 2001:${i.toString(16)}:1:1::/64`, 31).message();
    expect(size()).toBeLessThanOrEqual(500);
    expect(of('ip 203.0.113.9', 31).read(1)).toMatchObject({ error: { data: { reason: 'quota' } } });
  });
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

describe('turns of a block of addresses', () => {
  const neighbours = ['ip 2001:db8:1:1::/64', 'ip 2001:db8:1:2::/64', 'ip 2001:db8:1:ff02::/64'] as const;

  /** Turns in the order in which they begin. */
  function queue() {
    const { of } = limitsAt();
    const begun: { readonly name: string; readonly turn: Turn }[] = [];
    const ask = async (name: string) => void begun.push({ name, turn: await of(name, 31).turn() });
    return { begun, ask };
  }

  test('a /64 with many requests lets its neighbours begin after one answer', async () => {
    for (const other of neighbours.slice(1)) {
      const { begun, ask } = queue();
      for (let i = 0; i < 60; i++) void ask(neighbours[0]);
      void ask(other);
      await settled();
      expect(begun.map(({ name }) => name)).toEqual(new Array(8).fill(neighbours[0]));
      begun[0]?.turn.end();
      await settled();
      expect(begun[8]).toMatchObject({ name: other, turn: { isFirst: true } });
    }
  });

  test('neighbours with many requests get equal shares, in whatever order they came', async () => {
    const { begun, ask } = queue();
    for (const name of neighbours.slice(1)) for (let i = 0; i < 60; i++) void ask(name);
    await settled();
    for (let i = 0; i < 40; i++) {
      begun[i]?.turn.end();
      await settled();
    }
    const late = begun.slice(16, 48).filter(({ name }) => name === neighbours[1]);
    expect(late.length).toBeGreaterThanOrEqual(15);
    expect(late.length).toBeLessThanOrEqual(17);
  });

  test('a /48 has at most eight at once, and four that come before the second ones of others', async () => {
    const { begun, ask } = queue();
    for (let i = 0; i < 30; i++) void ask(`ip 2001:db8:1:${i.toString(16)}::/64`);
    await settled();
    expect(begun).toHaveLength(8);
    expect(begun.filter(({ turn }) => turn.isFirst)).toHaveLength(4);
  });
});
