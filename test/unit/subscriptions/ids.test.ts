import { expect, test } from 'vitest';
import { createIds } from '../../../src/subscriptions/ids.js';

test('short quantities, each once, of either kind', () => {
  const [subscription, filter] = [createIds('subscription'), createIds('filter')];
  const ids = Array.from({ length: 1_000 }, (_, i) => (i % 2 ? subscription() : filter()));
  expect(new Set(ids).size).toBe(1_000);
  for (const id of ids) expect(id).toMatch(/^0x[1-9a-f][0-9a-f]{0,8}$/);
});

test('random says where they start', () => {
  expect(createIds('filter', () => 0)()).toBe('0x3');
  expect(createIds('subscription', () => 0)()).toBe('0x2');
  expect(createIds('subscription', () => 0.999)()).not.toBe('0x2');
});
