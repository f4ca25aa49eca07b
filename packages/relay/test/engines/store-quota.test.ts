import { describe, expect, test } from 'vitest';
import { createStoreQuota, type SendCommand } from '../../src/engines/store-quota.js';

const today = Math.floor(Date.now() / 86_400_000);

/** A store whose replies wait until `answer` is called, and two instances that share it. */
function createSlowStore() {
  const waiting: (() => void)[] = [];
  let used = 0;
  let spentUntil = '0';
  let requests = 0;
  const send: SendCommand = async (command) => {
    requests += 1;
    const [counted, added, report] = command.slice(4) as [string, string, string];
    used = Math.max(used, Number(counted)) + Number(added);
    if (report) spentUntil = report;
    const reply = [used, spentUntil];
    await new Promise<void>((resolve) => waiting.push(resolve));
    return reply;
  };
  return {
    instance: () => createStoreQuota({ key: 'quota', send: () => send }),
    count: () => `${today} ${used} ${spentUntil}`,
    requests: () => requests,
    /** Answers all commands, and those that follow from the replies. */
    async answer() {
      for (let turn = 0; turn < 20; turn++) {
        for (const reply of waiting.splice(0)) reply();
        await Promise.resolve();
      }
    },
  };
}

describe('a write while an exchange with the store is under way', () => {
  test.each([
    ['a report', `${today} 5 90000`],
    ['a count', `${today} 9 0`],
    ['both', `${today} 9 90000`],
  ])('%s reaches the store without another call', async (_, text) => {
    const store = createSlowStore();
    const quota = store.instance();
    quota.write(`${today} 5 0`);
    quota.write(text);
    await store.answer();
    expect(store.count()).toBe(text);
    expect(store.requests()).toBe(2);
  });

  test('several writes take one more exchange', async () => {
    const store = createSlowStore();
    const quota = store.instance();
    for (let used = 1; used <= 9; used++) quota.write(`${today} ${used} 0`);
    await store.answer();
    expect(store.count()).toBe(`${today} 9 0`);
    expect(store.requests()).toBe(2);
  });

  test('a read while one is under way asks for no other', async () => {
    const store = createSlowStore();
    const quota = store.instance();
    quota.write(`${today} 5 0`);
    for (let reads = 0; reads < 5; reads++) expect(quota.read()).toBe(`${today} 5 0`);
    await store.answer();
    expect(store.requests()).toBe(1);
  });
});

test('a store that fails is not asked again until the next read or write', async () => {
  let requests = 0;
  const quota = createStoreQuota({
    key: 'quota',
    send: () => async () => {
      requests += 1;
      throw new Error('no reply');
    },
  });
  quota.write(`${today} 5 0`);
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  expect(requests).toBe(2);
  expect(quota.read()).toBe(`${today} 5 0`);
});
