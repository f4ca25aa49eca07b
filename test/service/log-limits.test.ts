import { describe, expect, test } from 'vitest';
import { ProviderRpcError } from '../../src/rpc/errors.js';
import { learnLimit, seedLimits } from '../../src/service/log-limits.js';

function learnt(message: string, from = 1, to = 200_000): number | undefined {
  const limits = seedLimits();
  learnLimit(limits, { from, to }, new ProviderRpcError(-32005, message));
  return Number.isFinite(limits.atMost) ? limits.atMost : undefined;
}

describe('a limit', () => {
  test.each([
    ['Cannot query more than 5 blocks at once', 5],
    ['query exceeds the limit of 10000 logs or 2000 blocks', 2_000],
    ['exceed maximum block range: 50000', 50_000],
    ['block range too large, max is 1k blocks', 1_000],
    ['eth_getLogs is limited to a 10,000-block range', 10_000],
    [
      'You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response.',
      2_000,
    ],
    ['block range too large, max is 500', 500],
  ])('default: is read from %j', (message, blocks) => {
    expect(learnt(message)).toBe(blocks);
  });

  test.each([
    'query block range [1, 200000] exceeds limit',
    'block range from 1 to 200000 is too large',
    'exceeds the range: latest 3 blocks are not indexed',
    'query returned more than 10000 results',
    'any block range with a cap of 10K logs',
    'block range 1-200000 is too wide',
    'Response size limit of 10485760 bytes exceeded',
  ])('behavior: is none of the numbers in %j', (message) => {
    expect(learnt(message)).toBeUndefined();
  });

  test('behavior: is below what was asked for', () => {
    expect(learnt('Cannot query more than 5000 blocks', 1, 1_000)).toBeUndefined();
  });

  test('behavior: a lower one is what is always taken, too', () => {
    const limits = seedLimits();
    learnLimit(limits, { from: 0, to: 9_999 }, new ProviderRpcError(-32005, 'at most 500 blocks'));
    expect(limits).toMatchObject({ always: 500, atMost: 500 });
  });
});
