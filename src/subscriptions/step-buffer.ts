import { type BlockLink, heightOf, type MinedBlock } from '../chain/blocks.js';
import type { Follower } from '../chain/follower.js';

/** What happened to the chain since somebody last looked, net: a block that came and went, or left and returned, is not in it. What is `missed` lies below all that is added. */
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
  // What is too much to ask for takes in what was noted below it.
  const [first] = added;
  const from = earlier.missed?.from ?? (first && heightOf(first));
  if (later.missed)
    return {
      ...{ removed, added: later.added },
      missed: { from: Math.min(from ?? later.missed.from, later.missed.from), to: later.missed.to },
    };
  for (const block of later.added) {
    if (added.length === 0 && removed.at(-1)?.hash === block.hash) removed.pop();
    else added.push(block);
  }
  return { removed, added, ...missedBelow(earlier, added[0]) };
}

/** A fork from below all that was added begins among what was missed. */
function missedBelow(
  { missed }: BufferedSteps,
  first: MinedBlock | undefined,
): Pick<BufferedSteps, 'missed'> {
  if (!missed) return {};
  const to = first ? Math.min(missed.to, heightOf(first) - 1) : missed.to;
  return to < missed.from ? {} : { missed: { from: missed.from, to } };
}

/** Notes steps until they are asked for. */
export interface StepBuffer {
  /**
   * Looks at the service unless somebody just has, then gives what there is. `null` when that cannot be told any more.
   * @throws ProviderRpcError when the service cannot be asked; nothing is lost then.
   */
  take(): Promise<BufferedSteps | null>;
  /** What was taken and could not be used: it comes first the next time. */
  putBack(taken: BufferedSteps): void;
  end(): void;
}

/**
 * @param freshen has the follower look, unless what it has told of is all there is as far as anybody has looked of
 * late: pages poll more often than blocks come, and a look for each poll would show nothing.
 * @param headers as {@link Follower.WatchOptions} has it
 */
export function createStepBuffer(
  follower: Follower,
  onStep: () => void,
  freshen: () => Promise<void>,
  headers = 0,
): StepBuffer {
  let backlog = noSteps;
  let lost = false;
  const end = follower.watch(
    (step) => {
      backlog = joinSteps(backlog, step);
      lost ||= backlog.added.length > mostBlocks;
      if (lost) backlog = noSteps;
      onStep();
    },
    { passive: true, headers },
  );
  return {
    end,
    async take() {
      await freshen();
      const taken = backlog;
      backlog = noSteps;
      return lost ? null : taken;
    },
    putBack(taken) {
      backlog = joinSteps(taken, backlog);
    },
  };
}

/** Far more than come in the life of a filter that nobody polls, on all but a chain gone wild. */
const mostBlocks = 4_096;
