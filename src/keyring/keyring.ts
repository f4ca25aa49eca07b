import { type Approved, redeem } from '../approvals/approved.js';
import { randomBytes } from '../builtins.js';
import { invalidParams } from '../rpc/errors.js';
import { bytesToHex, hexToBytes } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import type { Address, Hex } from '../rpc/schema.js';
import { type AccessList, serialize, signingDigest } from '../rpc/transaction.js';
import type { Storage } from '../storage/storage.js';
import type { Account as WalletAccount, Secret as WalletSecret } from './account.js';
import { type Clock, systemClock } from './clock.js';
import type { Kdf } from './kdf/kdf.js';
import { createKeys } from './keys.js';
import { encodeSignature, messageDigest } from './message.js';
import { sign, warmUp } from './signer.js';
import type { Contents } from './vault/contents.js';
import type { VaultTraces } from './vault/traces.js';

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
  /** Calls `listener` after each lock and unlock; what it throws harms nobody else. Returns its undo. */
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
  /** Locks this keyring and those of the same name in other pages and other wallets. */
  lock(): void;
  /**
   * Locks this keyring alone, for good, and ends its timers, its channel and its listeners (who still hear of the
   * lock). Afterwards whatever needs the password is refused with 4900, also an unlock under way, and the rest as
   * by a locked keyring. Cheap to call twice.
   */
  close(): void;
  /** New salt and new data key: the old password opens nothing any more. @throws 4100 on a wrong one. */
  changePassword(current: string, next: string): Promise<void>;

  /** Secrets leave only here, and only for the password. @throws 4100 wrong password, -32602 unknown address. */
  exportMnemonic(password: string): Promise<string>;
  exportPrivateKey(address: Address, password: string): Promise<Hex>;
  exportKeystore(address: Address, password: string): Promise<string>;

  /** 65 bytes r‖s‖v (v 27/28) over a 32-byte digest. @throws 4100 locked; TypeError on a spent approval. */
  signMessage(approved: Approved<Keyring.MessageSubject>): Promise<Hex>;
  signTypedData(approved: Approved<Keyring.TypedDataSubject>): Promise<Hex>;
  /** The signed transaction and its hash, with the nonce the journal reserved. */
  signTransaction(
    approved: Approved<Keyring.TransactionSubject>,
    nonce: Hex,
  ): Promise<{ raw: Hex; hash: Hex }>;
  /** Builds the signer's point tables while the person reads the dialog. Cheap to call twice. */
  warmUp(): void;
}

export declare namespace Keyring {
  type State = 'empty' | 'locked' | 'unlocked' | 'missing';
  type Secret = WalletSecret;
  type Account = WalletAccount;
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
    /** Absent: legacy. */
    readonly transactionType?: '0x1' | '0x2';
    readonly accessList?: AccessList;
  }
}

/** Nothing is opened, listened to or loaded before it is asked for; the vault's code loads with its first use. */
export function createKeyring(given: createKeyring.Options): Keyring {
  const options = own(given);
  const clock = options.clock ?? systemClock;
  const random = options.random ?? randomBytes;
  const keys = createKeys({ ...options, clock, random });
  let isWarm = false;
  let stopWarming = () => {};

  const spend = <T extends { readonly type: string }>(approved: Approved<T>, type: T['type']): T => {
    // A locked wallet does not use an approval up.
    keys.requireUnlocked();
    const subject = redeem(approved);
    if (subject.type !== type) throw new TypeError('This approval is for something else.');
    return subject;
  };

  return {
    state: keys.state,
    locked: keys.locked,
    watch: keys.watch,
    create: (secret, password, settings) =>
      keys.create(secret, password, own(settings).replaceMissing ?? false),
    add: keys.add,
    derive: keys.derive,
    accounts: keys.accounts,
    unlock: keys.unlock,
    lock: keys.lock,
    close() {
      isWarm = true;
      stopWarming();
      keys.close();
    },
    changePassword: keys.changePassword,

    exportMnemonic: (password) =>
      keys.withPassword(password, async ({ mnemonics: [entropy] }) => {
        if (entropy === undefined) throw invalidParams('The wallet has no mnemonic: its keys were imported.');
        const { mnemonicOf } = await import('./mnemonic.js');
        return mnemonicOf(entropy);
      }),
    exportPrivateKey: (address, password) =>
      keys.withPassword(password, (contents) => bytesToHex(keyOf(contents.accounts, address))),
    exportKeystore: (address, password) =>
      keys.withPassword(password, async ({ accounts }) => {
        const privateKey = keyOf(accounts, address);
        const { exportKeystore } = await import('./keystore-v3.js');
        const kdf = options.kdf?.name === 'scrypt' ? options.kdf : undefined;
        return exportKeystore(privateKey, password, { random, ...(kdf && { kdf }) });
      }),

    async signMessage(approved) {
      const { from, bytes } = spend(approved, 'message');
      const digest = messageDigest(hexToBytes(bytes));
      return keys.withKey(from, (privateKey) => encodeSignature(sign(digest, privateKey)));
    },
    async signTypedData(approved) {
      const { from, digest } = spend(approved, 'typed-data');
      return keys.withKey(from, (privateKey) => encodeSignature(sign(hexToBytes(digest), privateKey)));
    },
    async signTransaction(approved, nonce) {
      const { type: _type, from, ...fields } = spend(approved, 'transaction');
      const { chainId } = fields;
      // Without a chain id anybody could replay it on every chain, and the node would take it (finding 7).
      if (!Number.isSafeInteger(chainId) || chainId < 1)
        throw new TypeError('A transaction needs a chain id.');
      const transaction = { ...fields, nonce };
      const digest = signingDigest(transaction);
      return keys.withKey(from, (privateKey) => serialize(transaction, sign(digest, privateKey)));
    },
    warmUp() {
      if (isWarm) return;
      isWarm = true;
      // After whatever shows the question has been drawn.
      stopWarming = clock.after(0, warmUp);
    },
  };
}

function keyOf(accounts: Contents['accounts'], address: Address): Uint8Array {
  const account = accounts.find((each) => each.address === address.toLowerCase());
  if (account === undefined) throw invalidParams('address: the wallet has no such account');
  return account.privateKey;
}

export declare namespace createKeyring {
  interface Options {
    storage: Storage;
    /**
     * Prefix of what pages of this origin share: the lock, the channel, the sentinel and the second copy of the
     * vault. Default `graft`. Unused with a storage that is not durable.
     */
    name?: string;
    /** Milliseconds without a signature (or other use of the keys) until it locks. Default 15 minutes. */
    idleTimeout?: number;
    /** Milliseconds from unlocking until it locks, used or not. Default 8 hours. */
    absoluteTimeout?: number;
    clock?: Clock;
    random?: (length: number) => Uint8Array;
    /** How new passwords are stretched. Default: scrypt, N = 2^17, r = 8, p = 1. */
    kdf?: Kdf;
    traces?: VaultTraces;
  }
}
