import { keccak_256 } from '@noble/hashes/sha3.js';
import { expect, test } from 'vitest';
import { bloomBits, bloomHas, bloomHasAny } from '../../../src/rpc/bloom.js';
import { bytesToHex } from '../../../src/rpc/hex.js';
import type { Hex } from '../../../src/rpc/schema.js';

const text = (value: string): Hex => `0x${Buffer.from(value).toString('hex')}`;

function bloomOf(...values: readonly Hex[]): Hex {
  const bloom = new Uint8Array(256);
  for (const bit of values.flatMap(bloomBits)) (bloom[255 - (bit >> 3)] as number) |= 1 << (bit & 7);
  return bytesToHex(bloom);
}

test('100 values give the bloom of the published vector', () => {
  // go-ethereum core/types/bloom9_test.go, TestBloomExtensively (LGPL-3.0): only its input and its hash.
  const values = Array.from({ length: 100 }, (_, i) => text(`xxxxxxxxxx data ${i} yyyyyyyyyyyyyy`));
  const bloom = bloomOf(...values);
  expect(bytesToHex(keccak_256(Buffer.from(bloom.slice(2), 'hex')))).toBe(
    '0xc8d3ca65cdb4874300a9e39475508f23ed6da09fdbc487f89a2dcf50b09eb263',
  );
  for (const value of values) expect(bloomHas(bloom, bloomBits(value))).toBe(true);
});

test('tells values in the bloom from others', () => {
  const bloom = bloomOf(text('testtest'), text('test'), text('hallo'), text('other'));
  for (const value of ['testtest', 'test', 'hallo', 'other'])
    expect(bloomHas(bloom, bloomBits(text(value)))).toBe(true);
  for (const value of ['tes', 'lo']) expect(bloomHas(bloom, bloomBits(text(value)))).toBe(false);
});

test('an invalid bloom may contain any value and proves none', () => {
  for (const bloom of [null, undefined, '0x', '0x00', `0x${'g'.repeat(512)}`] as Hex[]) {
    expect(bloomHas(bloom, bloomBits(text('a')))).toBe(true);
    expect(bloomHasAny(bloom)).toBe(false);
  }
});

test('a bloom with any bit set has something', () => {
  expect(bloomHasAny(bloomOf())).toBe(false);
  expect(bloomHasAny(bloomOf(text('a')))).toBe(true);
});
