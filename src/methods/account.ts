import { requireWebCrypto } from '../keyring/web-crypto.js';
import { excerpt, unauthorized } from '../rpc/core-errors.js';
import { invalidParams } from '../rpc/errors.js';
import type { Json } from '../rpc/message.js';
import { noParams } from '../rpc/message.js';
import { positions } from '../rpc/params.js';
import type { Address } from '../rpc/schema.js';
import { grant, visibleAccounts } from '../session/changes.js';
import { permittedAccounts, revoke, watchOnlyAccounts } from '../session/session.js';
import type { Context } from './context.js';
import { instantAnswers } from './instant-answers.js';
import { method } from './method.js';
import { describeNetwork } from './requester.js';

/** EIP-1102: resolves with at least one account, or rejects. Asks only if the origin has no permission yet. */
export const eth_requestAccounts = method<[], readonly Address[]>()(noParams, (context, _, { signal }) => {
  const permitted = permittedAccounts(context.session.state(), context.origin);
  return permitted.length > 0 ? permitted : connect(context, signal);
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
    await connect(context, signal);
    return permissionsOf(context);
  },
);

/**
 * web3-onboard's "select another account": asks which accounts to share, and resolves with them. Without it,
 * web3-onboard calls `eth_requestAccounts`, which changes nothing for a connected page.
 */
export const eth_selectAccounts = method<[], readonly Address[]>()(noParams, (context, _, { signal }) =>
  connect(context, signal),
);

/** MIP-2: revokes the origin's permission without a question. `null` also if there was none. */
export const wallet_revokePermissions = method<PermissionParams, null>()(
  positions(permissionNames),
  ({ session, origin }) => {
    session.update(revoke(origin));
    return null;
  },
);

/** Connection requests of an origin that are open at the same time share one dialog and its outcome. */
async function connect(context: Context, signal?: AbortSignal): Promise<readonly Address[]> {
  const { dedupe } = await context.approvals();
  return dedupe(`connect ${context.origin}`, (sharedSignal) => askToConnect(context, sharedSignal), signal);
}

async function askToConnect(context: Context, signal: AbortSignal): Promise<readonly Address[]> {
  const { session, origin } = context;
  if (session.state().accounts.length === 0) await setUp(context, signal);
  const accounts = visibleAccounts(session.state());
  const [first] = accounts;
  if (!first) throw unauthorized('The wallet has no account yet: create or import one first.');
  const permitted = permittedAccounts(session.state(), origin);
  const question = {
    kind: 'connect' as const,
    origin,
    network: describeNetwork(context.network()),
    warnings: [],
    accounts: [
      ...accounts.map(({ address, label }) => ({ address, label })),
      ...watchOnlyAccounts(session.state()).map((account) => ({ ...account, watchOnly: true as const })),
    ],
    selected: permitted.length > 0 ? permitted : [first.address],
  };
  const chosen = await (await context.approvals()).connect(question, signal);
  session.update(grant(origin, chosen, context.now()));
  const shared = permittedAccounts(session.state(), origin);
  // Never an empty list (EIP-1102): the accounts may have been removed meanwhile, or revoked by a listener.
  if (shared.length === 0) throw unauthorized('The permission was revoked at once.');
  return shared;
}

/**
 * Lets a person without an account set up a wallet. One whose session was lost has a vault: unlocking it brings the
 * accounts back. A page with its own onboarding is refused at once, so that it can start it.
 */
async function setUp(context: Context, signal: AbortSignal): Promise<void> {
  if (context.onboarding === 'page') return;
  const { origin } = context;
  const approvals = await context.approvals();
  const vault = await (await context.signing()).keyring.state();
  const common = { origin, network: describeNetwork(context.network()), warnings: [] };
  if (vault === 'locked')
    await approvals.request({ ...common, kind: 'unlock' }, undefined, { signal, needsKeys: true });
  else if (vault !== 'unlocked')
    await approvals
      .request({ ...common, kind: 'onboarding', vault }, undefined, { signal })
      .catch((error) => {
        // A person who could only read why there is no wallet here has refused nothing.
        requireWebCrypto();
        throw error;
      });
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
