import type { Wallet } from '../wallet/wallet.js';
import { times } from './protocol.js';
import type { Serving } from './serve.js';

/**
 * Closes the wallet's frame when its page has been hidden for a long time and no request or subscription needs it. The
 * client opens a new frame with the next request. Returns a function that ends the watch.
 */
export function closeIdle(serving: Serving, wallet: Wallet): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isNeeded = async () =>
    !serving.isIdle() ||
    serving.isFollowing() ||
    (await wallet.transactions()).some(({ state, hold }) => /^(signed|sent)$/.test(state) && !hold);
  const onChange = (): void => {
    clearTimeout(timer);
    if (document.visibilityState === 'visible') return;
    timer = setTimeout(async () => {
      const isKept = await isNeeded().catch(() => true);
      if (document.visibilityState === 'visible') return;
      if (isKept) onChange();
      else serving.close('idle');
    }, times.idle);
  };
  document.addEventListener('visibilitychange', onChange);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onChange);
  };
}
