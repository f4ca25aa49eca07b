import type { Address, Hex } from '../rpc/schema.js';
import type { AccessList } from '../rpc/transaction.js';
import type { DecodedCall, TokenLabel } from './decode-call.js';
import type { Credential, Owner } from './owner.js';
import type { OrderItem, Right } from './right.js';
import type { Warning } from './warning.js';

/**
 * Everything that the wallet can ask the person, as a closed union of plain data. A question holds all that a dialog
 * shows, so that an approver (the dialog, a bridge, the headless twin in tests) needs nothing else.
 */
export type Question =
  | OnboardingQuestion
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
  /** Unique within the page. Not a secret. */
  readonly id: string;
  /** The requesting origin, such as `https://app.example`, exactly as the browser reports it. */
  readonly origin: string;
  readonly network: QuestionNetwork;
  /** True when the keys are locked: the approver must call `unlock(password)` before it may approve. */
  readonly locked: boolean;
  readonly warnings: readonly Warning[];
  /** Which of several requests this is, for example 2 of 3, when it is shown. Absent where no other one waits. */
  readonly waiting?: { readonly index: number; readonly count: number };
}

export interface QuestionNetwork {
  readonly chainId: number;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly testnet: boolean;
  /**
   * Host of the endpoint that balances and fees are read from; for a network that a page added, the hosts of all its
   * endpoints. Never the URL, which contains the API key.
   */
  readonly source: string;
  /** Origin of the page that added this network (`wallet_addEthereumChain`); absent for any other. */
  readonly addedBy?: string;
}

export interface QuestionAccount {
  readonly address: Address;
  readonly label: string;
}

/**
 * Whether to set up a wallet, where there is none (`eth_requestAccounts`, `wallet_requestPermissions`). The approver does
 * so with `session.owner`, and agrees once there is an account; the question which accounts to share comes next.
 */
export interface OnboardingQuestion extends QuestionBase {
  readonly kind: 'onboarding';
  /** `missing`: there was a wallet, and its vault is lost or damaged. */
  readonly vault: 'empty' | 'missing';
}

/** Which accounts to share with the origin (`eth_requestAccounts`, `wallet_requestPermissions`). */
export interface ConnectQuestion extends QuestionBase {
  readonly kind: 'connect';
  readonly accounts: readonly QuestionAccount[];
  /** Addresses that are selected initially: those already shared, else the first account. */
  readonly selected: readonly Address[];
}

/** Whether to sign and send (`eth_sendTransaction`) or only sign (`eth_signTransaction`) a transaction. */
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
  /** With `wallet`, the transaction gets the next free nonce when it is signed; this one may be used by then. */
  readonly nonceChosenBy: 'page' | 'wallet';
  /** Maximum fee, wei: gas × gasPrice. */
  readonly fee: Hex;
  /** Maximum that leaves the account in native currency, wei: value + fee. */
  readonly total: Hex;
  /** Native balance of the account, wei, as the service reports it. */
  readonly balance: Hex;
  /** True when the recipient is one of the wallet's own accounts. */
  readonly ownRecipient: boolean;
  /** The decoded call where it is one of the common token calls, else `null`. */
  readonly call: DecodedCall | null;
  /** A call of a contract of the page, decoded by `createWallet({ describeCall })`; absent where it could not be. */
  readonly described?: DescribedContractCall;
  /** Who gets the coins, the tokens or the right; else the called contract. Absent for a contract creation. */
  readonly recipient?: QuestionRecipient;
  /**
   * What the balance lacks, wei; absent where it suffices. Such a question only informs: offer no more than to close it.
   * Whatever the answer, nothing is signed, and the caller gets -32003.
   */
  readonly shortfall?: Hex;
  /** What the person may change before agreeing, by `Answer.gasPrice` and `Answer.allowance`; absent for nothing. */
  readonly choices?: TransactionChoices;
  /** The person has asked in the wallet for a pending transaction to be sped up or cancelled, and this replaces it. */
  readonly replacement?: 'speed-up' | 'cancel';
}

