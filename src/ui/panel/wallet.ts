import type { Credential, Owner } from '../../approvals/owner.js';
import type { Allowance } from '../../assets/allowances.js';
import type { CoinPrice } from '../../assets/coin-price.js';
import type { TokenBalance } from '../../assets/token-balances.js';
import type { PegOut } from '../../bitcoin/peg-out.js';
import type { PegOutEstimate } from '../../bitcoin/peg-out-estimate.js';
import type { Contact } from '../../contacts/contact.js';
import type { Keyring } from '../../keyring/keyring.js';
import type { GrantedPermission } from '../../permissions/granted.js';
import type { HeldPurse } from '../../purse/purse.js';
import type { Received } from '../../received/received.js';
import type { Address, Hash, Hex } from '../../rpc/schema.js';
import type { Network, NetworkOptions } from '../../service/networks.js';
import type { Service } from '../../service/service.js';
import type { SessionAccount, SessionState } from '../../session/session.js';
import type { Fees } from '../../transactions/fees.js';
import type { RecordedTransaction, TransactionsOptions } from '../../transactions/transactions.js';

/** The functions of a `Wallet` that the panel uses. All of them are public. */
export interface PanelWallet extends Omit<Owner, 'passkeys' | 'wakePasskey'>, VaultFunctions {
  state(): SessionState;
  networks(): readonly Network[];
  network(): Network;
  watch(listener: () => void): () => void;
  usage(): ReadonlyMap<number, { readonly verified?: Service.Verified | undefined }>;
  vaultState(): Promise<Keyring.State>;
  lock(): Promise<void>;
  switchChain(chainId: number): void;
  disconnect(origin?: string): void;
  permissions(): Promise<readonly GrantedPermission[]>;
  endPermission(context: Hash): Promise<void>;
  purses(): Promise<readonly HeldPurse[]>;
  takeBack(address: Address): Promise<readonly Hash[]>;
  transactions(options?: TransactionsOptions): Promise<readonly RecordedTransaction[]>;
  resend(hash: Hash): Promise<void>;
  abandon(hash: Hash): Promise<void>;
  received(options?: { readonly account?: Address; readonly further?: boolean }): Promise<Received>;
  exportTransactions(format: 'json' | 'csv'): Promise<string>;
  addAccount(mnemonicOf?: Address): Promise<SessionAccount>;
  setLockAfter(milliseconds: number | null): Promise<void>;
  rename(address: Address, label: string): Promise<void>;
  hide(address: Address, hidden: boolean): Promise<void>;
  backup(credential: Credential, filePassword: string): Promise<string>;

  send(payment: PanelPayment & { readonly gasPrice?: Hex }): Promise<Hash>;
  fees(payment: PanelPayment): Promise<PanelFees>;
  speedUp(hash: Hash): Promise<Hash>;
  cancel(hash: Hash): Promise<Hash>;
  balance(address: Address): Promise<bigint>;
  tokens(address: Address): Promise<readonly TokenBalance[]>;
  unwatchToken(address: Address, tokenId?: string): void;
  coinPrice(): Promise<CoinPrice | null>;
  resolveName(name: string): Promise<Address | null>;
  explorerUrl(of: { readonly hash: Hash } | { readonly address: Address }): string | undefined;
  contacts(): Promise<readonly Contact[]>;
  saveContact(address: Address, name: string): Promise<Contact>;
  removeContact(address: Address): Promise<void>;
  watchAccount(address: Address, name?: string): Promise<Contact>;
  unwatchAccount(address: Address): Promise<void>;
  allowances(account?: Address): Promise<readonly Allowance[]>;
  revoke(allowance: Pick<Allowance, 'account' | 'token' | 'spender' | 'amount'>): Promise<Hash>;
  bitcoinAddress(address: Address): Promise<string | null>;
  pegOuts(address?: Address): Promise<readonly PegOut[]>;
  pegOutEstimate(value: Hex): Promise<PegOutEstimate | null>;
  exportWif(address: Address, credential: Credential): Promise<string>;
  addNetwork(options: NetworkOptions): Promise<Network>;
  removeNetwork(chainId: number): Promise<void>;
}

type VaultFunctions = Pick<
  Keyring,
  | 'changePassword'
  | 'removePassword'
  | 'passkeys'
  | 'addPasskey'
  | 'wakePasskey'
  | 'renamePasskey'
  | 'removePasskey'
  | 'remove'
  | 'exportMnemonic'
  | 'exportPassphrase'
  | 'exportPrivateKey'
  | 'exportKeystore'
>;

export interface PanelPayment {
  readonly from: Address;
  readonly to: string;
  readonly value?: Hex;
  readonly data?: Hex;
}

/** An account of the wallet, or one of others that the person looks at. */
export interface PanelAccount extends SessionAccount {
  /** The wallet has no key for it: nothing can be signed. */
  readonly watchOnly?: true;
}
export type PanelFees = Omit<Fees, 'gas'>;
export type PanelToken = TokenBalance;
