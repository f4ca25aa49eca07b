import type { Clock } from '../async/clock.js';
import { unauthorized } from '../rpc/core-errors.js';
import { own } from '../rpc/own.js';
import type { Storage } from '../storage/storage.js';
import { type ByteArray, Bytes, partOf, setBytes, subtle, wipe } from './builtins.js';
import type { Term } from './lock.js';
import { decrypt, encrypt } from './vault/encryption.js';
import { canonical, isCount, isSealed, isVaultId, type Sealed, secretLength } from './vault/record.js';
import { newEpoch, unlocksEpochKey, unlocksKey } from './vault/slots.js';
import type { Secrets } from './vault/wraps.js';

/**
 * An unlock that several documents of the wallet's origin share, in two halves: a key, which stays in the memory of a
 * frame, and the secrets of the vault encrypted with it, in storage. Neither opens anything alone
 * (docs/notes/security.md#unlocks-in-two-halves).
 */
export interface SharedUnlockStore {
  /** Encrypts the secrets of a vault with a new key, for an unlock that begins now. Stores nothing. */
  seal(vaultId: string, secrets: Secrets): Promise<SealedUnlock>;
  /** Stores it beside those of the origin's other documents, the oldest of which gives way to it. */
  store(sealed: SealedUnlock): Promise<void>;
  /**
   * Decrypts an unlock with its half and lends it to `use`.
   * @throws ProviderRpcError 4100 if the origin shares no unlock, it has ended, or this is not its half
   */
  open<T>(half: CryptoKey, use: (opened: OpenUnlock) => Promise<T>): Promise<T>;
  /** Moves the end of this half's unlock, and resolves with it. @throws ProviderRpcError 4100 as {@link open} */
  renew(half: CryptoKey): Promise<number>;
}

export interface SealedUnlock {
  /** AES-256-GCM, not extractable. */
  readonly half: CryptoKey;
  /** Bound to no epoch yet. */
  readonly stored: StoredUnlock;
}

export interface OpenUnlock extends Term {
  readonly vaultId: string;
  readonly secrets: Secrets;
}

interface StoredUnlock extends Term, Sealed {
  readonly v: 1;
  /** The dapp whose frames and windows share it. */
  readonly origin: string;
  readonly vaultId: string;
}

const algorithm = { name: 'AES-GCM', length: 256 };
const dataKeyLength = 32;
/** Stored halves of an origin: one for each document in which the person unlocked. */
const maxUnlocks = 8;

