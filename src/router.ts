import type { Context, InstantContext } from './context.js';
import type { Method } from './methods/method.js';
import { limitExceeded, methodNotFound, unauthorized, unsupportedMethod } from './rpc/errors.js';
import { readRequest } from './rpc/message.js';
import { permittedAccounts } from './session/session.js';

/** find the method → read its params → authorize → handle. Nothing else wraps a request. */
export type Router = (args: unknown, signal?: AbortSignal) => Promise<unknown>;

export function createRouter(options: createRouter.Options): Router {
  const { instant, core, refuse, maxInFlight = 1_000 } = options;
  let inFlight = 0;

  const find = async (name: string): Promise<Found> => {
    const known = instant.methods.get(name);
    if (known) return { method: known, context: instant.context };
    const { methods, context } = await core();
    const method = methods.get(name);
    if (!method) throw methodNotFound(name);
    return { method, context };
  };

  /** Refused methods are refused whatever their params: those may be secrets, and are never read. */
  const requireAllowed = ({ method }: Found, name: string): void => {
    if (method.access === 'refused') throw unsupportedMethod(name, method.reason ?? '');
    if (refuse.has(name)) throw unsupportedMethod(name, 'This page does not allow it.');
  };

  const authorize = ({ method, context }: Found, params: unknown): void => {
    const account = method.account?.(params as never);
    if (
      account !== undefined &&
      !permittedAccounts(context.session.state(), context.origin).includes(account)
    )
      throw unauthorized('The requested account and/or method has not been authorized by the user.');
  };

  return async (args, signal) => {
    const { method: name, params: untrusted } = readRequest(args);
    if (inFlight >= maxInFlight)
      throw limitExceeded(`There are too many requests in flight already (${maxInFlight}).`);
    inFlight++;
    try {
      const found = await find(name);
      requireAllowed(found, name);
      const params = found.method.params(untrusted);
      authorize(found, params);
      return await found.method.handle(found.context as never, params as never, {
        method: name,
        ...(signal && { signal }),
      });
    } finally {
      inFlight--;
    }
  };
}

type Found =
  | { readonly method: Method<unknown, unknown, InstantContext>; readonly context: InstantContext }
  | { readonly method: Method; readonly context: Context };

export declare namespace createRouter {
  interface Options {
    /** What is answered before, and without, the core. */
    readonly instant: {
      readonly methods: ReadonlyMap<string, Method<unknown, unknown, InstantContext>>;
      readonly context: InstantContext;
    };
    /** Loads everything else on first use. */
    readonly core: () => Promise<{
      readonly methods: ReadonlyMap<string, Method>;
      readonly context: Context;
    }>;
    /** Names that this page's owner has switched off. */
    readonly refuse: ReadonlySet<string>;
    /** Requests of this page under way at once. Default 1,000. */
    readonly maxInFlight?: number;
  }
}
