import type { Core } from './core.js';

/**
 * The core of each wallet, for the documents of a wallet's own site. No page gets it: the pages of a wallet in the page have the
 * wallet's own functions, and a dapp over the bridge has neither.
 */
export const coreOf = new WeakMap<object, () => Promise<Core>>();
