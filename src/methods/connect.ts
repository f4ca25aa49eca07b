import type { ConnectQuestion, QuestionAccount, QuestionNetwork } from '../approvals/question.js';
import { requireWebCrypto } from '../keyring/web-crypto.js';
import { unauthorized } from '../rpc/core-errors.js';
import type { Json } from '../rpc/message.js';
import { own } from '../rpc/own.js';
import type { Address, Hex } from '../rpc/schema.js';
import { grant, visibleAccounts } from '../session/changes.js';
import { permittedAccounts, watchOnlyAccounts } from '../session/session.js';
import type { Context } from './context.js';
import { describeNetwork } from './requester.js';

/** Asks the person which accounts a site gets, and for a sign-in with them. Without an account, a wallet is set up first. */

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

const signInPath = 'params[0].capabilities.signInWithEthereum';

/** Equal requests of an origin that are open at the same time share one dialog and its outcome. */
export async function signInOnce(
  context: Context,
  signIn: Json,
  signal?: AbortSignal,
): Promise<ConnectReply> {
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
export async function connectOnce(context: Context, signal?: AbortSignal): Promise<readonly Address[]> {
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
