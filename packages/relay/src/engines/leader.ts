import { createQueue } from '../../../../src/async/mutex.js';
import type { BlockLink } from '../../../../src/chain/blocks.js';
import type { Follower } from '../../../../src/chain/follower.js';
import { own } from '../../../../src/rpc/own.js';
import type { Hash, Log } from '../../../../src/rpc/schema.js';
import type { RelayChain } from '../chain.js';
import { hasNoLogs, toRelayStep } from '../heads/steps.js';
import type { Engine } from './engine.js';

/** Follows a chain, while this instance is the leader, and publishes its steps. */
export interface Leader {
  /** Settles when the head is known, or could not be read. */
  readonly ready: Promise<void>;
  stop(): void;
}

/**
 * A follower without links publishes its first block as a step that removes nothing. With links it publishes what was
 * mined since; a step that could not be published is published again after the next poll, before newer ones.
 */
export function startLeader(options: startLeader.Options): Leader {
  const { chain, engine, from, now, beforePoll, onRequest, passive, headers } = options;
  const inOrder = createQueue();
  /** When a step was first seen: a repeated one keeps its time. */
  const seen = new WeakMap<Follower.Step, number>();
  let isFirst = from.length === 0;
  let stopped = false;

  const publish = (step: Follower.Step): Promise<void> =>
    inOrder(async () => {
      if (stopped) return;
      const logs = engine.logs.inSteps && engine.logs.wanted() ? await readLogs(step) : undefined;
      if (stopped) return;
      await engine.publish({ ...toRelayStep(step, seen.get(step) ?? now()), ...(logs && { logs }) });
    });

  /** Blocks whose logs could not be read are left out: each instance then reads them itself, and heads are not held up. */
  async function readLogs({ added }: Follower.Step): Promise<Record<Hash, readonly Log[]>> {
    const logs = own<Record<Hash, readonly Log[]>>({});
    const read = async (block: (typeof added)[number]) => {
      if (!hasNoLogs(block)) logs[block.hash] = await chain.logsOf(block);
    };
    await Promise.allSettled(added.map(read));
    return logs;
  }

  const follower = chain.follow(from, {
    onStep(step) {
      seen.set(step, now());
      // Listeners do not get the block at which a follower begins.
      if (isFirst) publish(step).catch(() => {});
      isFirst = false;
    },
    beforePoll,
    onRequest,
  });
  const unwatch = follower.watch(publish, { passive, headers });
  return {
    ready: follower.catchUp().then(
      () => inOrder(() => {}),
      () => {},
    ),
    stop() {
      stopped = true;
      unwatch();
      follower.stop();
    },
  };
}

export declare namespace startLeader {
  interface Options extends Omit<RelayChain.FollowOptions, 'onStep'> {
    readonly chain: Pick<RelayChain, 'follow' | 'logsOf'>;
    readonly engine: Pick<Engine, 'publish' | 'logs'>;
    /** The newest known links of the chain, oldest first. */
    readonly from: readonly BlockLink[];
    /** Milliseconds since 1970. */
    readonly now: () => number;
    /** Maximum newest blocks of a gap that are read one by one, and so reported. Each costs a request. */
    readonly headers: number;
    /** Whether it polls only when the follower's `catchUp` is called; else it polls at the chain's interval. */
    readonly passive: boolean;
  }
}
