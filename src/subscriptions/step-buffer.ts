import { type BlockLink, heightOf, type MinedBlock } from '../chain/blocks.js';
import type { Follower } from '../chain/follower.js';

export const noSteps: Follower.Step = { removed: [], added: [], missed: undefined };

/**
 * The net change of `later` after `earlier`: a block that was added and removed, or removed and added again, is not in it.
 * `missed` heights lie below all added blocks.
 */
export function joinSteps(earlier: Follower.Step, later: Follower.Step): Follower.Step {
  const added: MinedBlock[] = [...earlier.added];
  const removed: BlockLink[] = [...earlier.removed];
  for (const block of later.removed) {
    if (added.at(-1)?.hash === block.hash) added.pop();
    else removed.push(block);
  }
  // Missed heights include those of the blocks added before.
  const [first] = added;
  const from = earlier.missed?.from ?? (first && heightOf(first));
  if (later.missed)
    return {
      removed,
      added: later.added,
      missed: { from: Math.min(from ?? later.missed.from, later.missed.from), to: later.missed.to },
    };
  for (const block of later.added) {
    if (added.length === 0 && removed.at(-1)?.hash === block.hash) removed.pop();
    else added.push(block);
  }
  const { missed } = earlier;
  // After a fork below all added blocks, the missed heights end at the fork.
  const to = Math.min(missed?.to ?? -1, added[0] ? heightOf(added[0]) - 1 : Number.POSITIVE_INFINITY);
  return { removed, added, missed: missed && to >= missed.from ? { from: missed.from, to } : undefined };
}

/** Collects the follower's steps until they are taken. */
export interface StepBuffer {
  /**
   * Polls the head unless it is fresh, then returns and clears what was collected; `null` where that was too much.
   * @throws ProviderRpcError as the poll does; nothing is lost then
   */
  take(): Promise<Follower.Step | null>;
  /** Returns what was taken and could not be used: the next `take` begins with it. */
  putBack(taken: Follower.Step): void;
  end(): void;
}

/**
 * @param freshen lets the follower poll, unless its head is fresh: pages poll more often than blocks arrive
 * @param headers as in {@link Follower.WatchOptions}
 */
export function createStepBuffer(
  follower: Follower,
  onStep: () => void,
  freshen: () => Promise<void>,
  headers = 0,
): StepBuffer {
  let steps = noSteps;
  let lost = false;
  const end = follower.watch(
    (step) => {
      steps = joinSteps(steps, step);
      lost ||= steps.added.length > maxBlocks;
      if (lost) steps = noSteps;
      onStep();
    },
    { passive: true, headers },
  );
  return {
    end,
    async take() {
      await freshen();
      const taken = steps;
      steps = noSteps;
      return lost ? null : taken;
    },
    putBack(taken) {
      steps = joinSteps(taken, steps);
    },
  };
}

/** Blocks: far more than are mined in the 5 minutes after which an unpolled filter expires. */
const maxBlocks = 4_096;
