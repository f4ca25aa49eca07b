/** Something that the person should consider. The dialog has the wording; `detail` is untrusted plain text. */
export interface Warning {
  /** The subject of the warning. The dialog has a text for each code. */
  readonly code: WarningCode;
  /** `danger` delays the confirm button; `caution` is shown beside it; `notice` is only information. */
  readonly severity: 'danger' | 'caution' | 'notice';
  /** The detail that the code's comment names, as plain text; absent where it names nothing. */
  readonly detail?: string | undefined;
}

const warningOf =
  (severity: Warning['severity']) =>
  (code: WarningCode, detail?: string): Warning =>
    detail ? { code, severity, detail } : { code, severity };

/** A warning of severity `danger`, without an empty detail. */
export const danger = warningOf('danger');
/** A warning of severity `caution`, without an empty detail. */
export const caution = warningOf('caution');
/** A warning of severity `notice`, without an empty detail. */
export const notice = warningOf('notice');

const rank = { danger: 0, caution: 1, notice: 2 } as const;

/** The warnings without repetitions. */
export const distinct = (warnings: readonly Warning[]): readonly Warning[] => [
  ...new Map(warnings.map((warning) => [JSON.stringify(warning), warning])).values(),
];

/** The warnings in the order in which they are shown; those of one severity stay in theirs. */
export const bySeverity = (warnings: readonly Warning[]): readonly Warning[] =>
  [...warnings].sort((a, b) => rank[a.severity] - rank[b.severity]);

/** The subject of a warning. The comment of a code names the content of its `detail`. */
export type WarningCode =
  | 'simulation-reverts' //        detail: the reason
  | 'simulation-unavailable'
  | 'contract-creation'
  | 'unknown-call' //              calldata that could not be decoded; detail: the function or selector of an inner call
  | 'runs-calls' //                it carries out other calls; detail: how many are listed
  | 'calls-not-shown' //           it may carry out more calls than are listed
  | 'changes-control' //           an owner, a role or the code of a contract changes; detail: the function
  | 'moves-tokens' //              tokens move, or may be moved, by more than the amounts shown; detail: the function
  | 'no-code-at-recipient' //      calldata sent to an address without code
  | 'unlimited-approval'
  | 'whole-balance' //             an allowance of the owner's balance or more
  | 'unusual-decimals' //          detail: how many decimals the contract claims
  | 'approval-for-all'
  | 'high-fee'
  | 'insufficient-funds'
  | 'first-time-recipient' //      a payment to an address that this wallet has not paid before
  | 'resembles-known' //           the recipient may be mistaken for another address; detail: that address
  | 'imitates-token' //            a token with the symbol of a known one at another address; detail: the symbol
  | 'imitates-network' //          a network with a name like that of a known one; detail: that name
  | 'foreign-letters' //           a name with letters of another alphabet, which may pass for others
  | 'bridge-payment' //            the bridge pays it out in bitcoin, to the address of the sender's key
  | 'bridge-minimum' //            the bridge pays it back, because it is too little; detail: the minimum in coins
  | 'bridge-fee' //                the bridge may pay it back, because its fee in bitcoin is high for it
  | 'bridge-dust' //               the bridge keeps what is less than a satoshi
  | 'bridge-payee' //              a contract would pay the bridge, or tokens would go to it, and nothing comes back
  | 'permission-to-anyone' //      a permission by which tokens may go to any address
  | 'permission-allowance' //      a permitted contract may take tokens that it was allowed before; detail: the token's symbol
  | 'replaces-transaction' //      detail: the hash that would be replaced
  | 'gas-price-lowered' //         detail: the page's price and the signed one
  | 'gas-unknown' //               the gas could not be measured, so the limit is the network's maximum
  | 'gas-raised' //                detail: the page's gas and the signed one
  | 'earlier-went-through' //      detail: earlier payments that counted as failed and were mined
  | 'earlier-outcome-unclear' //   detail: earlier payments that may have been mined
  | 'waits-for-others' //          detail: how many lower nonces are pending from another wallet
  | 'waits-for-nonces' //          detail: how many lower nonces are unused
  | 'overrides-unsent' //          detail: the held payment that can no longer be mined after this one
  | 'permit' //                    a signature that gives a right over tokens
  | 'acts-as-you' //               a call that somebody else may send in the signer's name
  | 'delegate-call' //             a contract would run foreign code as its own; detail: the function of an inner call
  | 'nothing-back' //              an order of which the signer receives nothing
  | 'gives-right' //               an address gets a right, such as a vote or that of an unknown form of typed data
  | 'endless-right' //             a right of an unknown form, without an amount and without an end
  | 'unclear-form' //              typed data of an unknown form; a danger at a known token or with an endless amount
  | 'own-account-contract' //      the domain's contract is an account of this wallet
  | 'typed-data-other-chain' //    detail: the chain id
  | 'typed-data-no-chain'
  | 'legacy-typed-data' //         v1: no domain
  | 'sign-in-other-site' //        detail: the domain
  | 'sign-in-other-chain' //       detail: the chain id
  | 'sign-in-other-uri' //         the sign-in is about another origin or scheme; detail: the URI
  | 'sign-in-rights' //            it gives rights (ERC-5573); detail: the rights
  | 'sign-in-resource' //          a resource that is no address of a page or file; detail: the resources
  | 'sign-in-malformed'
  | 'sign-in-expired'
  | 'blind-signing' //             bytes that are not text, or a hash as text: 32 bytes may be the hash of anything
  | 'hidden-characters'
  | 'other-network-checksum' //    EIP-1191 checksum of the other Rootstock network
  | 'unverified-endpoint'
  | 'added-network'; //            a page added it; detail: the page's origin and the endpoint's host
