import { expect, test, vi } from 'vitest';
import { createEvents } from '../../../src/provider/emitter.js';

test('a listener gets the arguments of an event', () => {
  const events = createEvents();
  const seen: unknown[][] = [];
  events.on('x', (...args) => seen.push(args));
  events.emit('x', 1, 2);
  expect(seen).toEqual([[1, 2]]);
});

test('a listener added twice runs twice, and is removed once at a time', () => {
  const events = createEvents();
  let count = 0;
  const listener = () => count++;
  events.on('x', listener);
  events.on('x', listener);
  events.emit('x');
  expect(count).toBe(2);
  events.removeListener('x', listener);
  events.emit('x');
  expect(count).toBe(3);
  expect(events.listenerCount('x')).toBe(1);
});

test('once runs once, also when it emits the same event itself', () => {
  const events = createEvents();
  let count = 0;
  events.once('x', () => {
    count++;
    events.emit('x');
  });
  events.emit('x');
  events.emit('x');
  expect(count).toBe(1);
});

test('a once listener can be removed before it ran', () => {
  const events = createEvents();
  let count = 0;
  const listener = () => count++;
  events.once('x', listener);
  events.removeListener('x', listener);
  events.emit('x');
  expect(count).toBe(0);
});

test('a listener removed during an event still runs for that event', () => {
  const events = createEvents();
  const seen: string[] = [];
  const second = () => seen.push('second');
  events.on('x', () => events.removeListener('x', second));
  events.on('x', second);
  events.emit('x');
  events.emit('x');
  expect(seen).toEqual(['second']);
});

test('a listener that throws stops neither the other listeners nor the emitter', () => {
  const thrown: (() => void)[] = [];
  vi.stubGlobal('queueMicrotask', (task: () => void) => thrown.push(task));
  const events = createEvents();
  const seen: string[] = [];
  events.on('x', () => {
    throw new Error('mine');
  });
  events.on('x', () => seen.push('reached'));
  events.emit('x');
  vi.unstubAllGlobals();
  expect(seen).toEqual(['reached']);
  expect(thrown).toHaveLength(1);
  expect(thrown[0]).toThrow('mine');
});

test('a listener that is not a function is a TypeError', () => {
  expect(() => createEvents().on('x', null as never)).toThrow(TypeError);
});
