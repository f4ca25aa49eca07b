import { afterEach, expect, test, vi } from 'vitest';
import { createListeners } from '../../../src/async/listeners.js';

afterEach(() => vi.unstubAllGlobals());

test('default', () => {
  const listeners = createListeners<[number]>();
  const heard: number[] = [];
  const undo = listeners.add((value) => heard.push(value));
  listeners.tell(1);
  undo();
  listeners.tell(2);
  expect(heard).toEqual([1]);
});

test('an undo takes away only what it added', () => {
  const listeners = createListeners<[]>();
  let count = 0;
  const listener = () => count++;
  const undo = listeners.add(listener);
  listeners.add(listener);
  undo();
  undo();
  listeners.tell();
  expect(count).toBe(1);
});

test('one that throws harms neither the others nor who tells', () => {
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
  listeners.tell();
  expect(reached).toBe(true);
  expect(thrown[0]).toThrow('mine');
});
