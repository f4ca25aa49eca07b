import { type Approved, redeem } from '../approvals/approved.js';
import { type Clock, systemClock } from '../async/clock.js';
import { lazy } from '../async/lazy.js';
import { createMutex } from '../async/mutex.js';
import { randomBytes } from '../builtins.js';
import { invalidParams, unauthorized } from '../rpc/errors.js';
import { bytesToHex, hexToBytes } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import type { Address, Hex } from '../rpc/schema.js';
import { type AccessList, serialize, signingDigest } from '../rpc/transaction.js';
import type { Storage } from '../storage/storage.js';
import type { Account as WalletAccount, Secret as WalletSecret } from './account.js';
import type { Kdf } from './kdf/kdf.js';
import { createLock } from './lock.js';
import { encodeSignature, messageDigest } from './message.js';
import { sign, warmUp } from './signer.js';
import type { HeldVault, VaultAccess } from './vault/access.js';
import type { Contents } from './vault/contents.js';
import { createVaultSlots } from './vault/slots.js';
import { createThrottle } from './vault/throttle.js';
import { createBrowserTraces, noTraces, type VaultTraces } from './vault/traces.js';
import { requireWebCrypto } from './web-crypto.js';

/**
 * The keys of the wallet behind a lock. While locked it holds no secret; while unlocked it holds the encrypted vault and
 * its non-extractable data key, and decrypts private keys for the duration of one signature.
 */
export interface Keyring {
  /**
   * `empty`: no vault was ever created here. `missing`: one was, but it is lost or damaged; do not replace it without
   * asking. `locked` and `unlocked` otherwise.
   */
  state(): Promise<Keyring.State>;
  /** True until `unlock` or `create` resolves. */
  locked(): boolean;
  /** Calls `listener` after each lock and unlock. Returns its undo. */
  watch(listener: (locked: boolean) => void): () => void;

  /**
   * Creates the vault with its first secret, and unlocks it. The state must be `empty`, or `missing` with
   * `replaceMissing`.
   * @throws ProviderRpcError -32602 for an invalid secret or an empty password, -32002 if a vault exists
   */
  create(
    secret: Keyring.Secret,
    password: string,
    options?: { replaceMissing?: boolean },
  ): Promise<Keyring.Account>;
  /** Adds a secret and its first account to the vault. @throws ProviderRpcError -32602 invalid secret, 4100 locked */
  add(secret: Keyring.Secret): Promise<Keyring.Account>;
  /** Derives an account from the first mnemonic. @throws ProviderRpcError -32602 (naming `path`), 4100 locked */
  derive(path: string): Promise<Keyring.Account>;
  /** The accounts of the vault, in the order they were added. @throws ProviderRpcError 4100 locked */
  accounts(): Promise<readonly Keyring.Account[]>;

  /**
   * Unlocks the vault. After 5 failures, attempts are delayed by up to 30 s.
   * @throws ProviderRpcError 4100, with one message for a wrong password and a damaged vault
   */
  unlock(password: string): Promise<void>;
  /** Locks this keyring and those of the same name in other pages and other wallets. */
  lock(): void;
  /**
   * Locks this keyring alone and for good, and stops its timers, channel and listeners (after they got the lock). Later
   * calls that need the password are refused with 4900, also an unlock in progress; the others behave as while locked.
   * Idempotent.
   */
  close(): void;
  /** Encrypts the vault with a new salt and data key, so that the old password opens nothing. @throws 4100 wrong one */
  changePassword(current: string, next: string): Promise<void>;

  /** Secrets leave the keyring only through exports. @throws ProviderRpcError 4100 wrong password, -32602 no mnemonic */
  exportMnemonic(password: string): Promise<string>;
  /** 32 bytes. @throws ProviderRpcError 4100 wrong password, -32602 unknown address */
  exportPrivateKey(address: Address, password: string): Promise<Hex>;
  /** The JSON of a version 3 keystore file. @throws ProviderRpcError 4100 wrong password, -32602 unknown address */
  exportKeystore(address: Address, password: string): Promise<string>;

  /** 65 bytes r‖s‖v (v 27/28). @throws ProviderRpcError 4100 locked; TypeError for a spent approval */
  signMessage(approved: Approved<Keyring.MessageSubject>): Promise<Hex>;
  signTypedData(approved: Approved<Keyring.TypedDataSubject>): Promise<Hex>;
  /** The signed transaction and its hash. The nonce is chosen after the approval, under the nonce lock. */
  signTransaction(
    approved: Approved<Keyring.TransactionSubject>,
    nonce: Hex,
  ): Promise<{ raw: Hex; hash: Hex }>;
  /** Builds the signer's point tables in the next task, while the person reads the dialog. Idempotent. */
  warmUp(): void;
}

