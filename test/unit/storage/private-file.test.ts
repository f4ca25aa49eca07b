import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import { createPrivateFile } from '../../../src/storage/private-file.js';
import { createJournal } from '../../../src/transactions/journal.js';
import type { JournalEntry } from '../../../src/transactions/journal-entry.js';
import { timeOf } from '../../support/outages.js';

/** A file system of the browser that never answers must not stop anything. */

const steps = [
  'getDirectory',
  'getFileHandle',
  'getFile',
  'text',
  'createWritable',
  'write',
  'close',
] as const;
type Step = (typeof steps)[number] | 'keys' | 'removeEntry';

/** OPFS in memory. A step in `hung` waits until it is let go. */
function stubFiles() {
  const files = new Map<string, string>();
  const hung = new Set<Step>();
  const waiting: (() => void)[] = [];
  const asked: Step[] = [];
  const step = async <T>(name: Step, act: () => T): Promise<T> => {
    asked.push(name);
    if (hung.has(name)) await new Promise<void>((resolve) => waiting.push(resolve));
    return act();
  };
  const handle = (file: string) => ({
    getFile: () => step('getFile', () => ({ text: () => step('text', () => files.get(file) as string) })),
    createWritable: () =>
      step('createWritable', () => {
        let temporary = '';
        return {
          write: (text: string) =>
            step('write', () => {
              temporary = text;
            }),
          close: () => step('close', () => void files.set(file, temporary)),
          abort: async () => {},
        };
      }),
  });
  const directory = {
    getFileHandle: (file: string, { create = false } = {}) =>
      step('getFileHandle', () => {
        if (!create && !files.has(file)) throw new DOMException('', 'NotFoundError');
        return handle(file);
      }),
    async *keys() {
      await step('keys', () => {});
      yield* files.keys();
    },
    removeEntry: (file: string) => step('removeEntry', () => void files.delete(file)),
  };
  vi.stubGlobal('navigator', { storage: { getDirectory: () => step('getDirectory', () => directory) } });
  onTestFinished(() => void vi.unstubAllGlobals());
  return {
    files,
    hung,
    asked,
    async letGo() {
      hung.clear();
      for (const go of waiting.splice(0)) go();
      // Each step that goes on has its own time limit until it has ended.
      for (let turns = 0; turns < 100; turns++) await vi.advanceTimersByTimeAsync(0);
    },
  };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

test('a text that was written is read, and removed with its temporary files', async () => {
  const { files } = stubFiles();
  const file = createPrivateFile('a.json');
  await file.write([1]);
  files.set('a.json.crswap', '').set('b.json', '');
  expect(await file.read()).toEqual([1]);
  await file.remove();
  expect([...files.keys()]).toEqual(['b.json']);
  expect(await file.read()).toBeNull();
});

describe.each(steps)('%s never settles', (step) => {
  const isOfReading = step === 'getFile' || step === 'text';
  const isOfBoth = step === 'getDirectory' || step === 'getFileHandle';

  test('a read ends as one without a file, and a write as one that failed, within 5 s', async () => {
    const { files, hung } = stubFiles();
    files.set('a.json', '[0]');
    hung.add(step);
    const reading = createPrivateFile('a.json').read();
    expect(await timeOf(reading)).toBe(isOfReading || isOfBoth ? 5_000 : 0);
    expect(await reading).toEqual(isOfReading || isOfBoth ? null : [0]);
    const writing = createPrivateFile('a.json').write([1]);
    expect(await timeOf(writing)).toBe(isOfReading ? 0 : 5_000);
    expect(await writing).toBeUndefined();
  });

  test('for a minute nothing waits for it again', async () => {
    const { files, hung, asked } = stubFiles();
    files.set('a.json', '[0]');
    hung.add(step);
    const file = createPrivateFile('a.json');
    await timeOf(isOfReading ? file.read() : file.write([1]));
    const before = asked.length;
    expect(await timeOf(Promise.all([file.read(), file.write([2]), file.read()]))).toBe(0);
    expect(asked).toHaveLength(before);
    hung.clear();
    await vi.advanceTimersByTimeAsync(60_000);
    await file.write([3]);
    expect(await file.read()).toEqual([3]);
  });
});

test.each(['getDirectory', 'getFileHandle', 'createWritable', 'write'] as const)(
  'a write that goes on long after %s does not replace newer contents',
  async (step) => {
    const { files, hung, letGo } = stubFiles();
    hung.add(step);
    const file = createPrivateFile('a.json');
    await timeOf(file.write(['old']));
    hung.clear();
    await vi.advanceTimersByTimeAsync(60_000);
    await file.write(['new']);
    await letGo();
    expect(files.get('a.json')).toBe('["new"]');
  },
);

test.each(['getDirectory', 'keys', 'removeEntry'] as const)(
  'an erasure that is not answered at %s says so, and does not go on later',
  async (step) => {
    const { files, hung, letGo } = stubFiles();
    files.set('a.json', '[0]').set('a.json.crswap', '');
    hung.add(step);
    const file = createPrivateFile('a.json');
    const failed = file.remove().catch((error: DOMException) => error.name);
    expect(await timeOf(failed)).toBe(5_000);
    expect(await failed).toBe('TimeoutError');
    const { size } = files;
    await letGo();
    // The one that the browser was asked for may go; no further one does.
    expect(files.size).toBeGreaterThanOrEqual(size - 1);
    expect(await file.remove()).toBeUndefined();
    expect(files.size).toBe(0);
  },
);

const entry: JournalEntry = {
  ...{ hash: `0x${'01'.repeat(32)}`, raw: '0x01', chainId: 31, from: `0x${'11'.repeat(20)}` },
  ...{ to: `0x${'22'.repeat(20)}`, nonce: '0x0', value: '0x0', data: '0x', gas: '0x5208' },
  ...{ gasPrice: '0x1', origin: 'https://app.example', createdAt: 1_700_000_000_000, state: 'signed' },
};

test('a payment is recorded, and its copy is written once the file system answers again', async () => {
  const { files, hung } = stubFiles();
  hung.add('createWritable');
  const journal = createJournal(createMemoryStorage(), { copy: createPrivateFile('a.json') });
  const recorded = journal.record(entry);
  expect(await timeOf(recorded)).toBe(1_000);
  expect(await journal.entries()).toHaveLength(1);
  hung.clear();
  await vi.advanceTimersByTimeAsync(70_000);
  await journal.record({ ...entry, hash: `0x${'02'.repeat(32)}`, nonce: '0x1' });
  expect(JSON.parse(files.get('a.json') ?? '[]')).toHaveLength(2);
});
