import { randomBytes } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import {
  canonical,
  decodeBase64Url,
  encodeBase64Url,
  type PasskeyWrap,
  type PasswordWrap,
  readVaultRecord,
} from '../../../../src/keyring/vault/record.js';
import { sealVault } from '../../../../src/keyring/vault/vault.js';
import type { NewPasskey } from '../../../../src/keyring/vault/wraps.js';
import { fc } from '../../../support/property.js';

const seal = (openers: readonly (string | NewPasskey)[] = ['correct horse']) =>
  sealVault(
    { mnemonics: [], accounts: [] },
    openers,
    { vaultId: 'vault-1', gen: 1, createdAt: 1_767_225_600_000 },
    { name: 'scrypt', N: 2, r: 8, p: 1 },
  );

describe('readVaultRecord', () => {
  test('a later version is left alone', async () => {
    const { record } = await seal();
    expect(readVaultRecord({ ...record, v: 4 })).toEqual({ kind: 'newer' });
    expect(readVaultRecord({ v: 5, anything: true })).toEqual({ kind: 'newer' });
  });

  test('everything that is not a record, and every derivation too dear to try', async () => {
    const { record } = await seal();
    const [wrap] = record.wraps as [PasswordWrap];
    const withWrap = (changed: object) => ({ ...record, wraps: [{ ...wrap, ...changed }] });
    const withKdf = (kdf: object) => ({ ...record, wraps: [{ ...wrap, kdf: { ...wrap.kdf, ...kdf } }] });
    for (const value of [
      undefined,
      null,
      1,
      'x',
      [],
      {},
      { ...record, v: 0 },
      { ...record, v: '1' },
      { ...record, gen: -1 },
      { ...record, gen: 1.5 },
      { ...record, vaultId: '' },
      { ...record, vaultId: 'a|b' },
      { ...record, asleep: undefined },
      { ...record, asleep: [{ name: 'x' }] },
      { ...record, wraps: [wrap, wrap] },
      { ...record, wraps: {} },
      { ...record, wraps: new Array(17).fill(wrap) },
      { ...record, payload: null },
      { ...record, payload: { ...record.payload, iv: 'AA' } },
      { ...record, payload: { ...record.payload, ct: '!' } },
      { ...record, mac: record.mac.slice(2) },
      withKdf({ N: 2 ** 30 }),
      withKdf({ N: 2 ** 18, p: 2 }),
      withKdf({ N: 2 ** 19 }),
      withKdf({ name: 'pbkdf2-sha256', c: 10_000_001 }),
      withKdf({ N: 1_000 }),
      withKdf({ r: 2 ** 20 }),
      withKdf({ name: 'md5' }),
      withKdf({ name: 'pbkdf2-sha256', c: 2 ** 31 }),
      withKdf({ salt: 'AA' }),
      withWrap({ own: undefined }),
      withWrap({ own: { ...wrap.own, publicKey: 'AA' } }),
      withWrap({ own: { ...wrap.own, ct: 'AA' } }),
      withWrap({ own: { ...wrap.own, ct: 'A'.repeat(1_024) } }),
      withWrap({ dataKey: { ...wrap.dataKey, ephemeral: 'AA' } }),
      withWrap({ dataKey: { ...wrap.dataKey, iv: 'AA' } }),
      withWrap({ dataKey: null }),
    ])
      expect(readVaultRecord(value)).toEqual({ kind: 'damaged' });
  });

  test('whatever is accepted costs at most twice a new password, all of its ways together', async () => {
    const { record } = await seal();
    const [wrap] = record.wraps as [PasswordWrap];
    const kdf = fc.oneof(
      fc.record({
        name: fc.constant('scrypt'),
        N: fc.integer({ min: 0, max: 24 }).map((bits) => 2 ** bits),
        r: fc.integer({ min: 1, max: 40 }),
        p: fc.integer({ min: 1, max: 20 }),
      }),
      fc.record({ name: fc.constant('pbkdf2-sha256'), c: fc.integer({ min: 1, max: 2 ** 31 }) }),
    );
    const way = fc.record({ type: fc.constantFrom('password', 'password', 'prf', 'other'), kdf });
    let accepted = 0;
    fc.assert(
      fc.property(
        fc.array(way, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 3 }),
        (ways, v) => {
          const { id, gen, own, dataKey } = wrap;
          const { iv, ct } = dataKey;
          const parts = v === 1 ? { iv, ct } : { [v === 2 ? 'pair' : 'own']: own, dataKey };
          const wraps = ways.map(({ type, kdf }) => ({
            ...{ id, type, gen, kdf: { ...kdf, salt: wrap.kdf.salt } },
            ...parts,
          }));
          const { asleep, ...older } = record;
          const whole = { ...older, v, wraps, ...(v === 3 && { asleep }) };
          // Reading is synchronous: it cannot have derived anything.
          if (readVaultRecord(whole).kind !== 'record') return;
          accepted++;
          const passwords = wraps.filter(({ type }) => type === 'password').map(({ kdf }) => kdf as never);
          const work = ({ N = 0, r = 0, p = 0 }) => N * r * p;
          const sum = passwords.reduce((total, each) => total + work(each), 0);
          expect(passwords.length).toBeLessThanOrEqual(1);
          expect(wraps.length).toBeLessThanOrEqual(16);
          expect(sum).toBeLessThanOrEqual(2 ** 21);
          for (const { c = 0 } of passwords as { c?: number }[]) expect(c).toBeLessThanOrEqual(10_000_000);
        },
      ),
      { seed: 3, numRuns: 1_000 },
    );
    expect(accepted).toBeGreaterThan(50);
  });

  test('a record that is not plain JSON, or has members that its version lacks, is refused', async () => {
    const { record } = await seal();
    const [wrap] = record.wraps as [PasswordWrap];
    const withWrap = (changed: object) => ({ ...record, wraps: [{ ...wrap, ...changed }] });
    const hidden = (value: object, name: string) =>
      Object.defineProperty({ ...value }, name, { value: 1, enumerable: true });
    let deep: unknown[] = [];
    for (let at = 0; at < 20_000; at++) deep = [deep];
    const future = { id: 'x', type: 'future', gen: 1 };
    for (const value of [
      { ...record, asleep: new Array(1) },
      { ...record, asleep: new Array(2 ** 32 - 1) },
      { ...record, asleep: Object.assign([], { x: 1 }) },
      { ...record, asleep: { length: -1_000_000 } },
      { ...record, wraps: Object.assign(new Array(1), { x: wrap }) },
      { ...record, more: 1 },
      { ...record, more: undefined },
      { ...record, more: 1n },
      { ...record, more: deep },
      { ...record, gen: -0 },
      { ...record, payload: { ...record.payload, more: 1 } },
      { ...record, payload: Object.assign(new Map(), record.payload) },
      Object.assign(new Date(), record),
      Object.create(record),
      hidden(record, '__proto__'),
      withWrap({ more: 1 }),
      withWrap({ pair: wrap.own }),
      withWrap({ credentialId: 'AA' }),
      withWrap({ own: { ...wrap.own, more: 1 } }),
      withWrap({ dataKey: { ...wrap.dataKey, more: 1 } }),
      withWrap({ dataKey: hidden(wrap.dataKey, '__proto__') }),
      withWrap({ kdf: { ...wrap.kdf, c: 1 } }),
      withWrap({ kdf: { ...wrap.kdf, name: 'pbkdf2-sha256', c: 1 } }),
      ...[1n, undefined, new Map(), new Date(0), new Array(1), Number.NaN, deep].map((more) => ({
        ...record,
        wraps: [wrap, { ...future, more }],
      })),
    ])
      expect(readVaultRecord(value)).toEqual({ kind: 'damaged' });
    const later = { ...record, wraps: [wrap, { ...future, more: [{ a: null }, 1.5, true] }] };
    const reading = readVaultRecord(later);
    expect(reading).toEqual({ kind: 'record', record: later });
    expect((reading as { record: object }).record).not.toBe(later);
    for (const v of [1, 2]) {
      const { asleep, ...older } = record;
      const { id, type, gen, kdf, dataKey, own: pair } = wrap;
      const { iv, ct } = dataKey;
      const parts = v === 1 ? { iv, ct } : { pair, dataKey };
      const whole = { ...older, v, wraps: [{ id, type, gen, kdf, ...parts }] };
      expect(readVaultRecord(whole).kind).toBe('record');
      expect(readVaultRecord({ ...whole, asleep })).toEqual({ kind: 'damaged' });
      expect(readVaultRecord({ ...whole, asleep: { length: -1e9 } })).toEqual({ kind: 'damaged' });
    }
  });

  test('every field of a passkey', async () => {
    const passkey: NewPasskey = {
      credentialId: encodeBase64Url(randomBytes(64)),
      rpId: 'app.example',
      prfSalt: encodeBase64Url(randomBytes(32)),
      createdAt: 1,
      name: 'My phone',
      material: await crypto.subtle.importKey('raw', randomBytes(32), 'HKDF', false, ['deriveKey']),
    };
    const { record } = await seal([passkey]);
    expect(readVaultRecord(record).kind).toBe('record');
    const [wrap] = record.wraps as [PasskeyWrap];
    for (const changed of [
      { credentialId: '' },
      { credentialId: '!' },
      { credentialId: encodeBase64Url(new Uint8Array(1_024)) },
      { rpId: '' },
      { rpId: 'a'.repeat(254) },
      { prfSalt: 'AA' },
      { createdAt: -1 },
      { name: '' },
      { name: 5 },
      { name: 'a'.repeat(257) },
      { own: undefined },
      { dataKey: undefined },
    ])
      expect([changed, readVaultRecord({ ...record, wraps: [{ ...wrap, ...changed }] })]).toEqual([
        changed,
        { kind: 'damaged' },
      ]);
  });
});

describe('canonical', () => {
  test('sorted keys, no undefined', () => {
    expect(canonical({ b: [1, { d: null, c: 'x"' }], a: undefined, _: true })).toBe(
      '{"_":true,"b":[1,{"c":"x\\"","d":null}]}',
    );
  });
});

describe('encodeBase64Url, decodeBase64Url', () => {
  test('the alphabet of URLs, without padding', () => {
    expect(encodeBase64Url(Uint8Array.of(251, 255, 254, 0))).toBe('-__-AA');
    for (let length = 0; length < 40; length++) {
      const bytes = randomBytes(length);
      expect(encodeBase64Url(bytes)).toBe(Buffer.from(bytes).toString('base64url'));
      expect(Buffer.from(decodeBase64Url(encodeBase64Url(bytes)))).toEqual(Buffer.from(bytes));
    }
  });

  test('anything written otherwise', () => {
    for (const text of ['AA==', 'A', '+/', 'AB', ' AA', 'AA\n', 'é'])
      expect(() => decodeBase64Url(text)).toThrow();
  });
});
