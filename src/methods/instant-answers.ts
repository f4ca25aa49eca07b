import type { Address, Hex } from '../rpc/schema.js';
import { permittedAccounts } from '../session/session.js';
import type { InstantContext } from './context.js';

/**
 * Methods that the session alone answers, before the core has loaded. They are never forwarded: the service's `eth_accounts` is
 * always empty, and signatures must not depend on the chain id that it reports.
 */
export const instantAnswers = {
  /** The accounts that the origin may use, the selected one first; `[]` without a permission (EIP-1102). */
  eth_accounts: ({ session, origin }: InstantContext): readonly Address[] =>
    permittedAccounts(session.state(), origin),

  eth_chainId: ({ session }: InstantContext): Hex => `0x${session.state().chainId.toString(16)}`,

  /** A decimal string, since libraries fail on a number (docs/notes/service.md#methods-with-full-parameter-and-result-shape). */
  net_version: ({ session }: InstantContext): string => String(session.state().chainId),
};
