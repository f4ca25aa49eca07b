import { singleFlight } from '../async/single-flight.js';
import { own } from '../rpc/own.js';
import { checkBlock } from '../rpc/results.js';
import type { Hash } from '../rpc/schema.js';
import { heightIn } from '../service/cache/cache-rules.js';
import type { Head } from '../service/cache/head-view.js';
import type { Service } from '../service/service.js';
import { blockInterval, isLocal } from './interval.js';
import { createLineage, type Tip } from './recent-blocks.js';
import { isLook } from './tabs/shareable-requests.js';
import type { SharedService } from './tabs/shared-service.js';

/** The {@link Head} of a chain, as what passes through its services shows it. It asks nothing by itself. */
export interface ObservedHead extends Head {
  /** The same service; what it answers is seen here. */
  observe<Observed extends Service>(service: Observed): Observed;
  /** Of the block that the last look showed. */
  hash(): Hash | undefined;
  /** When the last look began that counts: milliseconds since 1970. */
  lookedAt(): number;
  /** Calls after each look. */
  watch(listener: () => void): void;
  /** Milliseconds between two looks, as it is now. */
  interval(): number;
}

export function createHead(given: createHead.Options): ObservedHead {
  const options = own(given);
  const { now = Date.now } = options;
  let state: Head.State = { height: -1, branch: { since: 0 }, since: 0 };
  const { add, tips, denies } = createLineage();
  let tip: Tip | undefined;
  let lookedAt = 0;
  let sentAt = 0;
  const listeners = new Set<() => void>();
  /** The highest block that anything has shown since the last look. */
  let highest = -1;
  /** Milliseconds between looks where nothing presses; of the latest tips. */
  let usual: number | undefined;
  let isLocalDefault: boolean | undefined;
  /** When each transaction was sent that no block was seen with. */
  const pending = new Map<string, number>();

  /** Something has shown that the head may be another one. */
  function moved(): void {
    const { height, branch } = state;
    state = { height, branch, since: now() };
  }

  /** Before the asker has it, who may write into it. */
  function see(method: string, params: readonly unknown[], result: unknown, began: number): void {
    if (pending.size > 0) settle(result);
    // The hash may be all zeros (docs/notes/service.md#methods-with-full-parameter-and-result-shape): no block will show it.
    if (method === 'eth_sendRawTransaction' && /^0x0*[1-9a-f]/i.test(`${result}`))
      pending.set(`${result}`, now());
    if (isLook(method, params) && isTip(result)) {
      seeTip(result, began);
      return;
    }
    const height = method === 'eth_blockNumber' ? Number(result) : heightIn(result);
    const isOther = height === highest && hashIn(result) !== tip?.hash;
    if (!(height > highest || (isOther && method !== 'eth_blockNumber'))) return;
    highest = height;
    moved();
  }

  function seeTip(block: Tip, began: number): void {
    const { hash, number } = block;
    const height = Number(number);
    const isSame = hash === tip?.hash;
    // Under way since before the last news, it may be older than they are.
    if (began < state.since && !(isSame && state.block !== undefined)) {
      moved();
      return;
    }
    highest = height;
    if (state.block === undefined || !isSame) {
      const grew = isSame || add(block);
      const branch = grew ? state.branch : { since: now() };
      state = { block: JSON.stringify(block), number, height, branch, since: now() };
      usual = undefined;
      tip = tips.at(-1);
      lookedAt = began;
    }
    // A clock that was set back must not make looks from before it the newest for hours.
    lookedAt = lookedAt > now() ? began : Math.max(lookedAt, began);
    if (sentAt > now()) sentAt = began;
    for (const listener of listeners) listener();
  }

  /** A block, a receipt or a transaction tells that what was sent is mined. */
  function settle(result: unknown): void {
    const { transactions, transactionHash, hash } = Object(result) as Record<string, unknown>;
    for (const [sent, at] of pending) {
      const isIn = Array.isArray(transactions) && transactions.some((each) => (each?.hash ?? each) === sent);
      const isMined = isIn || ((transactionHash ?? hash) === sent && !Number.isNaN(heightIn(result)));
      if (isMined || now() - at > longestPending) pending.delete(sent);
    }
  }

  function interval(): number {
    const service = options.service();
    usual ??= options.interval ?? blockInterval(service, tips);
    const isUrgent = options.interval === undefined && pending.size > 0;
    // A budget that runs out makes looks rarer, and what was seen serve longer.
    return (isUrgent ? Math.min(usual, hurry) : usual) * (service.stretch?.() ?? 1);
  }

  function maxAge(): number {
    isLocalDefault ??= options.interval === undefined && isLocal(options.service());
    const age = isLocalDefault ? 0 : interval();
    return age < shortestMemory ? 0 : age * punctual;
  }

  const head: ObservedHead = {
    state: () => state,
    isFresh() {
      const age = now() - lookedAt;
      return state.block !== undefined && lookedAt >= sentAt && age >= 0 && age < maxAge();
    },
    sentAt: () => sentAt,
    denies,
    look() {
      if (tip) options.onRepeat?.();
      return lookOnce();
    },
    interval,
    maxAge,
    observe: (service) => ({
      ...service,
      async request(method, params, options) {
        let began = now();
        try {
          // Another tab may have asked.
          const onAsked = (at: number) => {
            began = Math.min(began, at);
          };
          const asked: SharedService.RequestOptions = { ...options, onAsked };
          const result = await service.request(method, params, asked);
          see(method, params, result, began);
          return result;
        } finally {
          // Whatever became of it.
          if (method.startsWith('eth_send')) sentAt = now();
          if (method.startsWith('evm_')) moved();
        }
      },
    }),
    hash: () => tip?.hash,
    lookedAt: () => lookedAt,
    watch(listener) {
      listeners.add(listener);
    },
  };

  const lookOnce = singleFlight(async () => {
    const asked: SharedService.RequestOptions = {
      // A page waits.
      priority: 'read',
      // News are not to be undone by what another tab saw before them.
      maxAge: Math.max(0, Math.min(maxAge(), now() - state.since)),
      check(result) {
        checkBlock(result);
        if (!isTip(result)) throw new Error('not a mined block');
      },
    };
    await options.service().request('eth_getBlockByNumber', ['latest', false], asked);
  });

  return head;
}

