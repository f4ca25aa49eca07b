import type { ProviderRpcError } from '../rpc/errors.js';
import type { Hex } from '../rpc/schema.js';
import { alreadyKnown, isRefusal, outcomeUnknown, reasonOf } from '../service/errors/errors.js';
import type { Service } from '../service/service.js';

/** What a node said when it was given a signed transaction. */
export type Outcome =
  /** Its pool has it. */
  | { readonly kind: 'accepted' }
  /** `too-early`: it takes it once earlier ones of the account are mined. `over-quota`: once the account's quota recovers. */
  | { readonly kind: 'too-early' | 'over-quota' }
  /** The nonce is used: by this transaction or by another one. */
  | { readonly kind: 'nonce-used'; readonly error: ProviderRpcError }
  /** The node's rules forbid it, in the node's own words, and no earlier attempt of this call was left unanswered. */
  | { readonly kind: 'refused'; readonly error: ProviderRpcError }
  /** No clear answer: the node may hold it or not. */
  | { readonly kind: 'unknown'; readonly error: ProviderRpcError };

const attempts = 3;

export interface Broadcast {
  /** Sends signed bytes. Never rejects. Calls with the same bytes share one attempt while it runs. */
  (service: Service, raw: Hex, signal?: AbortSignal): Promise<Outcome>;
  isUnderWay(raw: Hex): boolean;
}

export function createBroadcast(): Broadcast {
  const underWay = new Map<Hex, Promise<Outcome>>();
  const broadcast = (service: Service, raw: Hex, signal?: AbortSignal) => {
    const sending = underWay.get(raw) ?? send(service, raw, signal).finally(() => underWay.delete(raw));
    underWay.set(raw, sending);
    return sending;
  };
  return Object.assign(broadcast, { isUnderWay: (raw: Hex) => underWay.has(raw) });
}

/**
 * Sending the same bytes twice is harmless, so an attempt whose reply was lost is repeated. The hash in the reply
 * is not used: it may be zero, wrong or missing, and the hash of the bytes is known here.
 */
async function send(service: Service, raw: Hex, signal?: AbortSignal): Promise<Outcome> {
  for (let attempt = 1; ; attempt++) {
    try {
      await service.request('eth_sendRawTransaction', [raw], signal && { signal });
      return { kind: 'accepted' };
    } catch (caught) {
      const error = caught as ProviderRpcError;
      if (alreadyKnown(error)) return { kind: 'accepted' };
      const reason = reasonOf(error);
      if (reason === 'nonce-too-low') return { kind: 'nonce-used', error };
      if (reason === 'nonce-too-high') return { kind: 'too-early' };
      if (reason === 'account-quota') return { kind: 'over-quota' };
      // After an unanswered attempt a refusal proves nothing: another node may have taken the bytes.
      if (isRefusal(error)) return { kind: attempt === 1 ? 'refused' : 'unknown', error };
      if (!outcomeUnknown(error) || attempt === attempts || signal?.aborted)
        return { kind: 'unknown', error };
      await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** attempt));
    }
  }
}
