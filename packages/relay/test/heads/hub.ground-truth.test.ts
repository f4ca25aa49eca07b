import { expect, test } from 'vitest';
import type { Hash, Log } from '../../../../src/rpc/schema.js';
import { fc } from '../../../../test/support/property.js';
import type { RelayStep } from '../../src/engines/engine.js';
import { createInProcessEngine, createInProcessState } from '../../src/engines/in-process.js';
// Imported beforehand: it is loaded when it is first needed, which the fake clock does not wait for.
import '../../../../src/service/logs/receipt-logs.js';
import { createFakeClock, settled } from '../../../../test/support/fake-clock.js';
import { createRandom } from '../../../../test/support/random.js';
import { createRelayRig, type RelayClient } from '../../../../test/support/relay-rig.js';
import { createSimulatedChain } from '../../../../test/support/simulated-chain.js';
import {
  type ChainTurn,
  change,
  emitted,
  endFaults,
  faultsUpTo,
  isWanted,
  key,
  mine,
  reorgUpTo,
  sleep,
  tick as ticking,
  wanted,
} from '../../../../test/unit/subscriptions/truth.js';

/**
 * Two instances follow one chain, whichever of them leads and whatever happens to the chain, to the service and to the
 * steps between the two. What each subscriber was told equals, once `removed` is applied, the chain.
 */

type Turn =
  | ChainTurn
  | { readonly do: 'tick' }
  /** A client of one instance subscribes. */
  | { readonly do: 'join'; readonly at: number }
  /** The other instance leads. */
  | { readonly do: 'switch' }
  /** The second instance hears of no step for a while. */
  | { readonly do: 'deaf'; readonly deaf: boolean };

interface Reader {
  readonly client: RelayClient;
  readonly logs: string;
  readonly heads: string;
  /** The chain when it subscribed. */
  readonly before: ReadonlySet<Hash>;
  readonly joinedAt: string;
}

function heldLogs(told: readonly Log[]): readonly Log[] {
  const held: Log[] = [];
  for (const log of told) {
    if (log.removed) expect(held.length === 0 ? undefined : key(held.pop() as Log)).toBe(key(log));
    else {
      expect(log.removed).toBe(false);
      expect(held.map(key)).not.toContain(key(log));
      held.push(log);
    }
  }
  return held;
}

interface Head {
  readonly number: string;
  readonly hash: Hash;
  readonly parentHash: Hash;
}

function checkHeads(told: readonly Head[], slept: boolean): void {
  const held: Head[] = [];
  for (const head of told) {
    expect(held.map(({ hash }) => hash)).not.toContain(head.hash);
    const parent = held.findIndex(({ hash }) => hash === head.parentHash);
    if (parent < 0 && held.length > 0 && !slept)
      expect(Number(head.number)).toBeLessThanOrEqual(Number(held[0]?.number));
    held.splice(parent + 1, Number.POSITIVE_INFINITY, head);
  }
}

async function play(turns: readonly Turn[], seed: number): Promise<void> {
  const chain = createSimulatedChain({ random: createRandom(seed), difficulty: seed % 2 ? 0 : 5 });
  for (let i = 0; i < 8; i++) chain.mine(emitted(1));
  const clock = createFakeClock();
  const state = createInProcessState();
  let deaf = false;
  const engines = [createInProcessEngine({ state }), createInProcessEngine({ state })] as const;
  const second = {
    ...engines[1],
    subscribe: (listener: (step: RelayStep) => void) =>
      engines[1].subscribe((step) => {
        if (!deaf) listener(step);
      }),
  };
  const rigs = [
    createRelayRig({ chain, clock, engine: engines[0], headers: 24 }),
    createRelayRig({ chain, clock, engine: second, headers: 24 }),
  ] as const;
  const readers: Reader[] = [];
  const join = async (at: number) => {
    const client = (rigs[at] ?? rigs[0]).connect();
    const before = new Set(chain.canonical().map(({ hash }) => hash));
    const joinedAt = chain.head().number;
    const heads = client.call('eth_subscribe', 'newHeads');
    const logs = client.call('eth_subscribe', 'logs', wanted);
    await clock.advance(1_500);
    readers.push({ client, before, joinedAt, heads: await heads, logs: await logs });
  };
  const headsOf = ({ client, heads }: Reader) =>
    client.frames.filter(({ subscription }) => subscription === heads).map(({ result }) => result as Head);
  /** How many blocks the chain is ahead of the last head that a reader was told of. */
  const behind = (reader: Reader) =>
    Number(chain.head().number) - Number(headsOf(reader).at(-1)?.number ?? reader.joinedAt);
  /** A reader that was this far behind is told of the newest 24 heads, after a gap. */
  let slept = false;
  let highest = 0;
  await join(0);
  await join(1);
  for (const turn of turns) {
    if (turn.do === 'tick') await clock.advance(6_000);
    else if (turn.do === 'join') await join(turn.at);
    else if (turn.do === 'deaf') deaf = turn.deaf;
    else if (turn.do === 'switch') {
      const [candidate] = state.candidates.splice(0, 1);
      candidate?.stop?.();
      if (candidate) {
        delete candidate.stop;
        state.candidates.push(candidate);
      }
      state.elect();
    } else {
      change(chain, turn);
    }
    slept ||= readers.some((reader) => behind(reader) > 20);
    highest = Math.max(highest, Number(chain.head().number));
    await settled();
  }
  // The trouble ends, and the chain outgrows every fork.
  endFaults(chain);
  deaf = false;
  while (Number(chain.head().number) <= highest) chain.mine();
  for (let i = 0; i < 12; i++) {
    if (i % 4 === 0) chain.mine();
    await clock.advance(35_000);
  }
  for (const reader of readers) {
    const { client, logs, before } = reader;
    const told = client.frames.filter(({ subscription }) => subscription === logs);
    const held = heldLogs(told.map(({ result }) => result)).map(key);
    const canonical = chain.canonical();
    const logsOf = (blocks: typeof canonical) => blocks.flatMap(chain.logsOf).filter(isWanted).map(key);
    const after = logsOf(canonical.filter(({ hash }) => !before.has(hash)));
    expect(held.slice(held.length - after.length)).toEqual(after);
    // Blocks that had been mined and not been seen when it subscribed.
    const all = logsOf(canonical);
    expect(all.slice(all.length - held.length)).toEqual(held);
    const pushed = headsOf(reader);
    checkHeads(pushed, slept || turns.some((turn) => turn.do === 'deaf'));
    expect(pushed.at(-1)?.hash).toBe(chain.head().hash);
  }
  for (const { core } of rigs) await core.close();
}

const joining = fc.record({ do: fc.constant('join' as const), at: fc.nat(1) });
const switching = fc.constant({ do: 'switch' as const });
const deafness = fc.record({ do: fc.constant('deaf' as const), deaf: fc.boolean() });
const faults = faultsUpTo(0.3, 2);
/** That a range of heights has no logs is a lie that nobody can tell from the truth. */
const failures = faults.map((turn) => ({ ...turn, garbage: 0 }));
const common = [mine, ticking, ticking, reorgUpTo(6), joining, switching] as const;

test.each<[string, fc.Arbitrary<Turn>]>([
  ['a service that fails, lags and lies', fc.oneof(...common, faults)],
  ['gaps', fc.oneof(...common, sleep, failures)],
  ['an instance that loses steps', fc.oneof(...common, failures, deafness)],
])('through %s, every subscriber has the logs and the head of the chain', async (_name, turn) => {
  await fc.assert(fc.asyncProperty(fc.array(turn, { maxLength: 25 }), fc.nat(), play), { numRuns: 60 });
});
