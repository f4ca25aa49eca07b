import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { until } from '../../support/until.js';
import type { Expectation, Expected, Failure, Outcome, Shown } from './client.js';
import type { Act, Rig } from './rig.js';

/** Something that a dapp does, and what must come of it in every library, in Node as in a page. */
export interface Behaviour {
  /** For a failure, its name in {@link Expected}. */
  readonly name: string;
  /** How often the wallet must look at the head meanwhile, in milliseconds; else it does so seldom. */
  readonly looks?: number;
  /** Asserts, and resolves with what the table shows. Leaves the rig on its first chain. */
  run(rig: Rig, expected: Expected): Promise<Shows>;
}

/** Runs one behaviour, on a new block, with the wallet at the pace that it needs. */
export async function observe(
  { looks, run }: Behaviour,
  rig: Rig,
  { expected }: { readonly expected: Expected },
): Promise<Shows> {
  await rig.pace(looks);
  await rig.home.controls.mine();
  await rig.look(await rig.ask('eth_blockNumber', []));
  return run(rig, expected);
}

/** One cell of the table. */
export interface Shows {
  /** What the library threw; absent where it succeeded. */
  readonly error?: Shown;
  /** Requests to the service; absent where they come with the clock. */
  readonly requests?: number;
  readonly questions: number;
}

/** A failure: named once, and asked for by the same name. */
export const failure = (
  name: Failure,
  run: (rig: Rig, expected: Expectation) => Promise<Shows>,
): Behaviour => ({
  name,
  run: (rig, all) => {
    const expected = all[name];
    return run(rig, typeof expected === 'object' && 'seed' in expected ? expected[rig.dialect] : expected);
  },
});

/** The act succeeded, and exactly these questions were asked. */
export function succeeded<T>({ outcome, questions }: Act<T>, asked: readonly string[] = []): T {
  if ('error' in outcome) throw new Error(`${outcome.error.class}: ${outcome.error.message}`);
  expect(questions).toEqual(asked);
  return outcome.value;
}

/** The library explained the failure as its adapter says, and exactly these questions were asked. */
export function failed(
  { outcome, questions }: Act<unknown>,
  expected: Expectation,
  asked: readonly string[] = [],
): void {
  expect(outcome, 'the library reports a failure').toHaveProperty('error');
  const { error } = outcome as Extract<Outcome<unknown>, { error: unknown }>;
  expect(error, error.message).toMatchObject(expected as Shown);
  expect(questions).toEqual(asked);
}

/** For the table. `clocked`: how many requests it takes depends on when one looks. */
export function shows({ outcome, requests, questions }: Act<unknown>, clocked?: 'clocked'): Shows {
  const counted = { ...(!clocked && { requests: requests.length }), questions: questions.length };
  if ('value' in outcome) return counted;
  const { message: _, ...error } = outcome.error;
  return { error, ...counted };
}

/** What reaches a library's hooks comes with its own clock: looks until it is there. */
export async function soon<T>(look: () => T | Promise<T>, expected: T): Promise<void> {
  const isThere = async () => isDeepStrictEqual(await look(), expected);
  await until(isThere, { interval: 25 }).catch(async () => expect(await look()).toEqual(expected));
}

/** Calls `act` until `isDone`: every 400 ms, no more often because ethers 5 reads ten blocks back at most. */
export async function repeatUntil(isDone: () => Promise<boolean>, act: () => Promise<void>): Promise<void> {
  let attempts = 0;
  await until(
    async () => {
      if (await isDone()) return true;
      if (attempts++ % 16 === 0) await act();
      return false;
    },
    { interval: 25 },
  );
}
