import { ChainObject } from './chain-object.js';
import { namespaceOf, optionsOf, type WorkerEnvironment } from './options/worker-environment.js';

/**
 * `graft-relay/worker`: the relay on Cloudflare Workers. Each chain has one Durable Object, which follows the chain for
 * all clients. It polls by alarm, and sleeps between two polls where these are more than some ten seconds apart: connections stay
 * open, and no block is missed. Without subscribers it sets no alarm and sends no request.
 *
 * @example
 * // index.js of a Worker whose configuration binds the namespace CHAIN to the class Chain
 * export { Chain, worker as default } from 'graft-relay/worker';
 */
export const worker: RelayWorker = {
  async fetch(request, env) {
    let chainIds: readonly number[];
    try {
      chainIds = (await optionsOf(env)).networks.map(({ chainId }) => chainId);
    } catch (error) {
      // biome-ignore lint/suspicious/noConsole: a Worker's log; the message names the option that is wrong, never a value
      console.error(error instanceof Error ? error.message : 'The configuration is wrong.');
      return failure(503, -32002, 'The relay is not configured.');
    }
    const objects = namespaceOf(env);
    const fetchFrom = (chainId: number, forwarded: Request) =>
      objects.get(objects.idFromName(String(chainId))).fetch(forwarded);
    const url = new URL(request.url);
    const [, first = '', rest] = /^\/([^/]*)(?:\/(.*))?$/.exec(url.pathname) ?? [];
    if (url.pathname === '/health' && chainIds.length > 1) return healthOf(chainIds, request, fetchFrom);
    const named = chainIds.find((chainId) => String(chainId) === first);
    const ofFirst = rest === undefined && ['', 'health', 'metrics', 'status'].includes(first);
    const chainId = ofFirst ? chainIds[0] : named;
    if (chainId === undefined) return failure(404, -32600, 'This relay has no such path or chain.');
    // Each object counts for itself: `/31/metrics` is `/metrics` there.
    if (rest === 'metrics' || rest === 'status')
      return fetchFrom(chainId, new Request(new URL(`/${rest}`, url), request));
    return fetchFrom(chainId, request);
  },
};

/** The default export of a Worker. */
export interface RelayWorker {
  /**
   * Forwards a request to the object of its chain, and answers requests without a chain.
   *
   * @example
   * export default {
   *   fetch: (request: Request, env: WorkerEnvironment) => worker.fetch(request, env),
   * };
   */
  fetch(request: Request, env: WorkerEnvironment): Promise<Response>;
}

/**
 * The class of the Durable Objects, one for each chain. The runtime creates them.
 *
 * @example
 * // of wrangler.jsonc
 * // "durable_objects": { "bindings": [{ "name": "CHAIN", "class_name": "Chain" }] },
 * // "migrations": [{ "tag": "v1", "new_sqlite_classes": ["Chain"] }]
 * export { Chain, worker as default } from 'graft-relay/worker';
 */
export const Chain: new (...given: never[]) => object = ChainObject;

export type { WorkerEnvironment };

/** As the relay of several chains answers `/health`. */
async function healthOf(
  chainIds: readonly number[],
  request: Request,
  fetchFrom: (chainId: number, request: Request) => Promise<Response>,
): Promise<Response> {
  const replies = await Promise.all(
    chainIds.map(async (chainId) => {
      // With the headers, which say whose message it is.
      const { headers } = request;
      const reply = await fetchFrom(chainId, new Request(new URL('/health', request.url), { headers }));
      return { chainId, ok: reply.ok, health: (await reply.json()) as unknown };
    }),
  );
  const chains = Object.fromEntries(replies.map(({ chainId, health }) => [chainId, health]));
  return json({ chains }, replies.every(({ ok }) => ok) ? 200 : 503);
}

const failure = (status: number, code: number, message: string): Response =>
  json({ jsonrpc: '2.0', id: null, error: { code, message } }, status);

const json = (body: unknown, status: number): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  });
