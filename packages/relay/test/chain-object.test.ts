import { expect, onTestFinished, test, vi } from 'vitest';
import { until } from '../../../test/support/until.js';
import { ChainObject } from '../src/chain-object.js';

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
  vi.stubGlobal('fetch', async () => new Response(null, { status: 403 }));
  onTestFinished(() => void vi.unstubAllGlobals());
  const object = new ChainObject(createState([open], topics) as never, env as never);
  await until(() => topics.size === 1);
  expect([...topics.keys()]).toEqual(['open']);
  await object.alarm();
  await object.webSocketClose(open as never);
  expect(topics.size).toBe(0);
});

/** An object, and connections to it as the runtime makes them. */
function openObject(limits: object = {}) {
  vi.useFakeTimers({ toFake: ['Date'] });
  const open: RuntimeSocket[] = [];
  let made: RuntimeSocket;
  let alarm: number | null = null;
  vi.stubGlobal(
    'WebSocketPair',
    class {
      readonly 0 = {};
      readonly 1 = createSocket((socket) => {
        made = socket;
      });
    },
  );
  vi.stubGlobal('Response', Upgraded);
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
  const state = {
    ...createState([], new Map()),
    acceptWebSocket(socket: RuntimeSocket, [id]: string[]) {
      socket.id = id as string;
      socket.accept();
      open.push(socket);
    },
    getWebSockets: () => [...open],
    getTags: ({ id }: RuntimeSocket) => [id],
  };
  state.storage.getAlarm = async () => alarm as never;
  state.storage.setAlarm = async (...[time]: unknown[]) => {
    alarm = time as number;
  };
  state.storage.deleteAlarm = async () => {
    alarm = null;
  };
  let started: Promise<unknown> = Promise.resolve();
  state.blockConcurrencyWhile = (run) => {
    const running = run();
    started = running;
    return running;
  };
  const env = {
    CHAIN: { idFromName: () => ({ equals: () => true }) },
    GRAFT_RELAY_URL_31: 'http://127.0.0.1:1/key',
    GRAFT_RELAY_CONFIG: { origins: ['*'], open: true, limits },
  };
  const create = async () => {
    const object = new ChainObject(state as never, env as never);
    await started;
    return object;
  };
  const connect = async (object: ChainObject) => {
    const headers = {
      upgrade: 'websocket',
      origin: 'https://app.example',
      'cf-connecting-ip': '203.0.113.9',
    };
    await object.fetch(new Request('https://relay.example/31', { headers }));
    return made;
  };
  return {
    create,
    connect,
    alarm: () => alarm,
    /** The connections that stay open while the object sleeps. */
    sleeping: () => open,
    /** The runtime clears an alarm that fires. */
    ring(object: ChainObject) {
      alarm = null;
      return object.alarm();
    },
    /** The runtime removes a connection that has ended. */
    end: (socket: RuntimeSocket) => void open.splice(open.indexOf(socket), 1),
    send: (object: ChainObject, socket: RuntimeSocket, data: string) =>
      object.webSocketMessage(socket as never, data),
  };
}

/** Node refuses the status of an upgrade. */
class Upgraded extends Response {
  constructor(body: BodyInit | null, init: ResponseInit = {}) {
    super(body, { ...init, status: init.status === 101 ? 200 : (init.status ?? 200) });
  }
}

interface RuntimeSocket {
  id: string;
  accept(): void;
  readonly sent: string[];
  readonly codes: number[];
}

function createSocket(created: (socket: RuntimeSocket) => void): RuntimeSocket {
  let attachment: unknown;
  let isAccepted = false;
  const socket = {
    id: '',
    sent: [] as string[],
    codes: [] as number[],
    accept() {
      isAccepted = true;
    },
    send: (text: string) => void socket.sent.push(text),
    close(code: number) {
      // The runtime refuses to close a socket that nobody has accepted.
      if (!isAccepted) throw new TypeError('not accepted');
      socket.codes.push(code);
    },
    serializeAttachment(given: unknown) {
      attachment = structuredClone(given);
    },
    deserializeAttachment: () => structuredClone(attachment),
  };
  created(socket);
  return socket;
}

test('a connection above the limit is closed with 4003 at once, never sleeps, and holds no place', async () => {
  const { create, connect, end, sleeping } = openObject({ connections: 2 });
  const object = await create();
  const first = await connect(object);
  const second = await connect(object);
  const third = await connect(object);
  expect([first, second, third].map(({ codes }) => codes)).toEqual([[], [], [4003]]);
  expect(sleeping()).toEqual([first, second]);
  const woken = await create();
  expect([first.codes, second.codes]).toEqual([[], []]);
  await woken.webSocketClose(second as never);
  end(second);
  expect((await connect(woken)).codes).toEqual([]);
});

test('a connection that sends nothing for 30 s is closed with 1008 by the alarm, after a sleep too', async () => {
  const { create, connect, send, alarm, ring } = openObject();
  const object = await create();
  const [silent, talking] = [await connect(object), await connect(object)];
  await send(object, talking, '{"id":1,"method":"eth_nothing"}');
  expect(talking.sent).toHaveLength(1);
  expect(alarm()).toBe(Date.now() + 30_000);
  const woken = await create();
  vi.setSystemTime(Date.now() + 29_999);
  await ring(woken);
  expect(silent.codes).toEqual([]);
  vi.setSystemTime(Date.now() + 1);
  await ring(woken);
  expect([silent.codes, talking.codes]).toEqual([[1008], []]);
  expect(alarm()).toBe(null);
});
