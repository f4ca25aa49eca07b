import { createMutex } from '../async/mutex.js';
import { invalidParams, unauthorized } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import type { Storage } from '../storage/storage.js';
import type { Account, Secret } from './account.js';
import type { Clock } from '../async/clock.js';
import type { Kdf } from './kdf/kdf.js';
import { createLock } from './lock.js';
import type { HeldVault, VaultAccess } from './vault/access.js';
import type { Contents } from './vault/contents.js';
import { createVaultSlots } from './vault/slots.js';
import { createThrottle } from './vault/throttle.js';
import { createBrowserTraces, noTraces, type VaultTraces } from './vault/traces.js';
import { requireWebCrypto } from './web-crypto.js';

/** Keys behind a lock: the vault, who may open it, and the keys while it is open. What each does: `Keyring`. */
export interface Keys {
  state(): Promise<'empty' | 'locked' | 'unlocked' | 'missing'>;
  locked(): boolean;
  watch(listener: (locked: boolean) => void): () => void;
  create(secret: Secret, password: string, replaceMissing: boolean): Promise<Account>;
  add(secret: Secret): Promise<Account>;
  derive(path: string): Promise<Account>;
  accounts(): Promise<readonly Account[]>;
  unlock(password: string): Promise<void>;
  lock(): void;
  close(): void;
  changePassword(current: string, next: string): Promise<void>;
  /** @throws ProviderRpcError 4100 when locked */
  requireUnlocked(): void;
  /** Lends the key of `address` for the length of `use`. @throws ProviderRpcError 4100 */
  withKey<T>(address: Address, use: (privateKey: Uint8Array) => T): Promise<T>;
  /** Lends everything to somebody who knows the password, locked or not. @throws ProviderRpcError 4100 */
  withPassword<T>(password: string, use: (contents: Contents) => T | Promise<T>): Promise<T>;
}

const minute = 60_000;

export function createKeys(given: createKeys.Options): Keys {
  const options = own(given);
  const { storage, clock, random, kdf } = options;
  // What ends with the page leaves no trace, and no other page has it.
  const name = storage.durable === false ? null : (options.name ?? 'graft');
  const slots = createVaultSlots(storage, options.traces ?? (name ? createBrowserTraces(name) : noTraces));
  const exclusive = createMutex(name && `${name}.vault`);
  const throttle = createThrottle(storage, clock);
  const lock = createLock<HeldVault>({
    clock,
    idle: options.idleTimeout ?? 15 * minute,
    absolute: options.absoluteTimeout ?? 8 * 60 * minute,
    channelName: name && `${name}.keyring`,
  });

  let loading: Promise<VaultAccess> | null = null;
  const access = async (): Promise<VaultAccess> => {
    requireWebCrypto();
    loading ??= import('./vault/access.js').then(({ createVaultAccess }) =>
      createVaultAccess({ slots, random, now: clock.now, ...(kdf && { kdf }) }),
    );
    return loading.catch((error: unknown) => {
      loading = null; // The chunk did not arrive: the next call asks again.
      throw error;
    });
  };

  const requireHeld = (): HeldVault => {
    const held = lock.held();
    if (held === null) throw unauthorized('The wallet is locked.');
    return held;
  };
  /** Whoever locked while we worked meant it. */
  const keep = (next: HeldVault): HeldVault => {
    requireHeld();
    lock.replace(next);
    return next;
  };
  /** The open vault as other pages have left it. */
  const follow = async (): Promise<HeldVault> => {
    const next = await (await access()).follow(requireHeld());
    if (next !== null) return keep(next);
    lock.lock();
    throw unauthorized('The wallet is locked: its password was changed in another page.');
  };
  const openWith = async (password: string): Promise<HeldVault> => {
    lock.requireOpen();
    const vault = await access();
    return throttle(() => {
      lock.requireOpen(); // It may have waited.
      return vault.open(password);
    });
  };
  const accountOf = ({ accounts }: HeldVault, added: Contents): Account =>
    accounts.find((account) => account.address === added.accounts[0]?.address) as Account;

  /** Adds what `make` returns to the vault as other pages have left it, then wipes it. */
  const grow = (make: (contents: Contents) => Promise<Contents>): Promise<Account> =>
    exclusive(async () => {
      const { mergeContents, noContents, wipeContents } = await import('./vault/secrets.js');
      const held = await follow();
      lock.touch();
      let added = noContents;
      try {
        const vault = await access();
        const grown = await vault.rewrite(held, async (contents) => {
          added = await make(contents);
          return mergeContents(contents, added);
        });
        return accountOf(keep(grown), added);
      } finally {
        wipeContents(added);
      }
    });

  return {
    async state() {
      const { kind } = await slots.load();
      if (kind === 'empty' || kind === 'missing') return kind;
      return lock.held() === null ? 'locked' : 'unlocked';
    },
    locked: () => lock.held() === null,
    watch: lock.watch,

    async create(secret, password, replaceMissing) {
      requirePassword(password);
      const { readSecret, wipeContents } = await import('./vault/secrets.js');
      const contents = await readSecret(secret);
      try {
        const vault = await access();
        const held = await exclusive(() => {
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
      requireHeld();
      const { readSecret } = await import('./vault/secrets.js');
      const added = await readSecret(secret);
      return grow(async () => added);
    },
    async derive(path) {
      requireHeld();
      const { deriveAccount } = await import('./vault/secrets.js');
      return grow(async ({ mnemonics: [entropy] }) => {
        if (entropy === undefined) throw invalidParams('path: the wallet has no mnemonic to derive from');
        return { mnemonics: [], accounts: [await deriveAccount(entropy, path)] };
      });
    },
    accounts: async () => (await follow()).accounts,

    unlock: (password) =>
      exclusive(async () => {
        const held = await openWith(password);
        lock.unlock(await (await access()).settle(held, password));
      }),
    lock: lock.lock,
    close: lock.close,
    changePassword: (current, next) =>
      exclusive(async () => {
        requirePassword(next);
        const held = await openWith(current);
        lock.replace(await (await access()).rekey(held, next));
        lock.lockOthers();
      }),

    requireUnlocked: () => void requireHeld(),
    async withKey(address, use) {
      const { withContents } = await import('./vault/vault.js');
      let held = requireHeld();
      const isKnown = () => held.accounts.some((account) => account.address === address);
      // Another page may have added it.
      if (!isKnown()) held = await follow();
      if (!isKnown()) throw unauthorized('The wallet has no such account.');
      return withContents(held.vault, ({ accounts }) => {
        requireHeld();
        lock.touch();
        return use(accounts.find((account) => account.address === address)?.privateKey as Uint8Array);
      });
    },
    async withPassword(password, use) {
      const { withContents } = await import('./vault/vault.js');
      const { vault } = await exclusive(() => openWith(password));
      return withContents(vault, use);
    },
  };
}

export declare namespace createKeys {
  interface Options {
    readonly storage: Storage;
    readonly clock: Clock;
    readonly random: (length: number) => Uint8Array;
    readonly name?: string;
    readonly idleTimeout?: number;
    readonly absoluteTimeout?: number;
    readonly kdf?: Kdf;
    readonly traces?: VaultTraces;
  }
}

function requirePassword(password: string): void {
  if (typeof password !== 'string' || password === '') throw invalidParams('password: it must not be empty');
}
