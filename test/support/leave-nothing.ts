import { afterAll, vi } from 'vitest';

/**
 * Fails a test file that leaves anything behind: the files after it in the same worker would find it, in an order that depends
 * on the machine.
 */
afterAll(async () => {
  // An import that the end of its file cuts off fails, and stays failed.
  await vi.dynamicImportSettled();
  const { body } = globalThis.document ?? {};
  const left = Array.from(body?.children ?? [], ({ outerHTML }) => outerHTML.slice(0, 80));
  body?.replaceChildren();
  if (vi.isFakeTimers()) left.push('fake timers');
  vi.useRealTimers();
  if (left.length > 0) throw new Error(`This file leaves behind: ${left.join(', ')}`);
});
