import { afterEach, expect } from 'vitest';
import type { Credential } from '../../../src/approvals/owner.js';
import type { Kdf } from '../../../src/keyring/kdf/kdf.js';
import { createKeyring, type Keyring } from '../../../src/keyring/keyring.js';
import { openLegacyVault } from '../../../src/keyring/vault/legacy.js';
import { readVaultRecord } from '../../../src/keyring/vault/record.js';
import type { VaultTraces } from '../../../src/keyring/vault/traces.js';
import { openVault } from '../../../src/keyring/vault/vault.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import type { Storage } from '../../../src/storage/storage.js';
import { createTestClock } from './clock.js';
import { createMemoryTraces } from './traces.js';

/** A key derivation that takes no time. */
export const quickKdf: Kdf = { name: 'scrypt', N: 2, r: 8, p: 1 };

const open: Keyring[] = [];
afterEach(() => Promise.allSettled(open.splice(0).map((keyring) => keyring.lock())));

/** A browser profile: what several pages of one origin, and the pages after a reload, share. */
export function createProfile(
  storage: Storage = createMemoryStorage(),
  traces: VaultTraces = createMemoryTraces(),
) {
  const clock = createTestClock();
  return {
    storage,
    traces,
    clock,
    page(options: Partial<createKeyring.Options> = {}) {
      const keyring = createKeyring({ storage, traces, clock, kdf: quickKdf, ...options });
      open.push(keyring);
      return keyring;
    },
  };
}

/** Whether the keyring opens; every other error than a refusal fails the test. */
export const works = async (keyring: Keyring, credential: Credential): Promise<boolean> =>
  keyring.unlock(credential).then(
    () => true,
    (error) => {
      expect(error).toMatchObject({ code: 4100 });
      return false;
    },
  );

/** The generations of all records, wherever they are kept, that `password` opens. */
export async function opening(
  password: string,
  { storage, traces }: { storage: Storage; traces: VaultTraces },
): Promise<readonly number[]> {
  const kept = [...(await storage.all('vault')), await traces.copy()].map(readVaultRecord);
  const opened = kept.map(async (each) => {
    if (each.kind !== 'record') return [];
    const open = each.record.v < 3 ? openLegacyVault : openVault;
    return open(each.record, password).then(
      ({ record }) => [record.gen],
      () => [],
    );
  });
  return (await Promise.all(opened)).flat();
}
