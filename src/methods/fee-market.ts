import { membersOf } from '../rpc/own-data.js';
import type { Network } from '../service/networks.js';
import type { Service } from '../service/service.js';

const withFeeMarket = new WeakSet<Network>();

/**
 * Remembers that a block of a network has a base fee above zero. Rootstock blocks have none today, and RSKIP-546 would
 * set it to zero, which is no fee market; once it is above zero, fee methods are forwarded to the node. Called for
 * blocks that are read anyway, so it costs no request.
 */
export function noteFeeMarket(block: unknown, service: Service): void {
  if (hasFeeMarket(block)) withFeeMarket.add(service.network);
}

/** Whether the block has a base fee above zero. */
export function hasFeeMarket(block: unknown): boolean {
  const fee = membersOf(block).baseFeePerGas;
  return typeof fee === 'string' && /^0x0*[1-9a-f]/i.test(fee);
}

/** Whether a block with a base fee above zero was read from the service's network. */
export const hasShownFeeMarket = (service: Service): boolean => withFeeMarket.has(service.network);
