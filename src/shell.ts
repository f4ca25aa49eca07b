import type { InstantContext } from './context.js';
import { instantMethods } from './methods/instant.js';
import type { Observation } from './observation.js';
import type { Router } from './router.js';
import { errorCode, limitExceeded, ProviderRpcError } from './rpc/errors.js';
import { own } from './rpc/own.js';
import { isTooLarge } from './rpc/size.js';

/**
 * The router before the core has loaded. It handles the methods that the session alone answers, and passes every other
 * request to the core, which it loads.
 */
export function createShell(options: createShell.Options): Router {
  const { context, router, isInstant, observation, maxInFlight = 1_000 } = options;
  let inFlight = 0;

  return async (args, settings) => {
    if (options.closed())
      throw new ProviderRpcError(errorCode.disconnected, 'The wallet of this page was closed.');
    if (inFlight >= maxInFlight)
      throw limitExceeded(`There are too many requests in flight already (${maxInFlight}).`);
    inFlight++;
    try {
      const name = bareName(args);
      if (name !== null && isInstant(name)) {
        const run = async () => instantMethods[name].handle(context, [] as never, own({ method: name }));
        return await (observation?.by?.request(name, context, run) ?? run());
      }
      // Checked before the request is copied, so that a large one does not block the page.
      if (isTooLarge(membersOf(args))) throw limitExceeded('The request is too large: at most 1 MiB.');
      const loaded = router.loaded();
      if (loaded) return await loaded(args, settings);
      const copy = snapshot(args);
      return await (await router.load())(copy, settings);
    } finally {
      inFlight--;
    }
  };
}

export declare namespace createShell {
  interface Options {
    readonly context: InstantContext;
    readonly router: {
      readonly loaded: () => Router | undefined;
      readonly load: () => Promise<Router>;
    };
    /** Whether the wallet was destroyed: all requests are refused with 4900. */
    readonly closed: () => boolean;
    /** Whether the session may answer this method; if not, the core does. */
    readonly isInstant: (method: string) => boolean;
    /** Requests in flight at most. Default 1,000. */
    readonly maxInFlight?: number;
    readonly observation?: Observation;
  }
}

/** The method of a request without params that the session answers; `null` for anything else. */
function bareName(args: unknown): keyof typeof instantMethods | null {
  try {
    const { method, params } = own(args as { method?: unknown; params?: unknown });
    const isBare = params === undefined || (Array.isArray(params) && params.length === 0);
    return isBare && typeof method === 'string' && Object.hasOwn(instantMethods, method)
      ? (method as keyof typeof instantMethods)
      : null;
  } catch {
    return null;
  }
}

/** The method and params of a request; `undefined` if they cannot be read, which the core refuses with the reason. */
function membersOf(args: unknown): unknown {
  try {
    const { method, params } = args as { method?: unknown; params?: unknown };
    return Array.isArray(args) ? undefined : { method, params };
  } catch {
    return undefined;
  }
}

/** A copy that the page cannot change while the core loads. Values that cannot be cloned are not JSON; the core refuses them. */
function snapshot(args: unknown): unknown {
  try {
    const { method, params } = own(args as { method?: unknown; params?: unknown });
    return Array.isArray(args) ? args : { method, params: structuredClone(params) };
  } catch {
    return args;
  }
}
