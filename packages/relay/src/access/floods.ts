/** A client that sends this many times what it may, over {@link floodSpan} milliseconds, is cut off. */
const floodFactor = 10;
const floodSpan = 5_000;

/**
 * Counts the messages of a connection: call the function with each one. It returns whether the client keeps sending at more than
 * {@link floodFactor} times its limit, although it gets refusals.
 */
export function createFloodCheck(messagesPerSecond: number): () => boolean {
  let since = Date.now();
  let messages = 0;
  return () => {
    if (Date.now() - since > floodSpan) [since, messages] = [Date.now(), 0];
    messages += 1;
    return messages > (floodFactor * messagesPerSecond * floodSpan) / 1_000;
  };
}

/** Milliseconds for the first message of a connection. */
export const firstMessage = 30_000;
