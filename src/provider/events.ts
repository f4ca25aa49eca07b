import { ProviderRpcError } from '../rpc/errors.js';
import type { Address, Hex } from '../rpc/schema.js';

/**
 * The listeners of the EIP-1193 events.
 *
 * @example
 * wallet.provider.on('message', ({ type, data }) => console.log(type, data.subscription, data.result));
 */
export interface ProviderEvents {
  /** The service of the active chain can be reached (again). */
  connect: (info: { chainId: Hex }) => void;
  /** The service of the active chain cannot be reached. The code is that of a CloseEvent: 1013, try again later. */
  disconnect: (error: ProviderRpcError) => void;
  /** The id of the new active chain, hexadecimal. */
  chainChanged: (chainId: Hex) => void;
  /** The accounts that the page may use, the selected one first; empty after a revocation. */
  accountsChanged: (accounts: Address[]) => void;
  /** A subscription's result: `type` is `eth_subscription`, `data` is `{ subscription, result }`. */
  // biome-ignore lint/suspicious/noExplicitAny: `data` depends on `type`
  message: (message: { type: string; data: any }) => void;
}

/** The names of the EIP-1193 events. */
export type ProviderEvent = keyof ProviderEvents;

/**
 * The error of a `disconnect` event. On 1013 "try again later", wagmi keeps the connection as long as there are accounts
 * (docs/notes/clients.md#events).
 */
export const unreachable = () =>
  new ProviderRpcError(1013, 'The service of the active chain cannot be reached.');
