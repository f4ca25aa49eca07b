import { own } from './own.js';
import type { Address } from './schema.js';

/**
 * A payment as a URI (ERC-681), which another wallet reads from a QR code. Addresses are in lower case: some wallets refuse the
 * checksum of another network.
 *
 * @example
 * paymentUri({ chainId: 30, to: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', units: 10n ** 15n });
 */
export function paymentUri(payment: paymentUri.Payment): string {
  const { chainId, to, units, token } = own(payment);
  return token === undefined
    ? `ethereum:${to}@${chainId}?value=${units}`
    : `ethereum:${token}@${chainId}/transfer?address=${to}&uint256=${units}`;
}

export declare namespace paymentUri {
  interface Payment {
    readonly chainId: number;
    /** The recipient. */
    readonly to: Address;
    /** wei, or base units of `token`. */
    readonly units: bigint;
    /** The contract of an ERC-20 token; absent for the chain's coin. */
    readonly token?: Address | undefined;
  }
}
