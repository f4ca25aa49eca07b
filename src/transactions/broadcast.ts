import { errorCode, isProviderRpcError } from '../rpc/errors.js';
import type { Hex } from '../rpc/schema.js';
import { alreadyKnown, outcomeUnknown, reasonOf } from '../service/errors.js';
import type { Service } from '../service/service.js';

/**
 * `accepted`: the pool has it. `too-early`: the chain takes it once earlier ones of the account are mined.
 * `over-quota`: it takes it when the account's quota has recovered. `unknown`: the reply was lost.
 */
export type Outcome = 'accepted' | 'too-early' | 'over-quota' | 'unknown';

const attempts = 3;

/** Whether the chain itself has refused: any other failure is the service's, and passes. */
export const isForbidden = (error: unknown): boolean =>
  isProviderRpcError(error) && error.code === errorCode.transactionRejected;

export interface Broadcast {
  (service: Service, raw: Hex, signal?: AbortSignal): Promise<Outcome>;
  /** Whether these bytes are being offered now. */
  isUnderWay(raw: Hex): boolean;
}

/** Bytes that are being offered are not offered beside it: whoever asks for them again has the same outcome. */
export function createBroadcast(): Broadcast {
  const underWay = new Map<Hex, Promise<Outcome>>();
  const broadcast = (service: Service, raw: Hex, signal?: AbortSignal) => {
    const offered = underWay.get(raw) ?? offer(service, raw, signal).finally(() => underWay.delete(raw));
    underWay.set(raw, offered);
    return offered;
  };
  return Object.assign(broadcast, { isUnderWay: (raw: Hex) => underWay.has(raw) });
}

/**
 * Offers signed bytes to the service. Offering the same bytes twice is harmless, so a lost reply is asked
 * again; whatever hash comes back (zero, another, none: seed, "eth_sendRawTransaction") is not believed,
 * since the hash of the bytes is known here.
 *
 * @throws ProviderRpcError -32003 when the chain's rules forbid the transaction ({@link isForbidden}); what the
 * service says when it did not look at it: a limit, a wrong key, another chain.
 */
async function offer(service: Service, raw: Hex, signal?: AbortSignal): Promise<Outcome> {
  for (let attempt = 1; ; attempt++) {
    try {
      await service.request('eth_sendRawTransaction', [raw], signal && { signal });
      return 'accepted';
    } catch (error) {
      if (alreadyKnown(error)) return 'accepted';
      const reason = reasonOf(error);
      // Its nonce is used: perhaps by itself, when an earlier offer was taken and its reply lost.
      if (reason === 'nonce-too-low' && attempt > 1) return 'unknown';
      if (reason === 'nonce-too-high') return 'too-early';
      if (reason === 'account-quota') return 'over-quota';
      if (!outcomeUnknown(error)) throw error;
      if (attempt === attempts || signal?.aborted) return 'unknown';
      await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** attempt));
    }
  }
}
