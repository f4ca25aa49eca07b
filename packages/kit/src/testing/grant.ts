import type { Question } from '../../../../src/approvals/question.js';
import { own } from '../../../../src/rpc/own.js';
import type { Address, Hash } from '../../../../src/rpc/schema.js';
import type { Wallet } from '../../../../src/wallet/wallet.js';
import { readAmount, requireMembers } from './checks.js';

/**
 * Limits within which a site sends without a question (ERC-7715), as a test grants them.
 *
 * @example
 * const shop = '0x5afe51de5afe51de5afe51de5afe51de5afe51de';
 * const daily: TestPermission = { amount: 10n ** 15n, period: 86_400, payees: [shop] };
 */
export interface TestPermission {
  /**
   * The most in the whole term, or in each `period`: wei with the fees, or base units of `token`; as a bigint or in hexadecimal
   * or decimal digits.
   */
  readonly amount: bigint | string;
  /** Seconds after which `amount` is there again; at least 3,600. Default: it is for the whole term. */
  readonly period?: number | undefined;
  /** The term, seconds from now on; at most 90 days. Default 86,400. */
  readonly duration?: number | undefined;
  /** The addresses that may be paid. Needed for coins; without them a token may go to anyone. */
  readonly payees?: readonly string[] | undefined;
  /** Address of a token that the wallet lists: the permission is for its transfers in place of coins. */
  readonly token?: string | undefined;
  /** The most for fees in each period, wei; with `token` only. */
  readonly fees?: bigint | string | undefined;
  /** The functions that may be called, by the first four bytes of their calldata: the permission is for calls in place of coins. */
  readonly contracts?:
    | readonly { readonly address: string; readonly selectors: readonly string[] }[]
    | undefined;
  /** The account that pays. Default: the first one that the site has. */
  readonly account?: string | undefined;
}

/** The members of a {@link TestPermission}. */
const members: readonly (keyof TestPermission)[] = [
  ...(['amount', 'period', 'duration', 'payees', 'token', 'fees', 'contracts', 'account'] as const),
];

/** A permission as plain data, for a page; its term begins when it is requested. */
export interface GrantRequest {
  readonly account: string | undefined;
  /** Seconds. */
  readonly duration: number;
  readonly permission: object;
  readonly rules: readonly object[];
}

/** @throws Error naming the member that is unknown or wrong */
export function readPermission(given: TestPermission): GrantRequest {
  requireMembers('permission', given, members);
  const { amount, period, duration = 86_400, payees, token, fees, contracts, account } = own(given);
  if (token !== undefined && contracts !== undefined)
    throw new Error('permission: it is for a token or for contracts, not for both');
  const quantity = (name: string, value: unknown) =>
    `0x${readAmount(`permission.${name}`, value).toString(16)}`;
  const kind = token === undefined ? 'native-token' : 'erc20-token';
  const type = contracts
    ? 'graft-contract-calls'
    : `${kind}-${period === undefined ? 'allowance' : 'periodic'}`;
  return {
    account,
    duration,
    permission: {
      type,
      isAdjustmentAllowed: false,
      data: {
        [period === undefined ? 'allowanceAmount' : 'periodAmount']: quantity('amount', amount),
        ...(period !== undefined && { periodDuration: period }),
        ...(token !== undefined && { tokenAddress: token }),
        ...(fees !== undefined && { feeAmount: quantity('fees', fees) }),
        ...(contracts && { contracts }),
      },
    },
    rules: payees ? [{ type: 'payee', data: { addresses: payees } }] : [],
  };
}

/** Requests permissions as a page does, and has its own questions answered. */
export interface Granting {
  /** Resolves with the context of the permission. @throws ProviderRpcError as the provider */
  grant(provider: Provider, request: GrantRequest): Promise<Hash>;
  /** Whether a question is one of the present grant's: it is approved without the test. */
  isOwn(question: Pick<Question, 'kind'>): boolean;
}

type Provider = Pick<Wallet['provider'], 'request'>;

export function createGranting(): Granting {
  let kinds: readonly Question['kind'][] = [];
  const whileAnswering = async <Result>(
    answered: readonly Question['kind'][],
    ask: () => Promise<Result>,
  ): Promise<Result> => {
    kinds = answered;
    try {
      return await ask();
    } finally {
      kinds = [];
    }
  };
  const grant = async (
    { request }: Provider,
    { account, duration, permission, rules }: GrantRequest,
  ): Promise<Hash> => {
    let accounts = await request({ method: 'eth_accounts' });
    if (accounts.length === 0)
      accounts = await whileAnswering(['connect'], () => request({ method: 'eth_requestAccounts' }));
    const to = (account ?? accounts[0]) as Address;
    const chainId = await request({ method: 'eth_chainId' });
    const timestamp = Math.floor(Date.now() / 1_000) + duration;
    const params = [
      { chainId, to, permission, rules: [{ type: 'expiry', data: { timestamp } }, ...rules] },
    ] as never;
    const [granted] = await whileAnswering(['permission', 'unlock'], () =>
      request({ method: 'wallet_requestExecutionPermissions', params }),
    );
    return (granted as { readonly context: Hash }).context;
  };
  /** One after another. */
  let last: Promise<unknown> = Promise.resolve();
  return {
    grant(provider, request) {
      const next = last.catch(() => {}).then(() => grant(provider, request));
      last = next;
      return next;
    },
    isOwn: ({ kind }) => kinds.includes(kind),
  };
}
