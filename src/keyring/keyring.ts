import { type Approved, redeem } from '../approvals/approved.js';
import type { Credential, UnlockOptions } from '../approvals/owner.js';
import { type Clock, systemClock } from '../async/clock.js';
import { lazy } from '../async/lazy.js';
import { createMutex } from '../async/mutex.js';
import { resourceUnavailable, unauthorized } from '../rpc/core-errors.js';
import { isProviderRpcError } from '../rpc/errors.js';
import { throwNotLoaded } from '../rpc/not-loaded.js';
import { own } from '../rpc/own.js';
import type { Address, Hex } from '../rpc/schema.js';
import type { UnsignedTransaction } from '../rpc/transaction.js';
import type { Storage } from '../storage/storage.js';
import type { KeyringAccount as WalletAccount, Secret as WalletSecret } from './account.js';
import type { Passkey } from './credential.js';
import type { Kdf } from './kdf/kdf.js';
import { createLock, defaultAbsolute, defaultIdle } from './lock.js';
import type { OwnerKeyring } from './owner.js';
import type { SealedUnlock } from './shared-unlock.js';
import type { HeldVault, VaultAccess } from './vault/access.js';
import { passkeysIn } from './vault/listed-passkeys.js';
import {
  createVaultSlots,
  erasedKey,
  isOutdated,
  newEpoch,
  pointerKey,
  unlocksEpochKey,
  unlocksKey,
} from './vault/slots.js';
import { createThrottle } from './vault/throttle.js';
import { createBrowserTraces, noTraces, type VaultTraces } from './vault/traces.js';
import type { Lend } from './vault/vault.js';
import type { Opener } from './vault/wraps.js';
import type { Authenticator } from './web-authn.js';
import { requireWebCrypto } from './web-crypto.js';

/**
 * The keys of the wallet behind a lock. While locked it holds no secret; while unlocked it holds the encrypted vault and
 * its non-extractable data key, and decrypts private keys for the duration of one signature.
 */
export interface Keyring extends OwnerKeyring {
  /**
   * `empty`: no vault was ever created here. `missing`: one was, but it is lost or damaged; do not replace it without
   * asking. `locked` and `unlocked` otherwise.
   */
  state(): Promise<Keyring.State>;
  /** True until `unlock` or `create` resolves. */
  locked(): boolean;
  /**
   * Whether transactions of a permission can be signed: while unlocked, and after the idle timeout, until the page is left or the
   * absolute timeout passes.
   */
  keeps(): boolean;
  /** Calls `listener` after each lock and unlock. Returns its undo. */
  watch(listener: (locked: boolean) => void): () => void;

  /** The passkeys of the vault, locked or not. */
  passkeys(): Promise<readonly Passkey[]>;
  /** The accounts of the vault, in the order they were added. @throws ProviderRpcError 4100 locked */
  accounts(): Promise<readonly Keyring.Account[]>;
  /**
   * Copies of the optional records of a kind (128 to 255), as stored now. It is no use of the keys.
   * @throws ProviderRpcError 4100 unless the keyring {@link Keyring.keeps} its keys
   */
  records(kind: number): Promise<readonly Uint8Array[]>;

  /**
   * Unlocks the vault, and upgrades one of an older version. After 5 wrong passwords, attempts are delayed by up to 30 s.
   * @throws ProviderRpcError 4100, with one message for a wrong password and a damaged vault; 4001 if the person cancels
   * the prompt for a passkey; -32002 with `Unproven` as `data` for a vault that cannot be checked
   */
  unlock(credential: Credential, options?: UnlockOptions): Promise<void>;
  /**
   * Locks this keyring and those of the same name in other pages and other wallets, at once. Resolves when the unlocks that
   * documents share are ended too.
   * @throws ProviderRpcError -32002 if those could not be ended; this keyring is locked all the same
   */
  lock(): Promise<void>;
  /**
   * From now on shares unlocks, in two halves, among the documents that serve this dapp. Without it none is shared, as in a
   * wallet in the dapp's page.
   */
  shareUnlocks(origin: string): void;
  /**
   * This document's half of its unlock, for another document of the same dapp; `null` while locked, after a change of the
   * password or passkeys, and where nothing is shared.
   */
  unlockHalf(): CryptoKey | null;
  /**
   * Unlocks with the half of another document, until the shared unlock ends.
   * @throws ProviderRpcError 4100 if it has ended, or this is not its half
   */
  unlockShared(half: CryptoKey): Promise<void>;
  /**
   * Moves the end of the shared unlock, after an answer of the person; does nothing where nothing is shared.
   * @throws ProviderRpcError 4100 while locked, and if it has ended; whatever it throws, this keyring is locked then
   */
  renewShared(): Promise<void>;
  /** Applies an idle timeout that has changed. */
  rescheduleLock(): void;
  /**
   * Locks this keyring alone and for good, and stops its timers, channel and listeners (after they got the lock). Later
   * calls that need a password or passkey are refused with 4900, also an unlock in progress; the others behave as while
   * locked. Idempotent.
   */
  close(): void;

