import { own } from '../rpc/own.js';
import type { Service } from '../service/service.js';

const seen = new WeakSet<Service>();

/**
 * Notes a block with a base fee. Blocks of this chain name none today, and RSKIP-546 would name zero, which is no fee
 * market; the day one is above zero, fees are the node's to say and not ours to work out. Blocks pass here anyway, so
 * knowing costs no request.
 */
export function noteBaseFee(block: unknown, service: Service): void {
  if (namesBaseFee(block)) seen.add(service);
}

export function namesBaseFee(block: unknown): boolean {
  const fee = own(Object(block) as { readonly baseFeePerGas?: unknown }).baseFeePerGas;
  return typeof fee === 'string' && /^0x0*[1-9a-f]/i.test(fee);
}

/** Whether a block with a base fee was read from this service. */
export const hasBaseFee = (service: Service): boolean => seen.has(service);
