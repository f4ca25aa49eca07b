import type { CoinPrice } from '../assets/coin-price.js';
import type { PermissionTerms } from '../rpc/permission-terms.js';
import type { Address, Hex } from '../rpc/schema.js';
import type { AccessList } from '../rpc/transaction.js';
import type { CallTree } from './call-tree.js';
import type { DecodedCall, TokenLabel } from './decode-call.js';
import type { Credential, Owner, UnlockOptions, Unproven } from './owner.js';
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
  | PermissionQuestion
  | PayElsewhereQuestion
  | UnlockQuestion;

/** The fields of every question. */
export interface QuestionBase {
  /** Unique within the page. Not a secret. */
  readonly id: string;
  /** The requesting origin, such as `https://app.example`, exactly as the browser reports it. */
  readonly origin: string;
  /** The network that the question is about. */
  readonly network: QuestionNetwork;
  /** True when the keys are locked: the approver must call `unlock(password)` before it may approve. */
  readonly locked: boolean;
  /** Warnings for the person to consider, the most severe first. */
  readonly warnings: readonly Warning[];
  /** Which of several requests of this origin this is, for example 2 of 3, when it is shown. Absent where no other one waits. */
  readonly waiting?: { readonly index: number; readonly count: number } | undefined;
}

/** A network in a question. */
export interface QuestionNetwork {
  /** As a number, such as 30. */
  readonly chainId: number;
  /** For display. */
  readonly name: string;
  /** Symbol of the native currency. */
  readonly symbol: string;
  /** Decimals of the native currency. */
  readonly decimals: number;
  /** Whether its coins are known to have no value. */
  readonly testnet: boolean;
  /**
   * Host of the endpoint that balances and fees are read from; for a network that a page added, the hosts of all its
   * endpoints. Never the URL, which contains the API key.
   */
  readonly source: string;
  /** Origin of the page that added this network (`wallet_addEthereumChain`); absent for any other. */
  readonly addedBy?: string | undefined;
}

/** An account of the wallet in a question. */
export interface QuestionAccount {
  /** Lower case; show it with `checksumAddress`. */
  readonly address: Address;
  /** The name that the person gave it, or `Account 1`. */
  readonly label: string;
  /** The person only looks at it: this wallet has no key for it. */
  readonly watchOnly?: true | undefined;
}

/**
 * Whether to set up a wallet, because a page requests accounts and no wallet exists (`eth_requestAccounts`,
 * `wallet_requestPermissions`). The approver does so with `session.owner`, and agrees once there is an account; the question
 * which accounts to share comes next.
 */
export interface OnboardingQuestion extends QuestionBase {
  /** Which question this is. */
  readonly kind: 'onboarding';
  /** `missing`: there was a wallet, and its vault is lost or damaged. */
  readonly vault: 'empty' | 'missing';
}

/** Which accounts to share with the origin (`eth_requestAccounts`, `wallet_requestPermissions`, `wallet_connect`). */
export interface ConnectQuestion extends QuestionBase {
  /** Which question this is. */
  readonly kind: 'connect';
  /** The accounts to choose from: those with a key first, then those to look at. */
  readonly accounts: readonly QuestionAccount[];
  /** Addresses that are selected initially: those already shared, else the first account, which has a key. */
  readonly selected: readonly Address[];
  /** The person signs in with the same answer (`wallet_connect`). Absent where the site asks for accounts alone. */
  readonly signIn?: ConnectSignIn | undefined;
}

/**
 * A sign-in (EIP-4361) that comes with a connection (ERC-7846). The wallet has written its message for the site itself. At least
 * one account with a key has to be chosen; the first of them signs.
 */
export interface ConnectSignIn extends Omit<SignIn, 'address'> {
  /** For each account with a key: the exact text that it would sign. */
  readonly messages: readonly { readonly address: Address; readonly text: string }[];
}

