import type { LocalService } from '../../packages/kit/src/local/index.js';
import { createProxy, type ProxiedRequest } from './proxy.js';
import { plantedKey } from './scripted-service.js';

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
export type GatewayRule = (call: ProxiedRequest) => GatewayAnswer | undefined;

/** A provider's gateway: a proxy in front of a local service, with the provider's own refusals. */
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
  const proxy = await createProxy({
    pick: () => service.url,
    async rule(call, forward) {
      const own = rule(call);
      if (own?.processed) await forward();
      const reply = own ? write(own, call) : await forward();
      answers.set(call.method, { status: reply.status, text: reply.body });
      return reply;
    },
  });
  return {
    url: `${proxy.url}/${plantedKey}`,
    rule(next) {
      rule = next;
    },
    answered: (method) => answers.get(method),
    close: proxy.stop,
  };
}

function write({ status = 200, code, message, bare }: GatewayAnswer, { id }: ProxiedRequest) {
  const frame = bare ? {} : { jsonrpc: '2.0', id };
  return { status, body: code === undefined ? '' : JSON.stringify({ ...frame, error: { code, message } }) };
}
