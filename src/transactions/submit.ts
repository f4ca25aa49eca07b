import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import type { Hash, Hex } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import { broadcast } from './broadcast.js';

/**
 * Sends bytes that a page signed itself. Resolves when the service has them, also where its reply was lost and
 * it shows the transaction; the page keeps the bytes, so there is no journal for them.
 *
 * @throws ProviderRpcError -32003 refused by the chain's rules, -32005 held back by it, -32002 not known.
 */
export async function submit(service: Service, raw: Hex, hash: Hash, signal?: AbortSignal): Promise<void> {
  const outcome = await broadcast(service, raw, signal);
  if (outcome === 'accepted') return;
  const shown = await service.request('eth_getTransactionByHash', [hash]).catch(() => null);
  if (shown !== null) return;
  throw outcome === 'held'
    ? new ProviderRpcError(
        errorCode.limitExceeded,
        'The chain takes no further transaction of this account now.',
      )
    : new ProviderRpcError(
        errorCode.resourceUnavailable,
        'The service did not answer; send the same transaction again.',
        { hash },
      );
}
