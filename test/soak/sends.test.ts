import { expect, test } from 'vitest';
import { hastenKdfOfFile } from '../support/hasty-kdf-of-file.js';
import { soakSends } from './sends.js';

hastenKdfOfFile();

test('payments by two tabs through nodes that lag, lie, forget, time out and reorganise are each mined exactly once', {
  timeout: 120_000,
}, async () => {
  const report = await soakSends({ payments: 60, seed: 20_261_122 });
  expect(report.defects).toEqual([]);
  expect(report.signed).toBeGreaterThanOrEqual(60);
});
