import { isHash } from '../../rpc/fields.js';

/**
 * What tabs may ask each other: only what the follower, the subscriptions and the filters ask. Nothing that a
 * page reads or sends is among it, so no message of another tab can make this one do more than look.
 */
export interface Question {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly key: string;
  /**
   * - `look`: the answer changes with time;
   * - `height`: it holds as long as the chain was not looked at again;
   * - `lasting`: it holds;
   * - `end`: of a filter, for the tab that asks.
   */
  readonly kind: 'look' | 'height' | 'lasting' | 'end';
  /** How old, in milliseconds, the answer of a look may be where the asker does not say. */
  readonly maxAge: number;
}

const poolAge = 5_000;
const syncingAge = 60_000;

/** `null`: not for sharing. Params are copied, so that what is asked is what was read. */
export function readQuestion(method: string, params: readonly unknown[]): Question | null {
  const [first, second] = params;
  const question = (kind: Question['kind'], own: readonly unknown[], maxAge = 0): Question | null =>
    params.length === own.length
      ? { method, params: own, key: JSON.stringify([method, own]), kind, maxAge }
      : null;
  switch (method) {
    case 'eth_getBlockByNumber':
      if (isHeadPoll(method, params)) return question('look', [first, second]);
      if (first === 'pending' && second === true) return question('look', [first, second], poolAge);
      return isText(first, /^0x[0-9a-f]{1,13}$/) && second === false
        ? question('height', [first, second])
        : null;
    case 'eth_getBlockByHash':
      return isHash(first) && second === false ? question('lasting', [first, second]) : null;
    case 'eth_getLogs': {
      const hash = (first as { blockHash?: unknown } | null | undefined)?.blockHash;
      const alone = isHash(hash) && Object.keys(first as object).length === 1;
      return alone ? question('lasting', [{ blockHash: hash }]) : null;
    }
    case 'eth_getTransactionReceipt':
      return isHash(first) ? question('height', [first]) : null;
    case 'eth_getBlockReceipts':
      return isHash(first) ? question('lasting', [first]) : null;
    case 'eth_syncing':
      return question('look', [], syncingAge);
    case 'eth_newPendingTransactionFilter':
      return question('lasting', []);
    case 'eth_getFilterChanges':
      return isFilterId(first) ? question('look', [first], poolAge) : null;
    case 'eth_uninstallFilter':
      return isFilterId(first) ? question('end', [first]) : null;
    default:
      return null;
  }
}

/** Whether its answer is the head. */
export function isHeadPoll(method: string, [at, withBodies]: readonly unknown[]): boolean {
  return method === 'eth_getBlockByNumber' && at === 'latest' && withBodies === false;
}

/** The question whose answer is the head. */
export const latest = readQuestion('eth_getBlockByNumber', ['latest', false]) as Question;
/** The one whose answer is the id of the filter that all tabs poll. */
export const poolFilter = readQuestion('eth_newPendingTransactionFilter', []) as Question;

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value);
}

/** Of a server filter: a QUANTITY in the seed, 74 characters on the node (docs/notes/node.md#filter-ids). */
export function isFilterId(value: unknown): value is string {
  return isText(value, /^0x[0-9a-f]{1,80}$/i);
}
