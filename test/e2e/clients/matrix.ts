import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { graftAdapters, type Listed, adapters as libraries } from './adapters.js';
import { type Behaviour, observe, type Shows } from './behaviour.js';
import { behavioursOn } from './behaviours.js';
import { openInDom } from './dom-place.js';
import { chosen } from './placements.js';
import { createChains, createRig, type Dialect, type Rig } from './rig.js';
import { createTable, pages } from './table.js';

const adapters = { ...libraries, ...graftAdapters };

/**
 * Every library, as its real package, through every behaviour, on a service of this dialect. For the most part
 * they wait, so they run beside each other, each on chains of its own; and its tests wait for what it found. Of
 * those that need a window one comes after the other, since there is only one.
 */
export function defineMatrix(dialect: Dialect): void {
  const behaviours = behavioursOn[dialect];
  const { frame, window } = chosen;
  const placements = dialect === 'seed' ? { frame, window } : {};
  const table = createTable({ dialect, adapters, behaviours, placements });
  const runs = new Map<string, Run>();

  beforeAll(() => {
    let window: Promise<void> | undefined;
    for (const [library, adapter] of Object.entries(adapters)) {
      const run = startRun(dialect, adapter, behaviours, adapter.open === openInDom ? window : undefined);
      if (adapter.open === openInDom) window = run.closed;
      runs.set(library, run);
    }
  });
  afterAll(() => Promise.all([...runs.values()].map(({ closed }) => closed)), patience);

  describe.each(Object.entries(adapters))('%s', { timeout: patience }, (library) => {
    const run = () => runs.get(library) as Run;

    test(`${library} – has the same acts as the other libraries`, async () => {
      const [own, first] = await Promise.all(
        [run(), [...runs.values()][0] as Run].map(({ opened }) => opened),
      );
      expect(Object.keys(own?.client ?? {}).sort()).toEqual(Object.keys(first?.client ?? {}).sort());
    });

    for (const { name } of behaviours)
      test(`${library} – ${name}`, async () => {
        table.note(library, name, (await run().results.get(name)) as Shows);
      });
  });

  test(`docs/${pages[dialect]} holds the counts of this run`, () => {
    const path = fileURLToPath(new URL(`../../../docs/${pages[dialect]}`, import.meta.url));
    const counted = table.text();
    const committed = existsSync(path) ? readFileSync(path, 'utf8') : '';
    if (committed !== counted) writeFileSync(path, counted);
    expect(committed, 'The page was written anew: look at what has changed, and commit it').toBe(counted);
  });
}

/** Milliseconds: a test waits for all that its library does before it. Each wait of a behaviour is much shorter. */
const patience = 120_000;

/** One library's way through the behaviours. */
interface Run {
  readonly opened: Promise<Rig>;
  /** By the behaviour's name; each begins when the one before has ended. */
  readonly results: ReadonlyMap<string, Promise<Shows>>;
  readonly closed: Promise<void>;
}

function startRun(
  dialect: Dialect,
  adapter: Listed,
  behaviours: readonly Behaviour[],
  after: Promise<void> | undefined,
): Run {
  const chains = Promise.resolve(after).then(() => createChains(dialect));
  const opened = chains.then((made) => createRig({ chains: made, library: adapter, open: adapter.open }));
  const results = new Map<string, Promise<Shows>>();
  let turn: Promise<unknown> = opened;
  for (const behaviour of behaviours) {
    const go = async () => observe(behaviour, await opened, adapter);
    const result = turn.then(go, go);
    results.set(behaviour.name, result);
    turn = result;
  }
  const close = async () => {
    await (await opened).close();
    await (await chains)[Symbol.asyncDispose]();
  };
  return { opened, results, closed: turn.then(close, close) };
}
