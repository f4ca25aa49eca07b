import { toQuantity } from '../rpc/hex.js';
import type { Hex } from '../rpc/schema.js';
import { isOpen, type JournalEntry } from './journal.js';

/** What the service counted for the sender, and when it was asked. */
export interface Counted {
  readonly nonce: Hex;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A node behind a balancer may be this far behind, milliseconds: some blocks. */
const longestLag = 120_000;

/**
 * The first `count` nonces that nobody has used, lowest first. The service's count is as old as the question,
 * and may lag by more: it is never gone below what was signed here of late. Under an older open entry a gap is
 * filled, since nothing above it could ever be mined.
 *
 * @param entries of this account and chain
 */
export function nextNonces(
  count: number,
  counted: Counted,
  entries: readonly JournalEntry[],
): readonly Hex[] {
  const used = new Set<bigint>();
  let next = BigInt(counted.nonce);
  for (const entry of entries) {
    const isRecent = entry.createdAt > counted.at - longestLag;
    if (!isOpen(entry) && !(entry.state === 'mined' && isRecent)) continue;
    const nonce = BigInt(entry.nonce);
    used.add(nonce);
    if (isRecent && !entry.nonceChosen && nonce >= next) next = nonce + 1n;
  }
  return Array.from({ length: count }, () => {
    while (used.has(next)) next++;
    return toQuantity(next++);
  });
}
