import type { Endpoint, Endpoints } from './endpoints.js';

/** The first try of a read, which the caller sends. */
export interface FirstTry<Answer> extends Try {
  /** Takes the caller's answer; resolves with the first answer of all tries. */
  race(answer: Promise<Answer>): Promise<Answer>;
}

/** One of the tries of a read. It has its own repetitions after failures. */
export interface Try {
  /** Aborts when another try was answered, or the request was aborted. */
  readonly signal: AbortSignal;
  readonly tried: Map<Endpoint, Tries>;
  /** Must be called when the request is sent. */
  sent(): void;
  /** Whether a newer one was sent, which makes all further repetitions. */
  isOvertaken(): boolean;
  /** Whether no other one is under way: then its failure is that of the read. */
  isAlone(): boolean;
  /** Must be called before it rejects with an error that is the service's answer. */
  answered(): void;
  /** Must be called when the endpoint has not answered for a while. */
  silent(endpoint: Endpoint): void;
}

/** The attempts of a request at an endpoint. */
export type Tries = Endpoints.Tried extends ReadonlyMap<Endpoint, infer Value> ? Value : never;

export declare namespace createFurtherTries {
  interface Options {
    readonly now: () => number;
    /** Milliseconds after a further try without an answer, in which no other one is sent. */
    readonly pause: number;
  }
}

/**
 * Repeats a read beside the one that has had no answer for a while: a connection that was accepted may never be answered,
 * and a second one may be at once. The first answer counts, whichever try it is of, and ends the others
 * (docs/notes/security.md#faults-of-the-service).
 *
 * A service that hangs, or is slow, must not get every request twice. So of all reads together one further try is in
 * flight, another one after each `pause`, and after each answer to one twice as many.
 */
export function createFurtherTries({ now, pause }: createFurtherTries.Options) {
  const waiting = new Set<() => void>();
  let [window, flying, sentAt] = [1, 0, 0];
  /** Increases when tries count as lost. */
  let turn = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function next(): void {
    clearTimeout(timer);
    for (const send of waiting) {
      if (flying >= window) {
        const wait = sentAt + pause - now();
        if (wait > 0) {
          timer = setTimeout(next, Math.ceil(wait));
          return;
        }
        [window, flying] = [1, 0];
        turn++;
      }
      waiting.delete(send);
      flying++;
      sentAt = now();
      send();
    }
    if (flying === 0) window = 1;
  }

  function ended(sentIn: number, isAnswered: boolean): void {
    if (sentIn === turn) flying--;
    if (isAnswered) window *= 2;
    next();
  }

  /** @param send sends it again */
  return <Answer>(send: (next: Try) => Promise<Answer>, signal?: AbortSignal): FirstTry<Answer> => {
    const over = new AbortController();
    let [open, newest, asked, isAnswered] = [1, 0, 0, false];
    let sendNext = () => {};
    let settle: { resolve(answer: Answer): void; reject(error: unknown): void };
    const first = new Promise<Answer>((resolve, reject) => {
      settle = { resolve, reject };
    });

    function end(): void {
      over.abort();
      signal?.removeEventListener('abort', end);
      if (waiting.delete(sendNext)) next();
    }

    const tryOf = (number: number, tried: Map<Endpoint, Tries>): Try => ({
      signal: over.signal,
      tried,
      sent() {
        newest = Math.max(newest, number);
      },
      isOvertaken: () => newest > number,
      isAlone: () => open === 1,
      answered() {
        isAnswered = true;
      },
      silent(endpoint) {
        if (asked > number) return;
        asked++;
        sendNext = () => {
          const times = (tried.get(endpoint)?.times ?? 0) + 1;
          open++;
          follow(send(tryOf(number + 1, new Map(tried).set(endpoint, { times, from: now() }))), number + 1);
        };
        waiting.add(sendNext);
        next();
      },
    });

    /** Takes the answer of a try, unless another one has come before. */
    function follow(answer: Promise<Answer>, number: number): void {
      const sentIn = turn;
      answer.then(
        (result) => {
          end();
          if (number > 0) ended(sentIn, true);
          settle.resolve(result);
        },
        (error) => {
          open--;
          if (number > 0) ended(sentIn, isAnswered && !over.signal.aborted);
          if (open > 0 && !isAnswered) return;
          end();
          settle.reject(error);
        },
      );
    }

    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
    return {
      ...tryOf(0, new Map()),
      race(answer: Promise<Answer>) {
        follow(answer, 0);
        return first;
      },
    };
  };
}
