import { bodyOf, startServer } from './http-server.js';

/** One JSON-RPC request as the proxy sees it. */
export interface ProxiedRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface ProxyReply {
  /** HTTP status; 200 by default. */
  readonly status?: number;
  readonly body: string;
}

/** The reply to a request: `undefined` for the node's own, `'drop'` to close the connection without one. */
export type ProxyRule = (
  request: ProxiedRequest,
  /** Sends the request to the node and resolves with its reply. */
  forward: () => Promise<Required<ProxyReply>>,
) => Promise<ProxyReply | 'drop' | undefined>;

/** A proxy over HTTP in front of one or more nodes, such as a load balancer or a provider's gateway. */
export interface Proxy {
  /** `http://127.0.0.1:port`, without a slash at the end; any path is accepted. */
  readonly url: string;
  stop(): Promise<void>;
}

export async function createProxy(options: {
  /** The URL of the node for the next request. */
  readonly pick: () => string;
  readonly rule: ProxyRule;
}): Promise<Proxy> {
  const { pick, rule } = options;
  return startServer(async (incoming, response) => {
    const body = await bodyOf(incoming);
    const forward = async () => {
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(pick(), { method: 'POST', headers, body });
      return { status: reply.status, body: await reply.text() };
    };
    try {
      const reply = (await rule(JSON.parse(body) as ProxiedRequest, forward)) ?? (await forward());
      if (reply === 'drop') throw new Error('dropped');
      response.writeHead(reply.status ?? 200, { 'content-type': 'application/json' }).end(reply.body);
    } catch {
      incoming.socket.destroy();
    }
  });
}