/** What the wallet knows about an address that a transaction is for. */
export interface QuestionRecipient {
  readonly address: Address;
  /**
   * Its name in the RIF Name Service, such as `alice.rsk`. The name resolves to the address: one that only the address
   * claims is left out.
   */
  readonly name?: string;
  /** The name of a contract that the wallet knows, such as `PowPeg bridge`. A proper name, which is not translated. */
  readonly known?: string;
  /** No transaction of this wallet, as far as its journal tells, has paid this address or given it a right. */
  readonly firstTime?: true;
  /**
   * Another address that this one may be mistaken for, with the same first and last four digits: one that was paid
   * before, an own account or a known contract. Show both in full. There is a warning `resembles-known` with it.
   */
  readonly resembles?: Address;
}

/** The gas prices that the person may choose from. What is signed is what the answer names, within these bounds. */
export interface PriceChoices {
  /**
   * Prices to choose from. The initial choice is `transaction.gasPrice`, which is none of the three where the page named
   * a price. Two of them may be equal.
   */
  readonly fees: { readonly slow: FeeChoice; readonly normal: FeeChoice; readonly fast: FeeChoice };
  /** The lowest and the highest gas price that can be signed, wei per gas, inclusive. */
  readonly minimum: Hex;
  readonly maximum: Hex;
}

/** What the person may change in a transaction. */
export interface TransactionChoices extends PriceChoices {
  /** For an ERC-20 `approve`: the requested amount, base units, decimal. The person may approve any amount up to it. */
  readonly allowance?: string;
}

export interface FeeChoice {
  /** wei per gas */
  readonly gasPrice: Hex;
  /** Maximum fee at this price, wei. */
  readonly fee: Hex;
}

/** A contract call as `describeCall` decodes it. The texts come from the page's own ABI. */
export interface DescribedContractCall {
  /** The function's name. */
  readonly name: string;
  /** The name that the page gives to the contract at this address; absent for a description of any contract. */
  readonly contract?: string;
  /** In order. `value` is text: decimal numbers, hexadecimal bytes and addresses, arrays in brackets. May be cut. */
  readonly arguments: readonly { readonly name: string; readonly type: string; readonly value: string }[];
}

/**
 * Whether to sign and send several transactions, in order, with one answer (EIP-5792). They are independent: one that
 * fails does not stop the others. `warnings` holds the warnings of all calls; each detail starts with the numbers of
 * its calls (`#2`).
 */
export interface CallsQuestion extends QuestionBase {
  readonly kind: 'calls';
  readonly account: QuestionAccount;
  /** At least two, in the order in which they are sent. */
  readonly calls: readonly Pick<
    TransactionQuestion,
    | 'transaction'
    | 'nonceChosenBy'
    | 'fee'
    | 'total'
    | 'ownRecipient'
    | 'call'
    | 'described'
    | 'recipient'
    | 'warnings'
  >[];
  /** Sum of the maximum fees, wei. */
  readonly fee: Hex;
  /** Maximum that leaves the account in native currency, wei: the sum of the values and fees. */
  readonly total: Hex;
  /** Native balance of the account, wei, as the service reports it. */
  readonly balance: Hex;
  /** As in `TransactionQuestion`, for all calls together. */
  readonly shortfall?: Hex;
  /** One price for all calls, which have the same one at first; the fees are for all of them. Absent for no choice. */
  readonly choices?: PriceChoices;
}

/** Shows the status of a batch (`wallet_showCallsStatus`). The answer has no effect. */
export interface CallsStatusQuestion extends QuestionBase {
  readonly kind: 'calls-status';
  readonly account: QuestionAccount;
  readonly calls: readonly {
    readonly hash: Hex;
    readonly to: Address | null;
    /** wei */
    readonly value: Hex;
    /** `dropped`: it is not on the chain, and will not be sent again. */
    readonly state: 'pending' | 'succeeded' | 'reverted' | 'dropped';
  }[];
}

