import { MessageChannel, Worker } from 'node:worker_threads';
import type { createLockDesk } from './locks.js';

/** The options of a tab. */
export interface TabSettings {
  readonly url: string;
  /** Where new heads are pushed. */
  readonly push?: string | undefined;
  readonly chainId: number;
  /** Milliseconds between its polls of the head. */
  readonly interval: number;
  readonly seed: number;
}

export type ToTab =
  | {
      readonly kind: 'request';
      readonly id: number;
      readonly method: string;
      readonly params: readonly unknown[];
    }
  /** At random times, `mean` milliseconds apart; once more and never again where that is 0. */
  | { readonly kind: 'poll'; readonly id: number; readonly filter: string; readonly mean: number }
  /** Reloads the page over its storage. */
  | { readonly kind: 'reload'; readonly id: number }
  /** `told`: the page hears of it when it is over, as most browsers tell it. */
  | { readonly kind: 'freeze'; readonly milliseconds: number; readonly told: boolean }
  | { readonly kind: 'show'; readonly visible: boolean }
  | { readonly kind: 'close' };

export type FromTab =
  | { readonly kind: 'open' }
  | { readonly kind: 'thawed' }
  | { readonly kind: 'event'; readonly source: string; readonly events: readonly unknown[] }
  | { readonly kind: 'unpolled'; readonly source: string; readonly code: number; readonly text: string }
  | { readonly kind: 'reply'; readonly id: number; readonly result?: unknown; readonly error?: string };

export interface Tab {
  request(method: string, ...params: readonly unknown[]): Promise<unknown>;
  startPolling(filter: string, mean: number): void;
  /** Polls once more; nobody polls it afterwards. */
  lastPoll(filter: string): Promise<void>;
  /** Of what the page was told before nothing comes after this resolves. */
  reload(): Promise<void>;
  freeze(milliseconds: number, told: boolean): void;
  show(visible: boolean): void;
  /** Neither frozen nor hidden: it should keep up. */
  awake(): boolean;
  /** As a person closes it: the wallet ends first. */
  close(): Promise<void>;
  /** As a crash ends it. */
  kill(): Promise<void>;
}

export declare namespace openTab {
  interface Options extends TabSettings {
    /** The path of its code. */
    readonly code: string;
    readonly locks: ReturnType<typeof createLockDesk>;
    readonly onEvent: (source: string, event: unknown) => void;
    readonly onUnpolled: (source: string, code: number, text: string) => void;
    readonly onCrash: (error: Error) => void;
  }
}

export async function openTab(options: openTab.Options): Promise<Tab> {
  const { code, locks, onEvent, onUnpolled, onCrash, ...settings } = options;
  const { port1, port2 } = new MessageChannel();
  locks.serve(port1);
  port1.unref();
  const worker = new Worker(code, {
    workerData: { ...settings, locks: port2 },
    transferList: [port2],
  });
  const replies = new Map<number, (word: FromTab & { kind: 'reply' }) => void>();
  let last = 0;
  let frozen = 0;
  let visible = true;
  const say = (word: ToTab) => worker.postMessage(word);
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      locks.forget(port1);
      port1.close();
      resolve();
    });
  });
  worker.on('error', onCrash);

  const opened = new Promise<void>((resolve, reject) => {
    worker.once('error', reject);
    worker.on('message', (word: FromTab) => {
      if (word.kind === 'open') resolve();
      else if (word.kind === 'thawed') frozen -= 1;
      else if (word.kind === 'event') for (const event of word.events) onEvent(word.source, event);
      else if (word.kind === 'unpolled') onUnpolled(word.source, word.code, word.text);
      else {
        replies.get(word.id)?.(word);
        replies.delete(word.id);
      }
    });
  });
  await opened;

  function replyTo(make: (id: number) => ToTab): Promise<unknown> {
    last += 1;
    const id = last;
    return new Promise((resolve, reject) => {
      replies.set(id, ({ result, error }) => {
        if (error === undefined) resolve(result);
        else reject(new Error(error));
      });
      say(make(id));
    });
  }

  return {
    request: (method, ...params) => replyTo((id) => ({ kind: 'request', id, method, params })),
    startPolling: (filter, mean) => say({ kind: 'poll', id: 0, filter, mean }),
    lastPoll: async (filter) => {
      await replyTo((id) => ({ kind: 'poll', id, filter, mean: 0 }));
    },
    reload: async () => {
      await replyTo((id) => ({ kind: 'reload', id }));
    },
    freeze(milliseconds, told) {
      frozen += 1;
      say({ kind: 'freeze', milliseconds, told });
    },
    show(now) {
      visible = now;
      say({ kind: 'show', visible });
    },
    awake: () => frozen === 0 && visible,
    close() {
      say({ kind: 'close' });
      return ended;
    },
    async kill() {
      await worker.terminate();
      await ended;
    },
  };
}
