/** The minimum gas price block by block: constant until told otherwise. Wei. */
export interface MinimumPrice {
  at(block: number): bigint;
  /** For every block after this one. */
  setAfter(block: number, wei: bigint): void;
}

export function createMinimumPrice(first: bigint): MinimumPrice {
  const changes: { after: number; wei: bigint }[] = [{ after: -1, wei: first }];
  return {
    at: (block) => changes.findLast(({ after }) => after < block)?.wei ?? first,
    setAfter: (block, wei) => void changes.push({ after: block, wei }),
  };
}
