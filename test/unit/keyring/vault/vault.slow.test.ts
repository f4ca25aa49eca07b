import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import type { Kdf } from '../../../../src/keyring/kdf/kdf.js';
import type { Contents } from '../../../../src/keyring/vault/contents.js';
import { openLegacyVault } from '../../../../src/keyring/vault/legacy.js';
import {
  canonical,
  decodeBase64Url,
  encodeBase64Url,
  type PairWrap,
  type PasskeyWrap,
  type PasswordWrap,
  readVaultRecord,
  type VaultRecord,
} from '../../../../src/keyring/vault/record.js';
import {
  isWeak,
  type OpenVault,
  openVault,
  rekeyVault,
  reopenVault,
  resealVault,
  sealVault,
  withContents,
} from '../../../../src/keyring/vault/vault.js';
import type { NewPasskey, Opener } from '../../../../src/keyring/vault/wraps.js';
import { vaultV1 } from '../../../support/vectors.js';

const quick: Kdf = { name: 'scrypt', N: 1_024, r: 8, p: 1 };
const key = hexToBytes('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const entropy = hexToBytes('0c1e24e5917779d297e14d45f14e1a1a');
const contents = (): Contents => ({
  mnemonics: [{ entropy: Uint8Array.from(entropy), passphrase: new TextEncoder().encode('extra') }],
  accounts: [
    { address: `0x${'f3'.repeat(20)}`, privateKey: Uint8Array.from(key), path: "m/44'/137'/0'/0/0" },
    { address: `0x${'0a'.repeat(20)}`, privateKey: Uint8Array.from(key).reverse(), path: null },
  ],
});
const header = { vaultId: 'vault-1', gen: 1, createdAt: 1_767_225_600_000 };
const seal = (password = 'correct horse', at = header, kdf: Kdf | null = quick) =>
  sealVault(contents(), [password], at, kdf ?? undefined);
/** What a passkey gives: the same for the same number. */
const passkeyOf = async (n: number): Promise<NewPasskey> => ({
  credentialId: encodeBase64Url(new Uint8Array(20).fill(n)),
  rpId: 'app.example',
  prfSalt: encodeBase64Url(new Uint8Array(32).fill(9)),
  createdAt: 1_767_225_600_000 + n,
  name: `Passkey ${n}`,
  material: await crypto.subtle.importKey('raw', new Uint8Array(32).fill(n), 'HKDF', false, ['deriveKey']),
});
/** Opened by the password, and by the passkeys 1 and 2. */
const sealWithPasskeys = async (at = header) =>
  sealVault(contents(), ['correct horse', await passkeyOf(1), await passkeyOf(2)], at, quick);
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
    else if (/^(salt|iv|ct|mac|publicKey|ephemeral|credentialId|prfSalt)$/.test(last)) {
      const bytes = decodeBase64Url(value as string);
      const at = Math.floor(Math.random() * bytes.length);
      bytes[at] = (bytes[at] as number) ^ (1 << Math.floor(Math.random() * 8));
      parent[last] = encodeBase64Url(bytes);
    } else parent[last] = `${value}x`;
    yield [path.join('.'), changed as unknown as VaultRecord];
  }
}

const opens = async (value: unknown, opener: Opener = 'correct horse'): Promise<boolean> => {
  const reading = readVaultRecord(value);
  if (reading.kind !== 'record') return false;
  try {
    const open = reading.record.v < 3 ? openLegacyVault : openVault;
    return (await copyOf(await open(reading.record, opener))).accounts.length > 0;
  } catch (error) {
    expect(error).toMatchObject(typeof opener === 'string' ? refused : { code: 4100 });
    return false;
  }
};
/** The record with changed parts and a MAC that fits again, as somebody could make it who knows the data key. */
const signAgain = async ({ record, keys }: OpenVault, changed: object): Promise<object> => {
  const { mac: _, ...unsigned } = { ...record, ...changed };
  const bytes = new TextEncoder().encode(canonical(unsigned));
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', keys.header, bytes));
  return { ...unsigned, mac: encodeBase64Url(mac) };
};

