import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { Wallet } from 'ethers';
import { describe, expect, test } from 'vitest';
import { exportKeystore, importKeystore } from '../../../src/keyring/keystore-v3.js';
import { keystores } from '../../support/vectors.js';

const key = hexToBytes('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const quick = { name: 'scrypt', N: 1_024, r: 8, p: 1 } as const;
const scryptFile = (keystores[0] as (typeof keystores)[0]).json;
const lightFile = (keystores[2] as (typeof keystores)[0]).json;

/** A copy of a keystore with dotted paths replaced; `undefined` deletes. */
function patched(file: object, patch: Record<string, unknown>): string {
  const copy = structuredClone(file) as Record<string, unknown>;
  for (const [path, value] of Object.entries(patch)) {
    const keys = path.split('.');
    const last = keys.pop() as string;
    const parent = keys.reduce((node, name) => node[name] as Record<string, unknown>, copy);
    if (value === undefined) delete parent[last];
    else parent[last] = value;
  }
  return JSON.stringify(copy);
}

describe('importKeystore', () => {
  test.each(keystores)('$name', async ({ json, password, privateKey }) => {
    expect(`0x${bytesToHex(await importKeystore(JSON.stringify(json), password))}`).toBe(privateKey);
  });

  test('Crypto for crypto, 0x before digits, capitals', async () => {
    const { crypto, ...rest } = lightFile as { crypto: { mac: string; ciphertext: string } };
    const file = {
      ...rest,
      Crypto: { ...crypto, mac: `0x${crypto.mac.toUpperCase()}`, ciphertext: `0x${crypto.ciphertext}` },
    };
    expect(await importKeystore(JSON.stringify(file), 'foo')).toHaveLength(32);
  });

  test('an IV that lost its leading zero', async () => {
    let file = '';
    for (let first = 255; first >= 16; ) {
      file = await exportKeystore(key, 'x', { ...quick, N: 2 });
      first = Number.parseInt(JSON.parse(file).crypto.cipherparams.iv.slice(0, 2), 16);
    }
    const odd = patched(JSON.parse(file), {
      'crypto.cipherparams.iv': JSON.parse(file).crypto.cipherparams.iv.slice(1),
    });
    expect(await importKeystore(odd, 'x')).toEqual(key);
  });

  test('a password in another normal form', async () => {
    const file = await exportKeystore(key, 'é'.normalize('NFC'), quick);
    expect(await importKeystore(file, 'é'.normalize('NFD'))).toEqual(key);
  });

  const pbkdf2 = (parameters: object) => ({
    'crypto.kdf': 'pbkdf2',
    'crypto.kdfparams': { c: 262_144, dklen: 32, prf: 'hmac-sha256', salt: '00', ...parameters },
  });
  test.each<[string, string, string]>([
    ['import-001', '{', 'JSON'],
    ['a list', '[]', 'keystore'],
    ['null', 'null', 'keystore'],
    ['import-002', patched(scryptFile, { version: 4 }), 'version'],
    ['no crypto', patched(scryptFile, { crypto: undefined }), 'crypto'],
    ['import-003', patched(scryptFile, { 'crypto.kdf': 'argon9' }), 'kdf'],
    ['import-004', patched(scryptFile, { 'crypto.cipher': 'aes-256-cbc' }), 'cipher'],
    ['import-005', patched(scryptFile, { 'crypto.kdfparams.n': 1_073_741_824 }), 'too expensive'],
    ['import-006', patched(scryptFile, { 'crypto.kdfparams.n': 1_000 }), 'kdfparams'],
    ['import-007', patched(scryptFile, { 'crypto.kdfparams.r': 1_048_576 }), 'too expensive'],
    ['import-008', patched(scryptFile, pbkdf2({ c: 2_147_483_648 })), 'too expensive'],
    ['import-009', patched(scryptFile, { 'crypto.kdfparams.dklen': 16 }), 'dklen'],
    ['import-010', patched(scryptFile, pbkdf2({ prf: 'hmac-sha1' })), 'prf'],
    ['import-012', patched(scryptFile, { 'crypto.ciphertext': '' }), 'ciphertext'],
    ['33 bytes', patched(scryptFile, { 'crypto.ciphertext': '00'.repeat(33) }), 'ciphertext'],
    ['no salt', patched(scryptFile, { 'crypto.kdfparams.salt': undefined }), 'salt'],
    ['mac not hexadecimal', patched(scryptFile, { 'crypto.mac': 'zz' }), 'mac'],
    ['iv of 15 bytes', patched(scryptFile, { 'crypto.cipherparams.iv': '00'.repeat(15) }), 'iv'],
    ['address of 19 bytes', patched(scryptFile, { address: '00'.repeat(19) }), 'address'],
  ])('%s, before anything is derived', async (_name, json, includes) => {
    const start = performance.now();
    await expect(importKeystore(json, 'testpassword')).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(includes),
    });
    expect(performance.now() - start).toBeLessThan(400);
  });

  test('import-013, the address is not of the key', async () => {
    await expect(
      importKeystore(patched(lightFile, { address: '00'.repeat(20) }), 'foo'),
    ).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('address'),
    });
  });

  test('a wrong password and a changed file look the same, and show neither', async () => {
    const wrong = await importKeystore(JSON.stringify(lightFile), 'hunter2').catch((error) => error);
    const changed = await importKeystore(
      patched(lightFile, { 'crypto.ciphertext': '00'.repeat(31) }),
      'foo',
    ).catch((error) => error);
    expect(wrong).toMatchObject({ code: -32602 });
    expect(wrong.message).toBe(changed.message);
    expect(JSON.stringify([wrong.message, wrong.stack, wrong.data])).not.toContain('hunter2');
  });
});

describe('exportKeystore', () => {
  test('n = 2^17, and ethers opens it', async () => {
    const json = await exportKeystore(key, 'correct horse');
    const file = JSON.parse(json);
    expect(file).toMatchObject({
      version: 3,
      address: 'f39fd6e51aad88f6f4ce6ab8827279cfffb92266',
      crypto: { cipher: 'aes-128-ctr', kdf: 'scrypt', kdfparams: { n: 131_072, r: 8, p: 1, dklen: 32 } },
    });
    expect(file.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(json).not.toContain(bytesToHex(key));
    expect((await Wallet.fromEncryptedJson(json, 'correct horse')).privateKey).toBe(`0x${bytesToHex(key)}`);
  });

  test('an exported key can be imported, and no two exports are equal', async () => {
    const files = await Promise.all([1, 2].map(() => exportKeystore(key, 'pä🦊', quick)));
    for (const file of files) expect(await importKeystore(file, 'pä🦊')).toEqual(key);
    expect(files[0]).not.toBe(files[1]);
  });
});
