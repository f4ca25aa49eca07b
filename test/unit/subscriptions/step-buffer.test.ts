import { expect, test } from 'vitest';
import type { MinedBlock } from '../../../src/chain/blocks.js';
import { joinSteps, noSteps } from '../../../src/subscriptions/step-buffer.js';

const blocks = (names: string) => [...names].map((hash) => ({ hash }) as unknown as MinedBlock);
const step = (removed: string, added: string) => ({ removed: blocks(removed), added: blocks(added) });

const cases: [behavior: string, steps: [removed: string, added: string][], net: [string, string]][] = [
  [
    'blocks add up',
    [
      ['', 'ab'],
      ['', 'c'],
    ],
    ['', 'abc'],
  ],
  [
    'a block that came and went is not in it',
    [
      ['', 'abc'],
      ['cb', 'de'],
    ],
    ['', 'ade'],
  ],
  [
    'blocks delivered before are taken back',
    [
      ['', 'ab'],
      ['bay', 'c'],
    ],
    ['y', 'c'],
  ],
  [
    'a block that left and returned is not in it',
    [
      ['ba', 'xy'],
      ['yx', 'abc'],
    ],
    ['', 'c'],
  ],
  [
    'one that left returns after others did not',
    [
      ['cb', 'xy'],
      ['yx', 'bd'],
    ],
    ['c', 'd'],
  ],
  [
    'a returned block above another is a new one',
    [
      ['b', 'x'],
      ['', 'b'],
    ],
    ['b', 'xb'],
  ],
];

for (const [behavior, steps, [removed, added]] of cases)
  test(`${behavior}`, () => {
    expect(steps.map((each) => step(...each)).reduce(joinSteps, noSteps)).toEqual(step(removed, added));
  });

test('missed blocks take in those noted below them, until a fork begins among them', () => {
  const at = (...heights: number[]) =>
    heights.map(
      (height) => ({ hash: `${height}`, number: `0x${height.toString(16)}` }) as unknown as MinedBlock,
    );
  const noted = joinSteps(noSteps, { removed: at(90), added: at(9, 10, 11) });
  const missed = joinSteps(noted, { removed: at(11), added: at(30), missed: { from: 11, to: 29 } });
  expect(missed).toEqual({ removed: at(90), added: at(30), missed: { from: 9, to: 29 } });
  const again = joinSteps(missed, { removed: [], added: at(50), missed: { from: 31, to: 49 } });
  expect(again).toEqual({ removed: at(90), added: at(50), missed: { from: 9, to: 49 } });
  const forked = joinSteps(again, { removed: at(50, 49), added: at(48, 51) });
  expect(forked).toMatchObject({ added: at(48, 51), missed: { from: 9, to: 47 } });
  expect(joinSteps(forked, { removed: at(51, 48), added: at(9) }).missed).toBe(undefined);
});
