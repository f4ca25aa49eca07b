import type { IncomingMessage, ServerResponse } from 'node:http';
import { createLocalService as createDirect, type LocalService } from '../../packages/kit/src/local/index.js';
import { createPolicy } from '../../packages/relay/src/access/policy.js';
import { serveRelay } from '../../packages/relay/src/node.js';
import { bodyOf, startServer } from '../support/http-server.js';

export { assumptions, dialects, EngineError } from '../../packages/kit/src/local/index.js';

/** More than any test uses: what a client may use has tests of its own. */
const much = 1_000_000;
const maxBatch = 20;

/**
 * The local service, behind a relay of its own on this machine. What a relay refuses by its policy, and what is no request,
 * goes to the service: of these the suites say how the service answers, not the relay.
 */
export async function createLocalService(options?: createDirect.Options): Promise<LocalService> {
  const service = await createDirect(options);
  const { chainId } = service;
  const relay = await serveRelay({
    // So short that no answer is used twice, as between a wallet and a service on this machine.
    networks: [{ chainId, url: service.url, interval: 100 }],
    origins: ['*'],
    open: true,
    port: 0,
    admin: null,
    drain: 0,
    limits: {
      messagesPerSecond: much,
      messageBurst: much,
      readsPerMinute: much,
      readBurst: much,
      sendsPerSecond: much,
      sendBurst: much,
      connections: 5_000,
      shareOfDay: 1,
    },
  });
  const policy = createPolicy({ chains: [chainId] });
  const isRelayed = (text: string): boolean => {
    const calls: unknown = parse(text);
    const all = Array.isArray(calls) ? calls : [calls];
    return (
      all.length > 0 &&
      all.length <= maxBatch &&
      all.every((call) => {
        const { method, params = [] } = Object(call) as { method?: unknown; params?: unknown };
        return (
          typeof method === 'string' && Array.isArray(params) && !('refusal' in policy.judge(method, params))
        );
      })
    );
  };
  const key = new URL(service.url).pathname;
  const front = await startServer(async (request, response) => {
    const body = await bodyOf(request);
    const path = request.url ?? '/';
    const isJson = /^application\/json/.test(request.headers['content-type'] ?? '');
    const goesThrough = request.method === 'POST' && path === key && isJson && isRelayed(body);
    await pass(
      request,
      response,
      body,
      goesThrough ? `${relay.url}/${chainId}` : `${service.baseUrl}${path}`,
    );
  });
  const close = async () => {
    await front.stop();
    await relay.stop();
    await service.close();
  };
  return Object.create(service, {
    url: { value: `${front.url}${key}`, enumerable: true },
    baseUrl: { value: front.url, enumerable: true },
    port: { value: front.port, enumerable: true },
    close: { value: close, enumerable: true },
    [Symbol.asyncDispose]: { value: close },
  });
}

export declare namespace createLocalService {
  type Options = createDirect.Options;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sends a request on, and its reply back. A reply that breaks off breaks off here too. */
async function pass(
  { method = 'GET', headers }: IncomingMessage,
  response: ServerResponse,
  body: string,
  url: string,
): Promise<void> {
  const { host: _, connection: __, 'content-length': ___, 'transfer-encoding': ____, ...kept } = headers;
  const ended = new AbortController();
  response.on('close', () => ended.abort());
  try {
    const reply = await fetch(url, {
      method,
      headers: kept as Record<string, string>,
      ...(method !== 'GET' && method !== 'HEAD' && { body }),
      redirect: 'manual',
      signal: ended.signal,
    });
    const text = await reply.text();
    for (const [name, value] of reply.headers)
      if (!/^(content-(length|encoding)|transfer-encoding|connection|keep-alive)$/.test(name))
        response.setHeader(name, value);
    response.writeHead(reply.status).end(text);
  } catch {
    response.destroy();
  }
}
