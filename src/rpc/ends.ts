/** Seconds after which a right counts as one that does not end: ten years. */
const maxRightSeconds = 10 * 365 * 86_400;

/** Whether a time (unix seconds, decimal) is so far away that it ends nothing. */
export const isFar = (time: string, now: number): boolean => BigInt(time) > BigInt(now + maxRightSeconds);

/** Whether a time ends a right: it is in the coming years. */
export const isEnd = (time: string, now: number): boolean => BigInt(time) > BigInt(now) && !isFar(time, now);

/** Unix seconds. */
export const currentTime = (): number => Math.floor(Date.now() / 1000);
