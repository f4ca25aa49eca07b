/** Runs `each` for all items, at most `limit` at a time. Results are in the order of the items; the first failure rejects. */
export async function inLanes<Item, Result>(
  items: readonly Item[],
  limit: number,
  each: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  // All lanes draw from one generator; a lane that fails closes it, so that no further item begins.
  const entries = (function* () {
    yield* items.entries();
  })();
  const lane = async (): Promise<void> => {
    for (const [at, item] of entries) results[at] = await each(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  return results;
}
