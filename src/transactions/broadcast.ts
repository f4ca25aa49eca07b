import type { ProviderRpcError } from '../rpc/errors.js';
import type { Hex } from '../rpc/schema.js';
import { alreadyKnown, isRefusal, outcomeUnknown, reasonOf } from '../service/errors/errors.js';
import type { Service } from '../service/service.js';

/** The result of sending a signed transaction to a node. */
export type BroadcastOutcome =
  /** The node's mempool has it. */
  | { readonly kind: 'accepted' }
  /**
   * The node will accept it later. `too-early`: when earlier transactions of the account are mined. `over-quota`: when
   * the account's quota has recovered.
   */
  | { readonly kind: 'too-early' | 'over-quota' }
  /** The nonce is used, by this transaction or by another one. */
  | { readonly kind: 'nonce-used'; readonly error: ProviderRpcError }
  /** The node's rules forbid it. The error has the node's own message. */
  | { readonly kind: 'refused'; readonly error: ProviderRpcError }
  /** No conclusive reply: the node may or may not have it. */
  | { readonly kind: 'unknown'; readonly error: ProviderRpcError };

const maxAttempts = 3;

export interface Broadcast {
  /** Sends signed bytes. Never rejects. Calls with the same bytes share one broadcast while it is in flight. */
  (service: Service, raw: Hex, signal?: AbortSignal): Promise<BroadcastOutcome>;
  isInFlight(raw: Hex): boolean;
}

export function createBroadcast(): Broadcast {
  const inFlight = new Map<Hex, Promise<BroadcastOutcome>>();
  const broadcast = (service: Service, raw: Hex, signal?: AbortSignal) => {
    const sending = inFlight.get(raw) ?? send(service, raw, signal).finally(() => inFlight.delete(raw));
    inFlight.set(raw, sending);
    return sending;
  };
  return Object.assign(broadcast, { isInFlight: (raw: Hex) => inFlight.has(raw) });
}

/**
 * Sending is idempotent, so an attempt whose reply was lost is retried, after 500 ms and then 1 s. The hash in the reply
 * may be zero, wrong or missing, and is ignored: it follows from the bytes.
 */
async function send(service: Service, raw: Hex, signal?: AbortSignal): Promise<BroadcastOutcome> {
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
      // After an attempt without a reply a refusal proves nothing: another node may have accepted the bytes.
      if (isRefusal(error)) return { kind: attempt === 1 ? 'refused' : 'unknown', error };
      if (!outcomeUnknown(error) || attempt === maxAttempts || signal?.aborted)
        return { kind: 'unknown', error };
      await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** attempt));
    }
  }
}
