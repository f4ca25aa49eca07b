import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Load, type Step, traceLoads } from '../../perf/loads.js';
import { type Built, buildPackage } from '../../support/built.js';
import { launchChromium } from '../../support/chromium.js';

/**
 * What a page may have loaded after each step, bytes after brotli: the last figure and 0.9 kB. Lower them when a step gets lighter.
 */
const budgets: Readonly<Record<Step, number>> = {
  'accounts known': 0,
  'two seconds later': 0,
  'first read': 0,
  'logs of a short range': 0,
  'first error': 0,
  unlocked: 0,
  'message signed': 0,
  'payment mined': 0,
  'typed data signed': 0,
  panel: 0,
  'new heads': 0,
  'question of a locked wallet': 0,
};

let loads: readonly Load[];
let built: Built | undefined;

beforeAll(async () => {
  const browser = await launchChromium();
  try {
    built = await buildPackage(['library']);
    loads = await traceLoads(built, browser);
  } finally {
    await browser.close();
  }
}, 120_000);
afterAll(() => built?.stop());

/** The steps after which a page has loaded more than it may. */
const exceeded = (found: readonly Load[]): readonly Step[] =>
  found.filter(({ step, sum }) => sum > budgets[step]).map(({ step }) => step);

test('a page loads at most its budget for each step', () => {
  expect(loads.map(({ step }) => step)).toEqual(Object.keys(budgets));
  expect(exceeded(loads)).toEqual([]);
});

test.each(Object.keys(budgets) as Step[])('one kilobyte more would exceed the budget: %s', (step) => {
  const heavier = loads.map((each) => (each.step === step ? { ...each, sum: each.sum + 1_000 } : each));
  expect(exceeded(heavier)).toEqual([step]);
});
