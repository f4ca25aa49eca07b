import { bytesToHex, randomBytes } from '@noble/hashes/utils.js';
import { systemClock as clock } from '../../../../src/async/clock.js';
import { createListeners } from '../../../../src/async/listeners.js';
import { linksOf } from '../heads/steps.js';
import { once } from '../once.js';
import { type Engine, type RelayStep, stepsKept } from './engine.js';
import { createStoreQuota, type SendCommand, type StoreQuota } from './store-quota.js';
import { readStep, writeStep } from './stored-step.js';

/**
 * The engine of one chain over a store that several instances share. These are its keys, with the chain's id in braces,
 * so that a cluster keeps them together:
 *
 *     graft:{31}:lease   the leader, for 6 s; it renews it each second
 *     graft:{31}:steps   a stream of about 256 steps. Publishing is a script that adds only while the lease is held
 *     graft:{31}:logs    for 60 s: somebody is subscribed to logs, so the leader puts them into the steps
 *     graft:{31}:polled  for a day after the leader's last successful poll; its age is the time of that day that has passed
 *     graft:{31}:quota:… counts of the daily quota
 *
 * Two instances may take themselves for leader for a moment, as when one was stopped and goes on. The script then refuses
 * the older one, and receivers compare parent hashes.
 */
export interface StoreEngine {
  readonly engine: Engine;
  readonly stream: string;
  /** The id of the newest entry of the stream that was received. */
  position(): string;
  joined(): boolean;
  /** The store can be reached: receives what was published since the last time, and stops following alone. */
  join(send: SendCommand): Promise<void>;
  /** The store can no longer be reached: unless it soon can again, this instance follows alone. */
  leave(): void;
  /** Entries of the stream. */
  receive(entries: readonly unknown[]): void;
}

