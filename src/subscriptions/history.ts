import { limitExceeded } from '../rpc/errors.js';

/** @throws ProviderRpcError -32005 beyond {@link mostBlocks}: a page that starts at block 0 would spend a day's quota on its first poll. */
export function checkHistory(from: number, to: number): void {
  if (to - from >= mostBlocks)
    throw limitExceeded(`fromBlock: ${to - from + 1} blocks of history, at most ${mostBlocks} are read`);
}

export const mostBlocks = 100_000;
