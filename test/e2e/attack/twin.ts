import type { Spoilt } from './replies.js';

/** `fetch` without a network: what a host answers is decided here, in this process. */
export interface Twin {
  /** From now on this host answers so; `null` is told of as a refused connection. */
  host(name: string, answer: Answer): () => void;
  end(): void;
}

export type Answer = (call: { readonly method: string; readonly params: readonly unknown[] }) => Spoilt;

/** Milliseconds that a slow reply takes; the wallet waits 10 seconds for all of one request. */
const slow = 9_000;

export function beginTwin(): Twin {
  const real = globalThis.fetch;
  const hosts = new Map<string, Answer>();

  globalThis.fetch = (input, init) => {
    const url = String(input);
    const host = hosts.get(new URL(url).host);
    // As the platform's: its error names the address, which holds the key.
    const refused = () => new TypeError(`fetch failed: ${url}`, { cause: new Error(`connect ${url}`) });
    if (!host) return Promise.reject(refused());
    const { method, params, id } = JSON.parse(String(init?.body));
    const { body, status, headers, accident } = host({ method, params });
    if (accident === 'throws') throw refused();
    if (accident === 'refused') return Promise.reject(refused());
    const { signal } = init ?? {};
    const aborted = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(refused()), { once: true });
    });
    aborted.catch(() => {});
    if (accident === 'silent') return aborted;
    const text = typeof body === 'string' ? body.replaceAll('$ID', String(id)) : body;
    const respond = () =>
      accident === 'breaks'
        ? new Response(breaking(text, refused()), { status: 200, headers })
        : new Response([204, 205, 304].includes(status) ? null : text, { status, headers });
    if (accident !== 'slow') return Promise.resolve(respond());
    const later = new Promise<Response>((resolve) => setTimeout(() => resolve(respond()), slow));
    return Promise.race([later, aborted]);
  };

  return {
    host(name, answer) {
      hosts.set(name, answer);
      return () => hosts.delete(name);
    },
    end() {
      globalThis.fetch = real;
    },
  };
}

/** Half of the body, then an error. */
function breaking(body: string | Uint8Array<ArrayBuffer>, error: Error): ReadableStream<Uint8Array> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  let pulled = 0;
  return new ReadableStream({
    pull(controller) {
      if (pulled++ > 0) controller.error(error);
      else controller.enqueue(bytes.slice(0, Math.max(1, bytes.length / 2)));
    },
  });
}
