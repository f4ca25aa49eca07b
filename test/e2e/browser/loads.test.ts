import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Load, type Step, traceLoads } from '../../perf/loads.js';
import { type Built, buildPackage } from '../../support/built.js';
import { launchChromium } from '../../support/chromium.js';

/** Budgets for the sum of a page after each step: the last measurement and 900 bytes. Lower them when a step gets lighter. Raised last
 * by 0.3 to 1 kB for the journal's archive, and for chunks that are looked up once. */
const budgets: Readonly<Record<Step, number>> = {
  'accounts known': 10_130,
  'two seconds later': 10_130,
  'first read': 38_170,
  'logs of a short range': 40_520,
  'first error': 46_390,
  unlocked: 74_560,
  'message signed': 92_800,
  'payment mined': 122_000,
  'typed data signed': 141_020,
  panel: 185_900,
  'new heads': 60_290,
  'question of a locked wallet': 111_250,
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
