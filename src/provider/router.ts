import type { Context } from '../methods/context.js';
import type { Method, RequestSettings } from '../methods/method.js';
import { methodNotFound, unauthorized, unsupportedMethod } from '../rpc/core-errors.js';
import type { ProviderRpcError } from '../rpc/errors.js';
import { readRequest } from '../rpc/message.js';
import type { Unsupported } from '../rpc/method-facts/unsupported-rows.js';
import type { Observation } from '../rpc/observation.js';
import { own } from '../rpc/own.js';
import { permittedAccounts } from '../session/session.js';

/** Handles a request in four steps: find the method, read its params, authorize, handle. */
export type Router = (args: unknown, settings?: RequestSettings) => Promise<unknown>;

export function createRouter(options: createRouter.Options): Router {
  const { methods, context, refuse, observation } = options;

  const authorize = (method: Method, params: unknown): void => {
    const account = method.account?.(params as never);
    if (account === undefined) return;
    if (!permittedAccounts(context.session.state(), context.origin).includes(account))
      throw unauthorized('The requested account and/or method has not been authorized by the user.');
  };

  return async (args, settings) => {
    const { method: name, params: untrusted } = readRequest(args);
    const method = methods.get(name);
    const observer = observation?.by;
    // The page may have put anything into a name that is not known.
    const observed = observer?.asked(method || (await unsupported(name)) ? name : undefined, context);
    try {
      // Refused before the params are read, since they may be secrets.
      if (!method) throw notAnswered(name, await unsupported(name));
      if (refuse.has(name)) throw unsupportedMethod(name, 'This page does not allow it.');
      const params = method.params(untrusted);
      authorize(method, params);
      const request = own({ ...settings, method: name });
      const result = await method.handle(observed?.context ?? context, params as never, request);
      observed?.answered();
      return result;
    } catch (error) {
      observed?.failed(error);
      throw error;
    }
  };
}

/** The row of a method that is not answered, from a chunk of its own. Where that does not load, the method is unknown. */
async function unsupported(name: string): Promise<Unsupported | undefined> {
  const loaded = await import('../rpc/method-facts/unsupported-rows.js').catch(() => undefined);
  const rows: Readonly<Record<string, Unsupported>> = loaded?.unsupportedRows ?? {};
  return Object.hasOwn(rows, name) ? rows[name] : undefined;
}

const notAnswered = (name: string, row: Unsupported | undefined): ProviderRpcError =>
  row?.access === 'refused' ? unsupportedMethod(name, row.reason) : methodNotFound(name, row?.reason);

export declare namespace createRouter {
  interface Options {
    readonly methods: ReadonlyMap<string, Method>;
    readonly context: Context;
    /** Methods that the page's owner has disabled: they are refused with 4200. */
    readonly refuse: ReadonlySet<string>;
    readonly observation?: Observation | undefined;
  }
}
