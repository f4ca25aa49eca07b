import { excerpt } from '../rpc/core-errors.js';
import { invalidParams } from '../rpc/errors.js';
import type { Json } from '../rpc/message.js';
import { noParams } from '../rpc/message.js';
import { membersOf } from '../rpc/own-data.js';
import { positions, record, refuse } from '../rpc/params.js';
import type { Address, Hex } from '../rpc/schema.js';
import { permittedAccounts, revoke } from '../session/session.js';
import { type ConnectReply, connectOnce, signInOnce } from './connect.js';
import type { Context } from './context.js';
import { instantAnswers } from './instant-answers.js';
import { method } from './method.js';

/** EIP-1102: resolves with at least one account, or rejects. Asks only if the origin has no permission yet. */
export const eth_requestAccounts = method<[], readonly Address[]>()(noParams, (context, _, { signal }) => {
  const permitted = permittedAccounts(context.session.state(), context.origin);
  return permitted.length > 0 ? permitted : connectOnce(context, signal);
});

export const eth_accounts = method<[], readonly Address[]>()(noParams, instantAnswers.eth_accounts);

/** A permission (EIP-2255), with the fields that web3-onboard and wagmi read (docs/notes/clients.md#permissions). */
export interface PermissionRecord {
  readonly id: string;
  readonly invoker: string;
  readonly parentCapability: 'eth_accounts';
  readonly caveats: readonly [
    { readonly type: 'restrictReturnedAccounts'; readonly value: readonly Address[] },
  ];
  /** Milliseconds since 1970. */
  readonly date: number;
}

export const wallet_getPermissions = method<[], readonly PermissionRecord[]>()(noParams, permissionsOf);

type PermissionParams = [permissions: { eth_accounts: object }];

/** Asks which accounts to share, even if some are shared already: this is how a person changes them. */
export const wallet_requestPermissions = method<PermissionParams, readonly PermissionRecord[]>()(
  positions(permissionNames),
  async (context, _params, { signal }) => {
    await connectOnce(context, signal);
    return permissionsOf(context);
  },
);

/**
 * web3-onboard's "select another account": asks which accounts to share, and resolves with them. Without it,
 * web3-onboard calls `eth_requestAccounts`, which changes nothing for a connected page.
 */
export const eth_selectAccounts = method<[], readonly Address[]>()(noParams, (context, _, { signal }) =>
  connectOnce(context, signal),
);

/** MIP-2: revokes the origin's permission without a question. `null` also if there was none. */
export const wallet_revokePermissions = method<PermissionParams, null>()(
  positions(permissionNames),
  disconnect,
);

/** The fields of a sign-in message (EIP-4361) that a page may give. The wallet writes the others, and the message. */
export interface SignInParams {
  /** At least 8 letters and digits, by which the site recognises its own request. */
  readonly nonce: string;
  readonly chainId: Hex;
  readonly version?: string | undefined;
  /** `scheme`, `domain` and `uri` are those of the page's origin, whether they are given or not. */
  readonly scheme?: string | undefined;
  readonly domain?: string | undefined;
  readonly uri?: string | undefined;
  /** One line of ASCII. */
  readonly statement?: string | undefined;
  /** RFC 3339, as the other times. Default: now. */
  readonly issuedAt?: string | undefined;
  readonly expirationTime?: string | undefined;
  readonly notBefore?: string | undefined;
  readonly requestId?: string | undefined;
  readonly resources?: readonly string[] | undefined;
}

/** The params of `wallet_connect`. Capabilities that the wallet does not know are ignored. */
export interface ConnectParams {
  /** `1` or `1.0`. */
  readonly version: string;
  readonly capabilities?:
    | { readonly signInWithEthereum?: SignInParams | undefined; readonly [name: string]: unknown }
    | undefined;
}

/**
 * ERC-7846 (a draft): like `eth_requestAccounts`; with `signInWithEthereum` one question for the accounts and a sign-in, whose message
 * the wallet writes for this origin.
 */
export const wallet_connect = method<[ConnectParams], ConnectReply>()(
  positions(connectParams),
  async (context, [signIn], { signal }) => {
    if (signIn !== undefined) return signInOnce(context, signIn, signal);
    const permitted = permittedAccounts(context.session.state(), context.origin);
    const accounts = permitted.length > 0 ? permitted : await connectOnce(context, signal);
    return { accounts: accounts.map((address) => ({ address, capabilities: {} })) };
  },
);

/** ERC-7846: as `wallet_revokePermissions`. */
export const wallet_disconnect = method<[], null>()(noParams, disconnect);

function disconnect({ session, origin }: Context): null {
  session.update(revoke(origin));
  return null;
}

function permissionsOf({ session, origin }: Context): readonly PermissionRecord[] {
  const accounts = permittedAccounts(session.state(), origin);
  if (accounts.length === 0) return [];
  const date = session.state().permissions[origin]?.date ?? 0;
  return [
    {
      id: `${origin}:eth_accounts`,
      invoker: origin,
      parentCapability: 'eth_accounts',
      caveats: [{ type: 'restrictReturnedAccounts', value: accounts }],
      date,
    },
  ];
}

/** Reads a map from permission names to options. The only permission is `eth_accounts`. */
function permissionNames(value: Json, path: string): 'eth_accounts' {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidParams(`${path}: expected an object such as { "eth_accounts": {} }`);
  const names = Object.keys(value);
  if (names.length === 0) throw invalidParams(`${path}: names no permission`);
  const unknown = names.find((name) => name !== 'eth_accounts');
  if (unknown !== undefined) throw invalidParams(`${path}: unknown permission "${excerpt(unknown)}"`);
  return 'eth_accounts';
}

/** Reads the fields of a sign-in, of any type; `undefined` for none. */
function connectParams(value: Json, path: string): Json | undefined {
  const { version = null, capabilities } = record(value, path, ['version', 'capabilities']);
  if (version !== '1' && version !== '1.0') throw refuse(`${path}.version`, '"1"', version);
  if (capabilities === undefined || capabilities === null) return undefined;
  if (typeof capabilities !== 'object' || Array.isArray(capabilities))
    throw refuse(`${path}.capabilities`, 'an object', capabilities);
  const { signInWithEthereum } = membersOf(capabilities) as { readonly signInWithEthereum?: Json };
  return signInWithEthereum ?? undefined;
}
