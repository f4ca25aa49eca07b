/** One JSON-RPC call that reached the service. The key it came with is not kept. */
export interface LoggedCall {
  readonly method: string;
  readonly params: unknown;
  /** Milliseconds since 1970, by the service's clock. */
  readonly at: number;
  /** The HTTP status it was answered with; 0 while unanswered, or when the reply was dropped. */
  httpStatus: number;
}

/** What was asked, in order of arrival; a batch counts as its calls, and as one HTTP request. */
export interface RequestLog extends ReadonlyArray<LoggedCall> {
  count(method?: string): number;
  /** HTTP requests with a valid key, whatever was in them. Preflights are not counted. */
  readonly http: number;
  clear(): void;
}

export interface Recorder {
  readonly log: RequestLog;
  /** Notes an HTTP request and its calls; the returned function notes their status. */
  record(calls: readonly { method: string; params: unknown }[]): (httpStatus: number) => void;
}

export function createRecorder(now: () => number): Recorder {
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
    record: (made) => {
      http += 1;
      const noted = made.map(
        ({ method, params }): LoggedCall => ({ method, params, at: now(), httpStatus: 0 }),
      );
      calls.push(...noted);
      return (httpStatus) => {
        for (const call of noted) call.httpStatus = httpStatus;
      };
    },
  };
}
