import { toQuantity } from '../../rpc/hex.js';
import type { Hex } from '../../rpc/schema.js';
import { type Methods, takes } from '../context.js';
import { invalidParam } from '../failure.js';
import { readText } from '../params.js';

/** Moves the chain from outside (docs/notes/node.md#methods-listed-by-name-only): a developer's node, never a public one. */
export function evmMethods(): Methods {
  let shifted = 0n;
  return {
    evm_mine: takes(0, async (_, { chain }) => {
      await chain.mine();
      return null;
    }),
    evm_startMining: takes(0, (_, { chain }) => {
      chain.setMining('auto');
      return null;
    }),
    evm_stopMining: takes(0, (_, { chain }) => {
      chain.setMining('manual');
      return null;
    }),
    /** Answers all seconds shifted so far. */
    evm_increaseTime: takes(1, async ([seconds], { engine }) => {
      const given = readText(seconds) ?? '';
      if (!/^(0x[0-9a-fA-F]+|[+-]?[0-9]+)$/.test(given))
        throw invalidParam(`invalid number of seconds ${given}`);
      const by = BigInt(given.replace(/^\+/, ''));
      await engine.increaseTime(Number(by));
      shifted += by;
      return toQuantity(shifted);
    }),
    evm_snapshot: takes(0, (_, { engine }) => engine.snapshot()),
    evm_revert: takes(1, ([id], { chain, engine, pool }) => {
      const given = readText(id);
      if (given === null || !/^0x[0-9a-fA-F]+$/.test(given))
        throw invalidParam(`invalid snapshot id ${given}`);
      return chain.alone(async () => {
        await pool.evict();
        return engine.restore(given as Hex);
      });
    }),
    evm_reset: takes(0, (_, { chain, engine, pool }) =>
      chain.alone(async () => {
        await pool.evict();
        await engine.reset();
        return null;
      }),
    ),
  };
}