/** Whether to sign and send (`eth_sendTransaction`) or only sign (`eth_signTransaction`) a transaction. */
export interface TransactionQuestion extends QuestionBase {
  /** Which question this is. */
  readonly kind: 'transaction';
  /** Whether the transaction is also sent. */
  readonly action: 'send' | 'sign';
  /** The account that pays. */
  readonly account: QuestionAccount;
  /** The transaction to sign. */
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
  /** The common token call that the call amounts to (`transferAndCall` is a `transfer`), else `null`. */
  readonly call: DecodedCall | null;
  /** The price of the coin; absent unless the options ask for it, and where it is not known. */
  readonly price?: CoinPrice | undefined;
  /** The call with those inside it, as far as the wallet can read them; absent without data and for a contract creation. */
  readonly tree?: CallTree | undefined;
  /** A call of a contract of the page, decoded by `createWallet({ describeCall })`; absent where it could not be. */
  readonly described?: DescribedContractCall | undefined;
  /** Recipient of the coins, the tokens or the right; else the called contract. Absent for a contract creation. */
  readonly recipient?: QuestionRecipient | undefined;
  /**
   * The missing balance, wei; absent where the balance suffices. Such a question only informs: offer to close it, and the
   * address to receive at. Whatever the answer, nothing is signed, and the caller gets -32003.
   */
  readonly shortfall?: Hex | undefined;
  /** Outcome of a payment to the bridge, which is paid out in bitcoin; absent for any other transaction. */
  readonly pegOut?: QuestionPegOut | undefined;
  /** The person's choices, answered by `Answer.gasPrice` and `Answer.allowance`; absent where there is no choice. */
  readonly choices?: TransactionChoices | undefined;
  /** The person has asked in the wallet for a pending transaction to be sped up or cancelled, and this replaces it. */
  readonly replacement?: 'speed-up' | 'cancel' | undefined;
}

/** The outcome of a payment to the bridge, as far as it is known before. Amounts are satoshis, decimal. */
export interface QuestionPegOut {
  /**
   * The Bitcoin address of the account's key, to which the bridge pays; absent while the wallet is locked, and has no signature of
   * the account that tells it.
   */
  readonly bitcoinAddress?: string | undefined;
  /** Minimum that the bridge takes. */
  readonly minimum: string;
  /** About the most that the Bitcoin transaction costs, which is taken from the amount; absent without a possible estimate. */
  readonly fee?: string | undefined;
  /** Blocks between the bridge's next batch and its signatures. */
  readonly confirmations: number;
  /** Blocks from now until these signatures, if the bridge puts no batch off; absent if it did not say. */
  readonly blocksLeft?: number | undefined;
  /** `near-fee`: the bridge may refuse it, and pay it back, because the fee is high for the amount. */
  readonly verdict: 'enough' | 'too-little' | 'near-fee' | 'unknown';
}

/** The recipient of a transaction, with the facts that the wallet has about it. */
export interface QuestionRecipient {
  /** Address of the recipient. */
  readonly address: Address;
  /** The name under which the person has saved it; absent for others, and while the wallet is locked. */
  readonly contact?: string | undefined;
  /**
   * Its name in the RIF Name Service, such as `alice.rsk`. The name resolves to the address: one that only the address
   * claims is left out.
   */
  readonly name?: string | undefined;
  /** The name of a contract that the wallet knows, such as `PowPeg bridge`. A proper name, which is not translated. */
  readonly known?: string | undefined;
  /** Set if no transaction in the wallet's journal has paid this address or given it a right. */
  readonly firstTime?: true | undefined;
  /**
   * Another address that this one may be mistaken for, with the same first and last four digits: a contact, one that was
   * paid before, an own account or a known contract. Show both in full. There is a warning `resembles-known` with it.
   */
  readonly resembles?: Address | undefined;
  /** The name of the contact that `resembles` is. */
  readonly resembledContact?: string | undefined;
}

/** The gas prices that the person may choose from. The wallet signs the price in the answer, within these bounds. */
export interface PriceChoices {
  /**
   * Prices to choose from; two of them may be equal. The initial choice is `transaction.gasPrice`, which may be a fourth
   * price where the page named one.
   */
  readonly fees: { readonly slow: FeeChoice; readonly normal: FeeChoice; readonly fast: FeeChoice };
  /** Minimum gas price that can be signed, wei per gas, inclusive. */
  readonly minimum: Hex;
  /** Maximum gas price that can be signed, wei per gas, inclusive. */
  readonly maximum: Hex;
}

