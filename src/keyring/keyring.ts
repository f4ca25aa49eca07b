import type { Approved } from '../approvals/approved.js';
import type { Address, Hex } from '../rpc/schema.js';

/**
 * The unlocked signers. Holds no secret while locked; while unlocked, only what the vault's session key
 * encrypts, decrypted for the length of one signature.
 */
export interface Keyring {
  /**
   * `empty`: no wallet was ever made here. `missing`: one was (the sentinel says so), but its vault is gone or
   * damaged: never offer to create over it silently.
   */
  state(): Promise<Keyring.State>;
  /** Synchronous view for events: true until an `unlock` or a creation resolves. */
  locked(): boolean;
  /** Calls `listener` after each lock and unlock. Returns its undo. */
  watch(listener: (locked: boolean) => void): () => void;

  /**
   * Creates the vault (state `empty`, or `missing` with `replaceMissing`) with its first secret, unlocked.
   * @throws ProviderRpcError -32602 for a bad secret or an empty password, -32002 when a vault exists.
   */
  create(
    secret: Keyring.Secret,
    password: string,
    options?: { replaceMissing?: boolean },
  ): Promise<Keyring.Account>;
  /** Adds a secret to the unlocked vault and derives its first account. @throws 4100 when locked. */
  add(secret: Keyring.Secret): Promise<Keyring.Account>;
  /** Derives another account from the first mnemonic. @throws -32602 (naming `path`) for a bad path, 4100 when locked. */
  derive(path: string): Promise<Keyring.Account>;
  /** Accounts with their paths, from the unlocked vault, in the order they were added. @throws 4100 when locked. */
  accounts(): Promise<readonly Keyring.Account[]>;

  /** @throws ProviderRpcError 4100, one text for a wrong password and a damaged vault; slowed after 5 failures. */
  unlock(password: string): Promise<void>;
  lock(): void;
  /** New salt and new data key: the old password opens nothing any more. @throws 4100 on a wrong one. */
  changePassword(current: string, next: string): Promise<void>;

  /** Secrets leave only here, and only for the password. @throws 4100 wrong password, -32602 unknown address. */
  exportMnemonic(password: string): Promise<string>;
  exportPrivateKey(address: Address, password: string): Promise<Hex>;
  exportKeystore(address: Address, password: string): Promise<string>;

  /** 65 bytes r‖s‖v (v 27/28) over a 32-byte digest. @throws 4100 locked; TypeError on a spent approval. */
  signMessage(approved: Approved<Keyring.MessageSubject>): Promise<Hex>;
  signTypedData(approved: Approved<Keyring.TypedDataSubject>): Promise<Hex>;
  /** The signed legacy EIP-155 transaction and its hash, with the nonce the journal reserved. */
  signTransaction(
    approved: Approved<Keyring.TransactionSubject>,
    nonce: Hex,
  ): Promise<{ raw: Hex; hash: Hex }>;
  /** Builds the signer's point tables while the person reads the dialog. Cheap to call twice. */
  warmUp(): void;
}

export declare namespace Keyring {
  type State = 'empty' | 'locked' | 'unlocked' | 'missing';
  type Secret =
    | { readonly type: 'mnemonic'; readonly mnemonic: string; readonly path: string }
    | { readonly type: 'private-key'; readonly privateKey: string }
    | { readonly type: 'keystore'; readonly json: string; readonly password: string };
  interface Account {
    readonly address: Address;
    readonly path: string | null;
  }
  interface MessageSubject {
    readonly type: 'message';
    readonly from: Address;
    /** The message's bytes; the keyring adds the EIP-191 prefix. */
    readonly bytes: Hex;
  }
  interface TypedDataSubject {
    readonly type: 'typed-data';
    readonly from: Address;
    /** The EIP-712 (or v1) digest, computed from validated typed data. */
    readonly digest: Hex;
  }
  interface TransactionSubject {
    readonly type: 'transaction';
    readonly from: Address;
    readonly chainId: number;
    readonly to: Address | null;
    readonly value: Hex;
    readonly data: Hex;
    readonly gas: Hex;
    readonly gasPrice: Hex;
  }
}
