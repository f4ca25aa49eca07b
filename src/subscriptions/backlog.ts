import type { MinedBlock } from '../chain/blocks.js';
import type { Follower } from '../chain/follower.js';

/** What happened to the chain since somebody last looked, net: a block that came and went, or left and returned, is not in it. */
export type Backlog = Pick<Follower.Step, 'removed' | 'added'>;

export const emptyBacklog: Backlog = { removed: [], added: [] };

/** `later` after `earlier`. */
export function joinBacklogs(earlier: Backlog, later: Backlog): Backlog {
  const added: MinedBlock[] = [...earlier.added];
  const removed: MinedBlock[] = [...earlier.removed];
  for (const block of later.removed) {
    if (added.at(-1)?.hash === block.hash) added.pop();
    else removed.push(block);
  }
  for (const block of later.added) {
    if (added.length === 0 && removed.at(-1)?.hash === block.hash) removed.pop();
    else added.push(block);
  }
  return { removed, added };
}

/** Notes steps until they are asked for. */
export interface BacklogKeeper {
  /**
   * Looks at the service, then gives what there is. `null` when that cannot be told any more.
   * @throws ProviderRpcError when the service cannot be asked; nothing is lost then.
   */
  take(): Promise<Backlog | null>;
  /** What was taken and could not be used: it comes first the next time. */
  putBack(taken: Backlog): void;
  end(): void;
}

export function keepBacklog(follower: Follower, onStep: () => void): BacklogKeeper {
  let backlog = emptyBacklog;
  let lost = false;
  const end = follower.watch(
    (step) => {
      backlog = joinBacklogs(backlog, step);
      lost ||= step.missed !== undefined || backlog.added.length > mostBlocks;
      if (lost) backlog = emptyBacklog;
      onStep();
    },
    { passive: true },
  );
  return {
    end,
    async take() {
      await follower.catchUp();
      const taken = backlog;
      backlog = emptyBacklog;
      return lost ? null : taken;
    },
    putBack(taken) {
      backlog = joinBacklogs(taken, backlog);
    },
  };
}

/** Far more than come in the life of a filter that nobody polls, on all but a chain gone wild. */
const mostBlocks = 4_096;
