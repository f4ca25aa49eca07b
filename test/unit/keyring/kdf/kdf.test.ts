import { pbkdf2Sync, scryptSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { checkKdf, type Kdf, stretch, strongKdf, weakKdf } from '../../../../src/keyring/kdf/kdf.js';

const password = new TextEncoder().encode('correct horse');
const salt = new Uint8Array(32).fill(7);

describe('stretch', () => {
  test('scrypt as the platform computes it, with pauses for the rest of the page', async () => {
    let pauses = 0;
    const timer = setInterval(() => {
      pauses++;
    }, 1);
    const key = await stretch(strongKdf, password, salt);
    clearInterval(timer);
    const { N, r, p } = strongKdf as Extract<Kdf, { name: 'scrypt' }>;
    expect(Buffer.from(key)).toEqual(scryptSync(password, salt, 32, { N, r, p, maxmem: 2 ** 28 }));
    expect(pauses).toBeGreaterThan(10);
  });

  test('a key is derived with PBKDF2', async () => {
    const key = await stretch({ name: 'pbkdf2-sha256', c: 1_000 }, password, salt);
    expect(Buffer.from(key)).toEqual(pbkdf2Sync(password, salt, 1_000, 32, 'sha256'));
  });

  test('the largest r that may be imported is within the limit of memory', async () => {
    const kdf = { name: 'scrypt', N: 2, r: 32, p: 16 } as const;
    checkKdf(kdf, 'kdf');
    expect(Buffer.from(await stretch(kdf, password, salt))).toEqual(scryptSync(password, salt, 32, kdf));
  });
});

describe('checkKdf', () => {
  test('the default key derivation', () => {
    expect(() => checkKdf(strongKdf, 'kdf')).not.toThrow();
    expect(() => checkKdf(weakKdf, 'kdf')).not.toThrow();
  });

  const scrypt = (N: unknown, r: unknown, p: unknown) => ({ name: 'scrypt', N, r, p }) as Kdf;
  test.each([
    ['N over 2^20', scrypt(2 ** 21, 1, 1), 'too expensive'],
    ['r over 32', scrypt(2, 33, 1), 'too expensive'],
    ['p over 16', scrypt(2, 1, 17), 'too expensive'],
    ['over 1 GiB', scrypt(2 ** 20, 9, 1), 'too expensive'],
    ['over 16 times the work', scrypt(2 ** 18, 8, 9), 'too expensive'],
    ['N of 1', scrypt(1, 8, 1), 'power of two'],
    ['N of 3', scrypt(3, 8, 1), 'power of two'],
    ['N of 0', scrypt(0, 8, 1), 'positive'],
    ['negative r', scrypt(2, -8, 1), 'positive'],
    ['p as text', scrypt(2, 8, '1'), 'positive'],
    ['no N', scrypt(undefined, 8, 1), 'positive'],
    ['fraction', scrypt(2.5, 8, 1), 'positive'],
    ['c over 10^7', { name: 'pbkdf2-sha256', c: 10_000_001 } as Kdf, 'too expensive'],
    ['c of 0', { name: 'pbkdf2-sha256', c: 0 } as Kdf, 'positive'],
  ])('%s', (_name, kdf, includes) => {
    expect(() => checkKdf(kdf, 'kdf')).toThrow(
      expect.objectContaining({ code: -32602, message: expect.stringContaining(includes) }),
    );
  });
});
