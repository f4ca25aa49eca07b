import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import type { Address } from '../rpc/schema.js';
import { type SessionAccount, type SessionState, watchOnlyAccount } from './session.js';

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
