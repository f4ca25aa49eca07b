/** graft-wallet: an in-page wallet and EIP-1193 provider for Rootstock. */

export {
  abiCalls,
  type CallContext,
  type CallSource,
  type ContractAbi,
  type DescribeCall,
} from './approvals/abi-calls.js';
export type { CallEffect, CallTree } from './approvals/call-tree.js';
export { type ClearSigningDescriptor, clearSigning } from './approvals/clear-signing/clear-signing.js';
export { mergeDescriptors } from './approvals/clear-signing/merge.js';
export type { DecodedCall, TokenLabel } from './approvals/decode-call.js';
export type {
  Credential,
  PasskeyRestoreOptions,
  PasskeyWallet,
  UnlockOptions,
  Unproven,
} from './approvals/owner.js';
export type {
  Answer,
  Approver,
  ConnectSignIn,
  DescribedContractCall,
  ExplainedCall,
  ExplainedField,
  ExplainedValue,
  FeeChoice,
  Permit,
  PriceChoices,
  Question,
  QuestionAccount,
  QuestionNetwork,
  QuestionPegOut,
  QuestionPurse,
  QuestionRecipient,
  RequestedPermission,
  SignIn,
  TransactionChoices,
} from './approvals/question.js';
export type { OrderItem, Right } from './approvals/right.js';
export type { Warning, WarningCode } from './approvals/warning.js';
export type { Allowance } from './assets/allowances.js';
export type { CoinPrice, PriceSource } from './assets/coin-price.js';
export type { PriceOptions } from './assets/coin-prices.js';
export type { TokenBalance } from './assets/token-balances.js';
export type { PegOut } from './bitcoin/peg-out.js';
export type { PegOutEstimate } from './bitcoin/peg-out-estimate.js';
export type { Contact } from './contacts/contact.js';
export type { Passkey } from './keyring/credential.js';
export type { Keyring } from './keyring/keyring.js';
export type { GrantedPermission } from './permissions/granted.js';
export { type Announcement, announce } from './provider/announce.js';
export type { ProviderEvent, ProviderEvents } from './provider/events.js';
export type { JsonRpcCallback, Provider } from './provider/provider.js';
export type {
  OtherRequest,
  RequestFunction,
  RequestOptions,
  RequestResult,
  TypedRequest,
} from './provider/request.js';
export type { JsonRpcPayload, JsonRpcResponse } from './provider/router.js';
export type { HeldPurse } from './purse/purse.js';
export type {
  BalanceChange,
  Doubt,
  ListedChange,
  ListedPayment,
  Moment,
  Received,
  ReceivedPayment,
} from './received/received.js';
export type { AbiItem, AbiParameter } from './rpc/abi-signatures.js';
export { checksumAddress } from './rpc/address.js';
export type { ErrorClass } from './rpc/error-base.js';
export { errorCode, isProviderRpcError, ProviderRpcError } from './rpc/errors.js';
export type { RequestArguments } from './rpc/message.js';
export type { WalletEvent } from './rpc/observation.js';
export type {
  Address,
  Block,
  BlockReference,
  BlockSelector,
  BlockTag,
  CallObject,
  FeeHistory,
  Hash,
  Hex,
  Log,
  LogCriteria,
  LogFilter,
  Receipt,
  SyncStatus,
  Transaction,
} from './rpc/schema.js';
export { type DescribeRevert, type ErrorSource, solidityErrors } from './service/errors/solidity-errors.js';
export type { LogRanges } from './service/logs/ranges.js';
export type { Network, NetworkOptions } from './service/networks.js';
export type { RateLimits } from './service/rate-limit/limits.js';
export type {
  Permission,
  SessionAccount,
  SessionMemory,
  SessionState,
  WatchedAsset,
  WatchOnlyAccount,
} from './session/session.js';
export { createVolatileMemory } from './session/volatile-memory.js';
export { createMemoryStorage } from './storage/memory.js';
export type { Storage } from './storage/storage.js';
export type { Fees } from './transactions/fees.js';
export type { Effect, JournalEntry } from './transactions/journal-entry.js';
export type { RecordedTransaction, TransactionsOptions } from './transactions/transactions.js';
export type { Accounts } from './wallet/accounts.js';
export type { AddedNetworks } from './wallet/added-networks.js';
export type { Allowances } from './wallet/allowances.js';
export type { BitcoinSide } from './wallet/bitcoin.js';
export type { Contacts } from './wallet/contacts.js';
export type { Payment, Payments } from './wallet/payments.js';
export type { IncomingPayments, ReceivedOptions } from './wallet/received.js';
export { createWallet, type ExplorerSubject, type Wallet } from './wallet/wallet.js';
