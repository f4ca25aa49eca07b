import { own } from '../rpc/own.js';
import type { Service } from '../service/service.js';

const seen = new WeakSet<Service>();

/**
 * Notes a block that names a base fee. Blocks of this chain name none today (node-facts §5); the day one does,
 * fees are the node's to say and not ours to work out. Blocks pass here anyway, so knowing costs no request.
 */
export function noteBaseFee(block: unknown, service: Service): void {
  const fee = own(block as { readonly baseFeePerGas?: unknown }).baseFeePerGas;
  if (typeof fee === 'string') seen.add(service);
}

/** Whether a block with a base fee was read from this service. */
export const hasBaseFee = (service: Service): boolean => seen.has(service);
