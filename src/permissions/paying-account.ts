import type { QuestionNetwork } from '../approvals/question.js';
import { unauthorized } from '../rpc/core-errors.js';
import { invalidParams } from '../rpc/errors.js';
import type { Json } from '../rpc/message.js';
import { permittedAccounts, type Session, type SessionAccount } from '../session/session.js';
import { type PermissionRequest, readPermissionRequests } from './request.js';

/** Permissions that a site requests of one of its accounts. */
export interface Requested {
  readonly requests: readonly PermissionRequest[];
  readonly account: SessionAccount;
  readonly network: QuestionNetwork;
  /** Whether the site may still use the account. */
  readonly stillAllowed: () => boolean;
}

/**
 * Reads the params of `wallet_requestExecutionPermissions`, and finds the account that they are for.
 * @throws ProviderRpcError -32602 naming the value; 4100 for an account that the site may not use
 */
export function readRequested(
  params: Json,
  { origin, session, network: networkOf, now }: readRequested.Site,
): Requested {
  const requests = readPermissionRequests(params, now);
  const [{ chainId, from, to }] = requests as [PermissionRequest];
  const network = networkOf(chainId);
  if (!network) throw invalidParams('params[0].chainId: not a chain on which the wallet gives permissions');
  const stillAllowed = () => permittedAccounts(session.state(), origin).includes(to);
  const account = session.state().accounts.find(({ address }) => address === to);
  if (!account || (from !== undefined && from !== to))
    throw invalidParams(
      'params[0].to: expected the account that pays. No contract here redeems permissions: the wallet signs what they cover.',
    );
  if (!stillAllowed()) throw unauthorized('The account is not shared with this site.');
  return { requests, account, network, stillAllowed };
}

export declare namespace readRequested {
  interface Site {
    readonly origin: string;
    readonly session: Session;
    /** The network of a chain id; `undefined` for one that the wallet does not have, or that a page added. */
    readonly network: (chainId: number) => QuestionNetwork | undefined;
    /** Milliseconds since 1970. */
    readonly now: number;
  }
}
