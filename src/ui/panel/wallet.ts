import type { Credential, Owner } from '../../approvals/owner.js';
import type { FeeChoice } from '../../approvals/question.js';
import type { Keyring } from '../../keyring/keyring.js';
import type { Address, Hash, Hex } from '../../rpc/schema.js';
import type { Network, NetworkOptions } from '../../service/networks.js';
import type { SessionAccount, SessionState } from '../../session/session.js';
import type { RecordedTransaction } from '../../transactions/transactions.js';

/** The functions of a `Wallet` that the panel uses. All of them are public. */
export interface PanelWallet extends Owner {
  state(): PanelState;
  networks(): readonly Network[];
  network(): Network;
  watch(listener: () => void): () => void;
  vaultState(): Promise<Keyring.State>;
  lock(): Promise<void>;
  switchChain(chainId: number): void;
  disconnect(origin?: string): void;
  transactions(): Promise<readonly RecordedTransaction[]>;
  resend(hash: Hash): Promise<void>;
  abandon(hash: Hash): Promise<void>;
  exportTransactions(format: 'json' | 'csv'): Promise<string>;
  changePassword(current: Credential, next: string): Promise<void>;
  removePassword(): Promise<void>;
  passkeys(): Promise<readonly Passkey[]>;
  addPasskey(name: string): Promise<Passkey>;
  wakePasskey(id: string): Promise<Passkey>;
  renamePasskey(id: string, name: string): Promise<void>;
  removePasskey(id: string): Promise<void>;
  addAccount(mnemonicOf?: Address): Promise<SessionAccount>;
  setLockAfter(milliseconds: number | null): Promise<void>;
  rename(address: Address, label: string): Promise<void>;
  hide(address: Address, hidden: boolean): Promise<void>;
  remove(address: Address): Promise<void>;
  exportMnemonic(credential: Credential, address?: Address): Promise<string>;
  exportPassphrase(credential: Credential, address?: Address): Promise<string>;
  exportPrivateKey(address: Address, credential: Credential): Promise<Hex>;
  exportKeystore(address: Address, credential: Credential, filePassword?: string): Promise<string>;
  backup(credential: Credential, filePassword: string): Promise<string>;

  send(payment: PanelPayment): Promise<Hash>;
  fees(payment: Omit<PanelPayment, 'gasPrice'>): Promise<PanelFees>;
  speedUp(hash: Hash): Promise<Hash>;
  cancel(hash: Hash): Promise<Hash>;
  balance(address: Address): Promise<bigint>;
  tokens(address: Address): Promise<readonly PanelToken[]>;
  unwatchToken(address: Address, tokenId?: string): void;
  resolveName(name: string): Promise<Address | null>;
  explorerUrl(of: { readonly hash: Hash } | { readonly address: Address }): string | undefined;
  addNetwork(options: NetworkOptions): Promise<Network>;
  removeNetwork(chainId: number): Promise<void>;
}

interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly asleep?: true;
}

interface PanelState extends SessionState {
  readonly accounts: readonly PanelAccount[];
  readonly backup: 'done' | 'needed';
  readonly networks: readonly Network[];
}

export interface PanelAccount extends SessionAccount {
  readonly hidden?: true;
}

interface PanelPayment {
  readonly from: Address;
  readonly to: string;
  readonly value?: Hex;
  readonly data?: Hex;
  readonly gasPrice?: Hex;
}

export interface PanelFees {
  readonly slow: FeeChoice;
  readonly normal: FeeChoice;
  readonly fast: FeeChoice;
  readonly minimum: Hex;
  readonly maximum: Hex;
}

export interface PanelToken {
  readonly address: Address;
  readonly symbol: string;
  readonly decimals: number;
  readonly balance: bigint | null;
  readonly listed: boolean;
  readonly watched: boolean;
  readonly imitates?: string;
  readonly type?: 'ERC721' | 'ERC1155';
  readonly tokenId?: string;
}
