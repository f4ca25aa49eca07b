import { limitExceeded } from '../rpc/core-errors.js';
import type { ProviderRpcError } from '../rpc/errors.js';
import { createLocalMemory } from '../session/memory.js';
import { readJson } from './protocol.js';

/**
 * Counts how often a person has refused the questions of an origin, over its pages and reloads, so that a dapp cannot press
 * for an answer by asking again and again.
 */
export interface Refusals {
  note(): void;
  /** Milliseconds until this origin may ask again; 0 if it may now. */
  pause(): number;
}

/** Refusals within {@link period} after which an origin has to wait. */
const maxRefusals = 3;
/** Milliseconds. */
const period = 60_000;

/** @param origin the dapp's, as the browser attests it */
export function createRefusals(origin: string): Refusals {
  const memory = createLocalMemory(`graft:bridge:refusals:${origin}`);
  const times = (): readonly number[] => {
    const stored = readJson(memory.read());
    const now = Date.now();
    return Array.isArray(stored)
      ? stored.filter((time) => typeof time === 'number' && time <= now && time > now - period)
      : [];
  };
  return {
    note: () => memory.write(JSON.stringify([...times(), Date.now()].slice(-maxRefusals))),
    pause() {
      const recent = times();
      return recent.length < maxRefusals ? 0 : (recent.at(-1) as number) + period - Date.now();
    },
  };
}

/** @param pause milliseconds, from {@link Refusals.pause} */
export const refusedOften = (pause: number): ProviderRpcError =>
  limitExceeded('The person has refused several questions of this page: wait before the next one.', {
    reason: 'refused-often',
    retryAfter: Math.ceil(pause / 1_000),
  });
