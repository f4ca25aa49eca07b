import { bytesToHex, hexToBytes, randomBytes } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import type { Kdf } from '../../../../src/keyring/kdf/kdf.js';
import type { Contents } from '../../../../src/keyring/vault/contents.js';
import {
  canonical,
  decodeBase64Url,
  encodeBase64Url,
  type PasswordWrap,
  readVaultRecord,
  type VaultRecord,
} from '../../../../src/keyring/vault/record.js';
import {
  isWeak,
  type OpenVault,
  openVault,
  reopenVault,
  resealVault,
  sealVault,
  type VaultOptions,
  withContents,
} from '../../../../src/keyring/vault/vault.js';

const quick: Kdf = { name: 'scrypt', N: 1_024, r: 8, p: 1 };
const options: VaultOptions = { random: randomBytes, kdf: quick };
const key = hexToBytes('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const entropy = hexToBytes('0c1e24e5917779d297e14d45f14e1a1a');
const contents = (): Contents => ({
  mnemonics: [Uint8Array.from(entropy)],
  accounts: [
    { address: `0x${'f3'.repeat(20)}`, privateKey: Uint8Array.from(key), path: "m/44'/137'/0'/0/0" },
    { address: `0x${'0a'.repeat(20)}`, privateKey: Uint8Array.from(key).reverse(), path: null },
  ],
});
const header = { vaultId: 'vault-1', gen: 1, createdAt: 1_767_225_600_000 };
const seal = (password = 'correct horse', at = header, using = options) =>
  sealVault(contents(), password, at, using);
const copyOf = (vault: OpenVault) => withContents(vault, (lent) => structuredClone(lent));
const refused = { code: 4100, message: 'Wrong password, or the vault is damaged.' };

/** Every way to change one leaf of a record: the path of it, and the record changed. */
function* changes(record: VaultRecord): Generator<[path: string, changed: VaultRecord]> {
  function* leaves(node: unknown, path: string[]): Generator<string[]> {
    if (typeof node !== 'object' || node === null) yield path;
    else for (const [name, member] of Object.entries(node)) yield* leaves(member, [...path, name]);
  }
  for (const path of leaves(record, [])) {
    const changed = structuredClone(record) as unknown as Record<string, unknown>;
    const last = path.at(-1) as string;
    const parent = path.slice(0, -1).reduce((node, name) => node[name] as Record<string, unknown>, changed);
    const value = parent[last];
    if (typeof value === 'number')
      parent[last] = path.includes('kdf') && last === 'N' ? value * 2 : value + 1;
    else if (/^(salt|iv|ct|mac)$/.test(last)) {
      const bytes = decodeBase64Url(value as string);
      const at = Math.floor(Math.random() * bytes.length);
      bytes[at] = (bytes[at] as number) ^ (1 << Math.floor(Math.random() * 8));
      parent[last] = encodeBase64Url(bytes);
    } else parent[last] = `${value}x`;
    yield [path.join('.'), changed as unknown as VaultRecord];
  }
}

const opens = async (value: unknown, password = 'correct horse'): Promise<boolean> => {
  const reading = readVaultRecord(value);
  if (reading.kind !== 'record') return false;
  try {
    return (await copyOf(await openVault(reading.record, password))).accounts.length > 0;
  } catch (error) {
    expect(error).toMatchObject(refused);
    return false;
  }
};

describe('sealVault, openVault', () => {
  test('a sealed vault opens with its password only', async () => {
    const { record } = await seal();
    expect(readVaultRecord(structuredClone(record))).toEqual({ kind: 'record', record });
    expect(await copyOf(await openVault(record, 'correct horse'))).toEqual(contents());
    for (const password of ['correct hors', 'Correct horse', '', 'correct horse '])
      await expect(openVault(record, password)).rejects.toMatchObject(refused);
  });

  test('the record is format v1', async () => {
    const { record } = await seal();
    expect(record).toEqual({
      v: 1,
      vaultId: 'vault-1',
      gen: 1,
      createdAt: 1_767_225_600_000,
      wraps: [
        {
          id: expect.any(String),
          type: 'password',
          gen: 1,
          kdf: { ...quick, salt: expect.any(String) },
          iv: expect.any(String),
          ct: expect.any(String),
        },
      ],
      payload: { iv: expect.any(String), ct: expect.any(String) },
      mac: expect.any(String),
    });
    const [wrap] = record.wraps as [PasswordWrap];
    const lengths = [wrap.kdf.salt, wrap.iv, wrap.ct, record.payload.iv, record.mac].map(
      (text) => decodeBase64Url(text).length,
    );
    expect(lengths).toEqual([32, 12, 48, 12, 32]);
    // In whole KiB, and GCM's tag.
    expect(decodeBase64Url(record.payload.ct).length).toBe(1_024 + 16);
  });

  test('the strong derivation by default, in about a second', async () => {
    const { record } = await seal('correct horse', header, { random: randomBytes });
    expect((record.wraps[0] as PasswordWrap).kdf).toMatchObject({ name: 'scrypt', N: 131_072, r: 8, p: 1 });
    expect(isWeak(record)).toBe(false);
    const start = performance.now();
    await openVault(record, 'correct horse');
    // Other suites run beside this one: the benchmark has the figure.
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  test('the password counts in any normal form', async () => {
    const { record } = await seal('café'.normalize('NFD'));
    await expect(openVault(record, 'café'.normalize('NFC'))).resolves.toBeDefined();
  });

  test('nothing of it is in the record in plain, nor twice the same', async () => {
    const records = await Promise.all([seal(), seal()]);
    const texts = records.map(({ record }) => JSON.stringify(record));
    for (const text of texts)
      for (const secret of [
        key,
        Uint8Array.from(key).reverse(),
        entropy,
        new TextEncoder().encode('correct horse'),
      ])
        for (const form of [
          bytesToHex(secret),
          encodeBase64Url(secret),
          Buffer.from(secret).toString('base64'),
        ])
          expect(text).not.toContain(form);
    const random = texts.map((text) => text.match(/"[\w-]{11,}"/g)?.filter((each) => each !== '"createdAt"'));
    expect(random[0]?.filter((each) => random[1]?.includes(each))).toEqual([]);
  });

  test('any one change to any field closes it', async () => {
    const { record } = await seal();
    const paths: string[] = [];
    for (let round = 0; round < 3; round++)
      for (const [path, changed] of changes(record)) {
        paths.push(path);
        expect([path, await opens(changed)]).toEqual([path, false]);
      }
    expect(paths).toContain('wraps.0.kdf.salt');
    expect(paths).toContain('payload.ct');
    expect(paths).toContain('gen');
    expect(await opens(record)).toBe(true);
  });

  test('parts of another generation or vault do not fit', async () => {
    const first = await seal();
    const second = await resealVault(first, contents(), options);
    const other = await seal('correct horse', { ...header, vaultId: 'vault-2' });
    const rekeyed = await seal('correct horse', { ...header, gen: 2 });
    const records = [first, second, other, rekeyed].map((vault) => vault.record);
    for (const record of records) {
      expect(await opens(record)).toBe(true);
      for (const donor of records) {
        if (donor === record) continue;
        for (const part of ['gen', 'vaultId', 'wraps', 'payload', 'mac'] as const) {
          if (canonical(donor[part]) === canonical(record[part])) continue;
          expect([part, await opens({ ...record, [part]: donor[part] })]).toEqual([part, false]);
        }
        const mixed = { ...record, payload: donor.payload, mac: donor.mac, gen: donor.gen };
        if (canonical(mixed) !== canonical(donor)) expect(await opens(mixed)).toBe(false);
      }
    }
  });

  test('even with a header that is made genuine again, nothing fits elsewhere', async () => {
    const first = await seal();
    const second = await resealVault(first, { ...contents(), mnemonics: [] }, options);
    const sign = async (changed: object) => {
      const { mac: _, ...unsigned } = { ...second.record, ...changed };
      const bytes = new TextEncoder().encode(canonical(unsigned));
      const mac = new Uint8Array(await crypto.subtle.sign('HMAC', second.keys.header, bytes));
      return { ...unsigned, mac: encodeBase64Url(mac) };
    };
    const [wrap] = second.record.wraps as [PasswordWrap];
    expect(await opens(await sign({}))).toBe(true);
    expect(await opens(await sign({ createdAt: 0 }))).toBe(true);
    for (const changed of [
      { payload: first.record.payload },
      { gen: 3 },
      { vaultId: 'vault-2' },
      { wraps: [{ ...wrap, id: 'other' }] },
      { wraps: [{ ...wrap, gen: 2 }] },
    ])
      expect([changed, await opens(await sign(changed))]).toEqual([changed, false]);
  });

  test('ways in cannot be added or stripped; unknown ones are kept and covered', async () => {
    const { record } = await seal();
    const mine = await seal('mine');
    expect(await opens({ ...record, wraps: [...record.wraps, ...mine.record.wraps] })).toBe(false);
    expect(await opens({ ...record, wraps: [...record.wraps, ...mine.record.wraps] }, 'mine')).toBe(false);
    expect(await opens({ ...record, wraps: [] })).toBe(false);
    const passkey = { id: 'p', type: 'prf', gen: 1, credentialId: 'AA' };
    expect(await opens({ ...record, wraps: [...record.wraps, passkey] })).toBe(false);
    expect(await opens({ ...record, extra: 1 })).toBe(false);
  });
});

describe('resealVault, reopenVault', () => {
  test('the next generation needs no password, and the same one opens it', async () => {
    const first = await seal();
    const second = await resealVault(first, { ...contents(), accounts: [] }, options);
    expect(second.record.gen).toBe(2);
    expect(second.record.wraps).toEqual(first.record.wraps);
    expect(second.record.payload.iv).not.toBe(first.record.payload.iv);
    expect((await copyOf(await openVault(second.record, 'correct horse'))).accounts).toEqual([]);
    expect((await copyOf((await reopenVault(first, second.record))!)).accounts).toEqual([]);
  });

  test('another data key or vault is not followed', async () => {
    const first = await seal();
    expect(await reopenVault(first, (await seal('correct horse', { ...header, gen: 2 })).record)).toBeNull();
    const forged = { ...first.record, gen: 2 };
    expect(await reopenVault(first, forged)).toBeNull();
  });

  test('contents are wiped after use, whatever happened', async () => {
    const vault = await seal();
    let lent: Contents | undefined;
    await expect(
      withContents(vault, (borrowed) => {
        lent = borrowed;
        throw new Error('in use');
      }),
    ).rejects.toThrow('in use');
    expect(lent?.accounts[0]?.privateKey).toEqual(new Uint8Array(32));
    expect(lent?.mnemonics[0]).toEqual(new Uint8Array(16));
  });

  test('the keys in an open vault cannot be read out', async () => {
    const { keys } = await seal();
    for (const each of [keys.payload, keys.header]) {
      expect(each.extractable).toBe(false);
      await expect(crypto.subtle.exportKey('raw', each)).rejects.toThrow();
    }
  });
});
