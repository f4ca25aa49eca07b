/** The IP address that a client of these benchmarks says it has: another one for each index. */
export const clientAddress = (index: number): string =>
  `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
