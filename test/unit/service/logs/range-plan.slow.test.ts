import { describe, expect, test } from 'vitest';
import { type Span, seedLimits } from '../../../../src/service/logs/limits.js';
import { createLogPlan } from '../../../../src/service/logs/range-plan.js';
import { fc } from '../../../support/property.js';

/** How a service with the seed's limits takes a plan: logs per block by height, six requests at once. */
function carryOut(blocks: number, logsAt: (height: number) => number, always = 2_000, most = 10_000) {
  const until = [0];
  let sum = 0;
  for (let height = 0; height < blocks; height++) {
    sum += logsAt(height);
    until.push(Math.round(sum));
  }
  const count = (from: number, to: number) => (until[to + 1] as number) - (until[from] as number);
  const plan = createLogPlan({ from: 0, to: blocks - 1 }, seedLimits());
  const read: Span[] = [];
  let requests = 0;
  let rounds = 0;
  for (;;) {
    const round: Span[] = [];
    while (round.length < 6) {
      const span = plan.next();
      if (!span) break;
      round.push(span);
    }
    if (round.length === 0) break;
    rounds++;
    for (const span of round) {
      requests++;
      const logs = count(span.from, span.to);
      if (span.to - span.from + 1 > always && logs > most) {
        if (!plan.refused(span)) throw new Error('refused a single block');
      } else {
        read.push(span);
        plan.read(span, logs);
      }
    }
  }
  /** The fewest requests: each as far as it may go. */
  let fewest = 0;
  for (let from = 0; from < blocks; fewest++) {
    let to = Math.min(blocks, from + always) - 1;
    while (to + 1 < blocks && count(from, to + 1) <= most) to++;
    from = to + 1;
  }
  return { requests, rounds, fewest, read, naive: Math.ceil(blocks / always), done: plan.blocksRead() };
}

const blocks = 100_000;

describe('requests for 100,000 blocks', () => {
  test('few logs need one request', () => {
    expect(carryOut(blocks, () => 0.05).requests).toBe(1);
  });

  test.each([
    ['even', () => 1],
    ['growing', (height: number) => (4 * height) / blocks],
  ])('logs of %s density take at most 1.5 times the fewest requests there can be', (_name, logsAt) => {
    const { requests, rounds, fewest, naive } = carryOut(blocks, logsAt);
    expect(requests).toBeLessThanOrEqual(1.5 * fewest);
    expect(rounds).toBeLessThanOrEqual(0.35 * naive);
  });

  test('3,000,000 blocks, too many for one request, take at most 21 without logs, and twice the fewest with few', () => {
    expect(carryOut(3_000_000, () => 0).requests).toBeLessThanOrEqual(21);
    const { requests, fewest } = carryOut(3_000_000, () => 0.05);
    expect(requests).toBeLessThanOrEqual(2 * fewest);
  });

  test.each([
    ['dense', () => 4],
    ['denser', () => 20],
    ['bursty', (height: number) => ((Math.floor(height / 1_000) * 7_919) % 10 === 0 ? 20 : 0)],
    ['patchy', (height: number) => (((Math.floor(height / 1_000) * 48_271 + 7) % 97) / 97) * 4],
  ])('logs of %s take at most three requests more than in steps', (_name, logsAt) => {
    const { requests, naive } = carryOut(blocks, logsAt);
    expect(requests).toBeLessThanOrEqual(naive + 3);
  });
});

test('every block is read once, whatever is refused', () => {
  const runs = fc.record({
    blocks: fc.integer({ min: 1, max: 20_000 }),
    density: fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 20 }),
    always: fc.constantFrom(1, 10, 2_000),
    most: fc.constantFrom(50, 10_000),
  });
  fc.assert(
    fc.property(runs, ({ blocks, density, always, most }) => {
      const part = Math.ceil(blocks / density.length);
      const logsAt = (height: number) => density[Math.floor(height / part)] as number;
      const { read, done, requests, naive } = carryOut(blocks, logsAt, always, most);
      const inOrder = [...read].sort((a, b) => a.from - b.from);
      const broken = inOrder.filter(({ from }, i) => from !== (inOrder[i - 1]?.to ?? -1) + 1);
      expect([...broken, inOrder.at(-1)?.to]).toEqual([blocks - 1]);
      expect(done).toBe(blocks);
      // A service with other limits than the seed's is got to know first.
      if (always === 2_000 && most === 10_000) expect(requests).toBeLessThanOrEqual(naive + 7);
    }),
    { numRuns: Number(process.env.LOG_RUNS ?? 15) },
  );
});

test('a refused single block cannot be split', () => {
  const plan = createLogPlan({ from: 7, to: 7 }, seedLimits());
  expect(plan.refused(plan.next() as Span)).toBe(false);
});
