import type { QuestionNetwork } from '../approvals/question.js';
import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import type { Network } from '../service/networks.js';
import type { Requester } from '../session/requester.js';
import {
  permittedAccounts,
  type SessionAccount,
  type SessionState,
  watchOnlyAccount,
} from '../session/session.js';
import type { Context } from './context.js';
import type { MethodRequest } from './method.js';

/**
 * A network as questions show it. Only the host of an endpoint is shown, since the path contains the API key; for a network that
 * a page added, the hosts of all endpoints, since any of them may be used.
 */
export function describeNetwork(network: Network): QuestionNetwork {
  const { chainId, name, currency, testnet, urls, addedBy } = own(network);
  const hosts = [...new Set(urls.map((url) => new URL(url).host))];
  return own({
    chainId,
    name,
    symbol: currency.symbol,
    decimals: currency.decimals,
    testnet,
    source: addedBy === undefined ? (hosts[0] as string) : hosts.join(', '),
    ...(addedBy !== undefined && { addedBy }),
  });
}

/**
 * The requester of a signature by `from`. Call it before the first `await` of a method, so that the signature is for
 * the chain that was active when the request arrived.
 *
 * @throws ProviderRpcError 4100 if the wallet has no key for it
 */
export function requesterOf(context: Context, from: Address, request: MethodRequest): Requester {
  const state = context.session.state();
  const account = signerOf(state, from);
  return {
    origin: context.origin,
    network: describeNetwork(context.network()),
    service: context.sends(),
    account,
    ownAddresses: state.accounts.map(({ address }) => address),
    signal: request.signal,
    stillAllowed: () => permittedAccounts(context.session.state(), context.origin).includes(from),
  };
}

/**
 * The account that signs for an address.
 * @throws ProviderRpcError 4100 for an address that the wallet has no key for; `data.reason` is `watch-only` where the person looks
 * at it
 */
export function signerOf(state: SessionState, address: Address | undefined): SessionAccount {
  const account = state.accounts.find((each) => each.address === address);
  if (account) return account;
  if (address !== undefined && watchOnlyAccount(state, address)) throw noKey();
  throw new ProviderRpcError(errorCode.unauthorized, 'The account is not one of this wallet.');
}

/** The refusal of a signature by an account to look at. */
export const noKey = () =>
  new ProviderRpcError(
    errorCode.unauthorized,
    'The account can only be looked at here: this wallet has no key for it. Another wallet has to sign.',
    { reason: 'watch-only' },
  );
