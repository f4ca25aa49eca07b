import { toQuantity } from '../../../../../src/rpc/hex.js';
import type { Hex } from '../../../../../src/rpc/schema.js';
import { type Methods, takes } from '../context.js';
import { invalidParam } from '../failure.js';
import { readText } from '../params.js';

/** The `evm_` methods, which control the chain of a development node (docs/notes/node.md#methods-listed-by-name-only). */
export function evmMethods(): Methods {
  let totalSeconds = 0n;
  /** The engine's snapshots by the node's ids. The engine's end when they are restored, the node's do not. */
  const renewed = new Map<string, Hex>();
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
    /** Returns the sum of all seconds added so far. */
    evm_increaseTime: takes(1, async ([seconds], { engine }) => {
      const given = readText(seconds) ?? '';
      if (!/^(0x[0-9a-fA-F]+|[+-]?[0-9]+)$/.test(given))
        throw invalidParam(`invalid number of seconds ${given}`);
      const added = BigInt(given.replace(/^\+/, ''));
      await engine.increaseTime(Number(added));
      totalSeconds += added;
      return toQuantity(totalSeconds);
    }),
    evm_snapshot: takes(0, (_, { engine }) => engine.snapshot()),
    evm_revert: takes(1, ([id], { chain, engine, pool }) => {
      const given = readText(id);
      if (given === null || !/^0x[0-9a-fA-F]+$/.test(given))
        throw invalidParam(`invalid snapshot id ${given}`);
      return chain.runExclusive(async () => {
        await pool.evict();
        const isRestored = await engine.restore(renewed.get(given) ?? (given as Hex));
        if (isRestored) renewed.set(given, await engine.snapshot());
        return isRestored;
      });
    }),
    evm_reset: takes(0, (_, { chain, engine, pool }) =>
      chain.runExclusive(async () => {
        await pool.evict();
        await engine.reset();
        return null;
      }),
    ),
  };
}
