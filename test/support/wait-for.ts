import { vi } from 'vitest';

/** `vi.waitFor` with a limit for what hangs: its own second is short on a busy machine. */
export const waitFor: typeof vi.waitFor = (look, options = {}) =>
  vi.waitFor(look, { timeout: 30_000, ...(typeof options === 'number' ? { timeout: options } : options) });