/** The person's choices for a transaction. */
export interface TransactionChoices extends PriceChoices {
  /** For an ERC-20 `approve`: the requested amount, base units, decimal. The person may approve any amount up to it. */
  readonly allowance?: string | undefined;
}

/** A gas price with the maximum fee at that price. */
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
  readonly contract?: string | undefined;
  /** In order. `value` is text: decimal numbers, hexadecimal bytes and addresses, arrays in brackets. May be cut. */
  readonly arguments: readonly { readonly name: string; readonly type: string; readonly value: string }[];
  /** The call as a file of `clearSigning` explains it. */
  readonly explained?: ExplainedCall | undefined;
}

/** A call as an ERC-7730 file of the page explains it. */
export interface ExplainedCall {
  /** The purpose of the call: `Supply`. */
  readonly intent: string;
  /** The name that the file gives to who made the contract. */
  readonly owner: string;
  /** keccak-256 of the file, as canonical JSON (RFC 8785). */
  readonly hash: Hex;
  /** In order. */
  readonly fields: readonly ExplainedField[];
  /** The arguments, and parts of structs, that no field shows: show them too. */
  readonly unexplained: DescribedContractCall['arguments'];
}

/** A value of a call with its label. */
export type ExplainedField = { readonly label: string } & ExplainedValue;

/**
 * A value of a call in the form that an ERC-7730 file gives it. Amounts are decimal, wei or base units of the token; seconds are those
 * since 1970. `unlimited` marks more than any token has. `limit` is the file's own word for the amount, such as `All`.
 */
export type ExplainedValue =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'coins'; readonly amount: string }
  | {
      readonly kind: 'tokens';
      readonly amount: string;
      readonly token: TokenLabel;
      readonly unlimited?: true | undefined;
      readonly limit?: string | undefined;
    }
  | { readonly kind: 'token'; readonly token: TokenLabel }
  | { readonly kind: 'collectible'; readonly id: string; readonly token: TokenLabel }
  | { readonly kind: 'address'; readonly recipient: QuestionRecipient }
  | { readonly kind: 'time'; readonly seconds: string };

/**
 * Whether to sign and send several transactions, in order, with one answer (EIP-5792). They are independent: one that
 * fails does not stop the others. `warnings` holds the warnings of all calls; each detail starts with the numbers of
 * its calls (`#2`).
 */
export interface CallsQuestion extends QuestionBase {
  /** Which question this is. */
  readonly kind: 'calls';
  /** The account that pays for all calls. */
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
    | 'tree'
    | 'described'
    | 'recipient'
    | 'pegOut'
    | 'warnings'
  >[];
  /** Sum of the maximum fees, wei. */
  readonly fee: Hex;
  /** Maximum that leaves the account in native currency, wei: the sum of the values and fees. */
  readonly total: Hex;
  /** Native balance of the account, wei, as the service reports it. */
  readonly balance: Hex;
  /** As in `TransactionQuestion`, for all calls together. */
  readonly shortfall?: Hex | undefined;
  /** One price for all calls, which have the same one at first; the fees are for all of them. Absent for no choice. */
  readonly choices?: PriceChoices | undefined;
}

/** Shows the status of a batch (`wallet_showCallsStatus`). The answer has no effect. */
export interface CallsStatusQuestion extends QuestionBase {
  /** Which question this is. */
  readonly kind: 'calls-status';
  /** The account that has sent the batch. */
  readonly account: QuestionAccount;
  /** The transactions of the batch, in order. */
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
  /** Which question this is. */
  readonly kind: 'message';
  /** The method that the page has called; both sign with the prefix. */
  readonly method: 'personal_sign' | 'eth_sign';
  /** The account that signs. */
  readonly account: QuestionAccount;
  /** The exact bytes that will be signed (after the prefix). */
  readonly bytes: Hex;
  /** The same as text, with control and bidirectional characters escaped; `null` for bytes that are not UTF-8 text. */
  readonly text: string | null;
  /** The fields of a well-formed sign-in message (EIP-4361), else `null`. */
  readonly signIn: SignIn | null;
}

