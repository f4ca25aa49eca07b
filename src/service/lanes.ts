/** Runs `each` for all items, at most `limit` at a time. Results are in the order of the items; the first failure rejects. */
export async function inLanes<Item, Result>(
  items: readonly Item[],
  limit: number,
  each: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      const at = next++;
      results[at] = await each(items[at] as Item);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  } catch (error) {
    next = items.length;
    throw error;
  }
  return results;
}
