import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createAuth, type JwtOptions, readBearer, readSubprotocols } from '../../src/access/auth.js';

const start = Date.UTC(2026, 10, 23, 12);
const secret = 'a secret that only the app and its relay know';
const shared: JwtOptions = { key: secret, algorithms: ['HS256'], audience: 'relay' };

beforeEach(() => void vi.useFakeTimers({ now: start, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const seconds = () => Math.floor(Date.now() / 1000);
/** A token that is valid for ten minutes, but for what `claims` changes. */
function sign(
  claims: JWTPayload = {},
  { alg = 'HS256', key = new TextEncoder().encode(secret) as never } = {},
) {
  return new SignJWT({ aud: 'relay', exp: seconds() + 600, ...claims })
    .setProtectedHeader({ alg, kid: 'one' })
    .sign(key);
}
const authOf = (jwt: JwtOptions = shared) => createAuth({ jwt, now: Date.now });

async function refusal(token: string, auth = authOf()): Promise<string> {
  const checked = await auth.check(token, undefined);
  if (!('error' in checked)) return 'accepted';
  expect(checked).toMatchObject({ error: { code: 4100 }, status: 401 });
  return checked.error.message;
}

describe('a token', () => {
  test('says who it is for, and what it may', async () => {
    const token = await sign({ sub: 'ann', chains: [31], reads: 120 });
    expect(await authOf().check(token, undefined)).toEqual({
      subject: 'ann',
      chains: [31],
      reads: 120,
      expires: start + 600_000,
    });
  });

  test('needs an expiry within the hour', async () => {
    expect(await refusal(await sign({ exp: undefined as never }))).toBe('The token is not valid.');
    expect(await refusal(await sign({ exp: seconds() + 3_600 }))).toBe('accepted');
    expect(await refusal(await sign({ exp: seconds() + 3_700 }))).toBe(
      'The token is not valid: it lasts longer than an hour.',
    );
    expect(await refusal(await sign({ exp: seconds() - 60 }))).toBe('The token has expired.');
  });

  test('is for this relay, and not before its time', async () => {
    expect(await refusal(await sign({ aud: 'another' }))).toBe('The token is not valid.');
    expect(await refusal(await sign({ aud: undefined as never }))).toBe('The token is not valid.');
    expect(await refusal(await sign({ nbf: seconds() + 300 }))).toBe('The token is not valid.');
  });

  test('may be for one origin', async () => {
    const auth = authOf();
    const token = await sign({ origin: 'https://app.example' });
    expect(await auth.check(token, 'https://app.example')).toHaveProperty('expires');
    expect(await auth.check(token, 'https://evil.example')).toHaveProperty('error');
    expect(await auth.check(token, undefined)).toHaveProperty('error');
  });

  test('with claims of wrong types is refused', async () => {
    const wrong: JWTPayload[] = [
      { sub: 7 as never },
      { sub: 'x'.repeat(300) },
      { chains: '31' },
      { chains: [0] },
      { reads: -1 },
      { reads: 1e9 },
      { origin: 7 },
    ];
    for (const claims of wrong)
      expect(await refusal(await sign(claims))).toMatch(/^The token is not valid: \w+ is wrong\.$/);
  });

  test('a token that is forged is refused, and nothing of it is in the answer', async () => {
    const token = await sign({ sub: 'ann' });
    const [header, , signature] = token.split('.');
    const claims = btoa(JSON.stringify({ aud: 'relay', exp: seconds() + 600, sub: 'bob' })).replace(
      /=+$/,
      '',
    );
    const none = `${btoa('{"alg":"none"}').replace(/=+$/, '')}.${claims}.`;
    const wrongKey = await sign(
      {},
      { key: new TextEncoder().encode('another secret of thirty-two letters') as never },
    );
    for (const forged of [
      `${header}.${claims}.${signature}`,
      none,
      wrongKey,
      `${token}x`,
      'x',
      '',
      'a.b.c',
      '..',
    ])
      expect(await refusal(forged)).toBe('The token is not valid.');
    expect(await refusal('x'.repeat(5_000))).toBe('The token is too long.');
  });

  test('is verified once a minute, and refused from its expiry on', async () => {
    const auth = authOf();
    const token = await sign({ exp: seconds() + 90 });
    const verify = vi.spyOn(globalThis.crypto.subtle, 'verify');
    onTestFinished(() => verify.mockRestore());
    for (let i = 0; i < 5; i++) await auth.check(token, undefined);
    expect(verify).toHaveBeenCalledTimes(1);
    vi.setSystemTime(start + 61_000);
    await auth.check(token, undefined);
    expect(verify).toHaveBeenCalledTimes(2);
    vi.setSystemTime(start + 96_000);
    expect(await refusal(token, auth)).toBe('The token has expired.');
  });
});

describe('keys', () => {
  test('an unreadable key makes prepare() reject with its name, and a token then gets 503', async () => {
    const pem = '-----BEGIN PUBLIC KEY-----\nbroken\n-----END PUBLIC KEY-----';
    const auth = authOf({ algorithms: ['ES256'], audience: 'relay', key: pem });
    await expect(auth.prepare()).rejects.toMatchObject({
      code: -32602,
      message: 'jwt.key: cannot be read as a key of ES256',
    });
    expect(await auth.check('a.b.c', undefined)).toMatchObject({ status: 503 });
  });

  test.each(['ES256', 'EdDSA'] as const)('a public key as PEM or JWK: %s', async (alg) => {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    const token = await sign({}, { alg, key: privateKey as never });
    const options = { algorithms: [alg], audience: 'relay' };
    expect(await refusal(token, authOf({ ...options, key: await exportSPKI(publicKey) }))).toBe('accepted');
    expect(await refusal(token, authOf({ ...options, key: await exportJWK(publicKey) }))).toBe('accepted');
    const other = await generateKeyPair(alg);
    expect(
      await refusal(
        await sign({}, { alg, key: other.privateKey as never }),
        authOf({ ...options, key: await exportJWK(publicKey) }),
      ),
    ).toBe('The token is not valid.');
  });

  test('a public key is never taken for a shared secret', async () => {
    const { publicKey } = await generateKeyPair('ES256', { extractable: true });
    const pem = await exportSPKI(publicKey);
    const token = await sign({}, { key: new TextEncoder().encode(pem) as never });
    const auth = authOf({ key: pem, algorithms: ['ES256'], audience: 'relay' });
    expect(await refusal(token, auth)).toBe('The token is not valid.');
  });

  test('a set of public keys, given or fetched', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] };
    const token = await sign({}, { alg: 'ES256', key: privateKey as never });
    const options = { algorithms: ['ES256' as const], audience: 'relay' };
    expect(await refusal(token, authOf({ ...options, jwks }))).toBe('accepted');
    const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json(jwks));
    onTestFinished(() => fetched.mockRestore());
    const auth = authOf({ ...options, jwks: 'https://issuer.example/jwks' });
    expect(await refusal(token, auth)).toBe('accepted');
    expect(await refusal(token, auth)).toBe('accepted');
    expect(fetched).toHaveBeenCalledTimes(1);
  });

  test('where the set cannot be fetched, the answer is 503 and not 401', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('fetch failed'));
    onTestFinished(() => fetched.mockRestore());
    const auth = authOf({ algorithms: ['ES256'], audience: 'relay', jwks: 'https://issuer.example/jwks' });
    const { privateKey } = await generateKeyPair('ES256');
    const token = await sign({}, { alg: 'ES256', key: privateKey as never });
    expect(await auth.check(token, undefined)).toMatchObject({
      status: 503,
      error: { code: -32002 },
    });
  });
});

test('where a client puts its token', () => {
  expect(readBearer('Bearer a.b.c')).toBe('a.b.c');
  expect(readBearer('bearer  a.b.c ')).toBe('a.b.c');
  for (const header of [null, '', 'Basic x', 'Bearer', 'Bearer a b'])
    expect(readBearer(header)).toBeUndefined();
  expect(readSubprotocols('graft.v1, graft.jwt.a.b.c')).toEqual({ token: 'a.b.c', protocol: 'graft.v1' });
  expect(readSubprotocols('soap')).toEqual({});
  expect(readSubprotocols(null)).toEqual({});
});
