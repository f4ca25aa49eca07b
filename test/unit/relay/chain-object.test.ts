import { expect, test } from 'vitest';
import { ChainObject } from '../../../src/relay/chain-object.js';
import { until } from '../../support/until.js';

/** The state of an object with two tables; it keeps rows as the queries of the relay do. */
function createState(sockets: readonly FakeSocket[], topics: Map<string, string>) {
  const exec = (query: string, ...values: (string | number)[]): Record<string, unknown>[] => {
    const [id, text] = values.map(String) as [string, string];
    if (query === 'SELECT id FROM topics') return [...topics.keys()].map((each) => ({ id: each }));
    if (query === 'SELECT topics FROM topics WHERE id = ?')
      return topics.has(id) ? [{ topics: topics.get(id) }] : [];
    if (query === 'DELETE FROM topics WHERE id = ?') topics.delete(id);
    if (query.startsWith('INSERT OR REPLACE INTO topics')) topics.set(id, text);
    return [];
  };
  return {
    id: { equals: () => true },
    storage: {
      sql: { exec },
      getAlarm: async () => null,
      setAlarm: async () => {},
      deleteAlarm: async () => {},
    },
    blockConcurrencyWhile: <T>(run: () => Promise<T>) => run(),
    acceptWebSocket() {},
    getWebSockets: () => [...sockets],
    getTags: ({ id }: FakeSocket) => [id],
  };
}

interface FakeSocket {
  readonly id: string;
  send(): void;
  close(): void;
  serializeAttachment(): void;
  deserializeAttachment(): unknown;
}

test('an object that starts deletes the subscriptions of connections that ended without it', async () => {
  const open: FakeSocket = {
    id: 'open',
    send() {},
    close() {},
    serializeAttachment() {},
    deserializeAttachment: () => ({
      saved: { chainId: 31, client: 'ip 203.0.113.9' },
      topics: [],
      stored: true,
    }),
  };
  const topics = new Map([
    ['open', '["[\\"newHeads\\"]"]'],
    ...Array.from({ length: 1_000 }, (_, i) => [`gone ${i}`, '["[\\"newHeads\\"]"]'] as const),
  ]);
  const env = {
    CHAIN: { idFromName: () => ({ equals: () => true }) },
    GRAFT_RELAY_URL_31: 'http://127.0.0.1:1/key',
    GRAFT_RELAY_CONFIG: { origins: ['*'], open: true },
  };
  const object = new ChainObject(createState([open], topics) as never, env as never);
  await until(() => topics.size === 1);
  expect([...topics.keys()]).toEqual(['open']);
  await object.alarm();
  await object.webSocketClose(open as never);
  expect(topics.size).toBe(0);
});