/** The fields of a sign-in message (EIP-4361), each as the message has it; `null` for one that it leaves out. */
export interface SignIn {
  /** The scheme before the domain, such as `https`. */
  readonly scheme: string | null;
  /** Authority of the site that requests the sign-in, such as `app.example`. */
  readonly domain: string;
  /** The account that signs in. */
  readonly address: string;
  /** The site's statement to the person. */
  readonly statement: string | null;
  /** URI of the resource that is the subject of the sign-in. */
  readonly uri: string;
  /** Version of the message format: `1`. */
  readonly version: string;
  /** Decimal. */
  readonly chainId: string;
  /** The value by which the site recognises its own request. */
  readonly nonce: string;
  /** RFC 3339. */
  readonly issuedAt: string;
  /** Time from which the message is no longer valid, RFC 3339. */
  readonly expirationTime: string | null;
  /** Time from which the message is valid, RFC 3339. */
  readonly notBefore: string | null;
  /** The site's own name for this request. */
  readonly requestId: string | null;
  /** URIs of resources that the site wants the sign-in to cover. */
  readonly resources: readonly string[];
  /** The rights in resources of the form `urn:recap:…` (ERC-5573), as far as they can be read; absent for none. */
  readonly rights?: readonly SignInRight[] | undefined;
}

/** A right that a sign-in gives to the party named in its `uri` (ERC-5573). */
export interface SignInRight {
  /** URI of the resource. */
  readonly resource: string;
  /** The permitted action, such as `msg/send`; `*` where the resource cannot be read. */
  readonly action: string;
  /** The conditions of the right as JSON, cut to 200 characters; absent for none. */
  readonly limits?: string | undefined;
}

/** Whether to sign typed data: EIP-712 (V3, V4) or its predecessor (V1). */
export interface TypedDataQuestion extends QuestionBase {
  /** Which question this is. */
  readonly kind: 'typed-data';
  /** V3 and V4 are EIP-712; V1 is its predecessor, which has no domain. */
  readonly version: 'V1' | 'V3' | 'V4';
  /** The account that signs. */
  readonly account: QuestionAccount;
  /** The domain of the signature, as the page states it. */
  readonly domain: TypedDataDomain;
  /** The name of the type that is signed. */
  readonly primaryType: string;
  /** The signed message, flattened in declaration order for display. */
  readonly fields: readonly TypedDataField[];
  /** For an allowance of a token (ERC-2612, DAI permit, Permit2), else `null`. */
  readonly permit: Permit | null;
  /** For another right that the signature gives to somebody, else `null`. */
  readonly right: Right | null;
  /** The calls in the signed data, whatever the names of their fields; absent for none. */
  readonly calls?: readonly CallTree[] | undefined;
}

/** The domain of typed data (EIP-712). Each field is there only if the page's data has it. */
export interface TypedDataDomain {
  /** Name of the application, as the page states it. */
  readonly name?: string | undefined;
  /** Version of the application's data. */
  readonly version?: string | undefined;
  /** Decimal. */
  readonly chainId?: string | undefined;
  /** The contract that accepts the signature. */
  readonly verifyingContract?: string | undefined;
  /** The `salt` of the EIP-712 domain: 32 bytes, hexadecimal. */
  readonly salt?: string | undefined;
}

/** One value of the signed message. */
export interface TypedDataField {
  /** For example `order.items[0].amount`. */
  readonly path: string;
  /** Its Solidity type, such as `uint256`. */
  readonly type: string;
  /** As text: decimal numbers, hexadecimal bytes and addresses. */
  readonly value: string;
  /** How to display the value: as a time (it is in unix seconds), or as an amount of a token (in base units). */
  readonly reading?:
    | { readonly as: 'time' }
    | { readonly as: 'amount'; readonly token: TokenLabel }
    | undefined;
}

