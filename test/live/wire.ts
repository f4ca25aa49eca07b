/** The service without the wallet; its answers in a word or two that can be compared. */
export interface Wire {
  /** One request. Never rejects: no answer is an answer too. */
  ask(method: string, ...params: unknown[]): Promise<Reply>;
  /** Any body. */
  post(body: string): Promise<Reply>;
}

export interface Reply {
  /** HTTP status; 0 where there was no answer. */
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a service may answer anything
  readonly json: any;
}

export function createWire(url: string, fetch: typeof globalThis.fetch): Wire {
  let id = 0;

  async function post(body: string): Promise<Reply> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(15_000),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, json: parse(text) };
    } catch {
      // The platform's words hold the address, and that the key.
      return { status: 0, headers: new Headers(), text: '', json: undefined };
    }
  }

  return {
    post,
    ask: (method, ...params) => post(JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An error as `error -32602`, with `, HTTP 400` where the status is not 200; `null` for a result. */
export function refusal({ status, json }: Reply): string | null {
  if (status === 0) return 'no answer';
  if (json === undefined) return `HTTP ${status} without JSON`;
  if (json?.error) return `error ${json.error.code}${status === 200 ? '' : `, HTTP ${status}`}`;
  return json !== null && typeof json === 'object' && 'result' in json ? null : 'neither result nor error';
}

/** Whether `reply` has a result, in a word, or the error. */
export const outcome = (reply: Reply): string =>
  refusal(reply) ?? (reply.json.result === null ? 'null' : 'a result');
