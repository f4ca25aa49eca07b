import { expect, test } from 'vitest';
import { bytesOf, exceedsRequestSize } from '../../../src/rpc/message.js';

const mebibyte = 2 ** 20;

test.each<[what: string, value: unknown]>([
  ['a short request', { method: 'eth_call', params: [{ to: '0x00', data: '0x1234' }, 'latest'] }],
  ['texts of less than 1 MiB together', ['a'.repeat(mebibyte / 2), 'b'.repeat(mebibyte / 2 - 10)]],
  ['texts of less than 1 MiB as UTF-8', ['€'.repeat(300_000)]],
  ['what is none of the page’s affair', [undefined, null, Symbol('x'), () => {}, 5n]],
])('%s is not too large', (_, value) => {
  expect(exceedsRequestSize(value)).toBe(false);
});

test.each<[what: string, value: () => unknown]>([
  ['a text', () => 'a'.repeat(mebibyte + 1)],
  ['a text that is more than 1 MiB only as UTF-8', () => '€'.repeat(400_000)],
  ['texts that are more together', () => Array.from({ length: 20 }, () => 'a'.repeat(60_000))],
  ['a key', () => ({ ['k'.repeat(mebibyte + 1)]: 1 })],
  ['many small values', () => [new Array(2_000_000).fill(1)]],
  ['a list of four billion holes', () => [new Array(2 ** 32 - 1)]],
  ['bytes', () => [new Uint8Array(64 * mebibyte)]],
  [
    'an object of many keys',
    () => Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`key${i}`, i])),
  ],
  ['a very long text', () => 'a'.repeat(256 * mebibyte)],
])('%s of more than 1 MiB is too large, and is found to be without reading it to its end', (_, make) => {
  const value = make();
  const began = performance.now();
  expect(exceedsRequestSize(value)).toBe(true);
  // Read to their ends they take minutes, or do not fit into the memory.
  expect(performance.now() - began).toBeLessThan(5_000);
});

test('values that cannot be read or are nested without end are not called too large: later checks name the fault', () => {
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  const throwing = Object.defineProperty({}, 'a', {
    enumerable: true,
    get() {
      throw new Error('no');
    },
  });
  for (const value of [cyclic, throwing]) expect(exceedsRequestSize(value)).toBe(false);
});

test('a text that is longer than the limit is not encoded', () => {
  expect(bytesOf('é'.repeat(10), 5)).toBe(10);
  expect(bytesOf('é'.repeat(10), 50)).toBe(20);
});
