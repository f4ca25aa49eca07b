import type { Clock } from '../../async/clock.js';
import { errorCode, isProviderRpcError } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';
import type { Storage } from '../../storage/storage.js';

/** Failures without a delay. */
const freeFailures = 5;
/** Milliseconds. */
const maxDelay = 30_000;

interface Attempts {
  readonly failures: number;
  readonly at: number;
}

/**
 * Limits the rate of password guesses: after five failures the next attempts wait 1 s, 2 s, 4 s … 30 s. The count is
 * in storage, so that tabs and reloads share it. This slows a person at the keyboard; an attacker who has the vault's
 * file is slowed by the key derivation alone (docs/notes/security.md#guessing-passwords).
 */
export function createThrottle(storage: Storage, clock: Clock): <T>(attempt: () => Promise<T>) => Promise<T> {
  // A storage that fails must not block the right password.
  const change = (next: (attempts: Attempts) => Attempts | undefined) =>
    storage.update('vault', 'attempts', (current) => next(readAttempts(current))).catch(() => undefined);

  return async (attempt) => {
    const { failures, at } = readAttempts(await storage.get('vault', 'attempts').catch(() => undefined));
    const delay = failures < freeFailures ? 0 : Math.min(1_000 * 2 ** (failures - freeFailures), maxDelay);
    // If the clock was set back, wait the whole delay and no longer.
    const remaining = delay - Math.max(clock.now() - at, 0);
    if (remaining > 0) await new Promise<void>((resolve) => void clock.setTimeout(resolve, remaining));
    // Counted before the attempt, so that reloading the page does not undo it.
    await change((now) => ({ failures: now.failures + 1, at: clock.now() }));
    try {
      const result = await attempt();
      await change(() => undefined);
      return result;
    } catch (error) {
      const isWrong = isProviderRpcError(error) && error.code === errorCode.unauthorized;
      await change((now) =>
        isWrong ? { ...now, at: clock.now() } : { failures: now.failures - 1, at: now.at },
      );
      throw error;
    }
  };
}

function readAttempts(value: unknown): Attempts {
  const { failures, at } = own((value ?? {}) as { failures?: unknown; at?: unknown });
  return {
    failures: Number.isSafeInteger(failures) ? Math.max(failures as number, 0) : 0,
    at: Number.isFinite(at) ? (at as number) : 0,
  };
}