/** An allowance of tokens that a signature gives. */
export interface Permit {
  /** Address that may take the tokens. */
  readonly spender: Address;
  /** The contract of the token; `null` where the typed data does not say. */
  readonly token: Address | null;
  /** Base units, decimal; `'unlimited'` for one that no balance will reach. */
  readonly amount: string;
  /** The signed amount, base units, decimal; `null` for DAI's permit, which covers everything. */
  readonly units: string | null;
  /** The label that the token reports about itself, where it could be read. */
  readonly label?: TokenLabel | undefined;
  /** For a batch of several tokens: each token with its amount. */
  readonly items?: readonly OrderItem[] | undefined;
  /**
   * Unix seconds, decimal; `null` for none. For an allowance of Permit2 its end, for any other permit the end of the
   * signature.
   */
  readonly deadline: string | null;
  /** For one that does not end in the coming ten years. */
  readonly endless?: true | undefined;
}

/** Whether another network becomes the active one of this origin (EIP-3326). */
export interface SwitchChainQuestion extends QuestionBase {
  /** Which question this is. */
  readonly kind: 'switch-chain';
  /** The network to switch to. */
  readonly target: QuestionNetwork;
}

/** Whether to add a network that the page describes (EIP-3085). */
export interface AddChainQuestion extends QuestionBase {
  /** Which question this is. */
  readonly kind: 'add-chain';
  /** The network to add, as the page describes it. */
  readonly target: QuestionNetwork;
}

/** Whether to list a token in the panel (EIP-747). */
export interface WatchAssetQuestion extends QuestionBase {
  /** Which question this is. */
  readonly kind: 'watch-asset';
  /** The token, as the page describes it. */
  readonly asset: {
    readonly address: Address;
    /** As the page or, for a collectible, the contract calls itself. */
    readonly symbol: string;
    /** 0 for a collectible. */
    readonly decimals: number;
    readonly image?: string | undefined;
    /** For a collectible; absent for ERC-20. */
    readonly type?: 'ERC721' | 'ERC1155' | undefined;
    /** Id of a collectible, decimal. */
    readonly tokenId?: string | undefined;
  };
  /** The wallet knows this token: symbol and decimals are its own. */
  readonly known?: true | undefined;
  /**
   * The symbol of a token that the wallet knows, or of the chain's coin, which this contract bears as well. There is a
   * warning `imitates-token` with it.
   */
  readonly imitates?: string | undefined;
}

/**
 * Whether a site may send transactions within limits without a question (ERC-7715), until they are used up, over, or the
 * person ends them.
 */
export interface PermissionQuestion extends QuestionBase {
  /** Which question this is. */
  readonly kind: 'permission';
  /** The account that pays. */
  readonly account: QuestionAccount;
  /** One to four. The answer agrees to all or none. */
  readonly permissions: readonly RequestedPermission[];
  /** Set where the whole amount is moved to a purse, from which the site then spends without asking. */
  readonly purse?: QuestionPurse | undefined;
}

/** An account whose key the site gets. Its contents are the limit. */
export interface QuestionPurse {
  /** Its address, in lower case. */
  readonly address: Address;
  /** The amounts that are moved now: of coins (wei) without `token`. Empty where it holds enough already. */
  readonly moved: readonly { readonly units: Hex; readonly token?: TokenLabel | undefined }[];
  /** Maximum fee of moving them, wei. */
  readonly fee: Hex;
}

/** A permission that a site requests. */
export interface RequestedPermission extends PermissionTerms {
  /** Whether the person may lower the amount and the end. */
  readonly isAdjustable: boolean;
  /** Symbol and decimals of `token`. */
  readonly tokenLabel?: TokenLabel | undefined;
  /** The site's own words for what it is for. */
  readonly justification?: string | undefined;
  /** The part of the first period that a permission which this one replaces has spent, in the unit of `amount`. */
  readonly spent?: Hex | undefined;
}

/**
 * Shows a transaction of an account that this wallet has no key for, so that another wallet can make it (`eth_sendTransaction`).
 * Whatever the answer, nothing is signed, and the caller gets 4100.
 */
export interface PayElsewhereQuestion extends QuestionBase {
  /** Which question this is. */
  readonly kind: 'pay-elsewhere';
  /** The account that the page wants to pay from. */
  readonly account: QuestionAccount;
  /** The recipient of the coins or the token; `null` for a contract creation. */
  readonly to: Address | null;
  /** wei, or base units of `token`. */
  readonly units: Hex;
  /** The facts that the wallet has about the recipient; absent for a contract creation. */
  readonly recipient?: QuestionRecipient | undefined;
  /** The token that is paid; absent for the chain's coin. */
  readonly token?: TokenLabel | undefined;
  /** The payment as a URI that other wallets read (ERC-681); absent for any other call, which it cannot describe in full, and where there
   * is a danger. */
  readonly uri?: string | undefined;
}

