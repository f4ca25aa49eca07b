import { expect, test } from 'vitest';
import { runWorld } from './random-world.js';

/**
 * Random worlds of two tabs, another device, kills, reorganisations and a clock that is set, against somebody who writes the
 * storage, or runs one of two nodes, or neither. `WORLDS=5000` is the full size.
 */

const worlds = Number(process.env.WORLDS ?? 25);
const first = Number(process.env.FIRST ?? 1);
/** Worlds that have found a mistake. */
const keptSeeds = [69, 76, 100, 112, 158, 162, 423, 700, 831, 1405, 1833, 3978];

test(`${worlds} worlds mine no more than their permissions allow`, async () => {
  const events: Record<string, number> = {};
  const failed: string[] = [];
  const started = performance.now();
  const seeds = [...Array.from({ length: worlds }, (_, at) => first + at), ...keptSeeds];
  for (const seed of seeds) {
    const { adversary, wrong, story, events: happened } = await runWorld(seed);
    for (const [event, count] of Object.entries(happened)) events[event] = (events[event] ?? 0) + count;
    if (wrong.length > 0) {
      failed.push(`world ${seed} (${adversary}): ${wrong.join('; ')}`);
      if (process.env.STORY) console.log(`world ${seed}\n${story.join('\n')}\n${wrong.join('\n')}`);
    }
  }
  if (process.env.STORY) console.log((performance.now() - started) / seeds.length, events);
  expect(failed.slice(0, 20)).toEqual([]);
}, 3_600_000);