export declare namespace Keyring {
  type State = 'empty' | 'locked' | 'unlocked' | 'missing';
  type Secret = WalletSecret;
  type Account = WalletAccount;
  interface MessageSubject {
    readonly type: 'message';
    readonly from: Address;
    /** The bytes of the message, without the EIP-191 prefix. */
    readonly bytes: Hex;
  }
  interface TypedDataSubject {
    readonly type: 'typed-data';
    readonly from: Address;
    /** The digest of validated typed data (EIP-712 or V1). */
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

const minute = 60_000;

/** Opens no storage, channel or timer, and loads no vault code, before its first use. */
export function createKeyring(given: createKeyring.Options): Keyring {
  const options = own(given);
  const { storage, kdf, clock = systemClock, random = randomBytes } = options;
  // Storage that ends with the page is shared with no other page, and leaves nothing to be missed later.
  const name = storage.durable === false ? null : (options.name ?? 'graft');
  const slots = createVaultSlots(storage, options.traces ?? (name ? createBrowserTraces(name) : noTraces));
  const mutex = createMutex(name && `${name}.vault`);
  const throttle = createThrottle(storage, clock);
  const lock = createLock<HeldVault>({
    clock,
    idle: options.idleTimeout ?? 15 * minute,
    absolute: options.absoluteTimeout ?? 8 * 60 * minute,
    channelName: name && `${name}.keyring`,
  });
  let isWarm = false;
  let warmUpTimer: unknown;

  const loadAccess = lazy(async () => {
    const { createVaultAccess } = await import('./vault/access.js');
    return createVaultAccess({ slots, random, now: clock.now, ...(kdf && { kdf }) });
  });
  const access = async (): Promise<VaultAccess> => {
    requireWebCrypto();
    return loadAccess();
  };

  const requireUnlocked = (): HeldVault => {
    const held = lock.held();
    if (held === null) throw unauthorized('The wallet is locked.');
    return held;
  };
  /** Holds the next vault, unless the keyring was locked while it was being written. */
  const hold = (next: HeldVault): HeldVault => {
    requireUnlocked();
    lock.replace(next);
    return next;
  };
  /** Reads the open vault again, since another page may have written it. */
  const reload = async (): Promise<HeldVault> => {
    const next = await (await access()).reload(requireUnlocked());
    if (next !== null) return hold(next);
    lock.lock();
    throw unauthorized('The wallet is locked: its password was changed in another page.');
  };
  const openWith = async (password: string): Promise<HeldVault> => {
    lock.requireOpen();
    const vault = await access();
    return throttle(() => {
      // The keyring may have been closed during the throttle's wait.
      lock.requireOpen();
      return vault.open(password);
    });
  };
  const accountOf = ({ accounts }: HeldVault, added: Contents): Keyring.Account =>
    accounts.find((account) => account.address === added.accounts[0]?.address) as Keyring.Account;

  /** Adds what `make` returns to the newest contents of the vault, then wipes it. */
  const addContents = (make: (contents: Contents) => Promise<Contents>): Promise<Keyring.Account> =>
    mutex(async () => {
      const { mergeContents, noContents, wipeContents } = await import('./vault/secrets.js');
      const held = await reload();
      lock.touch();
      let added = noContents;
      try {
        const vault = await access();
        const rewritten = await vault.rewrite(held, async (contents) => {
          added = await make(contents);
          return mergeContents(contents, added);
        });
        return accountOf(hold(rewritten), added);
      } finally {
        wipeContents(added);
      }
    });

  /** Spends an approval. While locked, it throws and leaves the approval unspent. */
  const redeemAs = <T extends { readonly type: string }>(approved: Approved<T>, type: T['type']): T => {
    requireUnlocked();
    const subject = redeem(approved);
    if (subject.type !== type) throw new TypeError('This approval is for something else.');
    return subject;
  };

  /** Lends the key of `address` to `use`, and wipes it afterwards. */
  const withKey = async <T>(address: Address, use: (privateKey: Uint8Array) => T): Promise<T> => {
    const { withContents } = await import('./vault/vault.js');
    let held = requireUnlocked();
    const isKnown = () => held.accounts.some((account) => account.address === address);
    // Another page may have added the account.
    if (!isKnown()) held = await reload();
    if (!isKnown()) throw unauthorized('The wallet has no such account.');
    return withContents(held.vault, ({ accounts }) => {
      requireUnlocked();
      lock.touch();
      return use(accounts.find((account) => account.address === address)?.privateKey as Uint8Array);
    });
  };

  /** Lends the whole contents to `use` if the password is right, whether or not the keyring is locked. */
  const withPassword = async <T>(
    password: string,
    use: (contents: Contents) => T | Promise<T>,
  ): Promise<T> => {
    const { withContents } = await import('./vault/vault.js');
    const { vault } = await mutex(() => openWith(password));
    return withContents(vault, use);
  };

  return {
    async state() {
      const { kind } = await slots.load();
      if (kind === 'empty' || kind === 'missing') return kind;
      return lock.held() === null ? 'locked' : 'unlocked';
    },
    locked: () => lock.held() === null,
    watch: lock.watch,

    async create(secret, password, settings) {
      requirePassword(password);
      const replaceMissing = own(settings).replaceMissing ?? false;
      const { readSecret, wipeContents } = await import('./vault/secrets.js');
      const contents = await readSecret(secret);
      try {
        const vault = await access();
        const held = await mutex(() => {
          lock.requireOpen();
          return vault.create(contents, password, replaceMissing);
        });
        lock.unlock(held);
        return accountOf(held, contents);
      } finally {
        wipeContents(contents);
      }
    },
    async add(secret) {
      requireUnlocked();
      const { readSecret } = await import('./vault/secrets.js');
      const added = await readSecret(secret);
      return addContents(async () => added);
    },
    async derive(path) {
      requireUnlocked();
      const { deriveAccount } = await import('./vault/secrets.js');
      return addContents(async ({ mnemonics: [entropy] }) => {
        if (entropy === undefined) throw invalidParams('path: the wallet has no mnemonic to derive from');
        return { mnemonics: [], accounts: [await deriveAccount(entropy, path)] };
      });
    },
    accounts: async () => (await reload()).accounts,

    unlock: (password) =>
      mutex(async () => {
        const held = await openWith(password);
        lock.unlock(await (await access()).settle(held, password));
      }),
    lock: lock.lock,
    close() {
      isWarm = true;
      clock.clearTimeout(warmUpTimer);
      lock.close();
    },
    changePassword: (current, next) =>
      mutex(async () => {
        requirePassword(next);
        const held = await openWith(current);
        lock.replace(await (await access()).rekey(held, next));
        lock.lockOthers();
      }),

    exportMnemonic: (password) =>
      withPassword(password, async ({ mnemonics: [entropy] }) => {
        if (entropy === undefined) throw invalidParams('The wallet has no mnemonic: its keys were imported.');
        const { mnemonicOf } = await import('./mnemonic.js');
        return mnemonicOf(entropy);
      }),
    exportPrivateKey: (address, password) =>
      withPassword(password, ({ accounts }) => bytesToHex(keyOf(accounts, address))),
    exportKeystore: (address, password) =>
      withPassword(password, async ({ accounts }) => {
        const privateKey = keyOf(accounts, address);
        const { exportKeystore } = await import('./keystore-v3.js');
        return exportKeystore(privateKey, password, { random, ...(kdf?.name === 'scrypt' && { kdf }) });
      }),

    async signMessage(approved) {
      const { from, bytes } = redeemAs(approved, 'message');
      const digest = messageDigest(hexToBytes(bytes));
      return withKey(from, (privateKey) => encodeSignature(sign(digest, privateKey)));
    },
    async signTypedData(approved) {
      const { from, digest } = redeemAs(approved, 'typed-data');
      return withKey(from, (privateKey) => encodeSignature(sign(hexToBytes(digest), privateKey)));
    },
    async signTransaction(approved, nonce) {
      const { type: _type, from, ...fields } = redeemAs(approved, 'transaction');
      const { chainId } = fields;
      // Without a chain id the transaction could be replayed on every chain, and the node would accept it.
      if (!Number.isSafeInteger(chainId) || chainId < 1)
        throw new TypeError('A transaction needs a chain id.');
      const transaction = { ...fields, nonce };
      const digest = signingDigest(transaction);
      return withKey(from, (privateKey) => serialize(transaction, sign(digest, privateKey)));
    },
    warmUp() {
      if (isWarm) return;
      isWarm = true;
      // In a task of its own, so that the dialog is drawn first.
      warmUpTimer = clock.setTimeout(warmUp, 0);
    },
  };
}

function keyOf(accounts: Contents['accounts'], address: Address): Uint8Array {
  const account = accounts.find((each) => each.address === address.toLowerCase());
  if (account === undefined) throw invalidParams('address: the wallet has no such account');
  return account.privateKey;
}

function requirePassword(password: string): void {
  if (typeof password !== 'string' || password === '') throw invalidParams('password: it must not be empty');
}

export declare namespace createKeyring {
  interface Options {
    storage: Storage;
    /**
     * Prefix of the names of the lock, the channel, the sentinel and the second copy of the vault, which all pages of
     * this origin share. Default `graft`. Unused with storage that is not durable.
     */
    name?: string;
    /** Milliseconds without a use of the keys until it locks. Default 900,000 (15 minutes). */
    idleTimeout?: number;
    /** Milliseconds from unlocking until it locks, used or not. Default 28,800,000 (8 hours). */
    absoluteTimeout?: number;
    clock?: Clock;
    random?: (length: number) => Uint8Array;
    /** Key derivation for new passwords. Default: scrypt with N = 2^17, r = 8, p = 1. */
    kdf?: Kdf;
    traces?: VaultTraces;
  }
}