export function createStoreEngine(options: createStoreEngine.Options): StoreEngine {
  const { chainId, onFailure, onClose } = options;
  const { now } = clock;
  const self = bytesToHex(randomBytes(16));
  const keyOf = (name: string) => `graft:{${chainId}}:${name}`;
  const lease = keyOf('lease');
  const stream = keyOf('steps');
  const logsKey = keyOf('logs');
  const polledKey = keyOf('polled');

  let send: SendCommand | undefined;
  let alone = false;
  let leading = false;
  let closed = false;
  let position = '0-0';
  let loaded = false;
  /** Steps of the stream, and steps found without the store since; oldest first. */
  let shared: readonly RelayStep[] = [];
  let unshared: readonly RelayStep[] = [];
  let wantsLogs = false;
  let othersWantLogs = false;
  /** When this instance last stored that it wants logs: milliseconds of the monotonic clock. */
  let wishedLogsAt = Number.NEGATIVE_INFINITY;
  /** The last successful poll of this instance, and of the leader: milliseconds since 1970. */
  let polledHere: number | undefined;
  let polledByLeader: number | undefined;
  let renewing: unknown;
  let losing: unknown;
  let isRenewing = false;
  /** The candidate, and the function that ends its following while it leads or is alone. */
  let follow: Parameters<Engine['lead']>[0] | undefined;
  let stop: (() => void) | undefined;
  const listeners = createListeners<[RelayStep]>();
  const delivered = new Set<() => void>();
  const quotas = new Map<string, StoreQuota>();

  /** Begins following, where this instance leads or is alone. */
  function settle(): void {
    if (!(leading || alone) || !follow || stop) return;
    stop = () => {};
    stop = follow(linksOf([...shared, ...unshared]));
  }

  function resign(): void {
    leading = false;
    stop?.();
    stop = undefined;
  }

  function schedule(delay = renewal): void {
    clock.clearTimeout(renewing);
    renewing = undefined;
    if (closed || !send) return;
    renewing = clock.setTimeout(() => void renew(), delay);
  }

  /** Takes or renews the lease, and reads whether any instance wants logs. */
  async function renew(): Promise<void> {
    const current = send;
    if (!current || isRenewing) return;
    isRenewing = true;
    try {
      if (wantsLogs && clock.monotonic() - wishedLogsAt > logsRenewal) {
        wishedLogsAt = clock.monotonic();
        await current(['SET', logsKey, '1', 'PX', String(logsTerm)]);
      }
      const age = polledHere === undefined ? polledTerm : Math.max(0, now() - polledHere);
      const [held, logs, polledLeft = 0] = (await current([
        ...['EVAL', renewScript, '3', lease, logsKey, polledKey],
        ...[self, String(term), follow ? '1' : '0', String(polledTerm - age)],
      ])) as number[];
      if (send !== current) return;
      othersWantLogs = logs === 1;
      if (polledLeft > 0) polledByLeader = now() - (polledTerm - polledLeft);
      // The last candidate may have left meanwhile, and the lease been given back before it was taken.
      if (held === 1 && !follow) release();
      else if (held === 1 && !leading) {
        leading = true;
        settle();
      } else if (held !== 1 && leading) resign();
    } catch {
      if (send === current) onFailure();
    } finally {
      isRenewing = false;
      schedule();
    }
  }

  const release = () => {
    send?.(['EVAL', releaseScript, '1', lease, self]).catch(() => {});
  };

  function receive(entries: readonly unknown[]): void {
    for (const entry of entries) {
      const [id, fields] = entry as [string, readonly string[]];
      if (!isNewer(id, position)) continue;
      position = id;
      const step = readStep(fields?.[1]);
      // A leader that got no reply has published it again.
      const isRepeated = step && tipOf(step) !== undefined && tipOf(step) === tipOf(shared.at(-1));
      if (!step || isRepeated) continue;
      shared = [...shared, step].slice(-stepsKept);
      listeners.emit(step);
    }
    for (const check of [...delivered]) check();
  }

  /** Resolves when the entry was received here, or the store is lost. */
  const received = (id: string): Promise<void> =>
    new Promise((resolve) => {
      const check = () => {
        if (send && isNewer(id, position)) return;
        delivered.delete(check);
        resolve();
      };
      delivered.add(check);
      check();
    });

  async function load(current: SendCommand): Promise<void> {
    const newest = (await current(['XREVRANGE', stream, '+', '-', 'COUNT', '1'])) as [string][];
    const last = newest[0]?.[0] ?? '0-0';
    // The store was emptied, or has lost its newest entries.
    if (!isNewer(last, position)) position = last;
    if (loaded) {
      const reply = (await current(['XREAD', 'STREAMS', stream, position])) as [string, unknown[]][] | null;
      for (const [, entries] of reply ?? []) receive(entries);
      return;
    }
    const entries = await current(['XREVRANGE', stream, '+', '-', 'COUNT', String(stepsKept)]);
    loaded = true;
    const steps = (entries as [string, readonly string[]][]).reverse();
    // Where this instance has followed alone from its start, its listeners may lack some of these.
    if (unshared.length > 0) return receive(steps);
    shared = steps.flatMap(([, fields]) => readStep(fields[1]) ?? []);
    position = steps.at(-1)?.[0] ?? position;
  }

  const engine: Engine = {
    lead(candidate) {
      if (closed) return () => {};
      follow = candidate;
      settle();
      void renew();
      return once(() => {
        follow = undefined;
        if (leading) release();
        resign();
      });
    },
    async publish(step) {
      if (alone && stop) {
        unshared = [...unshared, step].slice(-stepsKept);
        return listeners.emit(step);
      }
      const current = send;
      if (!leading || !current) throw new Error('this instance is not the leader, or the store is away');
      let id: unknown;
      try {
        const keys = ['2', lease, stream];
        id = await current(['EVAL', publishScript, ...keys, self, String(stepsKept), writeStep(step)]);
      } catch (error) {
        if (send === current) onFailure();
        throw error;
      }
      if (typeof id === 'string') return received(id);
      if (leading) resign();
      schedule(0);
      throw new Error('another instance is the leader');
    },
    subscribe: listeners.add,
    recent: () => (unshared.length > 0 ? [...shared, ...unshared].slice(-stepsKept) : shared),
    logs: {
      want(wanted) {
        if (wanted === wantsLogs) return;
        wantsLogs = wanted;
        if (wanted) void renew();
      },
      wanted: () => wantsLogs || othersWantLogs,
      inSteps: true,
    },
    quotaStore(name) {
      const quota = quotas.get(name) ?? createStoreQuota({ key: keyOf(`quota:${name}`), send: () => send });
      quotas.set(name, quota);
      return quota;
    },
    polled(at) {
      polledHere = at;
    },
    polledAt: () => (leading || alone ? (polledHere ?? polledByLeader) : polledByLeader),
    alone: () => alone,
    async close() {
      if (closed) return;
      closed = true;
      for (const timer of [renewing, losing]) clock.clearTimeout(timer);
      const held = leading && send;
      resign();
      follow = undefined;
      listeners.clear();
      const last = [...quotas.values()].map((quota) => quota.flush());
      if (held) last.push(held(['EVAL', releaseScript, '1', lease, self]).then(() => {}));
      await Promise.allSettled(last);
      onClose();
    },
  };

  return {
    engine,
    stream,
    position: () => position,
    joined: () => send !== undefined,
    receive,
    async join(current) {
      await load(current);
      // A store that only reads, or is full, is of no use.
      await current(['SET', keyOf('probe'), '1', 'PX', '1000']);
      if (closed) return;
      clock.clearTimeout(losing);
      losing = undefined;
      send = current;
      if (alone) {
        alone = false;
        resign();
        // The next leader continues from the newest shared step: it publishes what was found alone.
        if (shared.length > 0) unshared = [];
      }
      wishedLogsAt = Number.NEGATIVE_INFINITY;
      for (const quota of quotas.values()) void quota.flush();
      await renew();
    },
    leave() {
      send = undefined;
      clock.clearTimeout(renewing);
      for (const check of [...delivered]) check();
      if (closed || alone || losing !== undefined) return;
      losing = clock.setTimeout(() => {
        losing = undefined;
        resign();
        alone = true;
        settle();
      }, aloneAfter);
    },
  };
}

