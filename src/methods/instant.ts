import { noParams } from '../rpc/no-params.js';
import type { Address, Hex } from '../rpc/schema.js';
import { permittedAccounts } from '../session/session.js';
import { instantMethod } from './method.js';

/**
 * Methods that the session alone answers, before the core has loaded. They are never forwarded: the service's
 * `eth_accounts` is always empty, and signatures must not depend on the chain id that it reports.
 */

/** The accounts that the origin may use, the selected one first; `[]` without a permission (EIP-1102). */
export const eth_accounts = instantMethod<[], readonly Address[]>()(noParams, {
  access: 'public',
  handle: ({ session, origin }) => permittedAccounts(session.state(), origin),
});

export const eth_chainId = instantMethod<[], Hex>()(noParams, {
  access: 'public',
  handle: ({ session }) => `0x${session.state().chainId.toString(16)}`,
});

/** A decimal string, since libraries fail on a number (docs/notes/service.md#methods-with-full-parameter-and-result-shape). */
export const net_version = instantMethod<[], string>()(noParams, {
  access: 'public',
  handle: ({ session }) => String(session.state().chainId),
});
