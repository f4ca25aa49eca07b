import type { Address, Hex } from '../rpc/schema.js';
import type { AccessList } from '../rpc/transaction.js';
import type { DecodedCall, TokenLabel } from './decoded-call.js';
import type { OrderItem, Right } from './right.js';
import type { Warning } from './warning.js';

/**
 * The closed union of what the wallet asks a person, as plain data: everything a dialog needs to show is in
 * the question, so that an approver (the dialog, a bridge, a test's headless twin) needs nothing else.
 */
export type Question =
  | ConnectQuestion
  | TransactionQuestion
  | CallsQuestion
  | CallsStatusQuestion
  | MessageQuestion
  | TypedDataQuestion
  | SwitchChainQuestion
  | AddChainQuestion
  | WatchAssetQuestion
  | UnlockQuestion;

export interface QuestionBase {
  /** Unique within the page; for keys of a list, never for security. */
  readonly id: string;
  /** Who asks: an origin such as `https://app.example`, exactly as the browser reports it. */
  readonly origin: string;
  readonly network: QuestionNetwork;
  /** True when the keys are locked: the approver must call `unlock(password)` before it may approve. */
  readonly locked: boolean;
  readonly warnings: readonly Warning[];
}

export interface QuestionNetwork {
  readonly chainId: number;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly testnet: boolean;
  /**
   * Host of the endpoint that told us balances and fees ("according to …"), or the hosts of all that a page added. Never
   * the URL: it holds the key.
   */
  readonly source: string;
  /** Origin of the page that added this network (`wallet_addEthereumChain`); absent for a configured one. */
  readonly addedBy?: string;
}

export interface QuestionAccount {
  readonly address: Address;
  readonly label: string;
}

/** Share which accounts with this origin? `eth_requestAccounts`, `wallet_requestPermissions`. */
export interface ConnectQuestion extends QuestionBase {
  readonly kind: 'connect';
  readonly accounts: readonly QuestionAccount[];
  /** Addresses to tick at first: those already shared, else the first account. */
  readonly selected: readonly Address[];
}

/** Sign and send (`eth_sendTransaction`) or only sign (`eth_signTransaction`) this transaction. */
export interface TransactionQuestion extends QuestionBase {
  readonly kind: 'transaction';
  readonly action: 'send' | 'sign';
  readonly account: QuestionAccount;
  readonly transaction: {
    readonly to: Address | null;
    /** wei */
    readonly value: Hex;
    readonly data: Hex;
    readonly gas: Hex;
    /** wei per gas */
    readonly gasPrice: Hex;
    readonly nonce: Hex;
    /** Absent: legacy. Type 2 is signed with a tip of the whole gas price. */
    readonly transactionType?: '0x1' | '0x2';
    readonly accessList?: AccessList;
  };
  /** With `wallet` the nonce is the next free one when the transaction is signed; the one given here may be used by then. */
  readonly nonceChosenBy: 'page' | 'wallet';
  /** gas × gasPrice, wei: the most that the fee can be. */
  readonly fee: Hex;
  /** value + fee, wei: the most that leaves the account in native currency. */
  readonly total: Hex;
  /** Native balance of the account, wei, as the service says. */
  readonly balance: Hex;
  /** True when the recipient is one of the wallet's own accounts. */
  readonly ownRecipient: boolean;
  /** What the call does, where it is one of the common token calls; `null` when it cannot be told. */
  readonly call: DecodedCall | null;
}

/**
 * Sign and send these transactions, one after the other, with one answer (EIP-5792). Each stands alone: one that
 * fails stops none of the others. `warnings` holds those of all calls, the numbers (`#2`) in front of the detail.
 */
export interface CallsQuestion extends QuestionBase {
  readonly kind: 'calls';
  readonly account: QuestionAccount;
  /** Two at least, in the order they are sent. */
  readonly calls: readonly Pick<
    TransactionQuestion,
    'transaction' | 'nonceChosenBy' | 'fee' | 'total' | 'ownRecipient' | 'call' | 'warnings'
  >[];
  /** Sum of the fees, wei: the most that they can be. */
  readonly fee: Hex;
  /** Sum of the values and fees, wei: the most that leaves the account in native currency. */
  readonly total: Hex;
  /** Native balance of the account, wei, as the service says. */
  readonly balance: Hex;
}

/** Not a question: what became of a batch (`wallet_showCallsStatus`). Whatever the answer, it was seen. */
export interface CallsStatusQuestion extends QuestionBase {
  readonly kind: 'calls-status';
  readonly account: QuestionAccount;
  readonly calls: readonly {
    readonly hash: Hex;
    readonly to: Address | null;
    /** wei */
    readonly value: Hex;
    /** `dropped`: it never reached the chain, and will not. */
    readonly state: 'pending' | 'succeeded' | 'reverted' | 'dropped';
  }[];
}

