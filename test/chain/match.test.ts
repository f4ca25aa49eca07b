import { expect, test } from 'vitest';
import { createMatcher } from '../../src/chain/match.js';
import type { Hash, Log, LogCriteria } from '../../src/rpc/schema.js';
import { address, createSimulatedChain, word } from '../chain/simulated-chain.js';

const [A, B, C] = [word(0xa), word(0xb), word(0xc)];
const log = (topics: readonly Hash[], from = address(1)) => ({ address: from, topics }) as Log;
const matches = (criteria: LogCriteria, topics: readonly Hash[], from?: `0x${string}`) =>
  createMatcher(criteria).matches(log(topics, from));

/** The seed's list for a log with topics [A, B], and what each must refuse. */
const rules: [topics: NonNullable<LogCriteria['topics']>, yes: Hash[][], no: Hash[][]][] = [
  [[], [[], [A], [A, B]], []],
  [[A], [[A], [A, B]], [[], [B], [B, A]]],
  [
    [null, B],
    [
      [A, B],
      [C, B],
    ],
    [[B], [A, C], []],
  ],
  [
    [A, B],
    [
      [A, B],
      [A, B, C],
    ],
    [[A], [B, A]],
  ],
  [
    [
      [A, B],
      [A, B],
    ],
    [
      [A, B],
      [B, A],
      [A, A],
    ],
    [[C, A], [A, C], [A]],
  ],
  [[[], B], [[A, B]], [[A]]],
  [[[null, A]], [[A]], [[B]]],
  [[[null]], [[A]], [[]]],
];

test('default: positions, alternatives and wildcards as the seed has them', () => {
  for (const [topics, yes, no] of rules) {
    for (const each of yes) expect([topics, each, matches({ topics }, each)]).toEqual([topics, each, true]);
    for (const each of no) expect([topics, each, matches({ topics }, each)]).toEqual([topics, each, false]);
  }
});

test('param: address', () => {
  expect(matches({ address: address(1) }, [])).toBe(true);
  expect(matches({ address: address(2) }, [])).toBe(false);
  expect(matches({ address: [address(2), address(1)] }, [])).toBe(true);
  expect(matches({ address: [] }, [])).toBe(true);
  expect(matches({ address: address(2), topics: [A] }, [A])).toBe(false);
});

test('behavior: the case of hexadecimal digits says nothing', () => {
  expect(
    matches(
      { address: `0x${'AB'.repeat(20)}`, topics: [word(0xabcdef)] },
      [`0x${'0'.repeat(58)}ABCDEF`],
      `0x${'ab'.repeat(20)}`,
    ),
  ).toBe(true);
});

test('behavior: a bloom is refused only if no log of the block can match', () => {
  const chain = createSimulatedChain();
  const { logsBloom } = chain.mine(
    { address: address(1), topics: [A, B] },
    { address: address(2), topics: [C] },
  );
  const may = (criteria: LogCriteria) => createMatcher(criteria).mayMatch(logsBloom);
  expect(may({})).toBe(true);
  expect(may({ address: address(1), topics: [A, B] })).toBe(true);
  expect(may({ topics: [null, [word(9), B]] })).toBe(true);
  expect(may({ address: [address(8), address(9)] })).toBe(false);
  expect(may({ address: address(1), topics: [word(9)] })).toBe(false);
  expect(createMatcher({ address: address(9) }).mayMatch(null)).toBe(true);
});
