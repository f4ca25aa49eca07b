/** The middle one, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const at = (index: number) => sorted[index] as number;
  return sorted.length % 2 ? at(Math.floor(middle)) : (at(middle - 1) + at(middle)) / 2;
}

export const maximum = (values: readonly number[]): number => Math.max(...values);

/**
 * Runs every contender once per round, each round starting with another one, so that other load affects all alike.
 * Returns the results of each contender in the order of rounds.
 */
export async function interleave<Name extends string>(
  rounds: number,
  contenders: Readonly<Record<Name, (round: number) => number | Promise<number>>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(contenders) as Name[];
  const values = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round < rounds; round++)
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length] as Name;
      values[name].push(await contenders[name](round));
    }
  return values;
}

/** The median of the ratios of each round, which load during a whole round does not change. */
export const ratio = (over: readonly number[], under: readonly number[]): number =>
  median(over.map((value, round) => value / (under[round] as number)));

/** Milliseconds that `run` takes. */
export async function time(run: () => unknown): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}
