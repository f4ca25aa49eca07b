import type { InstantContext } from '../context.js';
import type { Json } from '../rpc/message.js';
import { noParams } from '../rpc/no-params.js';
import { own } from '../rpc/own.js';
import type { Address, Hex } from '../rpc/schema.js';
import { permittedAccounts } from '../session/session.js';
import type { Behaviour, Method } from './method.js';

/** Defines a method that is answered before the core has loaded. Here, because the shell loads nothing else to define one. */
const instantMethod =
  <Wire extends object, Result>() =>
  <Read>(
    params: (params: Json) => Read,
    behaviour: Behaviour<Read, Result, InstantContext>,
  ): Method<Wire, Result, InstantContext> =>
    own({ params, ...behaviour });

/**
 * Methods that the session alone answers, before the core has loaded. They are never forwarded: the service's
 * `eth_accounts` is always empty, and signatures must not depend on the chain id that it reports.
 */
export const instantMethods = {
  /** The accounts that the origin may use, the selected one first; `[]` without a permission (EIP-1102). */
  eth_accounts: instantMethod<[], readonly Address[]>()(noParams, {
    access: 'public',
    handle: ({ session, origin }) => permittedAccounts(session.state(), origin),
  }),

  eth_chainId: instantMethod<[], Hex>()(noParams, {
    access: 'public',
    handle: ({ session }) => `0x${session.state().chainId.toString(16)}`,
  }),

  /** A decimal string, since libraries fail on a number (docs/notes/service.md#methods-with-full-parameter-and-result-shape). */
  net_version: instantMethod<[], string>()(noParams, {
    access: 'public',
    handle: ({ session }) => String(session.state().chainId),
  }),
};
