/** The minimum gas price of each block, in wei: the first value until it is changed. */
export interface MinimumPrice {
  at(block: number): bigint;
  /** Sets the price of all blocks after this one. */
  setAfter(block: number, wei: bigint): void;
}

export function createMinimumPrice(first: bigint): MinimumPrice {
  const changes: { after: number; wei: bigint }[] = [{ after: -1, wei: first }];
  return {
    at: (block) => changes.findLast(({ after }) => after < block)?.wei ?? first,
    setAfter: (block, wei) => void changes.push({ after: block, wei }),
  };
}
