import { errorCode, isProviderRpcError } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';
import type { Storage } from '../../storage/storage.js';
import type { Clock } from '../clock.js';

const free = 5;
const longest = 30_000;

interface Attempts {
  readonly failures: number;
  readonly at: number;
}

/**
 * Slows guessing down: five wrong passwords are free, then the next waits 1 s, 2 s, 4 s … 30 s. Counted in
 * storage, so that tabs and reloads share it. A comfort against a person at the keyboard; who has the vault's
 * file is slowed by the derivation alone (docs/notes/security.md#guessing-passwords).
 */
export function createThrottle(storage: Storage, clock: Clock): <T>(attempt: () => Promise<T>) => Promise<T> {
  // A storage that fails must not keep the right password out.
  const change = (next: (attempts: Attempts) => Attempts | undefined) =>
    storage.update('vault', 'attempts', (current) => next(readAttempts(current))).catch(() => undefined);

  return async (attempt) => {
    const { failures, at } = readAttempts(await storage.get('vault', 'attempts').catch(() => undefined));
    const wait = failures < free ? 0 : Math.min(1_000 * 2 ** (failures - free), longest);
    // A clock that was set back waits once more, and no longer than that.
    const left = wait - Math.max(clock.now() - at, 0);
    if (left > 0) await new Promise<void>((resolve) => void clock.after(left, resolve));
    // Counted before the attempt: reloading the page must not undo it.
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
