import { own } from '../../../../src/rpc/own.js';
import type { RelayStep } from './engine.js';

/** Writes a step as JSON, without its logs where these are too many: an instance that needs them can read them. */
export function writeStep(step: RelayStep): string {
  const text = JSON.stringify(step);
  if (text.length <= maxCharacters || !step.logs) return text;
  const { logs: _, ...rest } = step;
  return JSON.stringify(rest);
}

/** `undefined` for what is no step. */
export function readStep(text: unknown): RelayStep | undefined {
  try {
    const step = own(JSON.parse(String(text)) as RelayStep);
    return Array.isArray(step.added) && Array.isArray(step.removed) ? step : undefined;
  } catch {
    return undefined;
  }
}

/** Characters of JSON: a row of a Durable Object has at most 2 MB. */
const maxCharacters = 1_000_000;
