import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LocalService } from '../../src/local/index.js';
import { plantedKey } from './scripted-service.js';

/** A call as it reaches a gateway. */
export interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly id: unknown;
}

/** A gateway's own answer: a JSON-RPC error, or only an HTTP status. */
export interface GatewayAnswer {
  /** HTTP status. Default 200. */
  readonly status?: number;
  readonly code?: number;
  readonly message?: string;
  /** Without `jsonrpc` and `id`, as the node answers a request that it cannot read. */
  readonly bare?: true;
  /** The node processes the call before the gateway answers. */
  readonly processed?: true;
}

/** The gateway's answer to a call, or undefined for calls that the node answers. */
export type GatewayRule = (call: Call) => GatewayAnswer | undefined;

/** A provider's gateway on this machine: real HTTP in front of a local service, with the provider's own refusals. */
export interface Gateway {
  readonly url: string;
  /** Sets the rule for the calls from now on. */
  rule(rule: GatewayRule): void;
  /** The last answer to a call of this method, with its HTTP status. */
  answered(method: string): { readonly status: number; readonly text: string } | undefined;
  close(): Promise<void>;
}

export async function createGateway(service: LocalService): Promise<Gateway> {
  let rule: GatewayRule = () => undefined;
  const answers = new Map<string, { readonly status: number; readonly text: string }>();
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    const forward = () =>
      fetch(service.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const call = JSON.parse(body) as Call;
    const own = rule(call);
    if (own?.processed) await (await forward()).text();
    const answer = own ? write(own, call) : await read(await forward());
    answers.set(call.method, answer);
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(answer.text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/${plantedKey}`,
    rule(next) {
      rule = next;
    },
    answered: (method) => answers.get(method),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const read = async (reply: Response) => ({ status: reply.status, text: await reply.text() });

function write({ status = 200, code, message, bare }: GatewayAnswer, { id }: Call) {
  const frame = bare ? {} : { jsonrpc: '2.0', id };
  return { status, text: code === undefined ? '' : JSON.stringify({ ...frame, error: { code, message } }) };
}
