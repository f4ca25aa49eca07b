import { describe, expect, test } from 'vitest';
import { checkLogs, wrongField } from '../../../../src/rpc/results.js';
import type { Log, LogFilter } from '../../../../src/rpc/schema.js';
import { readLogs } from '../../../../src/service/logs/logs.js';
import { fc } from '../../../support/property.js';
import { address, createSimulatedChain, word } from '../../../support/simulated-chain.js';

const log = (block: number, transaction: number, index: number, change: object = {}): Log =>
  ({
    address: address(1),
    topics: [word(7)],
    data: '0x',
    blockNumber: `0x${block.toString(16)}`,
    blockHash: word(block),
    transactionHash: word(block * 100 + transaction),
    transactionIndex: `0x${transaction.toString(16)}`,
    logIndex: `0x${index.toString(16)}`,
    ...change,
  }) as Log;

function read(
  logs: readonly unknown[],
  filter: LogFilter = { fromBlock: '0x0', toBlock: '0xff' },
): Promise<readonly Log[]> {
  const chain = createSimulatedChain();
  chain.intercept(() => logs);
  return readLogs(chain.service, filter);
}

describe('readLogs', () => {
  const inOrder = [log(9, 0, 0), log(9, 0, 1), log(9, 3, 2), log(16, 1, 0), log(16, 2, 1)];

  test('logs are returned as answered', async () => {
    expect(await read(inOrder)).toEqual(inOrder);
  });

  test('logs in any order and number are returned once each, in the order of the chain', async () => {
    const answers = fc.shuffledSubarray([...inOrder, ...inOrder], { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(answers, async (answer) => {
        expect(await read(answer)).toEqual(inOrder.filter((each) => answer.includes(each)));
      }),
    );
  });

  test('numbers are compared by value, however they are written', async () => {
    const [first, second, third] = [
      log(9, 0, 1, { blockNumber: '0x09' }),
      log(9, 0, 2, { logIndex: 2 }),
      log(9, 0, 10, { blockNumber: 9 }),
    ];
    expect(await read([third, first, second])).toEqual([first, second, third]);
  });

  test('two blocks of one height are not taken for one', async () => {
    const other = log(9, 0, 0, { blockHash: word(99) });
    expect(await read([log(9, 0, 0), other])).toHaveLength(2);
  });

  test.each([
    ['another transaction', { transactionHash: word(5) }],
    ['another address', { address: address(2) }],
    ['another topic', { topics: [word(8)] }],
    ['other data', { data: '0x01' }],
    ['an index that is written otherwise', { logIndex: '0x00', data: '0x01' }],
  ])('two logs of one place, one with %s, are a bad reply', async (_, change) => {
    await expect(read([log(1, 0, 0), log(1, 0, 0, change)])).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining('logIndex'),
    });
  });

  const question = {
    fromBlock: '0x5',
    toBlock: '0x6',
    address: address(1),
    topics: [null, word(8)],
  } as const;
  const fits = { topics: [word(7), word(8)] };

  test.each([
    ['below the range', log(4, 0, 0, fits)],
    ['above the range', log(7, 0, 0, fits)],
    ['of another address', log(5, 0, 0, { ...fits, address: address(2) })],
    ['of another topic', log(5, 0, 0, { topics: [word(7), word(9)] })],
    ['with too few topics', log(5, 0, 0, { topics: [word(7)] })],
    ['that was removed', log(5, 0, 0, { ...fits, removed: true })],
  ])('a log %s is a bad reply', async (_, unasked) => {
    const asked = log(5, 0, 0, fits);
    expect(await read([asked], question)).toEqual([asked]);
    await expect(read([asked, unasked], question)).rejects.toMatchObject({ code: -32603 });
  });

  test('a log of another block than the one that was asked for is a bad reply', async () => {
    expect(await read([log(5, 0, 0)], { blockHash: word(5) })).toHaveLength(1);
    await expect(read([log(6, 0, 0)], { blockHash: word(5) })).rejects.toMatchObject({ code: -32603 });
  });

  test.each([
    ['no block', { blockNumber: null }],
    ['no transaction', { transactionIndex: null }],
    ['no index', { logIndex: undefined }],
    ['no address', { address: null }],
  ])('a log with %s, wherever it stands', async (_, change) => {
    for (const logs of [
      [log(1, 0, 0, change), log(2, 0, 0)],
      [log(1, 0, 0), log(1, 0, 0, change)],
    ])
      await expect(read(logs)).rejects.toMatchObject({ code: -32603 });
  });
});

test('a log is judged by its own fields, whatever stands before it', () => {
  const values = fc.constantFrom<unknown>(
    ...[word(1), word(2), `${word(1)}0`, '0x', '0x1', '0x01', '0x0g', '0x123', 1, -1, null, undefined, true],
    ...[address(1), `0X${address(1).slice(2)}`, [], 'latest', false],
  );
  const names = Object.keys(log(1, 0, 0)).filter((name) => name !== 'topics');
  const changes = fc.array(
    fc.record({ name: fc.constantFrom(...names, 'removed'), value: values, topics: fc.array(values) }),
    { minLength: 1, maxLength: 4 },
  );
  const isRight = ({ topics, ...fields }: Record<string, unknown>) =>
    wrongField(fields, 'log') === null &&
    (topics as unknown[]).length <= 4 &&
    (topics as unknown[]).every((topic) => /^0x[0-9a-f]{64}$/i.test(`${topic}`) && !Array.isArray(topic));
  fc.assert(
    fc.property(changes, fc.boolean(), (all, keepTopics) => {
      const logs = all.map(({ name, value, topics }) =>
        log(1, 0, 0, { [name]: value, ...(!keepTopics && { topics }) }),
      );
      let isAccepted = true;
      try {
        checkLogs(logs);
      } catch {
        isAccepted = false;
      }
      expect(isAccepted).toBe(logs.every((each) => isRight({ ...each })));
    }),
    { numRuns: 1_000 },
  );
});