export declare namespace createStoreEngine {
  interface Options {
    readonly chainId: number;
    /** A command has failed: the store is of no use, for now. */
    readonly onFailure: () => void;
    readonly onClose: () => void;
  }
}

const tipOf = (step: RelayStep | undefined) => step?.added.at(-1)?.hash;

/** Compares ids of a stream, such as `1795324051323-0`. */
function isNewer(id: string, than: string): boolean {
  const [time = 0, entry = 0] = id.split('-').map(Number);
  const [otherTime = 0, otherEntry = 0] = than.split('-').map(Number);
  return time > otherTime || (time === otherTime && entry > otherEntry);
}

/**
 * Takes the lease where it is free and wanted, and renews it where it is held. Returns [held, logs are wanted, milliseconds
 * left of the day after the leader's last poll].
 */
const renewScript = `
local holder = redis.call('GET', KEYS[1])
if holder == ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
elseif not holder and ARGV[3] == '1' then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2], 'NX')
  holder = ARGV[1]
end
if holder == ARGV[1] and tonumber(ARGV[4]) > 0 then redis.call('SET', KEYS[3], '1', 'PX', ARGV[4]) end
return { holder == ARGV[1] and 1 or 0, redis.call('EXISTS', KEYS[2]), redis.call('PTTL', KEYS[3]) }`;

const releaseScript = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

/** Adds a step while the lease is held. Returns its id, or nothing. */
const publishScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
return redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[2], '*', 'step', ARGV[3])`;

/** Milliseconds: for how long a lease is given, and how often it is renewed and asked for. */
const term = 6_000;
const renewal = 1_000;
/** Milliseconds: for how long logs stay wanted, and how often that is repeated. */
const logsTerm = 60_000;
const logsRenewal = 20_000;
/** Milliseconds for which a successful poll is remembered. */
const polledTerm = 86_400_000;
/** Milliseconds without the store after which an instance follows alone: less than a lease. */
const aloneAfter = 3_000;