/** Whether to sign a message in the EIP-191 form (`personal_sign`, `eth_sign`). */
export interface MessageQuestion extends QuestionBase {
  readonly kind: 'message';
  readonly method: 'personal_sign' | 'eth_sign';
  readonly account: QuestionAccount;
  /** The exact bytes that will be signed (after the prefix). */
  readonly bytes: Hex;
  /** The same as text, with control and bidirectional characters escaped; `null` for bytes that are not UTF-8 text. */
  readonly text: string | null;
  /** The fields of a well-formed sign-in message (EIP-4361), else `null`. */
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

/** Whether to sign typed data: EIP-712 (V3, V4) or its predecessor (V1). */
export interface TypedDataQuestion extends QuestionBase {
  readonly kind: 'typed-data';
  readonly version: 'V1' | 'V3' | 'V4';
  readonly account: QuestionAccount;
  readonly domain: TypedDataDomain;
  readonly primaryType: string;
  /** The signed message, flattened in declaration order for display. */
  readonly fields: readonly TypedDataField[];
  /** For an allowance of a token (ERC-2612, DAI permit, Permit2), else `null`. */
  readonly permit: Permit | null;
  /** For another right that the signature gives to somebody, else `null`. */
  readonly right: Right | null;
}

export interface TypedDataDomain {
  readonly name?: string;
  readonly version?: string;
  /** Decimal. */
  readonly chainId?: string;
  readonly verifyingContract?: string;
  readonly salt?: string;
}

export interface TypedDataField {
  /** For example `order.items[0].amount`. */
  readonly path: string;
  readonly type: string;
  readonly value: string;
  /** How to display the value: as a time (it is in unix seconds), or as an amount of a token (in base units). */
  readonly reading?: { readonly as: 'time' } | { readonly as: 'amount'; readonly token: TokenLabel };
}

export interface Permit {
  readonly spender: Address;
  readonly token: Address | null;
  /** Base units, decimal; `'unlimited'` for one that no balance will reach. */
  readonly amount: string;
  /** The signed amount, base units, decimal; `null` for DAI's permit, which covers everything. */
  readonly units: string | null;
  /** What the token reports about itself, where it could be read. */
  readonly label?: TokenLabel;
  /** For a batch of several tokens: each token with its amount. */
  readonly items?: readonly OrderItem[];
  /** Unix seconds, decimal; `null` for a permit without a deadline. */
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
    /** As the page or, for a collectible, the contract calls itself. */
    readonly symbol: string;
    /** 0 for a collectible. */
    readonly decimals: number;
    readonly image?: string;
    /** For a collectible; absent for ERC-20. */
    readonly type?: 'ERC721' | 'ERC1155';
    /** Of a collectible, decimal. */
    readonly tokenId?: string;
  };
  /** The wallet knows this token: symbol and decimals are its own. */
  readonly known?: true;
  /**
   * The symbol of a token that the wallet knows, or of the chain's coin, which this contract bears as well. There is a
   * warning `imitates-token` with it.
   */
  readonly imitates?: string;
}

/** Asks for the password alone, where no other question is open (the wallet panel). */
export interface UnlockQuestion extends QuestionBase {
  readonly kind: 'unlock';
}

/**
 * The answer of an approver. Any other value, or a rejection, counts as a refusal; so does a choice that the question
 * does not offer.
 */
export type Answer =
  | { readonly approved: false }
  | {
      readonly approved: true;
      /** For `connect` only: the addresses to share, at least one of the question's. */
      readonly accounts?: readonly Address[];
      /**
       * For a transaction or calls with `choices`: the chosen gas price, wei per gas, a QUANTITY from `choices.minimum` to
       * `choices.maximum`. Absent: that of the question.
       */
      readonly gasPrice?: Hex;
      /**
       * For a transaction with `choices.allowance`: the amount to approve, base units, decimal, at most that one. Absent:
       * the requested amount.
       */
      readonly allowance?: string;
    };

/**
 * The port to the person. Shipped implementations: `dialog()` (entry "./ui") and `headless()` (entry "./testing").
 *
 * An implementation settles exactly once; rejects with a `ProviderRpcError` of code 4200 where no person can be asked
 * (any other rejection counts as a refusal); closes when `signal` aborts (which counts as a refusal); and, if
 * `question.locked`, approves only after `unlock` has resolved.
 */
export interface Approver {
  ask(question: Question, session: Approver.Session): Promise<Answer>;
}

export declare namespace Approver {
  interface Session {
    readonly signal: AbortSignal;
    /** @throws ProviderRpcError 4100 on a wrong password or passkey; may be called again. */
    unlock(credential: Credential): Promise<void>;
    /** For questions that set up or unlock a wallet: `onboarding`, `unlock`, and any while the keys are locked. */
    readonly owner?: Owner;
  }
}
