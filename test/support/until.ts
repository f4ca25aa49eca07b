/** Resolves with the first truthy value of `attempt`, which is called every `interval` ms. @throws after `timeout` ms */
export async function until<T>(
  attempt: () => T | Promise<T>,
  options: until.Options = {},
): Promise<NonNullable<T>> {
  const { timeout = 30_000, interval = 10, failure = `Not true within ${timeout} ms: ${attempt}` } = options;
  const end = Date.now() + timeout;
  for (;;) {
    const value = await attempt();
    if (value) return value;
    if (Date.now() > end) throw new Error(typeof failure === 'string' ? failure : await failure());
    await new Promise((resolve) => setTimeout(resolve, interval));
  }
}

export declare namespace until {
  interface Options {
    /** Milliseconds; 30,000 by default. */
    readonly timeout?: number;
    /** Milliseconds between two attempts; 10 by default. */
    readonly interval?: number;
    /** The message of the error; a function says what is there instead. */
    readonly failure?: string | (() => string | Promise<string>);
  }
}
