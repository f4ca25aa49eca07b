import { expect, test } from 'vitest';
import { membersOf } from '../../../src/rpc/own-data.js';
import { heightIn } from '../../../src/rpc/results.js';

test('the own members of an object, and none of anything else', () => {
  expect({ ...membersOf({ a: 1 }) }).toEqual({ a: 1 });
  expect(Object.getPrototypeOf(membersOf({}))).toBeNull();
  for (const value of [undefined, null, 7, true, 'text', () => {}])
    expect(Object.keys(membersOf(value))).toEqual([]);
});

test('the height in a long text is looked for in no time', () => {
  const code = `0x${'ab'.repeat(500_000)}`;
  const started = performance.now();
  for (let i = 0; i < 20; i++) expect(heightIn(code)).toBeNaN();
  // They took 6 s when each character was a member.
  expect(performance.now() - started).toBeLessThan(3_000);
});