  /** 65 bytes r‖s‖v (v 27/28). @throws ProviderRpcError 4100 locked; TypeError for a spent approval */
  signMessage(approved: Approved<Keyring.MessageSubject>): Promise<Hex>;
  signTypedData(approved: Approved<Keyring.TypedDataSubject>): Promise<Hex>;
  /** The signed transaction and its hash. The nonce is chosen after the approval, under the nonce lock. */
  signTransaction(
    approved: Approved<Keyring.TransactionSubject>,
    nonce: Hex,
  ): Promise<{ raw: Hex; hash: Hex }>;
  /**
   * Loads what signs, and builds the signer's point tables in the next task, while the person reads the dialog. Idempotent.
   * @param type `transaction` where one is to be signed, whose code is a part of its own
   */
  warmUp(type?: Keyring.TransactionSubject['type']): void;
}

export declare namespace Keyring {
  /** State of the vault, as {@link Wallet.vaultState} returns it. */
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
  interface TransactionSubject extends Omit<UnsignedTransaction, 'nonce' | 'maxPriorityFeePerGas'> {
    readonly type: 'transaction';
    readonly from: Address;
  }
}

/** Opens no storage, channel or timer, and loads no vault code, before its first use. */
export function createKeyring(settings: createKeyring.Options): Keyring {
  const options = own(settings);
  const { storage, kdf, clock = systemClock } = options;
  // Storage that ends with the page is shared with no other page, and leaves nothing to be missed later.
  const name = storage.durable === false ? null : (options.name ?? 'graft');
  const known = () => options.knownAccounts?.() ?? [];
  const slots = createVaultSlots(storage, options.traces ?? (name ? createBrowserTraces(name) : noTraces));
  const mutex = createMutex(name && `${name}.vault`);
  const throttle = createThrottle(storage, clock);
  const idle = () => options.idleTimeout?.() ?? defaultIdle;
  const absolute = options.absoluteTimeout ?? defaultAbsolute;
  /** Deletes the shared unlocks that have ended. */
  const dropEnded = async (): Promise<void> => {
    if ((await storage.get('vault', unlocksKey)) === undefined) return;
    const lasts = (unlock: { readonly until?: unknown } | null) => Number(unlock?.until) > clock.now();
    await storage.update('vault', unlocksKey, (unlocks) => {
      const left = Array.isArray(unlocks) ? unlocks.filter(lasts) : [];
      return left.length > 0 ? left : undefined;
    });
  };
  /**
   * Ends the shared unlocks of all dapps, by another epoch and by deleting them: either is enough. Resolves with whether there
   * can have been any.
   */
  const endShared = async (): Promise<boolean> => {
    const mayHave = (key: string) =>
      storage.get('vault', key).then(
        (value) => value !== undefined,
        () => true,
      );
    const isStored = await mayHave(unlocksKey);
    if (!isStored && !(await mayHave(unlocksEpochKey))) return false;
    const tasks = [storage.update('vault', unlocksEpochKey, () => newEpoch())];
    if (isStored) tasks.push(storage.update('vault', unlocksKey, () => undefined));
    const results = await Promise.allSettled(tasks);
    if (isStored && results.every(({ status }) => status === 'rejected'))
      throw resourceUnavailable(
        'This page is locked, but the unlock that others share could not be ended. It ends by itself.',
      );
    return true;
  };
  const lock = createLock<HeldVault>({
    clock,
    idle,
    absolute,
    channelName: name && `${name}.keyring`,
    keeps: options.keepsKeys,
    expired: () => void dropEnded().catch(() => {}),
  });
  /** This document's half of the present unlock. */
  let half: CryptoKey | null = null;
  /** Origin of the dapp whose documents share their unlocks. */
  let sharedOrigin: string | undefined;
  lock.watch((locked) => {
    if (locked) half = null;
  });
  let isWarm = false;
  let isClosed = false;
  let warmUpTimer: unknown;

  const loadAccess = lazy(async () => {
    const { createVaultAccess } = await import('./vault/access.js');
    return createVaultAccess({ slots, now: clock.now, kdf });
  });
  const access = async (): Promise<VaultAccess> => {
    requireWebCrypto();
    return loadAccess();
  };
  const passkeys = lazy(async () => {
    const { createPasskeyCeremonies } = await import('./passkeys.js');
    return createPasskeyCeremonies({ authenticator: options.authenticator, now: clock.now });
  });

  /** They load with the first signature, before its approval is spent. @throws ProviderRpcError -32002 if they do not */
  const signer = lazy(() => import('./sign.js').catch(throwNotLoaded));
  const transactionSigner = lazy(() => import('./sign-transaction.js').catch(throwNotLoaded));
  const vaultModule = lazy(() => import('./vault/vault.js').catch(throwNotLoaded));

  const requireUnlocked = (): HeldVault => {
    const held = lock.held();
    if (held === null) throw unauthorized('The wallet is locked.');
    return held;
  };
  /** The vault for transactions of a permission: also after the idle timeout. */
  const requireKept = (): HeldVault => {
    const held = lock.kept();
    if (held === null) throw unauthorized('The wallet is locked.');
    return held;
  };
  const hold = (next: HeldVault): HeldVault => {
    requireKept();
    lock.replace(next);
    return next;
  };
  const reload = async (require = requireUnlocked): Promise<HeldVault> => {
    const vault = await access();
    const next = await vault.reload(require()).catch((error: unknown) => {
      // A newer build has written the vault: this one must neither use nor write it.
      if (isProviderRpcError(error)) lock.lockHere();
      throw error;
    });
    if (next !== null) return hold(next);
    lock.lockHere();
    throw unauthorized('The wallet is locked: its password or passkeys were changed in another page.');
  };
  /** The vault as stored now, which another page may have written: the digest in the pointer names the record. */
  const current = async (require = requireUnlocked): Promise<HeldVault> => {
    const held = require();
    const digestIn = (pointer: unknown) => own(pointer as { readonly digest?: unknown } | undefined).digest;
    const stored = await storage.get('vault', pointerKey);
    return digestIn(stored) === digestIn(held.loaded.pointer) ? held : reload(require);
  };
  /** Not under the mutex: a person may take minutes to answer the prompt. */
  const openerOf = async (credential: Credential): Promise<Opener> => {
    if (typeof credential === 'string') return credential;
    lock.requireOpen();
    requireWebCrypto();
    const [{ ask }, { passkeyWraps }, loaded] = await Promise.all([
      passkeys(),
      import('./vault/record.js'),
      slots.load(),
    ]);
    return ask(loaded.kind === 'record' ? passkeyWraps(loaded.record) : []);
  };
  const shared = lazy(async () => {
    const { createSharedUnlock } = await import('./shared-unlock.js');
    const origin = sharedOrigin as string;
    return createSharedUnlock({ storage, origin, clock, idle, absolute });
  });
  /** Seals the secrets that it is lent last, so that the unlock can be shared. */
  const createSharing = () => {
    let sealed: SealedUnlock | null = null;
    const lend: Lend = async (...secrets) => {
      // Without it the unlock is this document's alone.
      sealed = await (await shared()).seal(...secrets).catch(() => null);
    };
    return {
      lend: sharedOrigin === undefined ? undefined : lend,
      async start(): Promise<void> {
        if (sealed === null) return;
        const ours = sealed;
        half = ours.half;
        const isStored = await (await shared()).store(ours).then(
          () => true,
          () => false,
        );
        // The wallet was locked during the write, or the unlock could not be stored for other documents.
        if (isStored && half !== ours.half) await endShared().catch(() => {});
        if (!isStored && half === ours.half) half = null;
      },
    };
  };
  /** After a change of the ways into the vault: earlier unlocks of this and other documents end. */
  const endOthers = async (): Promise<void> => {
    lock.lockOthers();
    half = null;
    // Another document may have been opening a shared unlock at the same time.
    if (await endShared().catch(() => false)) lock.endTerms();
  };

  /** Opens the vault, and settles it: always at an unlock, else where it is of a version that cannot be checked. */
  const openWith = async (
    opener: Opener,
    isUnlock = false,
    lend?: Lend,
    accepted?: readonly Address[],
  ): Promise<HeldVault> => {
    lock.requireOpen();
    const vault = await access();
    const open = () => {
      // The keyring may have been closed during the throttle's wait.
      lock.requireOpen();
      return vault.open(opener, lend);
    };
    const held = await (typeof opener === 'string' ? throttle(open) : open());
    const isUnproven = held.vault.record.v === 2 || isOutdated(held.loaded);
    if (isUnproven) {
      const { requireAgreedVault } = await import('./unproven.js');
      await requireAgreedVault(held, opener, known(), accepted);
    }
    if (!isUnlock && !isUnproven) return held;
    const settled = await vault.settle(held, opener, lend);
    if (settled.vault.keys !== held.vault.keys) await endOthers();
    return settled;
  };

  const owner = lazy(async () => {
    const { createOwnerKeyring } = await import('./owner.js');
    return createOwnerKeyring({
      access,
      passkeys,
      lock,
      mutex,
      slots,
      storage,
      clock,
      kdf,
      eraseRest: options.eraseRest ?? (async () => {}),
      known,
      requireUnlocked,
      hold,
      reload,
      current,
      endOthers,
      createSharing,
      openerOf,
      openWith,
    });
  });
  const asOwner = <Name extends keyof OwnerKeyring>(name: Name): OwnerKeyring[Name] =>
    (async (...args: never[]) =>
      ((await owner())[name] as (...args: never[]) => unknown)(...args)) as OwnerKeyring[Name];

  /** Loads the owner's chunk only where there is something to finish. */
  const resumeErase = async (): Promise<void> => {
    if ((await storage.get('vault', erasedKey)) !== undefined) await (await owner()).resumeErase();
  };

  const vaultFor = ({ permission }: Approved<unknown>): HeldVault =>
    permission === undefined ? requireUnlocked() : requireKept();

  /** Spends an approval. While locked, it throws and leaves the approval unspent. */
  const redeemAs = <T extends { readonly type: string }>(approved: Approved<T>, type: T['type']): T => {
    vaultFor(approved);
    const subject = redeem(approved);
    if (subject.type !== type) throw new TypeError('This approval is for something else.');
    return subject;
  };

  /** Lends the key of `address` to `use`, and wipes it afterwards. Only an answer of the person counts as a use of the keys. */
  const withKey = async <T>(
    address: Address,
    use: (privateKey: Uint8Array) => T,
    approved: Approved<unknown>,
  ): Promise<T> => {
    const { withContents } = await vaultModule();
    const require = () => vaultFor(approved);
    const held = await current(require);
    const isKnown = held.accounts.some((account) => account.address === address);
    if (!isKnown) throw unauthorized('The wallet has no such account.');
    return withContents(held.vault, ({ accounts }) => {
      require();
      if (approved.permission === undefined) lock.touch();
      return use(accounts.find((account) => account.address === address)?.privateKey as Uint8Array);
    });
  };

  return {
    async state() {
      const { kind } = await slots.load();
      // Report `empty` only after every trace of the vault is deleted.
      if (kind === 'empty') await resumeErase().catch(() => {});
      if (kind === 'empty' || kind === 'missing') return kind;
      return lock.held() === null ? 'locked' : 'unlocked';
    },
    locked: () => lock.held() === null,
    keeps: () => lock.kept() !== null,
    watch: lock.watch,

    accounts: async () => (await reload()).accounts,

    async unlock(credential, unlockOptions) {
      const { acceptUnproven } = own(unlockOptions);
      const opener = await openerOf(credential);
      const sharing = createSharing();
      await mutex(async () => {
        lock.unlock(await openWith(opener, true, sharing.lend, acceptUnproven));
        await sharing.start();
      });
    },
    async lock() {
      lock.lock();
      try {
        // Another document may have been opening a shared unlock at the same time.
        if (await endShared()) lock.endTerms();
      } catch (error) {
        if (!isClosed) throw error;
      }
    },
    shareUnlocks(origin) {
      sharedOrigin = origin;
    },
    unlockHalf: () => (lock.held() === null ? null : half),
    async unlockShared(sharedHalf) {
      lock.requireOpen();
      if (sharedOrigin === undefined) throw unauthorized('This wallet shares no unlock.');
      const [vault, { open }] = await Promise.all([access(), shared()]);
      await mutex(async () => {
        await open(sharedHalf, async ({ vaultId, secrets, ...term }) => {
          lock.unlock(await vault.openShared(vaultId, secrets), term);
          half = sharedHalf;
        });
        // Fails if a lock ended the unlock before this document listened for locks.
        await open(sharedHalf, async () => {}).catch((error: unknown) => {
          lock.lockHere();
          throw error;
        });
      });
    },
    async renewShared() {
      requireUnlocked();
      if (half === null) return;
      try {
        lock.extend(await (await shared()).renew(half));
      } catch (error) {
        lock.lockHere();
        throw error;
      }
    },
    rescheduleLock: lock.reschedule,
    close() {
      isClosed = true;
      isWarm = true;
      clock.clearTimeout(warmUpTimer);
      lock.close();
    },
    create: asOwner('create'),
    createFromPasskey: asOwner('createFromPasskey'),
    restoreFromPasskey: asOwner('restoreFromPasskey'),
    add: asOwner('add'),
    derive: asOwner('derive'),
    deriveNext: asOwner('deriveNext'),
    deriveAll: asOwner('deriveAll'),
    addresses: asOwner('addresses'),
    remove: asOwner('remove'),
    changePassword: asOwner('changePassword'),
    async passkeys() {
      const loaded = await slots.load();
      return loaded.kind === 'record' ? passkeysIn(loaded.record) : [];
    },
    addPasskey: asOwner('addPasskey'),
    wakePasskey: asOwner('wakePasskey'),
    records: async (kind) => (await vaultModule()).copyRecords((await current(requireKept)).vault, kind),
    changeRecords: asOwner('changeRecords'),
    lendPurseKey: asOwner('lendPurseKey'),
    publicKey: asOwner('publicKey'),
    lendPrivateKey: asOwner('lendPrivateKey'),
    renamePasskey: asOwner('renamePasskey'),
    removePasskey: asOwner('removePasskey'),
    removePassword: asOwner('removePassword'),
    exportMnemonic: asOwner('exportMnemonic'),
    exportPassphrase: asOwner('exportPassphrase'),
    exportPrivateKey: asOwner('exportPrivateKey'),
    exportKeystore: asOwner('exportKeystore'),
    backup: asOwner('backup'),
    restore: asOwner('restore'),
    erase: asOwner('erase'),
    resumeErase,

    async signMessage(approved) {
      const { signMessage } = await signer();
      const { from, bytes } = redeemAs(approved, 'message');
      return withKey(from, signMessage(bytes), approved);
    },
    async signTypedData(approved) {
      const { signTypedData } = await signer();
      const { from, digest } = redeemAs(approved, 'typed-data');
      return withKey(from, signTypedData(digest), approved);
    },
    async signTransaction(approved, nonce) {
      const { signTransaction } = await transactionSigner();
      const { type: _type, from, ...fields } = redeemAs(approved, 'transaction');
      return withKey(from, signTransaction({ ...fields, nonce }), approved);
    },
    warmUp(type) {
      // Else it would load between the approval and the signature.
      if (type && !isClosed) transactionSigner().catch(() => {});
      if (isWarm) return;
      isWarm = true;
      // Runs in a separate task, so that the dialog is drawn first.
      warmUpTimer = clock.setTimeout(() => {
        signer().then(
          ({ warmUp }) => warmUp(),
          () => {},
        );
      }, 0);
    },
  };
}

