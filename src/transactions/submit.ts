import { errorCode, limitExceeded, ProviderRpcError, transactionRejected } from '../rpc/errors.js';
import type { Address, Hash, Hex } from '../rpc/schema.js';
import { parseSigned } from '../rpc/transaction.js';
import type { Service } from '../service/service.js';
import type { Broadcast } from './broadcast.js';
import type { Journal } from './journal.js';

/**
 * Sends bytes that a page hands in, and resolves with their hash. Those of an own account that the chain takes
 * only later (its nonce is too far ahead) are journaled and offered again; other people's are not kept.
 *
 * @throws ProviderRpcError -32602 for bytes that no node should see (node-facts §1.7), -32003 refused by the
 * chain's rules, -32005 the account's quota is spent, -32002 not known; the page has the bytes, and may send
 * them again.
 */
export type Submit = (raw: Hex, asked: Submit.Asked) => Promise<Hash>;

export declare namespace Submit {
  interface Asked {
    readonly origin: string;
    readonly service: Service;
    /** All addresses of the wallet. */
    readonly own: readonly Address[];
    /** For errors: where the bytes stood. */
    readonly path: string;
    readonly signal?: AbortSignal;
  }
}

export function createSubmit(options: createSubmit.Options): Submit {
  const { journal, broadcast, senderOf, wake, now } = options;
  return async (raw, { origin, service, own, path, signal }) => {
    const { chainId } = service.network;
    const parsed = parseSigned(raw, chainId, path);
    const { transaction, hash } = parsed;
    switch (await broadcast(service, raw, signal)) {
      case 'accepted':
        return hash;
      case 'too-early': {
        const from = senderOf(parsed);
        if (!own.includes(from)) throw transactionRejected('nonce too high');
        await journal.record({ ...transaction, from, hash, raw, origin, createdAt: now(), state: 'signed' });
        wake(chainId);
        return hash;
      }
      case 'over-quota':
        throw limitExceeded('account exceeds quota: the chain takes no further transaction of it for now');
      case 'unknown': {
        const shown = await service.request('eth_getTransactionByHash', [hash]).catch(() => null);
        if (shown !== null) return hash;
        throw new ProviderRpcError(
          errorCode.resourceUnavailable,
          'The service did not answer; send the same transaction again.',
          { hash },
        );
      }
    }
  };
}

export declare namespace createSubmit {
  interface Options {
    readonly journal: Journal;
    readonly broadcast: Broadcast;
    /** Who signed. */
    readonly senderOf: (signed: ReturnType<typeof parseSigned>) => Address;
    readonly wake: (chainId: number) => void;
    readonly now: () => number;
  }
}
