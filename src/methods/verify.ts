import { hash, optional, positions, quantityUpTo } from '../rpc/params.js';
import type { Hash, Hex } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import { method } from './method.js';

/** More blocks are not read for one verdict. */
const confirmations = quantityUpTo(6, 'a number of blocks (QUANTITY)');

/**
 * The verdict on the transaction or the block with a hash: `proven`, `claimed` or `contradicted`, and how many blocks with work are on
 * top of it, as far as they are asked for. Where the network is not verified, everything is claimed.
 */
export const graft_verify = method<[hash: Hash, confirmations?: Hex], Service.Finding>()(
  positions(hash, optional(confirmations, '0x0')),
  async (context, [of, wanted]): Promise<Service.Finding> => {
    const { verification } = context.reads();
    if (verification) return (await verification()).verdictOf(of, Number(wanted));
    return {
      verdict: 'claimed',
      why: 'This network is not verified: its option `verify` is not set.',
      confirmations: 0,
    };
  },
);
