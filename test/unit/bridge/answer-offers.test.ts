import { afterEach, expect, test, vi } from 'vitest';
import { answerOffers } from '../../../src/bridge/answer-offers.js';

afterEach(() => vi.unstubAllGlobals());

test('a wallet that reports an answer after its window has stopped disturbs nobody', async () => {
  vi.stubGlobal('window', new EventTarget());
  const frame = new BroadcastChannel('window');
  let post: ((message: object) => void) | undefined;
  const stopped = answerOffers(
    new BroadcastChannel('window'),
    (_, send) => {
      post = send;
      frame.postMessage({ t: 'cancel' });
      return null;
    },
    () => {},
  );
  frame.postMessage({
    t: 'offer',
    id: 1,
    origin: 'https://dapp.example',
    method: 'eth_accounts',
    json: '[]',
  });
  await stopped.finally(() => frame.close());
  expect(() => post?.({ t: 'refused' })).not.toThrow();
  expect(post).toBeDefined();
});
