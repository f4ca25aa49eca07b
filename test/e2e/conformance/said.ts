import { inspect } from 'node:util';
import { vi } from 'vitest';

/** Everything that is printed while a test runs: the console, and warnings of the process. */
export function listen(): { readonly said: readonly string[]; stop(): void } {
  const said: string[] = [];
  const note = (...parts: readonly unknown[]) => {
    said.push(
      parts.map((part) => (typeof part === 'string' ? part : inspect(part, { depth: null }))).join(' '),
    );
  };
  const spies = (['log', 'info', 'warn', 'error', 'debug', 'trace', 'dir', 'table'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation(note),
  );
  const warned = (warning: Error) => note(warning);
  process.on('warning', warned);
  return {
    said,
    stop() {
      process.off('warning', warned);
      for (const spy of spies) spy.mockRestore();
    },
  };
}
