import { afterEach, describe, expect, test } from 'vitest';
import {
  type Engine,
  type RelayBlock,
  type RelayStep,
  stepsKept,
} from '../../packages/relay/src/engines/engine.js';
import type { BlockLink } from '../../src/chain/blocks.js';
import { createSimulatedChain } from './simulated-chain.js';
import { until } from './until.js';

/** Instances of one relay that share what an engine keeps. */
export interface EngineCluster {
  /** Another instance. */
  open(): Engine | Promise<Engine>;
  /** Ends what the instances share. */
  stop?(): void | Promise<void>;
}

/** Steps of a chain that nobody serves. */
export function createSteps() {
  const chain = createSimulatedChain();
  return {
    /** A step that adds blocks to the ones before. */
    grow: (blocks = 1): RelayStep => ({
      removed: [],
      added: Array.from({ length: blocks }, () => chain.mine() as RelayBlock),
      seen: 1_795_324_051_323,
    }),
    /** A step that replaces the newest block by two others. */
    fork(): RelayStep {
      const { number, hash, parentHash } = chain.head();
      chain.reorg(1, [], []);
      return {
        removed: [{ number, hash, parentHash }],
        added: chain.canonical().slice(-2),
        seen: 1_795_324_051_323,
      };
    },
    canonical: chain.canonical,
  };
}

/**
 * What holds for every engine, whatever keeps its state. `create` makes a cluster without any state; `takeover` is how long
 * another instance may need until it leads, in milliseconds.
 */
