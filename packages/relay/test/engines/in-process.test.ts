import { describeEngine } from '../../../../test/support/engine-contract.js';
import { createInProcessEngine, createInProcessState } from '../../src/engines/in-process.js';

describeEngine('an engine of one process', () => {
  const state = createInProcessState();
  return { open: () => createInProcessEngine({ state }) };
});
