import { afterAll, vi } from 'vitest';

/**
 * Waits at the end of a test file for what a wallet is still importing. An import that the end of its file cuts off fails, and stays
 * failed for the files that run in the same worker after it.
 */
afterAll(() => vi.dynamicImportSettled());
