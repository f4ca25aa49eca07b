import { expect, test } from 'vitest';
import { measureWalks, type Walks } from './walks.js';

/**
 * Each walk's frames on the stack of `fetch`, and its files, when last looked at. They only fall: lower them when a way gets
 * shorter. Where a new feature lengthens one, shorten it elsewhere; WALKS=1 prints what runs.
 */
const budgets: Walks = {
  'payment, block to mined': { frames: 18, files: 48 },
  'log, block to message': { frames: 18, files: 50 },
  'eth_sendTransaction, click to hash': { frames: 18, files: 95 },
  'eth_blockNumber, first': { frames: 12, files: 35 },
  'eth_blockNumber, warm': { frames: 13, files: 33 },
  'eth_call through viem': { frames: 13, files: 39 },
  'eth_getBalance over the bridge': { frames: 17, files: 44 },
};

test('each request passes as many frames and files as its budget says', async () => {
  expect(await measureWalks()).toEqual(budgets);
});
