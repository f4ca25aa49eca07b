import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One JSON-RPC request as the balancer sees it. */
export interface BalancedRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What the balancer does with a request: `undefined` passes the node's answer on. */
export type Meddle = (
  request: BalancedRequest,
  /** Gives the request to the node and resolves with its answer. */
  forward: () => Promise<string>,
) => Promise<{ readonly status?: number; readonly body: string } | 'drop' | undefined>;

/** A load balancer in front of several nodes, on a port of its own. Each request goes to the node that is picked. */
export interface Balancer extends AsyncDisposable {
  readonly url: string;
  close(): Promise<void>;
}

export async function createBalancer(options: {
  readonly pick: () => string;
  readonly meddle?: Meddle;
}): Promise<Balancer> {
  const { pick, meddle } = options;
  const server = createServer((incoming, reply) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', async () => {
      const body = Buffer.concat(chunks).toString();
      const forward = async () => {
        const headers = { 'content-type': 'application/json' };
        return (await fetch(pick(), { method: 'POST', headers, body })).text();
      };
      try {
        const verdict = await meddle?.(JSON.parse(body) as BalancedRequest, forward);
        if (verdict === 'drop') throw new Error('dropped');
        const { status = 200, body: answer } = verdict ?? { body: await forward() };
        reply.writeHead(status, { 'content-type': 'application/json' }).end(answer);
      } catch {
        incoming.socket.destroy();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close, [Symbol.asyncDispose]: close };
}
