import { expect, test } from 'vitest';
import { bloomOf } from '../../../../src/rpc/bloom.js';
import type { Hex, Log, LogCriteria } from '../../../../src/rpc/schema.js';
import { areAllLogs, contradictsBloom } from '../../../../src/service/logs/bloom-check.js';
import { address, word } from '../../../support/simulated-chain.js';

const log = (from: number, ...topics: number[]) =>
  ({ address: address(from), topics: topics.map(word) }) as unknown as Log;
const bloomOfLogs = (logs: readonly Log[]): Hex =>
  bloomOf(logs.flatMap((each) => [each.address, ...each.topics]));

const all = [log(1, 0xa), log(2, 0xb), log(2, 0xa, 0xc)];
const bloom = bloomOfLogs(all);

test('a list gives the bloom of its block exactly when no log is missing and none is invented', () => {
  expect(areAllLogs(all, bloom)).toBe(true);
  expect(areAllLogs([...all].reverse(), bloom.toUpperCase().replace('0X', '0x') as Hex)).toBe(true);
  for (let left = 0; left < all.length; left++)
    expect(
      areAllLogs(
        all.filter((_, at) => at !== left),
        bloom,
      ),
    ).toBe(false);
  expect(areAllLogs([], bloom)).toBe(false);
  expect(areAllLogs([...all, log(3)], bloom)).toBe(false);
  expect(areAllLogs([], bloomOf([]))).toBe(true);
});

test.each([null, undefined, '0x', '0x00'] as const)(
  'a block with the bloom %s contradicts no list',
  (missing) => {
    expect(areAllLogs(all, missing)).toBe(true);
    expect(contradictsBloom([], missing, { address: address(1) })).toBe(false);
  },
);

const lists: readonly [what: string, criteria: LogCriteria, logs: readonly Log[], contradicts: boolean][] = [
  ['all logs without criteria', {}, all, false],
  ['all but one without criteria', {}, all.slice(1), true],
  ['all but one for criteria that match anything', { topics: [null, []] }, all.slice(0, 2), true],
  ['the logs of an address', { address: address(2) }, all.slice(1), false],
  ['no log of an address that has some', { address: address(2) }, [], true],
  ['no log of an address that has none', { address: address(9) }, [], false],
  ['the logs of one of two addresses', { address: [address(1), address(2)] }, all.slice(0, 1), true],
  ['the logs of both addresses', { address: [address(1), address(2)] }, all, false],
  [
    'the logs of the only address that has some',
    { address: [address(1), address(9)] },
    all.slice(0, 1),
    false,
  ],
  ['no log of a topic that has some', { topics: [word(0xb)] }, [], true],
  ['the logs of a topic', { topics: [word(0xb)] }, [all[1] as Log], false],
  ['a log that the block does not have', { address: address(9) }, [log(9)], true],
  ['a log with a topic that the block does not have', { address: address(1) }, [log(1, 0xd)], true],
  [
    'no log of an address whose case differs',
    { address: address(0xab).toUpperCase().replace('0X', '0x') as Hex },
    [],
    false,
  ],
];

test.each(lists)(
  '%s: contradicts its bloom only where something is missing or invented',
  (_, criteria, logs, contradicts) => {
    expect(contradictsBloom(logs, bloom, criteria)).toBe(contradicts);
  },
);

test('a topic that the bloom has in other logs makes an empty list suspect, and a list with a log of it none', () => {
  expect(contradictsBloom([], bloom, { topics: [null, word(0xa)] })).toBe(true);
  expect(contradictsBloom([all[0] as Log], bloom, { topics: [[word(0xa), word(0xc)]] })).toBe(false);
});
