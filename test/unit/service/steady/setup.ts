import { onTestFinished } from 'vitest';
import type { Service } from '../../../../src/service/service.js';
import { createSettling } from '../../../../src/service/steady/settling.js';
import { createSteadyService } from '../../../../src/service/steady/steady-service.js';
import { createBalancedNodes } from '../../../support/balanced-nodes.js';
import { createFakeClock } from '../../../support/fake-clock.js';

/** A steady service in front of two nodes of ten blocks, of which the first is ahead of the second where a test says so. */
export function setup(options: createBalancedNodes.Options = {}) {
  const nodes = createBalancedNodes(options);
  nodes.grow(10, { transactions: [1] });
  const time = createFakeClock();
  const { now } = time.clock;
  const steady = createSteadyService({ service: nodes.service, clock: time.clock, createSettling });
  const request = (method: string, params: readonly unknown[], requestOptions?: Service.RequestOptions) =>
    time.until(steady.request(method, params, requestOptions));
  onTestFinished(() => nodes.intercept());
  return {
    ...{ nodes, time, now, steady, request },
    /** A block that only the first node has, and that was shown. */
    async ahead(mined: createBalancedNodes.Mined = { transactions: [42] }) {
      const block = nodes.mine(nodes.tips[0], mined);
      nodes.tips[0] = block;
      nodes.route([0]);
      await request('eth_getBlockByNumber', ['latest', false]);
      nodes.asked.length = 0;
      return block;
    },
    /** All nodes are on another branch of the newest block's height or more, which nobody has seen. */
    reorganise(length = 2, depth = 1) {
      let tip = nodes.tips[0];
      for (let i = 0; i < depth; i++) tip = nodes.chainOf(tip as never).at(-2);
      for (let i = 0; i < length; i++) tip = nodes.mine(tip, { transactions: [500 + i] });
      nodes.tips.fill(tip as never);
      return tip as NonNullable<typeof tip>;
    },
    /** Methods that were asked for, in order. */
    methods: () => nodes.asked.map(({ method }) => method),
  };
}
