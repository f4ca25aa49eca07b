/**
 * The three words for what a node said. `proven`: Bitcoin's miners have worked on it. `contradicted`: it cannot be true. `claimed`: all
 * else, such as a block of an unknown format, without its mining fields or below the floor of difficulty.
 */
export type Verdict = 'proven' | 'claimed' | 'contradicted';

/** Says why something is not proven, in a sentence for people. It has no stack worth keeping: it is a verdict, not a fault. */
export class NotProven extends Error {
  readonly verdict: Exclude<Verdict, 'proven'>;
  /** Whether another node may show more: the reason is what this one said, or left out. */
  readonly isDoubtful: boolean;

  constructor(verdict: Exclude<Verdict, 'proven'>, message: string, isDoubtful = true) {
    super(message);
    this.verdict = verdict;
    this.isDoubtful = isDoubtful;
  }
}

/** Nothing speaks against it, and nothing shows it. */
export const noProof = (why: string): NotProven => new NotProven('claimed', why);

/** Nothing can show it, whatever a node says. */
export const beyondProof = (why: string): NotProven => new NotProven('claimed', why, false);

/** It cannot be true. */
export const contradiction = (why: string): NotProven => new NotProven('contradicted', why);
