import { expect, test } from 'vitest';
import { playVisits } from './random-visits.js';

/**
 * Payments against a chain that is known: visits after any time, reorganisations between them and during them, nodes that lag, services
 * with and without traces. `WORLDS=1000` is the full size.
 */

const worlds = Number(process.env.WORLDS ?? 24);
const first = Number(process.env.FIRST ?? 1);
/** Chains that have found a mistake. */
const keptSeeds = [1_096, 1_129, 1_284, 1_336];

test(`${worlds} chains: no payment is lost, doubled or invented`, async () => {
  const failed: string[] = [];
  let [reorgs, transfers] = [0, 0];
  for (const seed of [...Array.from({ length: worlds }, (_, at) => first + at), ...keptSeeds]) {
    const played = await playVisits(seed);
    reorgs += played.reorgs;
    transfers += played.transfers;
    if (played.wrong.length > 0) failed.push(`chain ${seed}: ${played.wrong.slice(0, 3).join('; ')}`);
  }
  expect(failed.slice(0, 20)).toEqual([]);
  if (worlds < 24) return;
  expect(reorgs).toBeGreaterThan(300);
  expect(transfers).toBeGreaterThan(1_000);
}, 3_600_000);
