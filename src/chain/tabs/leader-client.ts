import type { Clock } from '../../async/clock.js';
import { own } from '../../rpc/own.js';
import { diagnose } from '../../service/errors/errors.js';
import type { Answer, Message } from './protocol.js';
import type { Question } from './shareable-requests.js';

/** What this tab has asked the leader and not heard yet. */
export interface Asking {
  /** Rejects when the asker's signal aborts, or with what {@link Asking.giveUp} was given. */
  ask(question: Question, asker: Asking.Asker): Promise<Answer>;
  /** What another tab said, as far as it is about what was asked here. */
  hear(message: Message): void;
  /** This tab answers from now on. */
  take(answer: (question: Question, asker: Asking.Asker) => Promise<Answer>): void;
  giveUp(reason: unknown): void;
  /** Questions that are open. */
  readonly open: number;
}

export declare namespace Asking {
  interface Asker {
    readonly seen?: string | undefined;
    /** Milliseconds. */
    readonly maxAge?: number | undefined;
    readonly signal?: AbortSignal | undefined;
  }
}

interface Waiting {
  readonly question: Question;
  readonly asker: Asking.Asker;
  /** When it was asked first. */
  readonly since: number;
  /** Rounds in a row in which the leader was not heard. */
  silences: number;
  timer: unknown;
  settle(answer: Answer | Promise<Answer>): void;
}

/**
 * A question is said again until it is answered, and the leader says each time that it heard. After two silences
 * in a row, about a second, it is held for frozen; one alone may be this tab's own sleep. One that hears for
 * longer than the service may take is held for broken.
 */
export function createAsking(options: createAsking.Options): Asking {
  const { tab, post, onSilence, clock, random } = options;
  const waiting = new Map<string, Waiting>();
  let count = 0;

  function say(id: string, each: Waiting): void {
    clock.clearTimeout(each.timer);
    const { question, asker } = each;
    const { seen, maxAge } = asker;
    post({
      ...{ kind: 'ask', id, from: tab, at: clock.now(), method: question.method, params: question.params },
      ...(seen !== undefined && { seen }),
      ...(maxAge !== undefined && { maxAge }),
    });
    // Not all at the same moment: the first that takes the lead spares the others.
    const pause = silence * (1 + random() / 4);
    each.timer = clock.setTimeout(() => {
      each.silences += 1;
      if (each.silences > 1 || clock.now() - each.since > patience) {
        each.silences = 0;
        onSilence();
      }
      say(id, each);
    }, pause);
  }

  function remove(id: string): Waiting | undefined {
    const each = waiting.get(id);
    waiting.delete(id);
    clock.clearTimeout(each?.timer);
    return each;
  }

  const removeAll = () => [...waiting.keys()].map((id) => remove(id) as Waiting);

  return {
    ask(question, asker) {
      const { signal } = asker;
      const id = `${tab}.${++count}`;
      return new Promise<Answer>((resolve) => {
        const settle = (answer: Answer | Promise<Answer>) => {
          signal?.removeEventListener('abort', leave);
          resolve(answer);
        };
        const leave = () =>
          remove(id)?.settle(
            Promise.reject(diagnose({ method: question.method, trouble: 'aborted' }, String).error),
          );
        signal?.addEventListener('abort', leave);
        const each: Waiting = { question, asker, since: clock.now(), silences: 0, timer: undefined, settle };
        waiting.set(id, each);
        say(id, each);
      });
    },
    hear(message) {
      if (message.kind === 'lead') {
        for (const [id, each] of waiting) {
          each.silences = 0;
          say(id, each);
        }
        return;
      }
      if (message.kind === 'heard') {
        const each = waiting.get(message.id);
        // The round that ends next is none.
        if (each) each.silences = -1;
      }
      if (message.kind === 'reply') {
        const { kind: _, id, ...answer } = message;
        remove(id)?.settle(own(answer));
      }
    },
    take(answer) {
      for (const { question, asker, settle } of removeAll()) settle(answer(question, asker));
    },
    giveUp(reason) {
      for (const { settle } of removeAll()) settle(Promise.reject(reason));
    },
    get open() {
      return waiting.size;
    },
  };
}

/** Milliseconds. */
const silence = 500;
/** Milliseconds; a request to the service ends within 10 s. */
const patience = 11_000;

export declare namespace createAsking {
  interface Options {
    /** This tab's name. */
    readonly tab: string;
    readonly post: (message: Message) => void;
    /** Nobody leads, or who leads does not answer. */
    readonly onSilence: () => void;
    readonly clock: Clock;
    /** 0 to 1. */
    readonly random: () => number;
  }
}
