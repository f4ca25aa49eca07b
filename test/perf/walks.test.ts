import { expect, test } from 'vitest';
import { measureWalks, type Walks } from './walks.js';

/**
 * Frames on the stack of `fetch` and files of each walk, as last measured. They only fall: lower them when a walk gets shorter. If a
 * feature lengthens one, shorten it elsewhere; WALKS=1 prints the files and the stacks.
 */
const budgets: Walks = {
  'payment, block to mined': { frames: 18, files: 43 },
  'log, block to message': { frames: 18, files: 49 },
  'eth_sendTransaction, click to hash': { frames: 18, files: 75 },
  'eth_blockNumber, first': { frames: 12, files: 29 },
  'eth_blockNumber, warm': { frames: 13, files: 28 },
  'eth_call through viem': { frames: 13, files: 36 },
  'eth_getBalance over the bridge': { frames: 17, files: 43 },
};

test('each request passes as many frames and files as its budget says', async () => {
  expect(await measureWalks()).toEqual(budgets);
});
