import type { BlockHeader } from './header.js';
import type { ChainRules, Checkpoint } from './rules.js';
import { beyondProof, contradiction, noProof } from './verdict.js';
import { checkWork } from './work.js';

/**
 * Checks that blocks follow each other, each with its work.
 *
 * @param blocks oldest first
 * @throws NotProven
 */
export function checkBranch(blocks: readonly BlockHeader[], rules: ChainRules): void {
  for (const [index, block] of blocks.entries()) checkNext(blocks[index - 1], block, rules);
}

/**
 * Checks a block with its work, and that it is the child of another one where that is known.
 *
 * @throws NotProven
 */
export function checkNext(parent: BlockHeader | undefined, block: BlockHeader, rules: ChainRules): void {
  if (parent) checkLink(parent, block, rules);
  checkWork(block, rules);
  if (rules.checkpoint) checkAgainst(rules.checkpoint, block);
}

/**
 * Checks that no block has less work than a lie would be worth.
 *
 * @throws NotProven `claimed`
 */
export function checkFloor(blocks: readonly BlockHeader[], { floor }: ChainRules): void {
  if (floor === undefined)
    throw beyondProof('Nothing on this chain is proven without a floor of difficulty, which its owner sets.');
  if (blocks.some(({ difficulty }) => difficulty < floor))
    throw noProof(`The difficulty of a block is below ${floor}, so that its work proves little.`);
}

/** Checks that a block is the child of another. */
function checkLink(parent: BlockHeader, block: BlockHeader, rules: ChainRules): void {
  if (block.parentHash !== parent.hash || block.number !== parent.number + 1)
    throw contradiction('A block does not follow the one before it.');
  if (block.timestamp < parent.timestamp) throw contradiction('A block is older than the one before it.');
  const { adjustment } = rules;
  const isAdjusted = adjustment !== undefined && block.number >= adjustment.from;
  if (isAdjusted && block.difficulty !== nextDifficulty(parent, block, adjustment))
    throw contradiction('The difficulty of a block does not follow from the one before it.');
}

/** The difficulty that a chain's rule asks of a block after its parent. */
function nextDifficulty(
  { difficulty, timestamp }: BlockHeader,
  block: BlockHeader,
  { divisor, seconds, minimum }: NonNullable<ChainRules['adjustment']>,
): bigint {
  const passed = block.timestamp - timestamp;
  const wanted = seconds * (1 + block.uncles);
  const step = difficulty / divisor;
  const next = passed < wanted ? difficulty + step : passed > wanted ? difficulty - step : difficulty;
  return next < minimum ? minimum : next;
}

function checkAgainst(checkpoint: Checkpoint, { number, hash, timestamp }: BlockHeader): void {
  if (number === checkpoint.number && hash !== checkpoint.hash)
    throw contradiction('A block is another than the one that is known at its height.');
  const isLater = number > checkpoint.number;
  if (isLater && timestamp < checkpoint.timestamp)
    throw contradiction('A block is older than one that is known below it.');
  if (!isLater && timestamp > checkpoint.timestamp)
    throw contradiction('A block is newer than one that is known above it.');
}