export function createSharedUnlock(options: createSharedUnlock.Options): SharedUnlockStore {
  const { storage, origin, clock, idle, absolute } = options;

  const endAfter = (since: number): number => Math.min(clock.now() + idle(), since + absolute);

  /** Stores the unlocks that `change` leaves of those that last. */
  const write = (change: (unlocks: readonly StoredUnlock[]) => readonly StoredUnlock[]) =>
    storage.update('vault', unlocksKey, (current) => {
      const left = change(readUnlocks(current).filter(({ until }) => clock.now() < until));
      return left.length > 0 ? left : undefined;
    });
  const isOurs = (unlock: StoredUnlock) => unlock.origin === origin;
  const without = (unlocks: readonly StoredUnlock[], { iv }: StoredUnlock) =>
    unlocks.filter((unlock) => unlock.iv !== iv);
  const withAdded = (unlocks: readonly StoredUnlock[], added: StoredUnlock) => {
    const kept = unlocks.filter(isOurs).slice(1 - maxUnlocks);
    return [...unlocks.filter((unlock) => !isOurs(unlock) || kept.includes(unlock)), added];
  };

  const encryptAgain = async (
    half: CryptoKey,
    plain: ByteArray,
    head: Omit<StoredUnlock, 'iv' | 'ct'>,
    epoch: string,
  ): Promise<StoredUnlock> => ({ ...head, ...(await encrypt(half, plain, aadOf(head, epoch))) });

  const openStored = async <T>(
    half: CryptoKey,
    use: (stored: StoredUnlock, plain: ByteArray, epoch: string) => Promise<T>,
  ): Promise<T> => {
    const epoch = await storage.get('vault', unlocksEpochKey);
    const unlocks = readUnlocks(await storage.get('vault', unlocksKey)).filter(isOurs);
    for (const stored of unlocks.slice(-maxUnlocks)) {
      if (!isEpoch(epoch)) break;
      const plain = await decrypt(half, stored, aadOf(stored, epoch)).catch(() => null);
      if (plain === null) continue;
      try {
        const { since, until } = stored;
        // A clock that was set back would make the time longer.
        if (clock.now() >= since && clock.now() < Math.min(until, since + absolute))
          return await use(stored, plain, epoch);
      } finally {
        wipe(plain);
      }
      await write((all) => without(all, stored)).catch(() => {});
    }
    throw ended();
  };

  return {
    async seal(vaultId, { dataKey, secret }) {
      const half = (await subtle.generateKey(algorithm, false, ['encrypt', 'decrypt'])) as CryptoKey;
      const since = clock.now();
      const plain = new Bytes(dataKeyLength + secretLength);
      setBytes(plain, dataKey);
      setBytes(plain, secret, dataKeyLength);
      try {
        const head = { v: 1, origin, vaultId, since, until: endAfter(since) } as const;
        return { half, stored: await encryptAgain(half, plain, head, noEpoch) };
      } finally {
        wipe(plain);
      }
    },
    async store({ half, stored }) {
      const epoch = await storage.update('vault', unlocksEpochKey, (current) =>
        isEpoch(current) ? current : newEpoch(),
      );
      const plain = await decrypt(half, stored, aadOf(stored, noEpoch));
      try {
        const added = await encryptAgain(half, plain, stored, epoch as string);
        await write((unlocks) => withAdded(unlocks, added));
      } finally {
        wipe(plain);
      }
    },
    open: (half, use) =>
      openStored(half, ({ vaultId, since, until }, plain) => {
        const [dataKey, secret] = [partOf(plain, 0, dataKeyLength), partOf(plain, dataKeyLength)];
        return use({ vaultId, since, until, secrets: { dataKey, secret } });
      }),
    renew: (half) =>
      openStored(half, async (stored, plain, epoch) => {
        const until = endAfter(stored.since);
        const renewed = await encryptAgain(half, plain, { ...stored, until }, epoch);
        await write((unlocks) => {
          const others = without(unlocks, stored);
          // An unlock that ended during the encryption must not come back.
          if (others.length === unlocks.length) throw ended();
          return withAdded(others, renewed);
        });
        return until;
      }),
  };
}

export declare namespace createSharedUnlock {
  interface Options {
    readonly storage: Storage;
    /** The dapp whose unlocks are shared. */
    readonly origin: string;
    readonly clock: Clock;
    /** Milliseconds until an unlock that is not renewed ends. */
    readonly idle: () => number;
    /** Milliseconds until an unlock ends in any case. */
    readonly absolute: number;
  }
}

/** Epoch of an unlock that is not stored yet: no half opens it. */
const noEpoch = '';
const isEpoch = (value: unknown): value is string => typeof value === 'string' && value.length > 0;

/** The unlocks in storage; those of another shape are left out. */
function readUnlocks(value: unknown): readonly StoredUnlock[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((unlock: unknown) => {
    const { v, origin, vaultId, since, until, iv, ct } = own((unlock ?? {}) as StoredUnlock);
    try {
      const sound =
        v === 1 &&
        typeof origin === 'string' &&
        isVaultId(vaultId) &&
        isCount(since) &&
        isCount(until) &&
        isSealed({ iv, ct }, dataKeyLength + secretLength);
      return sound ? [{ v, origin, vaultId, since, until, iv, ct }] : [];
    } catch {
      return [];
    }
  });
}

const aadOf = (
  { v, origin, vaultId, since, until }: Omit<StoredUnlock, 'iv' | 'ct'>,
  epoch: string,
): string => canonical({ v, origin, vaultId, since, until, epoch });

const ended = () => unauthorized('The wallet is locked: the unlock that was shared has ended.');
