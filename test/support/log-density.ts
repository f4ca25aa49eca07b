/** The range that the figures of wide `eth_getLogs` are measured with, in blocks. */
export const rangeBlocks = 100_000;

/** What the service returns at once: so many blocks, or so many logs (docs/notes/service.md#limits). */
export const logLimits = { blocks: 2_000, logs: 10_000 };

export type LogDensity = (height: number) => number;

/** Logs per block by height, over {@link rangeBlocks}. */
export const logDensities = {
  even: () => 1,
  growing: (height: number) => (4 * height) / rangeBlocks,
  dense: () => 4,
  bursty: (height: number) => ((Math.floor(height / 1_000) * 48_271 + 7) % 97 < 24 ? 8 : 0),
} satisfies Record<string, LogDensity>;

/** How many logs are below each height, 0 to `blocks`. */
export function logsBelow(density: LogDensity, blocks = rangeBlocks): readonly number[] {
  const below = [0];
  let sum = 0;
  for (let height = 0; height < blocks; height++) {
    sum += density(height);
    below.push(Math.round(sum));
  }
  return below;
}

/** The fewest requests that can read all logs: each covers as many blocks as the limits allow. */
export function fewestRequests(below: readonly number[], limits = logLimits): number {
  const blocks = below.length - 1;
  let requests = 0;
  for (let from = 0; from < blocks; requests++) {
    let next = Math.min(blocks, from + limits.blocks);
    while (next < blocks && (below[next + 1] as number) - (below[from] as number) <= limits.logs) next++;
    from = next;
  }
  return requests;
}
