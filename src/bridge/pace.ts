import { limits } from './protocol.js';

/**
 * The pace at which the requests of one dapp are taken. In some browsers all frames of the wallet run on one thread, whatever
 * page they are in, and long params cost it time: what a dapp sends beyond its pace waits, so that the others are served.
 */
export function createPace(now: () => number = () => performance.now()) {
  /** When all text so far will have been taken at {@link limits.pace}. */
  let takenAt = now();

  /** @returns the milliseconds to wait before this text is taken; `null` if they are too many, and it is not counted */
  return (length: number): number | null => {
    const time = now();
    const since = Math.max(takenAt, time);
    const duration = (length / limits.pace) * 1_000;
    const wait = Math.max(0, since + duration - time - burst);
    if (wait > longestWait) return null;
    takenAt = since + duration;
    return wait;
  };
}

/** Milliseconds of text that are taken at once: 4 MiB. */
const burst = 4_000;
const longestWait = 30_000;
