import { type BlockLink, heightOf, linkOf } from '../../../../src/chain/blocks.js';
import type { Follower } from '../../../../src/chain/follower.js';
import { outweighs, type ReorgPath } from '../../../../src/chain/reorg-path.js';
import { bloomHasAny, isBloom } from '../../../../src/rpc/bloom.js';
import { toQuantity } from '../../../../src/rpc/hex.js';
import { type RelayBlock, type RelayStep, stepsKept } from '../engines/engine.js';

/** The newest steps of one chain, of which each follows on the one before, and the links of the chain they end in. */
export interface StepMemory {
  /** The newest block. */
  head(): RelayBlock | BlockLink | undefined;
  /** Oldest first, each the parent of the next. */
  links(): readonly BlockLink[];
  /** How a step relates to the chain so far: the `next` one, one that is `known`, or neither of the two. */
  relation(step: RelayStep): 'next' | 'known' | 'apart';
  /** Adds a step. One that is `apart` replaces all earlier ones. */
  add(step: RelayStep): void;
  /**
   * The steps after a block: none if it is the newest one; `undefined` if no kept step has added it. Where a step has
   * added further blocks after it, the first step returned has only these.
   */
  since(hash: string): readonly RelayStep[] | undefined;
}

export function createStepMemory(steps: readonly RelayStep[] = [], maxSteps = stepsKept): StepMemory {
  let kept: RelayStep[] = [];
  let links: BlockLink[] = [];
  /** The rest of a step after a block: one object for all who continue there. */
  const rests = new WeakMap<RelayBlock, RelayStep>();

  function restOf({ added, seen }: RelayStep, index: number): RelayStep {
    const block = added[index] as RelayBlock;
    const rest = rests.get(block) ?? { removed: [], added: added.slice(index + 1), seen };
    rests.set(block, rest);
    return rest;
  }

  function relation(step: RelayStep): ReturnType<StepMemory['relation']> {
    const [head, tip] = [links.at(-1), step.added.at(-1)];
    if (!head || !tip) return 'apart';
    if (tip.hash === head.hash) return 'known';
    if (follows(head, step)) return 'next';
    // A follower that was replaced and does not know it yet, or one behind this chain.
    const isLower = links.some(({ hash }) => hash === tip.hash) || !outweighs(tip, head);
    return isLower && heightOf(tip) > heightOf(head) - maxBehind ? 'known' : 'apart';
  }

  function add(step: RelayStep): void {
    if (relation(step) === 'apart') kept = [];
    links = linksAfter(links, step);
    kept = [...kept, step].slice(-maxSteps);
  }

  for (const step of steps) if (relation(step) !== 'known') add(step);

  return {
    head: () => kept.at(-1)?.added.at(-1) ?? links.at(-1),
    links: () => links,
    relation,
    add,
    since(hash) {
      for (let at = kept.length - 1; at >= 0; at--) {
        const step = kept[at] as RelayStep;
        const index = step.added.findIndex((block) => block.hash === hash);
        const isParent = index < 0 && at === 0 && !step.missed && parentOf(step) === hash;
        if (isParent) return kept;
        if (index < 0) continue;
        const later = kept.slice(at + 1);
        return index + 1 < step.added.length ? [restOf(step, index), ...later] : later;
      }
      return undefined;
    },
  };
}

/** The block that the oldest step follows on, where it removed none. */
const parentOf = ({ removed, added }: RelayStep) => (removed.length === 0 ? added[0]?.parentHash : undefined);

/** Whether a step changes a chain that ends in `head`. */
function follows(head: BlockLink, { removed, added, missed }: RelayStep): boolean {
  const [first] = added;
  const left = removed[0];
  if (left) return left.hash === head.hash;
  if (missed) return Number(missed.from) === heightOf(head) + 1;
  return first?.parentHash === head.hash;
}

/** The links of the chain after a step, without the blocks below a gap. */
function linksAfter(links: readonly BlockLink[], step: RelayStep): BlockLink[] {
  const added = step.added.map(linkOf);
  const head = links.at(-1);
  if (step.missed || !head || !follows(head, step)) return added;
  const [first] = added;
  const stays = first ? links.filter((link) => heightOf(link) < heightOf(first)) : [...links];
  return [...stays, ...added].slice(-maxLinks);
}

/** The newest links of the chain that some steps end in, oldest first. */
export function linksOf(steps: readonly RelayStep[], from: readonly BlockLink[] = []): readonly BlockLink[] {
  return steps.reduce<readonly BlockLink[]>(linksAfter, from);
}

/** A follower's step as plain JSON. */
export function toRelayStep({ removed, added, missed }: Follower.Step, seen: number): RelayStep {
  return {
    removed: removed.map(({ number, hash, parentHash }) => ({ number, hash, parentHash })),
    added,
    ...(missed && { missed: { from: toQuantity(missed.from), to: toQuantity(missed.to) } }),
    seen,
  };
}

/** The step as the delivery of logs takes it; it reads numbers and hashes of removed blocks only. */
export const toPath = ({ removed, added, missed }: RelayStep): ReorgPath => ({
  removed: removed as readonly BlockLink[],
  added,
  missed: missed && { from: Number(missed.from), to: Number(missed.to) },
});

/** Whether the block's bloom says that it has no logs. */
export const hasNoLogs = ({ logsBloom }: RelayBlock): boolean =>
  isBloom(logsBloom) && !bloomHasAny(logsBloom);

/** Heights: a step that ends further below the head is of a chain that was set back. */
const maxBehind = 64;
/** As many as a follower remembers. */
const maxLinks = 512;
