import type { RequestFunction } from './eip1193.js';

/** At most one subscription (`eth_subscribe`) at a time: starting a new one ends the previous one. */
export interface Feed {
  start(request: RequestFunction, params: readonly unknown[]): Promise<void>;
  stop(): void;
  /** Whether a subscription id is the current one. */
  is(subscription: string): boolean;
}

export function createFeed(): Feed {
  let id = '';
  let generation = 0;
  let end = () => {};

  const stop = () => {
    generation += 1;
    id = '';
    end();
    end = () => {};
  };

  return {
    async start(request, params) {
      stop();
      const started = generation;
      const given = (await request('eth_subscribe', params)) as string;
      const unsubscribe = () => void request('eth_unsubscribe', [given]).catch(() => undefined);
      // It was stopped or restarted before the wallet replied.
      if (generation !== started) return unsubscribe();
      id = given;
      end = unsubscribe;
    },
    stop,
    is: (subscription) => id !== '' && id === subscription,
  };
}
