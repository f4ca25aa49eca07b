import { expect, test } from 'vitest';
import type { Address } from '../../../src/rpc/schema.js';
import type { Service } from '../../../src/service/service.js';
import { readLabels } from '../../../src/transactions/token.js';

const service = {
  network: { chainId: 31, currency: { name: 'Rootstock Bitcoin', symbol: 'tRBTC', decimals: 18 } },
  request: async () => '0x',
} as unknown as Service;

test('a known token has its label behind any number of others', async () => {
  const rif = '0x19f64674d8a5b4e652319f5e239efd3bc969a1fe';
  const others = Array.from({ length: 20 }, (_, i): Address => `0x${String(i + 10).repeat(20)}`);
  const labels = await readLabels(service, [...others, rif], undefined);
  expect(labels.get(rif)).toMatchObject({ symbol: 'tRIF', decimals: 18, known: true });
  expect(labels.size).toBe(6);
  expect(labels.has(others[0] as Address)).toBe(true);
});
