/** A JSON-RPC call that the service received. The API key is not recorded. */
export interface LoggedCall {
  /** The name of the method. */
  readonly method: string;
  /** As received. */
  readonly params: unknown;
  /** Milliseconds since 1970, by the service's clock. */
  readonly at: number;
  /** The HTTP status of the reply; 0 before the reply, and when the reply was dropped. */
  httpStatus: number;
}

/**
 * The received calls in order of arrival. A batch adds each of its calls.
 *
 * @example
 * service.requests.clear();
 * await wallet.provider.request({ method: 'eth_blockNumber' });
 * console.log(service.requests.count('eth_blockNumber'), service.requests.http);
 */
export interface RequestLog extends ReadonlyArray<LoggedCall> {
  /** The number of calls, of one method or of all. */
  count(method?: string): number;
  /** The number of HTTP requests with a valid API key, without preflights. */
  readonly http: number;
  /** Empties the log. */
  clear(): void;
}

export type Recorder = ReturnType<typeof createRecorder>;

export function createRecorder(now: () => number) {
  const calls: LoggedCall[] = [];
  let http = 0;
  const log = Object.defineProperty(
    Object.assign(calls, {
      count: (method?: string) =>
        method === undefined ? calls.length : calls.filter((call) => call.method === method).length,
      clear: () => {
        calls.length = 0;
        http = 0;
      },
    }),
    'http',
    { get: () => http, enumerable: false },
  ) as unknown as RequestLog;
  return {
    log,
    /** Records an HTTP request and its calls. The returned function records the status of the reply. */
    record(received: readonly Pick<LoggedCall, 'method' | 'params'>[]) {
      http += 1;
      const recorded = received.map(
        ({ method, params }): LoggedCall => ({ method, params, at: now(), httpStatus: 0 }),
      );
      calls.push(...recorded);
      return (httpStatus: number): void => {
        for (const call of recorded) call.httpStatus = httpStatus;
      };
    },
  };
}
