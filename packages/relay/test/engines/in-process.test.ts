import { expect, test } from 'vitest';
import { createSteps, describeEngine } from '../../../../test/support/engine-contract.js';
import { createInProcessEngine, createInProcessState } from '../../src/engines/in-process.js';

describeEngine('an engine of one process', () => {
  const state = createInProcessState();
  return { open: () => createInProcessEngine({ state }) };
});

test('the links of an earlier process are where the first leader begins', async () => {
  const { grow, canonical } = createSteps();
  const { added } = grow(3);
  const engine = createInProcessEngine({ from: added });
  const begun: unknown[] = [];
  const leave = engine.lead((from) => {
    begun.push(from);
    return () => {};
  });
  expect(begun).toEqual([added]);
  const step = grow();
  await engine.publish(step);
  leave();
  engine.lead((from) => {
    begun.push(from.map(({ hash }) => hash));
    return () => {};
  });
  expect(begun[1]).toEqual(
    canonical()
      .slice(-4)
      .map(({ hash }) => hash),
  );
});
