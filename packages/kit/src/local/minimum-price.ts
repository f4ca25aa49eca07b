/** The minimum gas price of each block, in wei: the first value until it is changed. */
export function createMinimumPrice(first: bigint) {
  const changes = [{ after: -1, wei: first }];
  return {
    at: (block: number): bigint => changes.findLast(({ after }) => after < block)?.wei ?? first,
    /** Sets the price of all blocks after this one. */
    setAfter: (block: number, wei: bigint): void => void changes.push({ after: block, wei }),
  };
}
