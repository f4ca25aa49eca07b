import { expect, test } from 'vitest';
import { createLogDensity } from '../../../../src/service/logs/density.js';
import { seedLimits } from '../../../../src/service/logs/limits.js';
import { fc } from '../../../support/property.js';

const span = (from: number, to: number) => ({ from, to });

test('expects no logs before the first answer', () => {
  const density = createLogDensity(seedLimits());
  expect(density.within(span(0, 9_999))(span(0, 9_999))).toBe(0);
  expect(density.deviation()).toBe(0);
  expect(density.ceiling(5)).toBe(Number.POSITIVE_INFINITY);
});

test('expects the right number where the density changes linearly, with a small deviation', () => {
  const runs = fc.record({
    first: fc.double({ min: 1, max: 5, noNaN: true }),
    last: fc.double({ min: 1, max: 5, noNaN: true }),
    from: fc.integer({ min: 4_000, max: 40_000 }),
    width: fc.integer({ min: 100, max: 50_000 }),
  });
  fc.assert(
    fc.property(runs, ({ first, last, from, width }) => {
      const logsIn = ({ from, to }: { from: number; to: number }) =>
        (to - from + 1) * (first + ((last - first) * (from + to)) / 2 / 100_000);
      const density = createLogDensity(seedLimits());
      for (const each of [span(98_000, 99_999), span(0, 1_999), span(48_000, 49_999)])
        density.read(each, logsIn(each));
      density.sampled();
      const gap = span(2_000, 47_999);
      const asked = span(from, Math.min(47_999, from + width - 1));
      expect(Math.abs(density.within(gap)(asked) / logsIn(asked) - 1)).toBeLessThan(0.03);
      expect(density.deviation()).toBeLessThan(0.1 * logsIn(span(0, 1_999)) + 200);
    }),
  );
});

test('a refused span is expected to exceed the limit, and its width is halved', () => {
  const density = createLogDensity(seedLimits());
  density.read(span(0, 1_999), 2_000);
  density.refused(span(10_000, 17_999));
  const gap = span(10_000, 17_999);
  expect(density.within(gap)(gap)).toBeGreaterThan(10_000);
  expect(density.deviation()).toBeGreaterThan(1_000);
  expect([density.ceiling(10_000), density.ceiling(17_999), density.ceiling(18_000)]).toEqual([
    4_000,
    4_000,
    Number.POSITIVE_INFINITY,
  ]);
});

test('earlier deviations lose their weight', () => {
  const density = createLogDensity(seedLimits());
  density.read(span(0, 1_999), 2_000);
  density.read(span(2_000, 3_999), 12_000);
  const before = density.deviation();
  for (let from = 4_000; from < 60_000; from += 2_000) density.read(span(from, from + 1_999), 12_000);
  expect(density.deviation()).toBeLessThan(before / 4);
});
