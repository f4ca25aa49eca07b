import { own } from '../../rpc/own.js';
import type { Hash } from '../../rpc/schema.js';
import type { ObservedHead } from '../head-tracker.js';
import { isLook } from './shareable-requests.js';
import type { SharedService } from './shared-service.js';

/**
 * A service for who follows the chain, on a page that also reads: a look that its reads have just had is told to the
 * follower instead of asked for again, and `onNews` says when one has shown another head than was told last.
 * @param service must be observed by `head`.
 */
export function retell(
  service: SharedService,
  head: ObservedHead,
  onNews: () => void,
  now: () => number = Date.now,
): SharedService {
  let toldAt = -1;
  let told: Hash | undefined;
  /** Looks of the follower itself. */
  let asking = 0;

  /** A look that is under way here may be the one with the news. */
  function notice(): void {
    if (asking === 0 && head.lookedAt() > toldAt && head.isFresh() && head.hash() !== told) onNews();
  }
  head.watch(notice);

  /** What others have seen since, as far as it is not older than is wanted. */
  function seen(options: SharedService.RequestOptions): unknown {
    const { maxAge = -1, check } = own(options);
    const at = head.lookedAt();
    if (!(at > toldAt && now() - at <= maxAge && head.isFresh())) return undefined;
    const block = JSON.parse(head.state().block as string) as { hash: Hash };
    try {
      check?.(block);
    } catch {
      return undefined;
    }
    [toldAt, told] = [at, block.hash];
    return block;
  }

  async function ask(...question: Parameters<SharedService['request']>): Promise<unknown> {
    asking += 1;
    try {
      const block = (await service.request(...question)) as { hash: Hash };
      told = block.hash;
      if (head.hash() === told) toldAt = head.lookedAt();
      return block;
    } finally {
      asking -= 1;
      notice();
    }
  }

  return {
    ...service,
    async request(method, params, options = {}) {
      if (!isLook(method, params)) return service.request(method, params, options);
      return seen(options) ?? ask(method, params, options);
    },
  };
}