function isTip(result: unknown): result is Tip {
  const { hash, parentHash, number } = Object(result) as Partial<Record<keyof Tip, unknown>>;
  return (
    [hash, parentHash].every((each) => /^0x[0-9a-f]{64}$/i.test(`${each}`)) &&
    /^0x[0-9a-f]{1,13}$/i.test(`${number}`)
  );
}

/** Of the block that a block, a receipt, a transaction or the last of several logs is in. */
function hashIn(result: unknown): unknown {
  const last: unknown = Array.isArray(result) ? result.at(-1) : result;
  const { blockHash, hash } = Object(last) as Record<string, unknown>;
  return blockHash ?? hash;
}

/**
 * Milliseconds. Who has the head looked at more often wants to see every change at once. So does who develops on
 * this machine, where requests cost nothing.
 */
const shortestMemory = 1_000;
/**
 * Of an interval. Who polls as often as we look is to find the head as fresh as alone: its poll, a little early or
 * late, is the look, and not what is answered from the one before.
 */
const punctual = 0.9;
/** Milliseconds between looks while a transaction of this page is pending, where nobody has set them. */
const hurry = 4_000;
/** Milliseconds: what no block took by then is not waiting for us to look. */
const longestPending = 120_000;

export declare namespace createHead {
  interface Options {
    /** What is asked; it must be observed. */
    readonly service: () => Service;
    /** Milliseconds between two looks, where it is set. */
    readonly interval?: number | undefined;
    /** Called with each look that is not the first. */
    readonly onRepeat?: (() => void) | undefined;
    /** Milliseconds since 1970. */
    readonly now?: (() => number) | undefined;
  }
}
