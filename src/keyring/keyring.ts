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
    const next = await (await access()).follow(requireUnlocked());
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
