import type { Clock } from '../../async/clock.js';
import { own } from '../../rpc/own.js';
import { checkBlock, isLogs } from '../../rpc/results.js';
import type { Block } from '../../rpc/schema.js';
import { type InFlightRequest, join, type Waiter } from '../../service/in-flight.js';
import type { Service } from '../../service/service.js';
import { createPoolFilters } from '../pool-filters.js';
import { type Answer, toFailure } from './protocol.js';
import { isFilterId, latest, poolFilter, type Question } from './shareable-requests.js';

/**
 * The leader's answers to all tabs, its own among them: what lasts is asked for once, and each look at what
 * changes serves every tab that has not seen it and does not want it newer.
 */
export interface Answers {
  /** Rejects only when `signal` aborts: a failure of the service is an answer, and shared like one. */
  get(question: Question, asker: Answers.Asker): Promise<Answer>;
  /** What this tab knew as a leader is not true for ever. */
  clear(): void;
}

export declare namespace Answers {
  interface Asker {
    readonly tab: string;
    /** Nobody gets the same look twice: who asks again wants something newer. */
    readonly seen?: string | undefined;
    /** Milliseconds. */
    readonly maxAge?: number | undefined;
    readonly signal?: AbortSignal | undefined;
  }
}

interface Entry extends InFlightRequest {
  readonly question: Question;
  /** When it was asked. */
  readonly at: number;
  readonly look?: string;
  answer?: Answer;
}

export function createAnswers(options: createAnswers.Options): Answers {
  const { send, clock, onHead, newId, capacity = 4_000_000 } = own(options);
  /** By the question's key, the oldest first. */
  const entries = new Map<string, Entry>();
  /** Characters of the answers that last. */
  let size = 0;
  let head: string | undefined;
  const poolFilters = createPoolFilters({
    clock,
    onGone() {
      const installed = entries.get(poolFilter.key);
      if (installed) forget(installed);
    },
  });

  const sizeOf = ({ question, answer }: Entry) =>
    question.kind === 'lasting' ? (answer?.result?.length ?? 0) : 0;

  function forget(entry: Entry): void {
    const { key } = entry.question;
    if (entries.get(key) !== entry) return;
    entries.delete(key);
    size -= sizeOf(entry);
  }

  function usable({ question, at, look }: Entry, { seen, maxAge = question.maxAge }: Answers.Asker): boolean {
    if (question.kind !== 'look') return true;
    const age = clock.now() - at;
    return look !== seen && age >= 0 && age <= maxAge;
  }

  function begin(question: Question): Entry {
    const { key, kind, method, params } = question;
    if (key === latest.key) for (const each of [...entries.values()]) if (isAtHeight(each)) forget(each);
    const connection = new AbortController();
    const entry = own<Entry>({
      question,
      at: clock.now(),
      ...(kind === 'look' && { look: newId() }),
      waiters: new Set<Waiter>(),
      stop() {
        forget(entry);
        connection.abort();
      },
    });
    entries.set(key, entry);
    const check = (result: unknown) => checkAnswer(question, result);
    void read(send(method, params, { signal: connection.signal, check })).then((answer) => {
      entry.answer = own({ ...answer, ...(entry.look !== undefined && { look: entry.look, at: entry.at }) });
      keep(entry);
      for (const { resolve } of entry.waiters) resolve(entry.answer);
    });
    return entry;

    async function read(reply: Promise<unknown>): Promise<Answer> {
      try {
        const result = poolFilters.gather(question, await reply);
        if (!lasts(question, result)) forget(entry);
        if (key === latest.key) announce(result, entry.look as string);
        return own({ result: JSON.stringify(result ?? null) });
      } catch (error) {
        if (kind !== 'look') forget(entry);
        poolFilters.fail(question, error);
        return own({ failure: toFailure(error) });
      }
    }
  }

  /** Counts what lasts, and drops the oldest of it beyond the capacity. */
  function keep(entry: Entry): void {
    if (entries.get(entry.question.key) !== entry) return;
    size += sizeOf(entry);
    for (const each of [...entries.values()]) {
      if (size <= capacity) return;
      if (sizeOf(each) > 0) forget(each);
    }
  }

  function announce(result: unknown, look: string): void {
    const { hash } = own((result ?? {}) as { hash?: unknown });
    if (typeof hash !== 'string' || hash === head) return;
    head = hash;
    onHead(look);
  }

  return {
    async get(question, asker) {
      if (question.kind === 'end' && !poolFilters.leave(question, asker.tab)) return own({ result: 'true' });
      poolFilters.use(question, asker.tab);
      const known = entries.get(question.key);
      const entry = known && usable(known, asker) ? known : begin(question);
      return entry.answer ?? ((await join(entry, question.method, asker.signal)) as Answer);
    },
    clear() {
      entries.clear();
      poolFilters.clear();
      size = 0;
      head = undefined;
    },
  };
}

const isAtHeight = ({ question }: Entry) => question.kind === 'height';

/**
 * Whether to remember it. By hash: what is the block that was asked for, or its logs; the empty list is also what
 * a node answers that does not know the block (docs/notes/node.md#unknown-blocks-have-no-logs).
 */
function lasts({ method, params, kind }: Question, result: unknown): boolean {
  if (kind === 'end') return false;
  if (method === 'eth_getBlockByHash') return result !== null;
  if (method === poolFilter.method) return isFilterId(result);
  if (method !== 'eth_getLogs' && method !== 'eth_getBlockReceipts') return true;
  const { blockHash = params[0] } = Object(params[0]) as { blockHash?: unknown };
  return Array.isArray(result) && result.length > 0 && result.every((log) => log?.blockHash === blockHash);
}

/** Checks the answer before other tabs get it, so that another endpoint is asked for a bad one. */
function checkAnswer({ method, params: [first] }: Question, result: unknown): void {
  if (method.startsWith('eth_getBlock')) checkBlock(result);
  if (method === 'eth_getBlockByHash' && result !== null && (result as Block).hash?.toLowerCase() !== first)
    throw new Error('not the block that was asked for');
  if (method === 'eth_getLogs') isLogs(result, undefined);
}

export declare namespace createAnswers {
  interface Options {
    readonly send: Service['request'];
    readonly clock: Clock;
    /** Called when a look has brought another head than the one before. */
    readonly onHead: (look: string) => void;
    /** Of a look: no other tab gives the same. */
    readonly newId: () => string;
    /** Characters of lasting answers that are remembered; 4 million by default. */
    readonly capacity?: number | undefined;
  }
}
