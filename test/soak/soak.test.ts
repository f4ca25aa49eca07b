import { expect, test } from 'vitest';
import type { Dialect } from '../../packages/kit/src/local/index.js';
import { soak } from './soak.js';
import { describeReport } from './table.js';

/** The short form of `npm run soak`. SOAK_SEED repeats the chain and the faults of a failed run. */
const seed = Number(process.env.SOAK_SEED ?? 7);

test.each<[Dialect, number, number, string]>([
  ['node', 200, 60, 'at the service'],
  ['seed', 150, 40, 'at the service'],
  ['node', 200, 30, 'behind a relay'],
])(
  'dialect %s, %i blocks with every fault, one reorg of %i, %s: the emitted events equal the chain',
  async (dialect, blocks, deep, place) => {
    const report = await soak({
      ...{
        seed,
        dialect,
        blocks,
        reorgs: blocks / 5,
        deep: [deep],
        tabs: 3,
        interval: 10,
        exchangeEvery: 120,
        relay: place === 'behind a relay',
      },
    });
    expect(report.defects, describeReport(report)).toEqual([]);
    expect(report).toMatchObject({ deepest: deep });
    // A subscriber without events would prove nothing.
    expect(report.troubles['tabs reloaded']).toBeGreaterThan(0);
    for (const kind of ['newHeads', 'logs', 'block filter', 'log filter'])
      expect(report.told[kind]?.events, kind).toBeGreaterThan(blocks / 2);
    for (const kind of ['newHeads, resumed', 'logs, resumed'])
      expect(report.told[kind]?.events, kind).toBeGreaterThan(blocks / 10);
  },
  120_000,
);
