/** A `fetch` that counts its requests and sends no more than its limit. */
export interface Counting {
  readonly fetch: typeof globalThis.fetch;
  /** Whether a request was not sent because of the limit: what failed since says nothing about the service. */
  isSpent(): boolean;
  count(): number;
  /** How many more requests it will send. */
  left(): number;
}

export function createCounting(limit: number, fetch = globalThis.fetch): Counting {
  let sent = 0;
  let isSpent = false;
  return {
    isSpent: () => isSpent,
    fetch(input, init) {
      if (sent >= limit) {
        isSpent = true;
        return Promise.reject(new Error(`All ${limit} requests have been sent.`));
      }
      sent++;
      return fetch(input, init);
    },
    count: () => sent,
    left: () => limit - sent,
  };
}
