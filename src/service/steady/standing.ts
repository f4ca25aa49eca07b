import { toQuantity } from '../../rpc/hex.js';
import { own } from '../../rpc/own.js';
import { checkBlock } from '../../rpc/results.js';
import type { Block } from '../../rpc/schema.js';
import { type InFlightRequest, join, rejectAll, resolveAll } from '../in-flight.js';
import type { Service } from '../service.js';
import type { SteadyState } from './contradiction.js';
import { type ChainPoint, setLast } from './shown.js';

/** Whether a shown block is still on the chain, and the requests that it took to find out. */
export type Standing = { readonly asks: number } & (
  | /** A node has it. */
  { readonly state: 'stands'; readonly block: Block }
  /** Nodes show another block at its height, or, where it is `lost`, none have had any for a long time. */
  | { readonly state: 'gone'; readonly lost?: 'alone' | 'late' | undefined }
  /** No node that answered has a block of its height. */
  | { readonly state: 'unknown' }
);

export function createStandings(
  state: SteadyState,
  service: Service,
  /** Waits before a request, the first of which is 0. */
  pause: (attempt: number, signal: AbortSignal) => Promise<void>,
) {
  const { shown, now, isLocal } = state;
  const inquiries = new Map<string, Inquiry>();
  /** When blocks above the top were first asked for, by height and hash: nothing else shows for how long nodes lack them. */
  const missedSince = new Map<string, number>();

  /** Whether a height at which no node has a block counts as gone: a node was reset. */
  function lostAt({ height, hash }: ChainPoint, askedAt: number): 'alone' | 'late' | undefined {
    const { differedAt, reachedAt } = state;
    if (isLocal && service.network.urls.length === 1 && differedAt === Number.NEGATIVE_INFINITY)
      return 'alone';
    const key = `${height} ${hash}`;
    if (height <= shown.top()) missedSince.delete(key);
    else if (!missedSince.has(key)) setLast(missedSince, key, askedAt, maxKept);
    const since = missedSince.get(key) ?? reachedAt;
    return Math.abs(now() - since) >= lostAfter ? 'late' : undefined;
  }

  async function inquire(
    { height, hash }: ChainPoint,
    isFull: boolean,
    options: Service.RequestOptions,
    signal: AbortSignal,
  ): Promise<Standing> {
    const tries = triesOf(service);
    const askedAt = now();
    let others = 0;
    let asks = 0;
    while (asks < tries && others < proof) {
      await pause(asks++, signal);
      const startedAt = now();
      const settings = own({ ...options, signal, check: checkBlock });
      const block = (await service.request(
        'eth_getBlockByNumber',
        [toQuantity(height), isFull],
        settings,
      )) as Block | null;
      if (block?.hash && (hash === undefined || block.hash.toLowerCase() === hash.toLowerCase())) {
        // A node that lacks the block has answered before.
        if (asks > 1) state.differedAt = now();
        if (height >= shown.top()) state.reachedAt = startedAt;
        return { state: 'stands', block, asks };
      }
      if (block) others++;
    }
    const lost = others === 0 ? lostAt({ height, hash }, askedAt) : undefined;
    if (others < proof - 1 && !lost) return { state: 'unknown', asks };
    if (lost) shown.forget(height);
    else shown.leave({ height, hash });
    return { state: 'gone', asks, lost };
  }

  function start(key: string, point: ChainPoint, isFull: boolean, options: Service.RequestOptions): Inquiry {
    const connection = new AbortController();
    const remove = () => {
      if (inquiries.get(key) === inquiry) inquiries.delete(key);
    };
    const inquiry: Inquiry = {
      at: now(),
      waiters: new Set(),
      settled: undefined,
      stop() {
        remove();
        connection.abort();
      },
    };
    inquiries.set(key, inquiry);
    inquire(point, isFull, options, connection.signal).then(
      (standing) => {
        inquiry.settled = JSON.stringify(standing);
        inquiry.at = now();
        if (standing.state === 'gone') remove();
        resolveAll(standing, inquiry.waiters, 'eth_getBlockByNumber');
      },
      (error) => {
        remove();
        rejectAll(error, inquiry.waiters);
      },
    );
    return inquiry;
  }

  return {
    /**
     * Asks for the block at a height until a node has the one that was shown, or several have another one. Concurrent calls
     * share the requests; a block that stands, or of which nothing is known, counts as such for a second.
     * @param options of the read that needs to know
     */
    async find(point: ChainPoint, options: Service.RequestOptions, isFull = false): Promise<Standing> {
      const key = `${point.height} ${point.hash} ${isFull}`;
      const known = inquiries.get(key);
      const isYoung = known && Math.abs(now() - known.at) < kept;
      if (isYoung && known.settled !== undefined)
        return own({ ...(JSON.parse(known.settled) as Standing), asks: 0 });
      for (const [other, { settled }] of inquiries)
        if (settled !== undefined && (other === key || inquiries.size > maxKept)) inquiries.delete(other);
      const inquiry = inquiries.get(key) ?? start(key, point, isFull, options);
      return own((await join(inquiry, 'eth_getBlockByNumber', options.signal)) as Standing);
    },
  };
}

/** An inquiry with its result as JSON. */
interface Inquiry extends InFlightRequest {
  at: number;
  settled: string | undefined;
}

/** Requests that one contradiction may cost: fewer once the daily quota runs out. */
export function triesOf(service: Service): number {
  const { state } = own(own(service.usage()).quota);
  return state === undefined || state === 'normal' ? 8 : 4;
}

/** Answers with another block at a height that prove that it replaced the shown one; one less at the end of all tries. */
const proof = 5;
/** Milliseconds without an answer that reaches the top, after which a height without a block is lost. */
const lostAfter = 20_000;
/** Milliseconds for which the result of an inquiry is used. */
const kept = 1_000;
const maxKept = 16;