export function describeEngine(
  name: string,
  create: () => EngineCluster | Promise<EngineCluster>,
  { takeover = 5_000 }: { readonly takeover?: number } = {},
): void {
  describe(`the engine ${name}`, () => {
    const ends: (() => unknown)[] = [];
    afterEach(async () => {
      for (const end of ends.splice(0).reverse()) await end();
    });

    async function setUp(instances: number) {
      const cluster = await create();
      ends.push(() => cluster.stop?.());
      const engines = await Promise.all(
        Array.from({ length: instances }, async () => {
          const engine = await cluster.open();
          ends.push(() => engine.close());
          return engine;
        }),
      );
      return { cluster, engines };
    }

    /** Stands as a candidate, and notes its terms. */
    function candidate(engine: Engine) {
      const terms: (readonly BlockLink[])[] = [];
      let leading = false;
      const leave = engine.lead((from) => {
        terms.push(from);
        leading = true;
        return () => {
          leading = false;
        };
      });
      return { terms, leave, leads: () => leading };
    }
    const options = { timeout: takeover };
    const hashes = (links: readonly { readonly hash: string }[] | undefined) =>
      (links ?? []).map(({ hash }) => hash);

    test('the first candidate leads, without links, and no other beside it', async () => {
      const { engines } = await setUp(3);
      const candidates = engines.map(candidate);
      await until(() => candidates.some(({ leads }) => leads()), options);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(candidates.filter(({ leads }) => leads())).toHaveLength(1);
      expect(candidates.flatMap(({ terms }) => terms)).toEqual([[]]);
    });

    test('when the leader leaves another one leads, from the newest links', async () => {
      const { engines } = await setUp(2);
      const { grow, fork, canonical } = createSteps();
      const [first, second] = [candidate(engines[0] as Engine), candidate(engines[1] as Engine)];
      await until(() => first.leads() || second.leads(), options);
      const [leader, next] = first.leads() ? [first, second] : [second, first];
      const engine = engines[first.leads() ? 0 : 1] as Engine;
      for (const step of [grow(), grow(2), fork(), grow()]) await engine.publish(step);
      leader.leave();
      expect(leader.leads()).toBe(false);
      await until(next.leads, options);
      expect(hashes(next.terms[0])).toEqual(hashes(canonical().slice(1)));
    });

    test('every instance knows when the leader has polled, and no poll of another counts', async () => {
      const { engines } = await setUp(2);
      const [first, second] = engines as [Engine, Engine];
      const leader = candidate(first);
      await until(leader.leads, options);
      const at = Date.now() - 60_000;
      second.polled(Date.now());
      first.polled(at);
      await until(() => second.polledAt() !== undefined, options);
      for (const engine of [first, second])
        expect(Math.abs((engine.polledAt() as number) - at)).toBeLessThan(30_000);
    });

    test('an instance that is closed leads no longer', async () => {
      const { engines } = await setUp(2);
      const [first, second] = engines as [Engine, Engine];
      const closing = candidate(first);
      await until(closing.leads, options);
      const next = candidate(second);
      await first.close();
      expect(closing.leads()).toBe(false);
      await until(next.leads, options);
    });

    test('who leads again continues from the steps of others', async () => {
      const { engines } = await setUp(2);
      const [first, second] = engines as [Engine, Engine];
      const { grow, canonical } = createSteps();
      const one = candidate(first);
      await until(one.leads, options);
      await first.publish(grow());
      one.leave();
      const two = candidate(second);
      await until(two.leads, options);
      await second.publish(grow());
      two.leave();
      const three = candidate(first);
      await until(three.leads, options);
      expect(hashes(three.terms[0])).toEqual(hashes(canonical().slice(1)));
    });

    test('each step reaches every instance once, in order, also two of one turn', async () => {
      const { engines } = await setUp(3);
      const [leader] = engines as [Engine];
      const heard = engines.map((engine) => {
        const steps: RelayStep[] = [];
        engine.subscribe((step) => steps.push(step));
        return steps;
      });
      const { leads } = candidate(leader);
      await until(leads, options);
      const { grow, fork } = createSteps();
      const steps = [grow(), grow(3), fork(), grow()];
      await Promise.all(steps.map((step) => leader.publish(step)));
      await until(() => heard.every(({ length }) => length >= steps.length), options);
      await new Promise((resolve) => setTimeout(resolve, 50));
      for (const each of heard) expect(each).toEqual(steps);
      for (const engine of engines) expect(engine.recent()).toEqual(steps);
    });

    test('a step keeps the logs that the leader has read', async () => {
      const { engines } = await setUp(2);
      const [leader, other] = engines as [Engine, Engine];
      const heard: RelayStep[] = [];
      other.subscribe((step) => heard.push(step));
      const { leads } = candidate(leader);
      await until(leads, options);
      const step = createSteps().grow();
      const [block] = step.added as [RelayBlock];
      const withLogs: RelayStep = { ...step, logs: { [block.hash]: [] }, missed: { from: '0x1', to: '0x2' } };
      await leader.publish(withLogs);
      await until(() => heard.length > 0, options);
      expect(heard).toEqual([withLogs]);
    });

    test('who does not lead cannot publish', async () => {
      const { engines } = await setUp(2);
      const [first, second] = engines as [Engine, Engine];
      const { leads, leave } = candidate(first);
      await until(leads, options);
      candidate(second);
      const { grow } = createSteps();
      const heard: RelayStep[] = [];
      first.subscribe((step) => heard.push(step));
      await expect(second.publish(grow())).rejects.toThrow();
      leave();
      await expect(first.publish(grow())).rejects.toThrow();
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(heard).toEqual([]);
    });

    test('a removed listener gets nothing more, and one that throws harms no other', async () => {
      const { engines } = await setUp(1);
      const [engine] = engines as [Engine];
      const { leads } = candidate(engine);
      await until(leads, options);
      const { grow } = createSteps();
      const [before, after]: [RelayStep[], RelayStep[]] = [[], []];
      const remove = engine.subscribe((step) => before.push(step));
      engine.subscribe((step) => after.push(step));
      await engine.publish(grow());
      await until(() => after.length === 1, options);
      remove();
      await engine.publish(grow());
      await until(() => after.length === 2, options);
      expect(before).toHaveLength(1);
    });

    test(`the newest ${stepsKept} steps are kept`, async () => {
      const { engines } = await setUp(2);
      const [leader, other] = engines as [Engine, Engine];
      const { leads } = candidate(leader);
      await until(leads, options);
      let heard = 0;
      other.subscribe(() => {
        heard += 1;
      });
      const { grow } = createSteps();
      const steps = Array.from({ length: stepsKept + 20 }, () => grow());
      for (const step of steps) await leader.publish(step);
      await until(() => heard === steps.length, options);
      for (const engine of engines) expect(engine.recent()).toEqual(steps.slice(-stepsKept));
    });

    test('an instance that comes later knows the newest steps', async () => {
      const { cluster, engines } = await setUp(1);
      const [leader] = engines as [Engine];
      const { leads } = candidate(leader);
      await until(leads, options);
      const step = createSteps().grow();
      await leader.publish(step);
      const late = await cluster.open();
      ends.push(() => late.close());
      await until(() => late.recent().length > 0, options);
      expect(late.recent()).toEqual([step]);
    });

    test('logs are wanted while any client wants them', async () => {
      const { engines } = await setUp(2);
      const [first, second] = engines as [Engine, Engine];
      expect(first.logs.wanted()).toBe(false);
      second.logs.want(true);
      await until(() => first.logs.wanted() && second.logs.wanted(), options);
      first.logs.want(true);
      second.logs.want(false);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(first.logs.wanted()).toBe(true);
      expect(typeof first.logs.inSteps).toBe('boolean');
    });

    test('a count of the daily quota is kept by name', async () => {
      const { engines } = await setUp(1);
      const [engine] = engines as [Engine];
      const store = engine.quotaStore('graft:budget:31:0123456789abcdef');
      expect(store.read()).toBeNull();
      store.write('20780 5 0');
      expect(engine.quotaStore('graft:budget:31:0123456789abcdef').read()).toBe('20780 5 0');
      expect(engine.quotaStore('graft:budget:30:0123456789abcdef').read()).toBeNull();
    });
  });
}
