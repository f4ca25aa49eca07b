import { errorCode, type ProviderRpcError } from '../../rpc/errors.js';
import type { Endpoint } from '../endpoints.js';
import { copyOf, reasonOf } from '../errors/errors.js';

/**
 * Refusals that are known without asking. Libraries ask again at once for what cannot change: viem repeats a
 * revert three times within 1.05 s (docs/notes/clients.md#viem-repeats-a-revert), and others probe for methods that a node lacks.
 */
export interface Refusals {
  /** What a question would be refused with, as the next `endpoint` said before. An error of the asker's own. */
  find(
    method: string,
    key: string | undefined,
    endpoint: () => Endpoint | undefined,
  ): ProviderRpcError | undefined;
  /** To be called as a question goes out; then with how it was refused, or what was answered. */
  begin(method: string): Refusals.Question;
  /** The endpoints failed: who answers next may be another node. */
  clear(): void;
}

export declare namespace Refusals {
  interface Question {
    refused(error: ProviderRpcError, key: string | undefined, endpoint: Endpoint): void;
    answered(result: unknown): void;
    /** Refused, answered or lost. */
    ended(): void;
  }
}

/** Milliseconds: viem's last repetition comes 1.05 s after the first answer, and takes its time. */
const revertHolds = 1_500;
const absenceHolds = 300_000;
const most = 32;
/** Characters of a question that is worth keeping. */
const longestKey = 2 ** 16;

/** One wrong word on these must not end a page for minutes: the wallet itself lives by them. */
const vital =
  /^eth_(blockNumber|call|chainId|estimateGas|gasPrice|getB(alance|lockBy)|getCode|getLogs|getT|send)/;

const runs = /^eth_(call|estimateGas)$/;
/** What changes the state that calls run on. */
const changes = /^(eth_send|evm_)/;

export function createRefusals({ now }: { readonly now: () => number }): Refusals {
  const reverts = new Map<string, { readonly error: ProviderRpcError; readonly until: number }>();
  const absent = new Map<
    string,
    { readonly error: ProviderRpcError; readonly until: number; readonly endpoint: Endpoint }
  >();
  let head = -1;
  /** Grows with every sign that calls may run on another state: an answer begun before is not kept. */
  let state = 0;

  const moved = () => {
    state++;
    reverts.clear();
  };

  /** Any answer that speaks of a block above the highest one seen shows that `latest` has moved. */
  const look = (method: string, result: unknown) => {
    const height = method === 'eth_blockNumber' ? heightOf(result) : highest(result);
    if (height <= head) return;
    head = height;
    moved();
  };

  return {
    find(method, key, endpoint) {
      const missing = absent.get(method);
      const revert = reverts.get(key ?? '');
      if (!missing && !revert) return undefined;
      const known = missing?.endpoint === endpoint() ? missing : revert;
      return known && known.until > now() ? copyOf(known.error) : undefined;
    },
    begin(method) {
      const begun = state;
      if (changes.test(method)) moved();
      return {
        refused(error, key, endpoint) {
          const until = now();
          if (reasonOf(error) === 'method-not-found' && !vital.test(method))
            keep(absent, method, { error: copyOf(error), until: until + absenceHolds, endpoint });
          if (error.code !== errorCode.executionReverted || begun !== state) return;
          // The pending block has no height: nothing here would show that it changed.
          if (runs.test(method) && key && key.length <= longestKey && !key.includes('"pending"'))
            keep(reverts, key, { error: copyOf(error), until: until + revertHolds });
        },
        answered: (result) => look(method, result),
        ended() {
          if (changes.test(method)) moved();
        },
      };
    },
    clear() {
      absent.clear();
      moved();
    },
  };
}

function keep<Entry>(entries: Map<string, Entry>, key: string, entry: Entry): void {
  entries.delete(key);
  entries.set(key, entry);
  for (const oldest of entries.keys()) if (entries.size > most) entries.delete(oldest);
}

/** The height of a block, a receipt, a transaction, or of the last of several logs; -1 of anything else. */
function highest(result: unknown): number {
  const last: unknown = Array.isArray(result) ? result.at(-1) : result;
  const { blockNumber, number } = (last ?? {}) as { blockNumber?: unknown; number?: unknown };
  return heightOf(blockNumber ?? number);
}

const heightOf = (value: unknown): number =>
  typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value) ? Number(value) : -1;
