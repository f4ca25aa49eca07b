import { withTimeout } from '../../async/with-timeout.js';
import { errorCode, isProviderRpcError } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';
import type { LogCriteria } from '../../rpc/schema.js';
import { copyOf } from '../errors/errors.js';
import type { Service } from '../service.js';
import { type Answer, createMemory, type Entry } from './cache-memory.js';
import { heightIn, type Place, placeOf, scopeOf, spanOf, unsettled } from './cache-rules.js';
import type { Head } from './head-view.js';

/**
 * A service that remembers (docs/notes/performance.md#where-requests-are-saved): what cannot change, and per head what changes with it,
 * reverts included.
 *
 * An answer is one that the service would have given at some moment from one polling interval before the request
 * on. A first read costs and takes what it does without memory. One that is repeated, and finds no fresh look at
 * the head, looks, once for everybody, where that is likely to save more than it costs.
 */
export interface Cache extends Service {
  usage(): Cache.Usage;
  /** The same memory, of which only what cannot change is used: for reads that are held against each other. */
  readonly lasting: Service;
}

export declare namespace Cache {
  interface Usage extends Service.Usage {
    /** Requests answered from memory, by method. */
    readonly cached: Readonly<Record<string, number>>;
  }
}

interface Question {
  readonly key: string;
  readonly method: string;
  readonly params: readonly unknown[];
  readonly options: Service.RequestOptions;
  readonly place: Place;
}

const latestBlock = JSON.stringify(['eth_getBlockByNumber', ['latest', false]]);

