import type { Dialect } from '../../packages/kit/src/local/index.js';
import { soak } from './soak.js';
import { describeReport } from './table.js';

/**
 * `npm run soak`: what every subscriber was told against the chain, over a long life with every trouble. The
 * seed is printed; SOAK_SEED and SOAK_BLOCKS repeat and size it, SOAK_DIALECT (`seed`, `node`) picks one, SOAK_RELAY=1 puts
 * a relay between the tabs and the nodes. Of a
 * chain fed in real time a seed repeats the chain and the troubles, not the moment at which each is noticed.
 */
const seed = Number(process.env.SOAK_SEED ?? Math.floor(Math.random() * 1_000_000));
const blocks = Number(process.env.SOAK_BLOCKS ?? 10_000);
const tabs = Number(process.env.SOAK_TABS ?? 4);
const dialects = (process.env.SOAK_DIALECT ?? 'node').split(',') as Dialect[];
const relay = process.env.SOAK_RELAY === '1';
const deep = blocks >= 1_000 ? [300, 40, 120] : [60];

let defects = 0;
for (const dialect of dialects) {
  process.stderr.write(`seed ${seed}, dialect ${dialect}, ${blocks} blocks\n`);
  let next = 0;
  const report = await soak({
    ...{ seed, dialect, blocks, deep, tabs, reorgs: Math.floor(blocks / 5), relay },
    onProgress(height, reorgs, found) {
      if (height < next) return;
      next = height + blocks / 20;
      process.stderr.write(`${height} blocks, ${reorgs} reorganisations, ${found} defects\n`);
    },
  });
  console.log(describeReport(report));
  defects += report.defects.length;
}
process.exitCode = defects > 0 ? 1 : 0;
