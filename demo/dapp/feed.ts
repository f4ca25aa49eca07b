import type { Ask } from './eip1193.js';

/** One subscription (`eth_subscribe`) at a time: a new one takes the place of the old. */
export interface Feed {
  start(ask: Ask, params: readonly unknown[]): Promise<void>;
  stop(): void;
  is(subscription: string): boolean;
}

export function createFeed(): Feed {
  let id = '';
  let turn = 0;
  let end = () => {};

  const stop = () => {
    turn += 1;
    id = '';
    end();
    end = () => {};
  };

  return {
    async start(ask, params) {
      stop();
      const mine = turn;
      const given = (await ask('eth_subscribe', params)) as string;
      const unsubscribe = () => void ask('eth_unsubscribe', [given]).catch(() => undefined);
      // Stopped or started anew while the wallet was thinking.
      if (turn !== mine) return unsubscribe();
      id = given;
      end = unsubscribe;
    },
    stop,
    is: (subscription) => id !== '' && id === subscription,
  };
}
