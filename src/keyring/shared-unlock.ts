import type { Clock } from '../async/clock.js';
import { Bytes, partOf, setBytes, subtle, wipe } from '../builtins.js';
import { unauthorized } from '../rpc/core-errors.js';
import { own } from '../rpc/own.js';
import type { Storage } from '../storage/storage.js';
import type { Term } from './auto-lock.js';
import { decrypt, encrypt } from './vault/encryption.js';
import { byteLength, canonical, isCount, isVaultId, type Sealed, secretLength } from './vault/record.js';
import { unlocksKey } from './vault/slots.js';
import type { Secrets } from './vault/wraps.js';

/**
 * An unlock that several documents of the wallet's origin share, in two halves: a key, which stays in the memory of a
 * frame, and the secrets of the vault encrypted with it, in storage. Neither opens anything alone
 * (docs/notes/security.md#unlocks-in-two-halves).
 */
export interface SharedUnlock {
  /** Encrypts the secrets of a vault with a new key, for an unlock that begins now. Stores nothing. */
  seal(vaultId: string, secrets: Secrets): Promise<SealedUnlock>;
  /** Stores it in place of the origin's earlier one. */
  store(sealed: SealedUnlock): Promise<void>;
  /**
   * Lends what the half decrypts to `use`.
   * @throws ProviderRpcError 4100 if the origin shares no unlock, it has ended, or this is not its half
   */
  open<T>(half: CryptoKey, use: (opened: OpenUnlock) => Promise<T>): Promise<T>;
  /** Moves the end of the unlock, and resolves with it. @throws ProviderRpcError 4100 as {@link open} */
  renew(half: CryptoKey): Promise<number>;
}

export interface SealedUnlock {
  /** AES-256-GCM, not extractable. */
  readonly half: CryptoKey;
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

export function createSharedUnlock(options: createSharedUnlock.Options): SharedUnlock {
  const { storage, origin, clock, idle, absolute, random } = options;

  const endAfter = (since: number): number => Math.min(clock.now() + idle(), since + absolute);

  /** Deletes the origin's unlock, and all that have ended, beside writing `next`. */
  const write = (next: StoredUnlock | null, requirePresent: (present: StoredUnlock | undefined) => void) =>
    storage.update('vault', unlocksKey, (current) => {
      const unlocks = readUnlocks(current);
      requirePresent(unlocks.find((unlock) => unlock.origin === origin));
      const others = unlocks.filter((unlock) => unlock.origin !== origin && clock.now() < unlock.until);
      const left = next === null ? others : [...others, next];
      return left.length > 0 ? left : undefined;
    });

  const encryptAgain = async (
    half: CryptoKey,
    plain: Uint8Array<ArrayBuffer>,
    head: Omit<StoredUnlock, 'iv' | 'ct'>,
  ): Promise<StoredUnlock> => ({ ...head, ...(await encrypt(half, plain, aadOf(head), random)) });

  const openStored = async <T>(
    half: CryptoKey,
    use: (stored: StoredUnlock, plain: Uint8Array<ArrayBuffer>) => Promise<T>,
  ): Promise<T> => {
    const unlocks = readUnlocks(await storage.get('vault', unlocksKey));
    const stored = unlocks.find((unlock) => unlock.origin === origin);
    if (stored === undefined) throw ended();
    const { since, until } = stored;
    // A clock that was set back would make the time longer.
    if (clock.now() < since || clock.now() >= Math.min(until, since + absolute)) {
      await write(null, () => {}).catch(() => {});
      throw ended();
    }
    const plain = await decrypt(half, stored, aadOf(stored)).catch(() => {
      throw ended();
    });
    try {
      return await use(stored, plain);
    } finally {
      wipe(plain);
    }
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
        return { half, stored: await encryptAgain(half, plain, head) };
      } finally {
        wipe(plain);
      }
    },
    async store({ stored }) {
      await write(stored, () => {});
    },
    open: (half, use) =>
      openStored(half, ({ vaultId, since, until }, plain) => {
        const [dataKey, secret] = [partOf(plain, 0, dataKeyLength), partOf(plain, dataKeyLength)];
        return use({ vaultId, since, until, secrets: { dataKey, secret } });
      }),
    renew: (half) =>
      openStored(half, async ({ iv, ct: _ct, ...head }, plain) => {
        const until = endAfter(head.since);
        const renewed = await encryptAgain(half, plain, { ...head, until });
        // One that was ended meanwhile must not come back.
        await write(renewed, (present) => {
          if (present?.iv !== iv) throw ended();
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
    readonly random: (length: number) => Uint8Array;
  }
}

/** The unlocks in storage; those of another shape are left out. */
function readUnlocks(value: unknown): readonly StoredUnlock[] {
  if (!Array.isArray(value)) return [];
  return value.filter((unlock: unknown) => {
    const { v, origin, vaultId, since, until, iv, ct } = own((unlock ?? {}) as StoredUnlock);
    try {
      return (
        v === 1 &&
        typeof origin === 'string' &&
        isVaultId(vaultId) &&
        isCount(since) &&
        isCount(until) &&
        byteLength(iv) === 12 &&
        byteLength(ct) === dataKeyLength + secretLength + 16
      );
    } catch {
      return false;
    }
  });
}

const aadOf = ({ v, origin, vaultId, since, until }: Omit<StoredUnlock, 'iv' | 'ct'>): string =>
  canonical({ v, origin, vaultId, since, until });

const ended = () => unauthorized('The wallet is locked: the unlock that was shared has ended.');
