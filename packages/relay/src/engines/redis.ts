import { createClient } from 'redis';
import { systemClock as clock } from '../../../../src/async/clock.js';
import { invalidParams } from '../../../../src/rpc/errors.js';
import { own } from '../../../../src/rpc/own.js';
import { membersOf } from '../../../../src/rpc/own-data.js';
import type { Engine } from './engine.js';
import { createStoreEngine, type StoreEngine } from './store-engine.js';

/**
 * Engines for several instances of a relay that share one Redis or Valkey (6.0 or later): one instance polls each chain,
 * and all others get its steps. Each instance has two connections, whatever the number of chains: one for commands, and
 * one that waits for steps.
 *
 * While the store cannot be reached, each instance follows the chains by itself; it joins the others again once it can.
 *
 * @throws ProviderRpcError -32602 if the URL is not one of Redis; its message does not contain the URL
 * @example
 * createRelay({ …, engine: createRedisEngines({ url: 'redis://:password@valkey.internal:6379' }) });
 */
export function createRedisEngines(given: createRedisEngines.Options): createRedisEngines.Engines {
  const { url, onState = () => {} } = own(given);
  if (typeof url !== 'string' || !URL.canParse(url) || !/^rediss?:$/.test(new URL(url).protocol))
    throw invalidParams('redisUrl must be a redis or rediss URL');
  const engines = new Set<StoreEngine>();
  let setReady = () => {};
  const ready = new Promise<void>((resolve) => {
    setReady = resolve;
  });
  let commands: Connection | undefined;
  let running = false;
  let reported: string | undefined;

  function report(state: string): void {
    if (state === reported) return;
    reported = state;
    onState(state);
  }

  async function run(): Promise<void> {
    running = true;
    let pause = minPause;
    // All engines of a relay are created in one turn.
    await Promise.resolve();
    while (engines.size > 0) {
      const startedAt = clock.monotonic();
      const connections: Connection[] = [];
      try {
        for (let i = 0; i < 2; i++) connections.push(await connect(url));
        const [first, reader] = connections as [Connection, Connection];
        await Promise.all([...engines].map((engine) => engine.join(first.send)));
        commands = first;
        report('connected');
        setReady();
        await Promise.race([read(reader), first.lost]);
      } catch (error) {
        // Without engines the relay has closed the connections itself.
        if (engines.size > 0) report(reasonOf(error));
        setReady();
      }
      commands = undefined;
      for (const connection of connections) connection.end();
      for (const engine of engines) engine.leave();
      if (engines.size === 0) break;
      pause = clock.monotonic() - startedAt > maxPause ? minPause : Math.min(maxPause, 2 * pause);
      await new Promise<void>((resolve) => clock.setTimeout(resolve, pause));
    }
    running = false;
  }

  /** Waits for steps of all chains. @throws once the connection is lost */
  async function read(reader: Connection): Promise<void> {
    while (engines.size > 0) {
      const joined = [...engines].filter((engine) => engine.joined());
      if (joined.length === 0) return;
      const streams = [...joined.map(({ stream }) => stream), ...joined.map((engine) => engine.position())];
      const reply = await reader.send(
        ['XREAD', 'COUNT', '256', 'BLOCK', String(maxWait), 'STREAMS', ...streams],
        maxWait + patience,
      );
      for (const [stream, entries] of (reply ?? []) as [string, unknown[]][])
        for (const engine of engines) if (engine.stream === stream) engine.receive(entries);
    }
  }

  const create = (chainId: number): Engine => {
    const engine = createStoreEngine({
      chainId,
      onFailure: () => commands?.end(),
      onClose() {
        engines.delete(engine);
        if (engines.size === 0) commands?.end();
      },
    });
    engines.add(engine);
    if (!running) void run();
    else if (commands) engine.join(commands.send).catch(() => commands?.end());
    return engine.engine;
  };
  return Object.assign(create, { ready });
}

export declare namespace createRedisEngines {
  interface Engines {
    (chainId: number): Engine;
    /** Resolves when the newest steps have been read, or could not be. */
    readonly ready: Promise<void>;
  }
  interface Options {
    /** `redis:` or `rediss:`, with user, password and number of the database where needed. Is never logged. */
    readonly url: string;
    /**
     * Called when the state changes, with `connected` or the code of the error (`ECONNREFUSED`, `WRONGPASS`), which
     * contains neither address nor password.
     */
    readonly onState?: ((state: string) => void) | undefined;
  }
}

interface Connection {
  /** @throws if the command fails, or has no reply within `timeout` ms: then the connection has ended */
  send(command: readonly string[], timeout?: number): Promise<unknown>;
  /** Rejects when the connection is lost. */
  readonly lost: Promise<never>;
  end(): void;
}

/** Connects once. It does not reconnect, so that nothing is sent twice. */
async function connect(url: string): Promise<Connection> {
  const client = createClient({
    url,
    RESP: 2,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    socket: { reconnectStrategy: false, connectTimeout: patience },
  });
  let fail: (error: unknown) => void = () => {};
  const lost = new Promise<never>((_, reject) => {
    fail = reject;
  });
  lost.catch(() => {});
  const end = (error: unknown = new Error('closed')) => {
    fail(error);
    try {
      client.destroy();
    } catch {
      // It has ended already.
    }
  };
  client.on('error', end);
  client.on('end', () => end(own({ code: 'ECONNRESET' })));

  async function within<T>(work: Promise<T>, timeout: number): Promise<T> {
    let timer: unknown;
    const late = new Promise<never>((_, reject) => {
      timer = clock.setTimeout(() => {
        const error = Object.assign(new Error('no reply'), { code: 'ETIMEDOUT' });
        end(error);
        reject(error);
      }, timeout);
    });
    work.catch(() => {});
    try {
      return await Promise.race([work, lost, late]);
    } finally {
      clock.clearTimeout(timer);
    }
  }

  try {
    await within(client.connect(), patience);
  } catch (error) {
    end(error);
    throw error;
  }
  return {
    lost,
    send: (command, timeout = patience) => within(client.sendCommand<unknown>([...command]), timeout),
    end: () => end(),
  };
}

/** `ECONNREFUSED`, `WRONGPASS` or `failed`: no message of a client library, which may quote the URL. */
function reasonOf(error: unknown): string {
  const { code, message } = membersOf(error);
  if (typeof code === 'string' && /^[A-Z_]+$/.test(code)) return code;
  return /^[A-Z]+(?= )/.exec(String(message ?? (error as Error)?.message))?.[0] ?? 'failed';
}

/** Milliseconds. */
const minPause = 250;
const maxPause = 2_000;
/** For the reply to a command. */
const patience = 2_000;
/** For which one command waits for steps. */
const maxWait = 2_000;
