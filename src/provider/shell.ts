import type { Lazy } from '../async/lazy.js';
import type { InstantContext } from '../methods/context.js';
import { instantAnswers } from '../methods/instant-answers.js';
import { walletClosed } from '../rpc/errors.js';
import { throwNotLoaded } from '../rpc/not-loaded.js';
import type { Observation } from '../rpc/observation.js';
import { own } from '../rpc/own.js';
import { maxInFlight } from './request.js';
import type { CountedRequests, Requests } from './router.js';

/**
 * The requests of the page before the core has loaded. The shell answers what the session alone answers, and passes
 * everything else to the core, which it loads.
 */
export function createShell(options: createShell.Options): Requests {
  const { context, core, isInstant, observation } = options;
  /** Requests that wait for the core, which counts them once it has them. */
  let waiting = 0;
  const isFull = () => core.peek()?.requests.isFull() ?? waiting >= maxInFlight;

  const requireOpen = (): void => {
    if (core.isClosed()) throw walletClosed();
  };

  /** Loads the core, which gets a copy of what the page has passed. */
  async function whileLoading<Answer>(
    passed: unknown,
    answer: (requests: Requests, copy: unknown) => Promise<Answer>,
  ): Promise<Answer> {
    const copy = snapshot(passed);
    waiting++;
    const { requests } = await core()
      .catch(throwNotLoaded)
      .finally(() => waiting--);
    return await answer(requests, copy);
  }

  return {
    async request(args, settings) {
      requireOpen();
      const name = bareName(args);
      // From a page with too many requests in flight the core takes none, this one neither.
      if (name === null || !isInstant(name) || isFull())
        return await (core.peek()?.requests.request(args, settings) ??
          whileLoading(args, (requests, copy) => requests.request(copy, settings)));
      const observed = observation?.by?.asked(name, context);
      const answer = instantAnswers[name](context);
      observed?.answered();
      return answer;
    },
    async respond(payload) {
      requireOpen();
      return await (core.peek()?.requests.respond(payload) ??
        whileLoading(payload, (requests, copy) => requests.respond(copy)));
    },
  };
}

export declare namespace createShell {
  interface Options {
    readonly context: InstantContext;
    /** Once it is closed, all requests are refused with 4900. */
    readonly core: Lazy<{ readonly requests: CountedRequests }>;
    /** Whether the session may answer this method; if not, the core does. */
    readonly isInstant: (method: string) => boolean;
    readonly observation?: Observation | undefined;
  }
}

/** The method of a request without params that the session answers; `null` for anything else. */
function bareName(args: unknown): keyof typeof instantAnswers | null {
  try {
    const { method, params } = own(args as { method?: unknown; params?: unknown });
    const isBare = params === undefined || (Array.isArray(params) && params.length === 0);
    return isBare && typeof method === 'string' && Object.hasOwn(instantAnswers, method)
      ? (method as keyof typeof instantAnswers)
      : null;
  } catch {
    return null;
  }
}

/** A copy that the page cannot change while the core loads. Values that cannot be cloned are not JSON; the core refuses them. */
function snapshot(passed: unknown): unknown {
  try {
    if (Array.isArray(passed)) return structuredClone(passed);
    const { params, ...rest } = own(passed as { params?: unknown });
    return own({ ...rest, params: structuredClone(params) });
  } catch {
    return passed;
  }
}