/** Asks for the password alone, where no other question is open (the wallet panel). */
export interface UnlockQuestion extends QuestionBase {
  /** Which question this is. */
  readonly kind: 'unlock';
}

/**
 * The answer of an approver. A choice that the question does not offer counts as a refusal. Any other value, or a rejection, is
 * a failure of the approver: the page gets -32002.
 */
export type Answer =
  | { readonly approved: false }
  | {
      readonly approved: true;
      /** For `connect` only: the addresses to share, at least one of the question's. */
      readonly accounts?: readonly Address[] | undefined;
      /**
       * For a transaction or calls with `choices`: the chosen gas price, wei per gas, a QUANTITY from `choices.minimum` to
       * `choices.maximum`. Absent: that of the question.
       */
      readonly gasPrice?: Hex | undefined;
      /**
       * For a transaction with `choices.allowance`: the amount to approve, base units, decimal, at most that one. Absent:
       * the requested amount.
       */
      readonly allowance?: string | undefined;
      /**
       * For `permission`: the lowered amount (in its unit) and end (Unix seconds) of each permission that is adjustable, in
       * order. Absent: as requested.
       */
      readonly permissions?: readonly LoweredPermission[] | undefined;
    };

/** The values that the person lowered in a requested permission. */
export interface LoweredPermission {
  /** At least 1, at most that of the question. Absent: that of the question. */
  readonly amount?: Hex | undefined;
  /** After the start, at most that of the question. Absent: that of the question. */
  readonly end?: number | undefined;
}

/**
 * The port to the person. Shipped implementations: `dialog()` (entry "./ui") and `headless()` (entry "./testing").
 *
 * An implementation settles exactly once; rejects with a `ProviderRpcError` of code 4200 or -32002 where no person can be asked
 * (after any other rejection than 4001 the page gets -32002); closes when `signal` aborts (which counts as a refusal); and, if
 * `question.locked`, approves only after `unlock` has resolved.
 *
 * @example
 * const approver: Approver = {
 *   async ask(question, { unlock }) {
 *     if (question.locked) await unlock('a long password');
 *     return { approved: question.kind !== 'transaction' };
 *   },
 * };
 */
export interface Approver {
  /** Asks one question and resolves with the answer. */
  ask(question: Question, session: Approver.Session): Promise<Answer>;
}

export declare namespace Approver {
  /** The context of a question, which an approver receives with it. */
  interface Session {
    /** Aborts when the request was withdrawn or answered elsewhere. The approver then closes what it shows. */
    readonly signal: AbortSignal;
    /**
     * Unlocks the keys with a password or a passkey.
     * @throws ProviderRpcError 4100 on a wrong password or passkey; may be called again. -32002 with `data` of the type
     * {@link Unproven} where a person has to agree to the accounts first
     */
    unlock(credential: Credential, options?: UnlockOptions): Promise<void>;
    /** For questions that set up or unlock a wallet: `onboarding`, `unlock`, and any while the keys are locked. */
    readonly owner?: Owner | undefined;
    /**
     * For documents of a wallet on its own site: shares the unlocks from now on among the documents that serve `origin`.
     * Absent where the question needs no keys.
     */
    readonly sharedUnlock?: ((origin: string) => SharedUnlock) | undefined;
    /** Whether the keys may be unlocked by a passkey only, because the document could be led to another site. */
    readonly passkeyOnly?: true | undefined;
  }
}

/** An unlock in two halves: this one, and one in the wallet's storage. Either alone opens nothing. */
export interface SharedUnlock {
  /** The half of the present unlock; `null` while locked. A key that cannot be exported. */
  half(): CryptoKey | null;
  /** Unlocks with the half of an earlier unlock. @throws ProviderRpcError 4100 if that has ended */
  unlock(half: CryptoKey): Promise<void>;
  /** Extends the present unlock, because the person has answered. */
  renew(): Promise<void>;
}
