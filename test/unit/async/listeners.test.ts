import { afterEach, expect, test, vi } from 'vitest';
import { createListeners } from '../../../src/async/listeners.js';

afterEach(() => vi.unstubAllGlobals());

test('emit calls each listener until it is removed', () => {
  const listeners = createListeners<[number]>();
  const received: number[] = [];
  const remove = listeners.add((value) => received.push(value));
  listeners.emit(1);
  remove();
  listeners.emit(2);
  expect(received).toEqual([1]);
});

test('remove takes away one entry of a listener that was added twice', () => {
  const listeners = createListeners<[]>();
  let count = 0;
  const listener = () => count++;
  const remove = listeners.add(listener);
  listeners.add(listener);
  remove();
  remove();
  listeners.emit();
  expect(count).toBe(1);
});

test('a listener that throws stops neither the others nor the emitter', () => {
  const thrown: (() => void)[] = [];
  vi.stubGlobal('queueMicrotask', (task: () => void) => thrown.push(task));
  const listeners = createListeners<[]>();
  let reached = false;
  listeners.add(() => {
    throw new Error('mine');
  });
  listeners.add(() => {
    reached = true;
  });
  listeners.emit();
  expect(reached).toBe(true);
  expect(thrown[0]).toThrow('mine');
});