/** A message in the EIP-191 form: `personal_sign`, `eth_sign`. */
export interface MessageQuestion extends QuestionBase {
  readonly kind: 'message';
  readonly method: 'personal_sign' | 'eth_sign';
  readonly account: QuestionAccount;
  /** The exact bytes that will be signed (behind the prefix). */
  readonly bytes: Hex;
  /** The same as text, controls and bidirectional marks escaped; `null` when the bytes are not UTF-8 text. */
  readonly text: string | null;
  /** The fields of a well-formed sign-in message (EIP-4361). */
  readonly signIn: SignIn | null;
}

export interface SignIn {
  readonly scheme: string | null;
  readonly domain: string;
  readonly address: string;
  readonly statement: string | null;
  readonly uri: string;
  readonly version: string;
  readonly chainId: string;
  readonly nonce: string;
  readonly issuedAt: string;
  readonly expirationTime: string | null;
  readonly notBefore: string | null;
  readonly requestId: string | null;
  readonly resources: readonly string[];
}

/** EIP-712 (v3, v4) or its v1 predecessor. */
export interface TypedDataQuestion extends QuestionBase {
  readonly kind: 'typed-data';
  readonly version: 'V1' | 'V3' | 'V4';
  readonly account: QuestionAccount;
  readonly domain: TypedDataDomain;
  readonly primaryType: string;
  /** The signed message, flattened in declaration order for display. */
  readonly fields: readonly TypedDataField[];
  /** Set where the typed data is an allowance of a token (ERC-2612, DAI permit, Permit2). */
  readonly permit: Permit | null;
  /** Set where it gives somebody another right. */
  readonly right: Right | null;
}

export interface TypedDataDomain {
  readonly name?: string;
  readonly version?: string;
  /** decimal */
  readonly chainId?: string;
  readonly verifyingContract?: string;
  readonly salt?: string;
}

export interface TypedDataField {
  /** `order.items[0].amount` */
  readonly path: string;
  readonly type: string;
  readonly value: string;
  /** How a person may read the value: as unix seconds, or as an amount of a token. */
  readonly reading?: { readonly as: 'time' } | { readonly as: 'amount'; readonly token: TokenLabel };
}

export interface Permit {
  readonly spender: Address;
  readonly token: Address | null;
  /** Base units, decimal; `'unlimited'` where it is practically without end. */
  readonly amount: string;
  /** The amount that is signed, base units, decimal; `null` for DAI's permit, which is for all. */
  readonly units: string | null;
  /** What the token says of itself, where there is one. */
  readonly label?: TokenLabel;
  /** Of a batch of several tokens: each with its amount. */
  readonly items?: readonly OrderItem[];
  /** unix seconds, decimal; `null` where it has none. */
  readonly deadline: string | null;
}

export interface SwitchChainQuestion extends QuestionBase {
  readonly kind: 'switch-chain';
  readonly target: QuestionNetwork;
}

export interface AddChainQuestion extends QuestionBase {
  readonly kind: 'add-chain';
  readonly target: QuestionNetwork;
}

export interface WatchAssetQuestion extends QuestionBase {
  readonly kind: 'watch-asset';
  readonly asset: {
    readonly address: Address;
    readonly symbol: string;
    readonly decimals: number;
    readonly image?: string;
  };
}

/** Only the password: asked where nothing else is (the wallet panel, an account-less unlock). */
export interface UnlockQuestion extends QuestionBase {
  readonly kind: 'unlock';
}

/** What an approver may answer. Anything else, or a rejection, counts as a refusal. */
export type Answer =
  | { readonly approved: false }
  | {
      readonly approved: true;
      /** `connect` only: the addresses to share, at least one, out of the question's. */
      readonly accounts?: readonly Address[];
    };

/**
 * The person, as a port. Shipped: `dialog()` (entry "./ui") and `headless()` (entry "./testing").
 *
 * Obligations: settle exactly once; reject with a `ProviderRpcError` of code 4200 where no person can be asked (every
 * other rejection counts as a refusal); close when `signal` aborts (the queue then counts it as refused); never
 * approve while `question.locked` unless `unlock` resolved.
 */
export interface Approver {
  ask(question: Question, session: Approver.Session): Promise<Answer>;
}

export declare namespace Approver {
  interface Session {
    readonly signal: AbortSignal;
    /** @throws ProviderRpcError 4100 on a wrong password; may be called again. */
    unlock(password: string): Promise<void>;
  }
}
