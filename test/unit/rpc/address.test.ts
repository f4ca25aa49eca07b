import { checksumAddress as viemChecksum } from 'viem';
import { describe, expect, test } from 'vitest';
import { checksumAddress, checksumChain, hasValidChecksum } from '../../../src/rpc/address.js';
import type { Address } from '../../../src/rpc/schema.js';

/** RSKIP-60, "Test cases" (CC0), and EIP-55, "Test cases" (CC0), for the same addresses. */
const vectors: Readonly<Record<'eip55' | '30' | '31', readonly Address[]>> = {
  eip55: [
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ],
  '30': [
    '0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD',
    '0xFb6916095cA1Df60bb79ce92cE3EA74c37c5d359',
    '0xDBF03B407c01E7CD3cBea99509D93F8Dddc8C6FB',
    '0xD1220A0Cf47c7B9BE7a2e6ba89F429762E7B9adB',
  ],
  '31': [
    '0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd',
    '0xFb6916095CA1dF60bb79CE92ce3Ea74C37c5D359',
    '0xdbF03B407C01E7cd3cbEa99509D93f8dDDc8C6fB',
    '0xd1220a0CF47c7B9Be7A2E6Ba89f429762E7b9adB',
  ],
};

const ofLocal = viemChecksum('0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', 33);

describe('checksumAddress', () => {
  test.each(vectors['30'])('chain 30 %s', (address) => {
    expect(checksumAddress(address.toLowerCase() as Address, 30)).toBe(address);
  });
  test.each(vectors['31'])('chain 31 %s', (address) => {
    expect(checksumAddress(address.toLowerCase() as Address, 31)).toBe(address);
  });
  test.each(vectors.eip55)('no chain, and a chain without its own checksum: %s', (address) => {
    expect(checksumAddress(address.toLowerCase() as Address)).toBe(address);
    expect(checksumAddress(address.toLowerCase() as Address, 1)).toBe(address);
    expect(checksumAddress(address.toLowerCase() as Address, 33)).toBe(address);
  });
});

describe('hasValidChecksum', () => {
  test.each(Object.values(vectors).flat())('%s', (address) => {
    expect(hasValidChecksum(address)).toBe(true);
  });
  test('accepts the ERC-1191 checksum of the local network, chain 33', () => {
    expect(hasValidChecksum(ofLocal)).toBe(true);
    expect(checksumChain(ofLocal)).toBe(33);
  });
  test('refuses the checksum of any other chain', () => {
    for (const chainId of [1, 32, 34, 137])
      expect(hasValidChecksum(viemChecksum(ofLocal.toLowerCase() as Address, chainId))).toBe(false);
  });
  test('refuses a checksum with one wrong letter', () => {
    expect(hasValidChecksum('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD')).toBe(false);
  });
});

describe('checksumChain', () => {
  test('the chain of a checksum is found, and none for EIP-55', () => {
    expect(vectors['30'].map(checksumChain)).toEqual([30, 30, 30, 30]);
    expect(vectors['31'].map(checksumChain)).toEqual([31, 31, 31, 31]);
    expect(vectors.eip55.map(checksumChain)).toEqual([null, null, null, null]);
  });
});
