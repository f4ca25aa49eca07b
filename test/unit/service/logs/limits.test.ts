import { describe, expect, test } from 'vitest';
import { ProviderRpcError } from '../../../../src/rpc/errors.js';
import { learnLimit, seedLimits } from '../../../../src/service/logs/limits.js';

function learnt(message: string, from = 1, to = 200_000): number | undefined {
  const limits = seedLimits();
  learnLimit(limits, { from, to }, new ProviderRpcError(-32005, message));
  return Number.isFinite(limits.atMost) ? limits.atMost : undefined;
}

describe('a limit', () => {
  test.each([
    ['Cannot query more than 5 blocks at once', 5],
    ['exceed maximum block range: 50000', 50_000],
    ['block range too large, max is 1k blocks', 1_000],
    ['eth_getLogs is limited to a 10,000-block range', 10_000],
    ['block range too large, max is 500', 500],
    ['ranges over 10000 blocks are not supported on freetier', 10_000],
    ['Requested range is over limit of 100', 100],
    [
      'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x1, 0xa]',
      10,
    ],
    ['eth_getLogs is limited to a 10,000 range', 10_000],
    ['eth_getLogs is limited to 0 - 10000 blocks range', 10_000],
    ['eth_getLogs is limited to 1024 block range. Please check the parameter requirements', 1_024],
    ['range 199999 exceeds limit of 10000', 10_000],
    ['range 199999 is bigger than range limit 2000', 2_000],
    ['block range is larger than max block range, block range = 199999, max block range = 5000', 5_000],
    ['block range is too wide (maximum 1024)', 1_024],
    ["Invalid eth_getLogs request. 'fromBlock'-'toBlock' range too large. Max range: 800", 800],
    ['requested too many blocks from 1 to 200000, maximum is set to 2048', 2_048],
    ['query exceeds max block range 100000', 100_000],
    ['Maximum allowed number of requested blocks is 3500', 3_500],
    ['block range greater than 20000 max', 20_000],
  ])('is read from %j', (message, blocks) => {
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
    'query exceeds max results 20000, retry with the range 1-100',
    'query returned more than 10000 results. Try with this block range [0x1, 0x64].',
    'logs matched by query exceeds limit of 10000',
    'Block range limit exceeded. See more details at https://docs.example/docs/limits#evm-range-limits',
    'block range too large: a query may take up to 10 s',
    'Block range too large for plan 2',
  ])('is not read from the numbers in %j', (message) => {
    expect(learnt(message)).toBeUndefined();
  });

  test.each([
    'query exceeds the limit of 1000 logs or 500 blocks',
    'You can make eth_getLogs requests with up to a 500 block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response.',
  ])('is what is always taken, and no bound, where more blocks are taken with few logs: %j', (message) => {
    const limits = seedLimits();
    learnLimit(limits, { from: 1, to: 200_000 }, new ProviderRpcError(-32005, message));
    expect(limits).toMatchObject({ always: 500, atMost: Number.POSITIVE_INFINITY });
  });

  test('is below what was asked for', () => {
    expect(learnt('Cannot query more than 5000 blocks', 1, 1_000)).toBeUndefined();
  });

  test('is read from the data of a refusal as well', () => {
    const limits = seedLimits();
    const data = { serviceData: { payload: 'range 9009594 is bigger than range limit 2000' } };
    learnLimit(limits, { from: 0, to: 9_009_594 }, new ProviderRpcError(-32005, 'invalid params', data));
    expect(limits).toMatchObject({ atMost: 2_000 });
  });

  test('a lower one is what is always taken, too', () => {
    const limits = seedLimits();
    learnLimit(limits, { from: 0, to: 9_999 }, new ProviderRpcError(-32005, 'at most 500 blocks'));
    expect(limits).toMatchObject({ always: 500, atMost: 500 });
  });
});
