/** The rows about replies to a JSON-RPC batch: batches.test.ts runs them. */
export const batched: readonly string[] = ['reply-034', 'reply-035', 'reply-036'];
