import type { ConnectQuestion, QuestionAccount, QuestionNetwork } from '../approvals/question.js';
import { requireWebCrypto } from '../keyring/web-crypto.js';
import { excerpt, unauthorized } from '../rpc/core-errors.js';
import { invalidParams } from '../rpc/errors.js';
import type { Json } from '../rpc/message.js';
import { noParams } from '../rpc/message.js';
import { own } from '../rpc/own.js';
import { membersOf } from '../rpc/own-data.js';
import { positions, record, refuse } from '../rpc/params.js';
import type { Address, Hex } from '../rpc/schema.js';
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

/** The reply of `wallet_connect`. */
export interface ConnectReply {
  readonly accounts: readonly {
    readonly address: Address;
    readonly capabilities: {
      /** For one account, where a sign-in was requested. */
      readonly signInWithEthereum?: { readonly message: string; readonly signature: Hex } | undefined;
    };
  }[];
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
    const accounts = permitted.length > 0 ? permitted : await connect(context, signal);
    return { accounts: accounts.map((address) => ({ address, capabilities: {} })) };
  },
);

/** ERC-7846: as `wallet_revokePermissions`. */
export const wallet_disconnect = method<[], null>()(noParams, disconnect);

function disconnect({ session, origin }: Context): null {
  session.update(revoke(origin));
  return null;
}

/** Equal requests of an origin that are open at the same time share one dialog and its outcome. */
async function signInOnce(context: Context, signIn: Json, signal?: AbortSignal): Promise<ConnectReply> {
  const network = describeNetwork(context.network());
  const { dedupe } = await context.approvals();
  const key = `sign-in ${context.origin} ${network.chainId} ${JSON.stringify(signIn)}`;
  return dedupe(key, (sharedSignal) => connectAndSignIn(context, signIn, network, sharedSignal), signal);
}

async function connectAndSignIn(
  context: Context,
  signIn: Json,
  network: QuestionNetwork,
  signal: AbortSignal,
): Promise<ConnectReply> {
  const signatures = await (await context.signing()).signatures();
  // Signed before anything is granted: a signature that fails changes nothing.
  const { accounts, signer, message, signature } = await signatures.connect({
    ...{ signIn, network, signal, path: signInPath },
    origin: context.origin,
    chainIds: [...context.networks.keys()],
    async offer() {
      const { accounts, selected } = await offer(context, signal);
      const hasKey = (account: QuestionAccount) =>
        !own(account).watchOnly && selected.includes(account.address);
      const [first] = accounts as readonly [QuestionAccount];
      return { accounts, selected: accounts.some(hasKey) ? selected : [...selected, first.address] };
    },
  });
  const state = context.session.state();
  if (!visibleAccounts(state).some(({ address }) => address === signer))
    throw unauthorized('The account that was chosen is gone.');
  const before = permittedAccounts(state, context.origin);
  // A person who chooses what is shared already changes nothing: permissions that hold for this connection stay.
  const isSame = before.length === accounts.length && accounts.every((each) => before.includes(each));
  const shared = isSame ? before : share(context, accounts);
  if (!shared.includes(signer)) throw unauthorized(revokedAtOnce);
  const signedIn = { signInWithEthereum: { message, signature } };
  return {
    accounts: shared.map((address) => ({ address, capabilities: address === signer ? signedIn : {} })),
  };
}

/** Connection requests of an origin that are open at the same time share one dialog and its outcome. */
async function connect(context: Context, signal?: AbortSignal): Promise<readonly Address[]> {
  const { dedupe } = await context.approvals();
  return dedupe(`connect ${context.origin}`, (sharedSignal) => askToConnect(context, sharedSignal), signal);
}

async function askToConnect(context: Context, signal: AbortSignal): Promise<readonly Address[]> {
  const offered = await offer(context, signal);
  const question = {
    kind: 'connect' as const,
    origin: context.origin,
    network: describeNetwork(context.network()),
    warnings: [],
    ...offered,
  };
  return share(context, await (await context.approvals()).connect(question, signal));
}

/** The accounts to choose from, and those that are selected at first. Without any, the person sets up a wallet first. */
async function offer(
  context: Context,
  signal: AbortSignal,
): Promise<Pick<ConnectQuestion, 'accounts' | 'selected'>> {
  const { session, origin } = context;
  if (session.state().accounts.length === 0) await setUp(context, signal);
  const accounts = visibleAccounts(session.state());
  const [first] = accounts;
  if (!first) throw unauthorized('The wallet has no account yet: create or import one first.');
  const permitted = permittedAccounts(session.state(), origin);
  return {
    accounts: [
      ...accounts.map(({ address, label }) => ({ address, label })),
      ...watchOnlyAccounts(session.state()).map((account) => ({ ...account, watchOnly: true as const })),
    ],
    selected: permitted.length > 0 ? permitted : [first.address],
  };
}

/** Grants what the person has chosen, in place of what was shared. */
function share(context: Context, chosen: readonly Address[]): readonly Address[] {
  const { session, origin } = context;
  session.update(grant(origin, chosen, context.now()));
  const shared = permittedAccounts(session.state(), origin);
  // Never an empty list (EIP-1102): the accounts may have been removed meanwhile, or revoked by a listener.
  if (shared.length === 0) throw unauthorized(revokedAtOnce);
  return shared;
}

const revokedAtOnce = 'The permission was revoked at once.';

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

const signInPath = 'params[0].capabilities.signInWithEthereum';

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
