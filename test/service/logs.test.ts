import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wrongField } from '../../src/rpc/fields.js';
import { isLogs } from '../../src/rpc/results.js';
import type { Log } from '../../src/rpc/schema.js';
import { readLogs } from '../../src/service/logs.js';
import { address, createSimulatedChain, word } from '../chain/simulated-chain.js';

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

function read(logs: readonly unknown[]): Promise<readonly Log[]> {
  const chain = createSimulatedChain();
  chain.intercept(() => logs);
  return readLogs(chain.service, { fromBlock: '0x0', toBlock: '0xff' });
}

describe('readLogs', () => {
  const inOrder = [log(9, 0, 0), log(9, 0, 1), log(9, 3, 2), log(16, 1, 0), log(16, 2, 0)];

  test('default: as answered', async () => {
    expect(await read(inOrder)).toEqual(inOrder);
  });

  test('behavior: in whatever order, and however often they come: each once, in that of the chain', async () => {
    const answers = fc.shuffledSubarray([...inOrder, ...inOrder], { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(answers, async (answer) => {
        expect(await read(answer)).toEqual(inOrder.filter((each) => answer.includes(each)));
      }),
    );
  });

  test('behavior: numbers are compared by value, however they are written', async () => {
    const [first, second, third] = [
      log(9, 0, 1, { blockNumber: '0x09' }),
      log(9, 0, 2, { logIndex: 2 }),
      log(9, 0, 10, { blockNumber: 9 }),
    ];
    expect(await read([third, first, second])).toEqual([first, second, third]);
  });

  test('behavior: two blocks of one height are not taken for one', async () => {
    const other = log(9, 0, 0, { blockHash: word(99) });
    expect(await read([log(9, 0, 0), other])).toHaveLength(2);
  });

  test.each([
    ['no block', { blockNumber: null }],
    ['no transaction', { transactionIndex: null }],
    ['no index', { logIndex: undefined }],
    ['no address', { address: null }],
  ])('error: a log with %s, wherever it stands', async (_, change) => {
    for (const logs of [
      [log(1, 0, 0, change), log(2, 0, 0)],
      [log(1, 0, 0), log(1, 0, 0, change)],
    ])
      await expect(read(logs)).rejects.toMatchObject({ code: -32603 });
  });
});

test('behavior: a log is judged by its own fields, whatever stands before it', () => {
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
        isLogs(logs, undefined);
      } catch {
        isAccepted = false;
      }
      expect(isAccepted).toBe(logs.every((each) => isRight({ ...each })));
    }),
    { numRuns: 1_000 },
  );
});