export declare namespace createKeyring {
  interface Options {
    storage: Storage;
    /**
     * Prefix of the names of the lock, the channel, the sentinel and the second copy of the vault, which all pages of
     * this origin share. Default `graft`. Unused with storage that is not durable.
     */
    name?: string | undefined;
    /** Milliseconds without a use of the keys until it locks; undefined: 900,000 (15 minutes). */
    idleTimeout?: (() => number | undefined) | undefined;
    /** Milliseconds from unlocking until it locks, used or not. Default 28,800,000 (8 hours). */
    absoluteTimeout?: number | undefined;
    clock?: Clock | undefined;
    /** Key derivation for new passwords. Default: scrypt with N = 2^17, r = 8, p = 1. */
    kdf?: Kdf | undefined;
    traces?: VaultTraces | undefined;
    /** Whether the keys stay for what needs no person after an idle timeout. Default: never. */
    keepsKeys?: (() => boolean) | undefined;
    /** Makes and asks for passkeys. Default: the browser's WebAuthn. */
    authenticator?: Authenticator | undefined;
    /** The session's accounts, in lower case, which a vault that cannot be checked is compared with. */
    knownAccounts?: (() => readonly Address[]) | undefined;
    /**
     * Deletes the wallet's data outside the vault when the wallet is erased; called again after an interrupted erasure.
     */
    eraseRest?: (() => Promise<void>) | undefined;
  }
}