export function createCache(options: createCache.Options): Cache {
  const { service, head, capacity = 4_000_000, depth = 512, now = Date.now } = own(options);
  const memory = createMemory(capacity);
  const cached = new Map<string, number>();
  /** Repeated reads: since a moment that a look may still be of, and in the time before that. */
  let [since, repeats, before] = [0, 0, 0];
  let highest = -1;

  function holds({ scope, state, beganAt, error, result }: Entry): boolean {
    if (scope === 'always') return head.maxAge() > 0;
    const current = head.state();
    const age = now() - beganAt;
    if (age < 0 || (scope === 'branch' ? state.branch !== current.branch : state !== current)) return false;
    if (error && age < burst && beganAt >= head.sentAt()) return true;
    if (!head.isFresh()) return false;
    // A node that lags behind the one that was looked at may have answered: until all of them are expected to know
    // the block, an answer holds no longer than a look.
    const { since } = scope === 'head' ? state : state.branch;
    if (beganAt - since >= settled) return true;
    return age < (result === null ? soon : head.maxAge());
  }

  /** A chain that was set back far is another one: not even what lay deep is still true. */
  function heed(): void {
    const { height } = head.state();
    if (height < highest - depth) memory.clear();
    highest = height < highest - depth ? height : Math.max(highest, height);
  }

  function find({ key, method, params }: Question): (Answer & Partial<Entry>) | undefined {
    const asksNumber = method === 'eth_blockNumber';
    if ((asksNumber || key === latestBlock) && head.isFresh()) {
      const { block, number } = head.state();
      return asksNumber ? { result: number } : { json: block as string };
    }
    const entry = memory.get(key);
    if (entry && holds(entry)) return entry;
    return method === 'eth_getLogs' && head.isFresh() ? logsOf(params[0], entry) : undefined;
  }

  /** Logs that the blooms of the newest blocks say are none, or the same as before those came. */
  function logsOf(filter: unknown, entry: Entry | undefined): Answer | undefined {
    const current = head.state();
    const [from, to] = spanOf(filter, current.height) ?? [0, -1];
    const wanted = filter as LogCriteria;
    if (head.denies(wanted, from, to)) return { json: '[]' };
    if (entry?.scope !== 'head' || entry.state.branch !== current.branch) return undefined;
    const { height, since } = entry.state;
    const isSettled = entry.state.block !== undefined && entry.beganAt - since >= settled;
    // What the node said of the newest blocks may have been of another fork, or nothing yet.
    const sure = height - unsettled;
    if (!isSettled || !head.denies(wanted, Math.max(from, sure + 1), to)) return undefined;
    return heightIn(JSON.parse(entry.json ?? '[]')) > sure ? undefined : entry;
  }

  /** A look costs what a read costs: it pays where more than one read will live on it. */
  function lookPays(): boolean {
    const age = Math.abs(now() - since);
    const maxAge = head.maxAge();
    if (age >= maxAge) [since, repeats, before] = [now(), 0, age < 2 * maxAge ? repeats : 0];
    repeats += 1;
    return repeats > 1 || before > 1;
  }

  async function ask(question: Question, lasting: boolean): Promise<unknown> {
    const { key, method, params, place } = question;
    const state = head.state();
    const beganAt = now();
    const keep = (answer: Answer): void => {
      const known = memory.get(key);
      // Of many who shared one request, the first keeps. What is latest, the head knows.
      const isKept = known?.state === state && beganAt <= known.keptAt && known.keptAt <= now();
      if (key === latestBlock || isKept) return;
      const scope = scopeOf(method, place, answer.result, state, depth);
      if (scope && (scope === 'always' || !lasting))
        memory.put(key, { ...answer, scope, state, beganAt, keptAt: now() });
      else if (!lasting) memory.remove(key);
    };
    try {
      const result = await service.request(method, params, question.options);
      keep({ result });
      return result;
    } catch (error) {
      if (isProviderRpcError(error) && error.code === errorCode.executionReverted) keep({ error });
      throw error;
    }
  }

  async function answer(question: Question): Promise<unknown> {
    const { key, method, options } = question;
    const { signal } = own(options);
    let found = find(question);
    const asksHead = method === 'eth_blockNumber' || key === latestBlock;
    const isRepeated = memory.get(key) || (key === latestBlock && head.state().height >= 0);
    if (found?.scope !== 'always' && isRepeated) {
      const pays = lookPays() || asksHead;
      if (!found && pays && head.maxAge() > 0 && !head.isFresh()) {
        // Whoever was asked to look may be slow, frozen or behind others in a queue: a first read would not wait.
        await unlessAborted(withTimeout(patience, head.look), signal);
        found = find(question);
      }
    }
    return found ? tell(question, found) : ask(question, false);
  }

  function tell(question: Question, found: Answer): unknown {
    const { key, method, options } = question;
    const result: unknown = found.json === undefined ? found.result : JSON.parse(found.json);
    try {
      if (!found.error) options.check?.(result);
    } catch {
      // Another reader's rule: the service is to say it again.
      memory.remove(key);
      return ask(question, false);
    }
    cached.set(method, (cached.get(method) ?? 0) + 1);
    memory.used(key);
    if (found.error) throw copyOf(found.error);
    return result;
  }

  const remembering =
    (lasting: boolean): Service['request'] =>
    async (method, params, given) => {
      const options = own(given);
      const place = options.signal?.aborted ? undefined : placeOf(method, params);
      if (place === undefined) return service.request(method, params, options);
      heed();
      const question = { key: JSON.stringify([method, params]), method, params, options, place };
      if (!lasting) return answer(question);
      const entry = memory.get(question.key);
      return entry?.scope === 'always' && holds(entry) ? tell(question, entry) : ask(question, true);
    };

  const usage = () => ({ ...service.usage(), cached: Object.fromEntries(cached) });
  const all = { ...service, usage };
  return { ...all, request: remembering(false), lasting: { ...all, request: remembering(true) } };
}

/** Waits for what may fail: whoever waits then asks for itself. */
function unlessAborted(task: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      signal?.removeEventListener('abort', end);
      resolve();
    };
    signal?.addEventListener('abort', end);
    task.then(end, end);
  });
}

/** Milliseconds: viem's last repetition of a revert comes 1.05 s after the first answer, and takes its time. */
const burst = 1_500;
/** Milliseconds after which all nodes behind a balancer are expected to know a block. */
const settled = 10_000;
/** Milliseconds that what nobody knew yet holds until then. */
const soon = 3_000;
/** Milliseconds that a read waits for a look. */
const patience = 1_000;

export declare namespace createCache {
  interface Options {
    /** What goes through it is seen by `head`. */
    readonly service: Service;
    readonly head: Head;
    /** Characters, about bytes. */
    readonly capacity?: number | undefined;
    /** Blocks below the head from which on nothing is replaced: more than the deepest reorganisation there may be. */
    readonly depth?: number | undefined;
    /** Milliseconds since 1970. */
    readonly now?: (() => number) | undefined;
  }
}