describe('sealVault, openVault', () => {
  test('a sealed vault opens with its password only', async () => {
    const { record } = await seal();
    expect(readVaultRecord(structuredClone(record))).toEqual({ kind: 'record', record });
    expect(await copyOf(await openVault(record, 'correct horse'))).toEqual(contents());
    for (const password of ['correct hors', 'Correct horse', '', 'correct horse '])
      await expect(openVault(record, password)).rejects.toMatchObject(refused);
  });

  test('the record is format v3', async () => {
    const { record } = await seal();
    const bytes = expect.any(String);
    expect(record).toEqual({
      v: 3,
      vaultId: 'vault-1',
      gen: 1,
      createdAt: 1_767_225_600_000,
      wraps: [
        {
          id: expect.any(String),
          type: 'password',
          gen: 1,
          kdf: { ...quick, salt: bytes },
          own: { publicKey: bytes, iv: bytes, ct: bytes },
          dataKey: { ephemeral: bytes, iv: bytes, ct: bytes },
        },
      ],
      asleep: [],
      payload: { iv: expect.any(String), ct: expect.any(String) },
      mac: expect.any(String),
    });
    const [wrap] = record.wraps as [PasswordWrap];
    const { own, dataKey } = wrap;
    const lengths = [
      wrap.kdf.salt,
      own.publicKey,
      own.iv,
      dataKey.ephemeral,
      dataKey.iv,
      dataKey.ct,
      record.payload.iv,
      record.mac,
    ].map((text) => decodeBase64Url(text).length);
    expect(lengths).toEqual([32, 65, 12, 65, 12, 48, 12, 32]);
    // In whole KiB, and GCM's tag.
    expect(decodeBase64Url(record.payload.ct).length).toBe(1_024 + 16);
  });

  test('a wrap of a passkey says which passkey it is, and nothing that it gave', async () => {
    const { record } = await sealWithPasskeys();
    const { material: _, ...first } = await passkeyOf(1);
    const { own, dataKey } = record.wraps[1] as PasskeyWrap;
    expect(record.wraps[1]).toEqual({ id: expect.any(String), type: 'prf', gen: 1, ...first, own, dataKey });
    expect(readVaultRecord(structuredClone(record))).toEqual({ kind: 'record', record });
  });

  test('each of the passwords and passkeys opens it, and no other', async () => {
    const { record } = await sealWithPasskeys();
    for (const opener of ['correct horse', await passkeyOf(1), await passkeyOf(2)])
      expect(await copyOf(await openVault(record, opener))).toEqual(contents());
    const { credentialId } = await passkeyOf(1);
    for (const opener of [
      'correct hors',
      await passkeyOf(3),
      // The output of another passkey, or of another salt.
      { ...(await passkeyOf(3)), credentialId },
    ])
      expect(await opens(record, opener)).toBe(false);
    const passkeyOnly = await sealVault(contents(), [await passkeyOf(1)], header, quick);
    expect(await opens(passkeyOnly.record, await passkeyOf(1))).toBe(true);
    expect(await opens(passkeyOnly.record)).toBe(false);
  });

  test('a vault of version 1 opens with its password, and passkeys in it do not count', async () => {
    const record = vaultV1['slot-b'] as unknown as VaultRecord;
    expect(readVaultRecord(record)).toEqual({ kind: 'record', record });
    const vault = await openLegacyVault(record, 'correct horse');
    expect((await copyOf(vault)).accounts.map(({ address }) => address)).toEqual([
      '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
      '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a',
    ]);
    await expect(resealVault(vault, contents())).rejects.toThrow(TypeError);
    const next = await rekeyVault(vault, { keep: [], add: ['correct horse'] }, quick);
    expect([next.record.v, next.record.gen]).toEqual([3, 3]);
    expect(await opens(next.record)).toBe(true);
    const passkey = await passkeyOf(1);
    const [, wrap] = (await sealWithPasskeys()).record.wraps;
    expect(await opens(await signAgain(vault, { wraps: [...record.wraps, wrap] }), passkey)).toBe(false);
    for (const changed of [{ v: 2 }, { v: 3 }, { v: 3, asleep: [], wraps: (await seal()).record.wraps }])
      expect(await opens(await signAgain(vault, changed))).toBe(false);
    for (let round = 0; round < 2; round++)
      for (const [path, changed] of changes(record))
        expect([path, await opens(changed)]).toEqual([path, false]);
  });

  test('the strong derivation by default, in about a second', async () => {
    const { record } = await seal('correct horse', header, null);
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

  test('any one change to any field closes it, for the password and for each passkey', async () => {
    const { record } = await sealWithPasskeys();
    const openers = ['correct horse', await passkeyOf(1), await passkeyOf(2)];
    const paths: string[] = [];
    for (let round = 0; round < 3; round++)
      for (const [path, changed] of changes(record)) {
        paths.push(path);
        for (const opener of openers) expect([path, await opens(changed, opener)]).toEqual([path, false]);
      }
    for (const path of [
      'wraps.0.kdf.salt',
      'wraps.0.own.publicKey',
      'wraps.1.credentialId',
      'wraps.1.name',
      'wraps.2.dataKey.ephemeral',
      'payload.ct',
      'gen',
    ])
      expect(paths).toContain(path);
    for (const opener of openers) expect(await opens(record, opener)).toBe(true);
  });

  test('parts of another generation or vault do not fit', async () => {
    const first = await seal();
    const second = await resealVault(first, contents());
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
    const second = await resealVault(first, { ...contents(), mnemonics: [] });
    const sign = (changed: object) => signAgain(second, changed);
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

  test('parts of one way in do not fit another, even with a header that is made genuine again', async () => {
    const vault = await sealWithPasskeys();
    const other = await sealWithPasskeys({ ...header, vaultId: 'vault-2' });
    const rekeyed = await rekeyVault(vault, { keep: vault.record.wraps as PairWrap[], add: [] }, quick);
    const [password, first, second] = vault.record.wraps as [PasswordWrap, PasskeyWrap, PasskeyWrap];
    const passkey = await passkeyOf(1);
    const withFirst = (changed: object) =>
      signAgain(vault, { wraps: [password, { ...first, ...changed }, second] });
    expect(await opens(await withFirst({}), passkey)).toBe(true);
    // The person changes the name, which no passkey has to agree to.
    expect(await opens(await withFirst({ name: 'Renamed' }), passkey)).toBe(true);
    const elsewhere = other.record.wraps[1] as PasskeyWrap;
    const later = rekeyed.record.wraps[1] as PasskeyWrap;
    for (const changed of [
      { own: second.own },
      { own: password.own },
      { dataKey: second.dataKey },
      { dataKey: password.dataKey },
      { own: second.own, dataKey: second.dataKey },
      { credentialId: second.credentialId },
      { prfSalt: encodeBase64Url(new Uint8Array(32)) },
      { rpId: 'evil.example' },
      { createdAt: 0 },
      { id: second.id },
      { gen: 2 },
      { type: 'password', kdf: password.kdf },
      { own: elsewhere.own },
      { own: elsewhere.own, dataKey: elsewhere.dataKey },
      { dataKey: later.dataKey },
      { dataKey: later.dataKey, gen: later.gen },
    ])
      expect([changed, await opens(await withFirst(changed), passkey)]).toEqual([changed, false]);
  });

  test('ways in cannot be added or stripped; unknown ones are kept and covered', async () => {
    const { record } = await seal();
    const mine = await seal('mine');
    for (const wraps of [[...record.wraps, ...mine.record.wraps], mine.record.wraps])
      for (const password of ['correct horse', 'mine'])
        expect(await opens({ ...record, wraps }, password)).toBe(false);
    expect(await opens({ ...record, wraps: [] })).toBe(false);
    const foreign = { id: 'p', type: 'smoke-signal', gen: 1, credentialId: 'AA' };
    expect(await opens({ ...record, wraps: [...record.wraps, foreign] })).toBe(false);
    expect(await opens({ ...record, extra: 1 })).toBe(false);
    const vault = await seal();
    const kept = (await signAgain(vault, { wraps: [...vault.record.wraps, foreign] })) as VaultRecord;
    const next = await resealVault(await openVault(kept, 'correct horse'), contents());
    expect(next.record.wraps).toContainEqual(foreign);
    const both = await sealWithPasskeys();
    const [password, first, second] = both.record.wraps as [PasswordWrap, PasskeyWrap, PasskeyWrap];
    const stranger = (await sealVault(contents(), [await passkeyOf(3)], header, quick)).record.wraps;
    for (const wraps of [
      [password],
      [first, second],
      [password, first],
      [first, password, second],
      [password, first, second, second],
      [password, first, second, ...stranger],
    ])
      for (const opener of ['correct horse', await passkeyOf(1), await passkeyOf(3)])
        expect(await opens({ ...both.record, wraps }, opener)).toBe(false);
  });
});

describe('rekeyVault', () => {
  test('wraps again for passwords and passkeys that are not present', async () => {
    const vault = await sealWithPasskeys();
    const { record } = await rekeyVault(vault, { keep: vault.record.wraps as PairWrap[], add: [] }, quick);
    expect([record.gen, record.vaultId, record.createdAt]).toEqual([2, header.vaultId, header.createdAt]);
    for (const opener of ['correct horse', await passkeyOf(1), await passkeyOf(2)])
      expect(await copyOf(await openVault(record, opener))).toEqual(contents());
    for (const [at, wrap] of (record.wraps as PairWrap[]).entries()) {
      const before = vault.record.wraps[at] as PairWrap;
      expect([wrap.id, wrap.gen, wrap.own]).toEqual([before.id, 2, before.own]);
      expect(wrap.dataKey.ephemeral).not.toBe(before.dataKey.ephemeral);
    }
  });

  test('a way in that is left out opens nothing, with the old record and its data key neither', async () => {
    const vault = await sealWithPasskeys();
    const [password, first, second] = vault.record.wraps as [PasswordWrap, PasskeyWrap, PasskeyWrap];
    for (const [keep, add, gone, staying] of [
      [[first, second], ['new password'], 'correct horse', ['new password', await passkeyOf(1)]],
      [[first, second], [], 'correct horse', [await passkeyOf(1), await passkeyOf(2)]],
      [[password, second], [], await passkeyOf(1), ['correct horse', await passkeyOf(2)]],
    ] as const) {
      const next = await rekeyVault(vault, { keep, add }, quick);
      for (const opener of staying) expect(await opens(next.record, opener)).toBe(true);
      expect(await opens(next.record, gone)).toBe(false);
      // Who has the old record and the old way in has the old data key, and can make any record with it.
      const old = await openVault(vault.record, gone);
      expect(await reopenVault(old, next.record)).toBeNull();
      for (const changed of [
        { wraps: vault.record.wraps },
        { wraps: [...vault.record.wraps, ...next.record.wraps] },
        { wraps: vault.record.wraps, gen: 1 },
      ]) {
        expect(await opens({ ...next.record, ...changed }, gone)).toBe(false);
        expect(await opens(await signAgain({ ...next, keys: old.keys }, changed), gone)).toBe(false);
      }
    }
  });

  test('a new password has a key pair of its own', async () => {
    const vault = await seal();
    const next = await rekeyVault(vault, { keep: [], add: ['correct horse'] }, quick);
    const [before, after] = [vault, next].map(({ record }) => record.wraps[0] as PasswordWrap);
    expect(after?.own.publicKey).not.toBe(before?.own.publicKey);
    expect(after?.kdf.salt).not.toBe(before?.kdf.salt);
  });
});

describe('resealVault, reopenVault', () => {
  test('the next generation needs no password, and the same one opens it', async () => {
    const first = await seal();
    const second = await resealVault(first, { ...contents(), accounts: [] });
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
    expect(lent?.mnemonics).toEqual([{ entropy: new Uint8Array(16), passphrase: new Uint8Array(5) }]);
  });

  test('the keys in an open vault cannot be read out', async () => {
    const { keys } = await seal();
    for (const each of [keys.payload, keys.header]) {
      expect(each.extractable).toBe(false);
      await expect(crypto.subtle.exportKey('raw', each)).rejects.toThrow();
    }
  });
});
