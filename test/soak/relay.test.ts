import { expect, test } from 'vitest';
import { soakRelay } from './relay.js';
import { describeRelayReport } from './relay-table.js';

/** The short form of `npm run soak relay`. SOAK_SEED repeats the chain and the faults of a failed run. */
const seed = Number(process.env.SOAK_SEED ?? 7);

test('25 clients of two instances, 25 reorgs with every fault: the emitted events equal the chain', async () => {
  const report = await soakRelay({ seed, clients: 25, reorgs: 25 });
  expect(report.defects, describeRelayReport(report)).toEqual([]);
  // A client without events would prove nothing.
  for (const kind of ['newHeads', 'logs', 'graft_steps'])
    expect(report.told[kind]?.events, kind).toBeGreaterThan(100);
}, 120_000);
