import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { bloomOf } from '../../../src/rpc/bloom.js';
import { createMatcher } from '../../../src/rpc/matcher.js';
import type { Json } from '../../../src/rpc/message.js';
import type { Hash, Hex, Log, LogCriteria } from '../../../src/rpc/schema.js';
import { logFilter } from '../../../src/rpc/selectors.js';
import { address, createSimulatedChain, word } from '../../support/simulated-chain.js';

const recorded = JSON.parse(
  readFileSync(new URL('../../support/vectors/log-filters.json', import.meta.url), 'utf8'),
) as { logsBloom: Hex; logs: Log[]; answers: { name: string; filter: Json; given: string[] }[] };

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
  [[[null]], [[A], []], []],
  // Longer than the log's topics: a position that matches anything also matches a missing topic.
  [
    [A, null, null, null],
    [[A], [A, B]],
    [[B], []],
  ],
  [[A, [], [null], null, null], [[A]], [[B]]],
  [[null, null], [[], [A]], []],
  [[A, null, B], [[A, C, B]], [[A], [A, C], [A, C, C]]],
];

test('positions, alternatives and wildcards match by the node’s rules', () => {
  for (const [topics, yes, no] of rules) {
    for (const each of yes) expect([topics, each, matches({ topics }, each)]).toEqual([topics, each, true]);
    for (const each of no) expect([topics, each, matches({ topics }, each)]).toEqual([topics, each, false]);
  }
});

test('address matches one or several addresses', () => {
  expect(matches({ address: address(1) }, [])).toBe(true);
  expect(matches({ address: address(2) }, [])).toBe(false);
  expect(matches({ address: [address(2), address(1)] }, [])).toBe(true);
  expect(matches({ address: [] }, [])).toBe(true);
  expect(matches({ address: address(2), topics: [A] }, [A])).toBe(false);
});

test('the case of hexadecimal digits is ignored', () => {
  expect(
    matches(
      { address: `0x${'AB'.repeat(20)}`, topics: [word(0xabcdef)] },
      [`0x${'0'.repeat(58)}ABCDEF`],
      `0x${'ab'.repeat(20)}`,
    ),
  ).toBe(true);
});

test('a bloom is refused only if no log of the block can match', () => {
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

describe('a recorded block of a node', () => {
  // The node takes more than four positions, which the wallet refuses.
  const answers = recorded.answers.filter(({ name }) => name !== '5 topics');
  test.each(answers)('$name: matches the logs that the node returned', ({ filter, given }) => {
    const { matches } = createMatcher(logFilter(filter, 'params[0]'));
    expect(recorded.logs.filter(matches).map(({ logIndex }) => logIndex)).toEqual(given);
  });

  test('its bloom is exactly that of its logs', () => {
    const { logsBloom, logs } = recorded;
    expect(bloomOf(logs.flatMap(({ address, topics }) => [address, ...topics]))).toBe(logsBloom);
  });
});
