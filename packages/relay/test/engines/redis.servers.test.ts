import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createSteps, describeEngine } from '../../../../test/support/engine-contract.js';
import { startRedis, type TestRedis } from '../../../../test/support/redis.js';
import { until } from '../../../../test/support/until.js';
import { createRedisEngines } from '../../src/engines/redis.js';

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
}, 600_000);
afterAll(() => redis?.stop());

let clusters = 0;
describeEngine('on Redis', () => {
  // A chain of its own has keys of its own.
  clusters += 1;
  const chainId = clusters;
  return { open: () => createRedisEngines({ url: redis.url })(chainId) };
});

/** An engine of a chain that no other test has. */
function open(options: Partial<createRedisEngines.Options> = {}, chainId = ++clusters) {
  const engine = createRedisEngines({ url: redis.url, ...options })(chainId);
  onTestFinished(() => engine.close());
  return { engine, chainId };
}

async function command(...words: string[]): Promise<unknown> {
  const client = await createClient({ url: redis.url }).connect();
  try {
    return await client.sendCommand(words);
  } finally {
    client.destroy();
  }
}

describe('the lease', () => {
  test('a leader that has lost it publishes nothing, and stops following', async () => {
    const { engine, chainId } = open();
    const heard: unknown[] = [];
    engine.subscribe((step) => heard.push(step));
    let leading = false;
    engine.lead(() => {
      leading = true;
      return () => {
        leading = false;
      };
    });
    await until(() => leading);
    await command('SET', `graft:{${chainId}}:lease`, 'another instance', 'PX', '60000');
    await expect(engine.publish(createSteps().grow())).rejects.toThrow('another instance is the leader');
    expect(leading).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(heard).toEqual([]);
    expect(await command('XLEN', `graft:{${chainId}}:steps`)).toBe(0);
  });

  test('a step that is published again after a lost reply is heard once', async () => {
    const { engine } = open();
    const heard: unknown[] = [];
    engine.subscribe((step) => heard.push(step));
    let leading = false;
    engine.lead(() => {
      leading = true;
      return () => {};
    });
    await until(() => leading);
    const { grow } = createSteps();
    const [first, second] = [grow(), grow()];
    for (const step of [first, first, second]) await engine.publish(step);
    expect(heard).toEqual([first, second]);
  });

  test('it ends by itself when its instance is gone, and so does the wish for logs', async () => {
    const { engine, chainId } = open();
    engine.lead(() => () => {});
    engine.logs.want(true);
    const keyOf = (name: string) => `graft:{${chainId}}:${name}`;
    await until(async () => (await command('EXISTS', keyOf('lease'), keyOf('logs'))) === 2);
    expect(Number(await command('PTTL', keyOf('lease')))).toBeLessThanOrEqual(6_000);
    expect(Number(await command('PTTL', keyOf('logs')))).toBeLessThanOrEqual(60_000);
  });
});

describe('the daily quota', () => {
  const today = () => Math.floor(Date.now() / 86_400_000);

  test('the counts of all instances are added', async () => {
    const { engine, chainId } = open();
    const { engine: other } = open({}, chainId);
    const [first, second] = [engine.quotaStore('count'), other.quotaStore('count')];
    first.write(`${today()} 5 0`);
    await until(() => second.read() === `${today()} 5 0`);
    second.write(`${today()} 12 0`);
    first.write(`${today()} 6 0`);
    await until(() => first.read() === `${today()} 13 0` && second.read() === `${today()} 13 0`);
    const end = Date.now() + 60_000;
    second.write(`${today()} 13 ${end}`);
    await until(() => first.read() === `${today()} 13 ${end}`);
  });

  test('a store that was emptied gets the count that the instances know', async () => {
    const { engine, chainId } = open();
    const { engine: other } = open({}, chainId);
    const [first, second] = [engine.quotaStore('count'), other.quotaStore('count')];
    first.write(`${today()} 500 0`);
    await until(() => second.read() === `${today()} 500 0`);
    await command('FLUSHALL');
    second.write(`${today()} 501 0`);
    await until(() => first.read() === `${today()} 501 0`);
  });
});

describe('a store that is of no use', () => {
  test.each([
    ['a wrong password', () => redis.url.replace(redis.password, 'wrong-password'), 'WRONGPASS'],
    ['no server', () => 'redis://:secret@127.0.0.1:1', 'ECONNREFUSED'],
  ])('%s: the instance follows alone after 3 s, and says why without the URL', async (_, url, code) => {
    const states: string[] = [];
    const { engine } = open({ url: url(), onState: (state) => states.push(state) });
    let begun = 0;
    const startedAt = Date.now();
    engine.lead(() => {
      begun = Date.now();
      return () => {};
    });
    await until(() => begun > 0);
    expect(begun - startedAt).toBeGreaterThan(2_500);
    expect(engine.alone?.()).toBe(true);
    expect(states).toEqual([code]);
    const heard: unknown[] = [];
    engine.subscribe((step) => heard.push(step));
    const step = createSteps().grow();
    await engine.publish(step);
    expect(heard).toEqual([step]);
    expect(engine.recent()).toEqual([step]);
  });

  test('one that is full is left, and joined again once it has room', async () => {
    const { engine } = open();
    const leading: boolean[] = [];
    engine.lead(() => {
      leading.push(engine.alone?.() === true);
      return () => {};
    });
    await until(() => leading.length === 1);
    await command('CONFIG', 'SET', 'maxmemory', '1');
    try {
      await expect(engine.publish(createSteps().grow())).rejects.toThrow('OOM');
      await until(() => engine.alone?.());
      expect(leading).toEqual([false, true]);
    } finally {
      await command('CONFIG', 'SET', 'maxmemory', '0');
    }
    await until(() => leading.length === 3);
    expect(leading).toEqual([false, true, false]);
  });
});

describe('the URL of the store', () => {
  test.each(['http://:secret@127.0.0.1', 'redis', '', 'redis//:secret@host'])(
    '%s is refused without being quoted',
    (url) => {
      expect(() => createRedisEngines({ url })).toThrow(/^redisUrl must be a redis or rediss URL$/);
    },
  );
});
