import { type BlockLink, heightOf, type MinedBlock } from '../chain/blocks.js';
import type { Follower } from '../chain/follower.js';

/**
 * The net change of several steps: a block that was added and removed, or removed and added again, is not in it.
 * `missed` heights lie below all added blocks.
 */
export type BufferedSteps = Pick<Follower.Step, 'removed' | 'added' | 'missed'>;

export const noSteps: BufferedSteps = { removed: [], added: [] };

/** `later` after `earlier`. */
export function joinSteps(earlier: BufferedSteps, later: BufferedSteps): BufferedSteps {
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
  return { removed, added, ...missedBelow(earlier, added[0]) };
}

/** After a fork below all added blocks, the missed heights end at the fork. */
function missedBelow(
  { missed }: BufferedSteps,
  first: MinedBlock | undefined,
): Pick<BufferedSteps, 'missed'> {
  if (!missed) return {};
  const to = first ? Math.min(missed.to, heightOf(first) - 1) : missed.to;
  return to < missed.from ? {} : { missed: { from: missed.from, to } };
}

/** Collects the follower's steps until they are taken. */
export interface StepBuffer {
  /**
   * Polls the head unless it is fresh, then returns and clears what was collected; `null` where that was too much.
   * @throws ProviderRpcError as the poll does; nothing is lost then
   */
  take(): Promise<BufferedSteps | null>;
  /** Returns what was taken and could not be used: the next `take` begins with it. */
  putBack(taken: BufferedSteps): void;
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
      lost ||= steps.added.length > mostBlocks;
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
const mostBlocks = 4_096;
