import { expect, test } from 'vitest';
import { measureWalks, type Walks } from './walks.js';

/**
 * Each walk's frames on the stack of `fetch`, and its files, when last looked at. They only fall: lower them when a way gets
 * shorter. Where a new feature lengthens one, shorten it elsewhere; WALKS=1 prints what runs.
 */
const budgets: Walks = {
  'payment, block to mined': { frames: 32, files: 52 },
  'log, block to message': { frames: 32, files: 55 },
  'eth_sendTransaction, click to hash': { frames: 29, files: 102 },
  'eth_blockNumber, first': { frames: 31, files: 45 },
  'eth_blockNumber, warm': { frames: 34, files: 45 },
  'eth_call through viem': { frames: 34, files: 50 },
  'eth_getBalance over the bridge': { frames: 38, files: 54 },
};

test('each request passes as many frames and files as its budget says', async () => {
  expect(await measureWalks()).toEqual(budgets);
});
