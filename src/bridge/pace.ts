import { limits } from './protocol.js';

/**
 * Paces the requests of one dapp. Some browsers run all frames of the wallet on one thread, where long params delay the
 * requests of other dapps; requests beyond the pace wait.
 */
export function createPace() {
  /** When all text so far is processed at {@link limits.pace}: a time of `performance.now()`. */
  let processedAt = performance.now();

  /** Counts a text. Returns the milliseconds to wait for it; `null`, without counting it, above {@link maxWait}. */
  return (length: number): number | null => {
    const time = performance.now();
    const end = Math.max(processedAt, time) + (length / limits.pace) * 1_000;
    const wait = Math.max(0, end - time - burst);
    if (wait > maxWait) return null;
    processedAt = end;
    return wait;
  };
}

/** Milliseconds of text that need not wait: 4 MiB. */
const burst = 4_000;
/** Milliseconds. */
const maxWait = 30_000;
