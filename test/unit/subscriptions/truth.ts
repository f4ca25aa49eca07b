import type { Hash, Log } from '../../../src/rpc/schema.js';
import { fc } from '../../support/property.js';
import { address, type Emitted, type SimulatedChain, word } from '../../support/simulated-chain.js';

/** What the tests that hold a reader against the whole chain share: what is wanted, and what may happen. */

export const wanted = { address: [address(0xa), address(0xb)], topics: [[word(1), word(2)]] };
export const isWanted = (log: Log) =>
  wanted.address.includes(log.address) && wanted.topics[0]?.includes(log.topics[0] as Hash) === true;
export const key = (log: Log) => `${log.blockHash} ${log.logIndex}`;

/** 0 and 3 match nothing wanted; the others do in different ways. */
export const emitted = (kind: number): Emitted =>
  [
    { address: address(0xc), topics: [word(1)] },
    { address: address(0xa), topics: [word(1)] },
    { address: address(0xb), topics: [word(2), word(3)] },
    { address: address(0xa), topics: [word(9)] },
  ][kind % 4] as Emitted;

/** What may happen to the chain and the service. */
export type ChainTurn =
  | { readonly do: 'mine'; readonly logs: readonly number[] }
  /** Nobody looks while so many blocks come. */
  | { readonly do: 'sleep'; readonly blocks: number }
  | { readonly do: 'reorg'; readonly depth: number; readonly length: number; readonly logs: number }
  | { readonly do: 'faults'; readonly errors: number; readonly garbage: number; readonly lag: number };

export function change(chain: SimulatedChain, turn: ChainTurn): void {
  if (turn.do === 'mine') chain.mine(...turn.logs.map(emitted));
  else if (turn.do === 'sleep')
    for (let i = 0; i < turn.blocks; i++) chain.mine(...(i % 3 ? [] : [emitted(i)]));
  else if (turn.do === 'faults') Object.assign(chain.faults, turn);
  else
    chain.reorg(
      Math.min(turn.depth, Number(chain.head().number) - 1),
      ...Array.from({ length: turn.length }, (_, i) => [emitted(turn.logs + i)]),
    );
}

export const endFaults = (chain: SimulatedChain) =>
  Object.assign(chain.faults, { errors: 0, garbage: 0, lag: 0 });

export const mine = fc.record({
  do: fc.constant('mine' as const),
  logs: fc.array(fc.nat(3), { maxLength: 3 }),
});

/** From hardly any block to more than anybody asks for one by one. */
export const sleep = fc.record({
  do: fc.constant('sleep' as const),
  blocks: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 41, max: 400 })),
});

/** All sleeps of a run together are short enough for the logs of all missed blocks to be read from receipts. */
export const shortSleep = fc.record({
  do: fc.constant('sleep' as const),
  blocks: fc.integer({ min: 1, max: 40 }),
});

export const reorgUpTo = (deepest: number) =>
  fc
    .record({
      do: fc.constant('reorg' as const),
      depth: fc.integer({ min: 1, max: deepest }),
      longer: fc.integer({ min: -3, max: 2 }),
      logs: fc.nat(3),
    })
    .map(({ longer, ...turn }) => ({ ...turn, length: Math.max(1, turn.depth + longer) }));

export const tick = fc.constant({ do: 'tick' as const });

export const faultsUpTo = (garbage: number, lag: number) =>
  fc.record({
    do: fc.constant('faults' as const),
    errors: fc.constantFrom(0, 0.1, 0.4),
    garbage: fc.constantFrom(0, 0.1, garbage),
    lag: fc.constantFrom(0, 1, lag),
  });
