import { toQuantity } from '../../../../../src/rpc/hex.js';
import type { Hex } from '../../../../../src/rpc/schema.js';
import type { Mining } from '../chain.js';
import { type Methods, takes } from '../context.js';
import { invalidParam } from '../failure.js';
import { readNumber, readText } from '../params.js';

const setsMining = (mining: Mining) =>
  takes(0, (_, { chain }) => {
    chain.setMining(mining);
    return null;
  });

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
    evm_startMining: setsMining('auto'),
    evm_stopMining: setsMining('manual'),
    /** Returns the sum of all seconds added so far. */
    evm_increaseTime: takes(1, async ([seconds], { engine }) => {
      const added = readNumber(seconds, 'number of seconds');
      await engine.increaseTime(Number(added));
      totalSeconds += added;
      return toQuantity(totalSeconds);
    }),
    evm_snapshot: takes(0, (_, { engine }) => engine.snapshot()),
    evm_revert: takes(1, ([id], { chain, engine, pool }) => {
      const text = readText(id);
      if (text === null || !/^0x[0-9a-fA-F]+$/.test(text)) throw invalidParam(`invalid snapshot id ${text}`);
      return chain.runExclusive(async () => {
        await pool.evict();
        const isRestored = await engine.restore(renewed.get(text) ?? (text as Hex));
        if (isRestored) renewed.set(text, await engine.snapshot());
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
