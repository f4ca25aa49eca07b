import { afterEach, expect, test, vi } from 'vitest';
import { inAskingTurn } from '../../../src/bridge/asking-turn.js';

afterEach(() => vi.unstubAllGlobals());

test('a question that ends after its turn was taken keeps its answer', async () => {
  let steal = (_: unknown): void => {};
  const request = (_name: string, _options: unknown, hold: (lock: unknown) => unknown) =>
    new Promise((_resolve, reject) => {
      steal = reject;
      void hold({});
    });
  vi.stubGlobal('navigator', { locks: { request }, language: 'en' });
  const draw = (wanted: AbortSignal) =>
    new Promise<{ approved: true }>((resolve) => {
      wanted.addEventListener('abort', () => {
        steal(new DOMException('Lock broken by another request', 'AbortError'));
        setTimeout(() => resolve({ approved: true }));
      });
    });
  const answer = inAskingTurn(new AbortController().signal, draw);
  const other = new BroadcastChannel('graft:asking');
  other.postMessage('yield');
  expect(await answer.finally(() => other.close())).toEqual({ approved: true });
});
