import { confirmDelay, dangerDelay } from '../../src/ui/dialog/clickjacking-guard.js';

/**
 * In a page: the pauses of the dialog's guard pass eight times as fast; `dialog.timed.test.ts` waits them out. In a frame only
 * the shorter one does: the other is as long as a frame may be covered.
 */
export function hastenGuard(): void {
  const wait = window.setTimeout.bind(window) as (run: () => void, ms?: number) => number;
  const pauses: readonly unknown[] = window.parent === window ? [confirmDelay, dangerDelay] : [confirmDelay];
  Object.assign(window, {
    setTimeout: (run: () => void, ms?: number) => wait(run, pauses.includes(ms) ? (ms as number) / 8 : ms),
  });
}
