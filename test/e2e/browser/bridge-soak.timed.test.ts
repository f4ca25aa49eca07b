import { expect, test } from 'vitest';
import { soakBridge } from '../../soak/bridge.js';

test('frames killed in any state lose and repeat no event, and each payment is mined once', {
  timeout: 240_000,
}, async () => {
  const report = await soakBridge({ kills: 3, seed: 20_261_122 });
  expect(report.defects).toEqual([]);
  expect(report.kills).toEqual({ removed: 1, reloaded: 1, navigated: 1 });
  expect(report.payments).toBeGreaterThan(3);
  for (const { heads, logs } of Object.values(report.told)) expect(Math.min(heads, logs)).toBeGreaterThan(3);
});
