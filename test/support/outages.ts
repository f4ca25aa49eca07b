import { vi } from 'vitest';

/** Answers that services give while they are out of order; `hang` gives none. */
export const outageForms = {
  'HTTP 503': () => new Response('', { status: 503 }),
  'HTTP 502 with HTML': () => new Response('<html>Bad Gateway</html>', { status: 502 }),
  'HTML with HTTP 200': () => new Response('<html>We will be back soon</html>'),
  'no body': () => new Response(''),
  'a cut body': () => new Response('{"jsonrpc":"2.0","id":1,"res'),
  '{}': () => new Response('{}'),
  null: () => new Response('null'),
  '[]': () => new Response('[]'),
  'a dropped connection': () => {
    throw new TypeError('fetch failed');
  },
  'please retry': (id: number) =>
    Response.json({
      jsonrpc: '2.0',
      id,
      error: { code: 19, message: 'Temporary internal error. Please retry' },
    }),
  'HTTP 500 with an error': (id: number) =>
    Response.json(
      { jsonrpc: '2.0', id, error: { code: -32603, message: 'Internal error' } },
      { status: 500 },
    ),
  hang: () => new Promise<Response>(() => {}),
} satisfies Record<string, (id: number) => Response | Promise<Response>>;

export type OutageForm = keyof typeof outageForms;

export interface Outage {
  readonly form: OutageForm;
  /** Milliseconds since the service was made. */
  readonly from: number;
  readonly to: number;
}

export interface SimulatedRequest {
  readonly at: number;
  readonly endpoint: number;
  readonly method: string;
  readonly params: readonly unknown[];
  readonly ok: boolean;
}

export declare namespace createOutages {
  interface Options {
    /** By endpoint. */
    readonly outages: readonly (readonly Outage[])[];
    /** Milliseconds from a request to its answer. */
    readonly latency?: () => number;
    /** Requests that an endpoint answers in a second; more get HTTP 429. */
    readonly perSecond?: number;
    /** Seconds, of the header of HTTP 429. */
    readonly retryAfter?: number;
    /** Makes a 429 of another form. */
    readonly limited?: (id: number) => Response;
  }
}

/**
 * Simulated endpoints for fake timers: `fetch` answers a request with the hexadecimal number of its first param, and with
 * the form of an outage while one lasts. A send that an endpoint answers is accepted.
 */
export function createOutages({ outages, latency = () => 20, ...limits }: createOutages.Options) {
  const started = performance.now();
  const requests: SimulatedRequest[] = [];
  const urls = outages.map((_, at) => `http://127.0.0.1:${at + 1}/`);
  const fetch = async (url: unknown, init?: RequestInit): Promise<Response> => {
    const endpoint = urls.indexOf(`${url}`);
    const { id, method, params } = JSON.parse(init?.body as string);
    const at = performance.now() - started;
    const outage = outages[endpoint]?.find(({ from, to }) => from <= at && at < to);
    const recent = requests.filter((each) => each.ok && each.endpoint === endpoint && each.at > at - 1_000);
    const isLimited = recent.length >= (limits.perSecond ?? Number.POSITIVE_INFINITY);
    requests.push({ at, endpoint, method, params, ok: !outage && !isLimited });
    if (outage?.form === 'hang') return outageForms.hang();
    await new Promise((resolve) => setTimeout(resolve, latency()));
    if (outage) return outageForms[outage.form](id);
    if (isLimited) {
      const headers = limits.retryAfter === undefined ? {} : { 'retry-after': `${limits.retryAfter}` };
      return limits.limited?.(id) ?? new Response('', { status: 429, headers });
    }
    const result = method === 'eth_chainId' ? '0x1f' : (params[0] ?? '0x10');
    return Response.json({ jsonrpc: '2.0', id, result });
  };
  return {
    urls,
    requests,
    fetch: fetch as typeof globalThis.fetch,
    /** Milliseconds since the service was made. */
    now: () => performance.now() - started,
  };
}

/** Runs fake timers until `work` has settled, at most for `most` milliseconds. Returns the milliseconds it took. */
export async function timeOf(work: Promise<unknown>, most = 60_000): Promise<number> {
  const started = performance.now();
  let settled = false;
  let ended = started;
  work.then(
    () => {
      settled = true;
      ended = performance.now();
    },
    () => {
      settled = true;
      ended = performance.now();
    },
  );
  // Work that needs no timer ends before the clock moves, on a busy machine too.
  for (let turn = 0; turn < 50 && !settled; turn++) await vi.advanceTimersByTimeAsync(0);
  while (!settled && vi.getTimerCount() > 0 && performance.now() - started < most)
    await vi.advanceTimersToNextTimerAsync();
  return ended - started;
}
