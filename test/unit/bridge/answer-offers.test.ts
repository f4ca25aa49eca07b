import { afterEach, expect, test, vi } from 'vitest';
import { answerOffers } from '../../../src/bridge/answer-offers.js';

afterEach(() => vi.unstubAllGlobals());

test('an answer that is reported after the window has stopped is left out', async () => {
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
