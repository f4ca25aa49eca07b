import { membersOf } from '../rpc/own-data.js';
import { heightIn } from '../rpc/selectors.js';

/** The transactions that this page has sent and that nothing has shown in a block yet. */
export interface UnminedSends {
  /** Takes note of an answer of the service: of a send, or one that shows a transaction in its block. */
  note(method: string, result: unknown): void;
  /** Whether there are any. */
  any(): boolean;
}

/** @param now milliseconds since 1970 */
export function createUnminedSends(now: () => number): UnminedSends {
  /** When each was sent, by hash. */
  const sent = new Map<string, number>();

  /** Removes what a block, a receipt or a transaction shows to be mined, and what has waited too long. */
  function removeMined(result: unknown): void {
    const { transactions, transactionHash, hash } = membersOf(result);
    for (const [each, at] of sent) {
      const isInBlock =
        Array.isArray(transactions) && transactions.some((one) => (one?.hash ?? one) === each);
      const isMined = isInBlock || ((transactionHash ?? hash) === each && !Number.isNaN(heightIn(result)));
      if (isMined || now() - at > maxWait) sent.delete(each);
    }
  }

  return {
    note(method, result) {
      if (sent.size > 0) removeMined(result);
      // A zero hash (docs/notes/service.md#methods-with-full-parameter-and-result-shape) will be in no block.
      if (method === 'eth_sendRawTransaction' && /^0x0*[1-9a-f]/i.test(`${result}`))
        sent.set(`${result}`, now());
    },
    any: () => sent.size > 0,
  };
}

/** Milliseconds after which a transaction that was not mined no longer counts. */
const maxWait = 120_000;
