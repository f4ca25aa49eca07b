import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Load, type Step, traceLoads } from '../../perf/loads.js';
import { type Built, buildPackage } from '../../support/built.js';
import { launchChromium } from '../../support/chromium.js';

/** Budgets for the sum of a page after each step: the last measurement and 900 bytes. Lower them when a step gets lighter. Raised last
 * by 0.1 kB, 0.7 kB from an unlock on and 2.8 kB in the panel, for what a step has of permissions, 1 kB in the panel for the list of
 * purses, 0.2 to 0.6 kB from an unlock on, 2 kB in the panel, for the Bitcoin side,
 * and 0.1 to 0.5 kB, 2.3 kB in the panel, for what transactions did, what came in, the line of results and allowances,
 * 0.2 kB, 0.9 kB from an unlock on, 2.5 kB from a signature on and 5 kB in the panel for contacts, the price and signing in with the
 * connection; then 0.4 kB from a payment's view on, for calls that a file explains. Lowered by 2 to 13 kB when the methods, the owner's functions and the
 * parts for calls and tokens left the steps that do without them; the panel by 9 kB when each view became a file that loads when it is shown. */
const budgets: Readonly<Record<Step, number>> = {
  'accounts known': 10_450,
  'two seconds later': 10_450,
  'first read': 39_150,
  'logs of a short range': 41_500,
  'first error': 47_400,
  unlocked: 75_700,
  'message signed': 89_150,
  'payment mined': 124_650,
  'typed data signed': 135_950,
  panel: 184_500,
  'new heads': 57_450,
  'question of a locked wallet': 103_400,
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
