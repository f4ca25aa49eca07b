import { type ByteArray, wipe } from '../builtins.js';
import { isConsistent } from './claimed-addresses.js';
import { agreeKey, decrypt, deriveKey, importMaterial } from './encryption.js';
import { canonical, type DirectWrap, type LegacyPairWrap, type VaultRecord } from './record.js';
import { isGenuine, type OpenVault, refusal, withContents } from './vault.js';
import { identityOf, type Opener, openWraps } from './wraps.js';

/**
 * Opens records of the versions 1 and 2, which this build no longer writes. A record of version 2 proves nothing: a
 * writer of the storage can wrap a data key of their own to its public keys (docs/notes/security.md#vault-format).
 */

/**
 * Opens a record whose contents are consistent ({@link isConsistent}).
 * @throws ProviderRpcError 4100, with one message for a wrong password and a damaged record
 */
export async function openLegacyVault(record: VaultRecord, opener: Opener): Promise<OpenVault> {
  for await (const dataKey of unwrap(record, opener)) {
    try {
      const material = await importMaterial(dataKey);
      const keys = {
        payload: await deriveKey(material, 'rw/v1/payload', 'AES-GCM'),
        header: await deriveKey(material, 'rw/v1/hdr-mac', 'HMAC'),
      };
      const vault = { record, keys };
      if ((await isGenuine(vault)) && (await withContents(vault, isConsistent))) return vault;
    } finally {
      wipe(dataKey);
    }
  }
  throw refusal(opener);
}

const purposes = { password: 'rw/v1/kek/pw', passkey: 'rw/v1/kek/prf' };

/** The data keys that `opener` decrypts. The caller wipes them. */
const unwrap = (record: VaultRecord, opener: Opener) =>
  openWraps(record, opener, purposes, (wrap, key) =>
    record.v === 1
      ? openDirect(record, wrap as DirectWrap, key)
      : openPair(record, wrap as LegacyPairWrap, key),
  );

const openDirect = async ({ vaultId }: VaultRecord, wrap: DirectWrap, key: CryptoKey) => {
  const { id, type, kdf, gen } = wrap;
  return decrypt(key, wrap, `1|${vaultId}|${gen}|wrap|${canonical({ id, type, kdf })}`);
};

async function openPair({ vaultId }: VaultRecord, wrap: LegacyPairWrap, key: CryptoKey): Promise<ByteArray> {
  const { pair, dataKey, gen } = wrap;
  const { ephemeral } = dataKey;
  const identity = { ...identityOf(wrap), publicKey: pair.publicKey };
  const privateKey = await decrypt(key, pair, `2|${vaultId}|pair|${canonical(identity)}`);
  try {
    const agreed = await agreeKey(privateKey, ephemeral, 'rw/v2/kek/ecdh', ephemeral);
    const aad = `2|${vaultId}|${gen}|wrap|${canonical({ ...identity, ephemeral })}`;
    return await decrypt(agreed, dataKey, aad);
  } finally {
    wipe(privateKey);
  }
}
