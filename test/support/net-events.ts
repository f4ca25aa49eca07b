import { expect } from 'vitest';
import type { Hash, Hex, Log } from '../../src/rpc/schema.js';

export interface Head {
  readonly hash: Hash;
  readonly parentHash: Hash;
  readonly number: Hex;
}

/** The chain that delivered heads result in; each follows from one before, and none comes twice. */
export function netHeads(heads: readonly Head[]): readonly Head[] {
  expect(new Set(heads.map(({ hash }) => hash)).size).toBe(heads.length);
  const held: Head[] = [];
  for (const head of heads) {
    const before = held.length;
    while (held.length > 0 && held.at(-1)?.hash !== head.parentHash) held.pop();
    if (before > 0) expect(held.at(-1)?.hash).toBe(head.parentHash);
    held.push(head);
  }
  return held;
}

/** Identifies a log of one block. */
export const logPlace = (log: Log) => `${log.blockHash} ${log.logIndex}`;

/** The logs that remain when each `removed` has cancelled the newest remaining one. */
export function netLogs(logs: readonly Log[]): string[] {
  const held: string[] = [];
  for (const log of logs) {
    if (log.removed) expect(held.pop()).toBe(logPlace(log));
    else {
      expect(held).not.toContain(logPlace(log));
      held.push(logPlace(log));
    }
  }
  return held;
}
