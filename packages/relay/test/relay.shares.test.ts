import { describe, expect, test } from 'vitest';
import { runWorld, type WorldOptions } from '../../../test/support/relay-world.js';

/**
 * With the default limits and a mocked clock, whatever one client does: the node's count for the day rises by no more than
 * the client's share, and the requests of others are answered, after at most twice the time.
 *
 * `RELAY_WORLDS=20 RELAY_SEED=100 RELAY_SECONDS=3600 npx vitest run --project unit packages/relay/test/relay.shares.test.ts`
 * runs more worlds of each kind, of an hour each.
 */
const { RELAY_WORLDS: worlds = 1, RELAY_SEED: firstSeed = 1 } = process.env;
const seconds = Number(process.env.RELAY_SECONDS ?? 250);
const timeout = 300_000;
const seeds = Array.from({ length: Number(worlds) }, (_, i) => Number(firstSeed) + i);

/** A small day, whose shares are used up within the test. */
const requestsPerDay = 2_000;
const share = 0.05 * requestsPerDay;
/** So few that they are used up within the test too. */
const answerBytesPerMinute = 20_000;
const kinds = [
  ['one address', 1],
  ['a /64', 1],
  ['a /56', 2],
  ['a /48', 4],
] as const satisfies readonly [WorldOptions['hostile'], number][];

describe.each(kinds)('a hostile client with %s', (hostile, factor) => {
  test.each(seeds)(
    'uses no more than its share beside others, who wait no longer (seed %i)',
    async (seed) => {
      const options = { seed, seconds, requestsPerDay };
      const without = await runWorld(options);
      const beside = await runWorld({ ...options, hostile });
      const note = JSON.stringify({ without: without.sent, beside: beside.sent, actions: beside.actions });
      expect(beside.total - without.total, note).toBeLessThanOrEqual(factor * share);
      expect(beside.refused, note).toBe(0);
      expect(beside.heads).toBe(without.heads);
      expect(Math.max(...beside.waits), note).toBeLessThanOrEqual(2 * Math.max(...without.waits));
    },
    timeout,
  );

  test.each(seeds)(
    'alone causes one poll for each interval, and its share (seed %i)',
    async (seed) => {
      const { total, sent, actions, received, maxLength } = await runWorld({
        ...{ seed, seconds, requestsPerDay, hostile },
        limits: { answerBytesPerMinute },
        subscriber: false,
      });
      const polls = Math.ceil((seconds + 10) / 6) + 1;
      expect(total, JSON.stringify({ sent, actions })).toBeLessThanOrEqual(polls + factor * share);
      // A whole minute may be owed for what is pushed.
      const minutes = 2 + (seconds + 10) / 60;
      expect(received, JSON.stringify({ maxLength, actions })).toBeLessThanOrEqual(
        factor * answerBytesPerMinute * minutes + maxLength,
      );
    },
    timeout,
  );
});
