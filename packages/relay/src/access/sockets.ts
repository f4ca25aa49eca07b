import { once } from '../once.js';
import { clientOf, levelsOf, maxConnections } from './client-address.js';

/** Counts the TCP connections of each address, and of the blocks around it, as they are accepted. */
export interface SocketCounts {
  /** Counts a connection. Returns what to call when it ends, or `undefined` where its address has too many. */
  open(address: string | undefined): (() => void) | undefined;
  /** Addresses and blocks that have connections. */
  size(): number;
}

/**
 * Connections that send nothing belong to no client yet: without these counts, one address could hold all that the server
 * takes.
 */
export function createSocketCounts({ maxPerClient, inAll }: createSocketCounts.Options): SocketCounts {
  const counts = new Map<string, number>();
  const countOf = (name: string) => counts.get(name) ?? 0;

  return {
    size: () => counts.size,
    open(address) {
      const levels = levelsOf(`ip ${clientOf(address)}`);
      if (levels.some((level) => countOf(level.name) >= maxConnections(level, maxPerClient, inAll)))
        return undefined;
      for (const { name } of levels) counts.set(name, countOf(name) + 1);
      return once(() => {
        for (const { name } of levels)
          if (countOf(name) > 1) counts.set(name, countOf(name) - 1);
          else counts.delete(name);
      });
    },
  };
}

export declare namespace createSocketCounts {
  interface Options {
    /** Connections of one client. */
    readonly maxPerClient: number;
    /** Connections that the server takes. */
    readonly inAll: number;
  }
}
