import { noParams } from '../rpc/no-params.js';
import type { Address, Hex } from '../rpc/schema.js';
import { permittedAccounts } from '../session/session.js';
import { instantMethod } from './method.js';

/**
 * What is answered from the session alone, before the core has loaded. The service is never asked: its
 * `eth_accounts` is always empty, and a chain id it claims must not be the one that is signed for.
 */

/** The accounts this origin was given, selected one first; `[]` before it was given any (EIP-1102). */
export const eth_accounts = instantMethod<[], readonly Address[]>()(noParams, {
  access: 'public',
  handle: ({ session, origin }) => permittedAccounts(session.state(), origin),
});

export const eth_chainId = instantMethod<[], Hex>()(noParams, {
  access: 'public',
  handle: ({ session }) => `0x${session.state().chainId.toString(16)}`,
});

/** A decimal string (docs/notes/service.md#methods-with-full-parameter-and-result-shape): libraries break on a number. */
export const net_version = instantMethod<[], string>()(noParams, {
  access: 'public',
  handle: ({ session }) => String(session.state().chainId),
});
