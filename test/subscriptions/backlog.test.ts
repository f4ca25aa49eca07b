import { expect, test } from 'vitest';
import type { MinedBlock } from '../../src/chain/blocks.js';
import { emptyBacklog, joinBacklogs } from '../../src/subscriptions/backlog.js';

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
    'what had been told before is taken back',
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
  test(`behavior: ${behavior}`, () => {
    expect(steps.map((each) => step(...each)).reduce(joinBacklogs, emptyBacklog)).toEqual(
      step(removed, added),
    );
  });
