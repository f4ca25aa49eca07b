import { type Contents, encodeContents } from '../../../src/keyring/vault/contents.js';
import {
  agreeKey,
  createPair,
  deriveKey,
  encrypt,
  importMaterial,
} from '../../../src/keyring/vault/encryption.js';
import {
  canonical,
  encodeBase64Url,
  type LegacyPairWrap,
  type VaultRecord,
} from '../../../src/keyring/vault/record.js';
import type { VaultTraces } from '../../../src/keyring/vault/traces.js';
import { identityOf, type NewPasskey, passkeyKey } from '../../../src/keyring/vault/wraps.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import type { Storage } from '../../../src/storage/storage.js';
import { createFakeAuthenticator, type FakeAuthenticator } from '../../support/fake-authenticator.js';
import { type StoredVault, vaultV1, vaultV2 } from '../../support/vectors.js';
import { createProfile } from './profile.js';
import { createMemoryTraces } from './traces.js';

/** Vaults that earlier versions have written, as a browser keeps them. */

/** The password of all of them that have one. */
export const oldPassword = 'correct horse';
/** The accounts of all of them. */
export const oldAccounts = [
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a',
] as const;

export type OldVault = keyof typeof oldVaults;

export const oldVaults = {
  ...vaultV2,
  'version 1': { ...vaultV1, sentinel: null, copy: null } as StoredVault,
} as const;

/** The devices whose passkeys are in the recorded vaults. */
const devices: Readonly<Partial<Record<OldVault, readonly string[]>>> = {
  passkeys: ['v2 passkeys', 'v2 passkeys, laptop'],
  'passkey only': ['v2 passkey only'],
  full: Array.from({ length: 15 }, (_, at) => `v2 full, ${at}`),
};

export type Place = 'slot-a' | 'slot-b' | 'pointer' | 'sentinel' | 'copy';
export const places: readonly Place[] = ['slot-a', 'slot-b', 'pointer', 'sentinel', 'copy'];

/** Puts what a browser kept into a profile, over what is there. A place that is `without` stays as it is. */
export async function putBack(
  { storage, traces }: { readonly storage: Storage; readonly traces: VaultTraces },
  stored: StoredVault,
  without: readonly Place[] = [],
): Promise<void> {
  for (const place of places) {
    if (without.includes(place)) continue;
    if (place === 'sentinel') {
      if (stored.sentinel) traces.setSentinel(stored.sentinel);
      else traces.dropSentinel();
    } else if (place === 'copy') await (stored.copy ? traces.setCopy(stored.copy) : traces.dropCopy());
    else await storage.update('vault', place, () => stored[place]);
  }
}

/** What a profile keeps of its vault. */
export async function keptIn({
  storage,
  traces,
}: {
  readonly storage: Storage;
  readonly traces: VaultTraces;
}): Promise<StoredVault> {
  const kept: Record<string, unknown> = {};
  for (const key of ['slot-a', 'slot-b', 'pointer'] as const) {
    const value = await storage.get('vault', key);
    if (value !== undefined) kept[key] = value;
  }
  return { ...kept, sentinel: traces.sentinel(), copy: await traces.copy() } as StoredVault;
}

/** The devices of the persons whose passkeys are in a recorded vault, each with its passkey. */
export const devicesOf = (name: OldVault): Promise<FakeAuthenticator[]> =>
  Promise.all(
    (devices[name] ?? []).map(async (device) => {
      const authenticator = createFakeAuthenticator({}, device);
      const publicKey = { rp: { id: 'app.example' }, user: { name: device }, extensions: { prf: {} } };
      await authenticator.create({ publicKey: publicKey as PublicKeyCredentialCreationOptions });
      return authenticator;
    }),
  );

/** A profile with a vault of an earlier version. Its pages know `known` from their session. */
export async function createOldProfile(
  name: OldVault,
  without: readonly Place[] = [],
  known: readonly string[] = oldAccounts,
) {
  const profile = createProfile(createMemoryStorage(), createMemoryTraces());
  await putBack(profile, oldVaults[name], without);
  const authenticators = await devicesOf(name);
  return {
    ...profile,
    authenticators,
    page: (options: Parameters<typeof profile.page>[0] = {}) =>
      profile.page({
        knownAccounts: () => known as never,
        ...(authenticators[0] && { authenticator: authenticators[0] }),
        ...options,
      }),
    kept: () => keptIn(profile),
  };
}

/**
 * Writes a vault of version 2 without its password, as anybody who can write the storage could: a data key of their own,
 * encrypted to the public keys that lie in a genuine record, and a way of their own beside them.
 */
export async function forgeVersion2(
  genuine: VaultRecord,
  contents: Contents,
  planted?: NewPasskey,
): Promise<VaultRecord> {
  const dataKey = crypto.getRandomValues(new Uint8Array(32));
  const gen = genuine.gen + 1;
  const { vaultId, createdAt } = genuine;
  const wrapFor = async (wrap: LegacyPairWrap): Promise<LegacyPairWrap> => {
    const { publicKey: ephemeral, privateKey } = await createPair();
    const key = await agreeKey(privateKey, wrap.pair.publicKey, 'rw/v2/kek/ecdh', ephemeral);
    const identity = { ...identityOf(wrap), publicKey: wrap.pair.publicKey, ephemeral };
    const sealed = await encrypt(key, dataKey, `2|${vaultId}|${gen}|wrap|${canonical(identity)}`);
    return { ...wrap, gen, dataKey: { ephemeral, ...sealed } };
  };
  const wraps = await Promise.all((genuine.wraps as readonly LegacyPairWrap[]).map(wrapFor));
  if (planted !== undefined) {
    const { material: _, ...identity } = planted;
    const { publicKey, privateKey } = await createPair();
    const head = { id: 'planted', type: 'prf', ...identity };
    const key = await passkeyKey(planted, 'rw/v1/kek/prf');
    const aad = `2|${vaultId}|pair|${canonical({ ...identityOf(head), publicKey })}`;
    const pair = { publicKey, ...(await encrypt(key, privateKey, aad)) };
    wraps.push(await wrapFor({ ...head, pair } as unknown as LegacyPairWrap));
  }
  const material = await importMaterial(dataKey);
  const payloadKey = await deriveKey(material, 'rw/v1/payload', 'AES-GCM');
  const payload = await encrypt(payloadKey, encodeContents(contents), `2|${vaultId}|${gen}|payload|`);
  const unsigned = { v: 2 as const, vaultId, gen, createdAt, wraps, payload };
  const macKey = await deriveKey(material, 'rw/v1/hdr-mac', 'HMAC');
  const mac = await crypto.subtle.sign('HMAC', macKey, new TextEncoder().encode(canonical(unsigned)));
  return { ...unsigned, mac: encodeBase64Url(new Uint8Array(mac)) };
}

/** A record as a browser keeps it, with a pointer, a sentinel and a copy that fit. */
export async function storedAs(record: VaultRecord, v?: number): Promise<StoredVault> {
  const { vaultId, gen } = record;
  const bytes = new TextEncoder().encode(canonical(record));
  const digest = encodeBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
  const version = v === undefined ? {} : { v };
  return {
    'slot-a': record as unknown as Record<string, unknown>,
    pointer: { slot: 'slot-a', vaultId, gen, digest, ...version },
    sentinel: { vaultId, gen, ...version },
    copy: record as unknown as Record<string, unknown>,
  };
}
