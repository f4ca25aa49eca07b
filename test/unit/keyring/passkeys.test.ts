import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPasskeyCeremonies } from '../../../src/keyring/passkeys.js';
import type { PasskeyWrap } from '../../../src/keyring/vault/record.js';
import type { NewPasskey } from '../../../src/keyring/vault/wraps.js';
import { createFakeAuthenticator, type FakeAuthenticator } from '../../support/fake-authenticator.js';
import { everythingIn } from '../../support/secrecy.js';

const now = () => 1_767_225_600_000;
const setup = (abilities: Partial<FakeAuthenticator.Abilities> = {}) => {
  const authenticator = createFakeAuthenticator(abilities);
  return { authenticator, passkeys: createPasskeyCeremonies({ authenticator, now }) };
};
const asWrap = (passkey: NewPasskey) => passkey as unknown as PasskeyWrap;
/** A key that depends on the material alone. */
const derive = async ({ material }: { material: CryptoKey }) => {
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info: new Uint8Array(0) };
  const hmac = { name: 'HMAC', hash: 'SHA-256', length: 256 };
  const key = await crypto.subtle.deriveKey(hkdf, material, hmac, true, ['sign']);
  return Buffer.from(await crypto.subtle.exportKey('raw', key)).toString('hex');
};
const noPrf = { code: 4200, message: expect.stringContaining('Use a password.') };

beforeEach(() => vi.stubGlobal('location', { hostname: 'app.example' }));
afterEach(() => vi.unstubAllGlobals());

describe('enrol', () => {
  test('asks twice: once to make a passkey, and once for its output', async () => {
    const { authenticator, passkeys } = setup();
    const passkey = await passkeys.enrol('My phone', []);
    expect(authenticator.prompts).toEqual(['create', 'get']);
    expect(passkey).toMatchObject({
      credentialId: authenticator.passkeys[0]?.id,
      rpId: 'app.example',
      name: 'My phone',
      createdAt: now(),
    });
    expect(passkey.material.extractable).toBe(false);
  });

  test('demands a verified person both times, and a passkey that is kept where it can be', async () => {
    const { authenticator, passkeys } = setup();
    await passkeys.enrol('My phone', []);
    const [created, got] = authenticator.requests as [
      PublicKeyCredentialCreationOptions,
      PublicKeyCredentialRequestOptions,
    ];
    expect(created).toMatchObject({
      rp: { id: 'app.example' },
      user: { name: 'My phone', displayName: 'My phone' },
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    });
    expect(created.extensions?.prf?.eval?.first).toEqual(got.extensions?.prf?.eval?.first);
    expect(got).toMatchObject({ rpId: 'app.example', userVerification: 'required' });
    expect(got.extensions?.prf?.eval?.first).toHaveLength(32);
    expect(got.challenge).not.toEqual(created.challenge);
  });

  test('no option is taken from what a page adds to Object.prototype', async () => {
    const { authenticator, passkeys } = setup();
    const polluted = { mediation: 'silent', hints: ['hybrid'], evalByCredential: {}, signal: 1 };
    Object.assign(Object.prototype, polluted);
    try {
      await passkeys.enrol('My phone', []);
      for (const request of authenticator.requests) {
        expect(Object.getPrototypeOf(request)).toBeNull();
        for (const part of [request.extensions, request.extensions?.prf, request.extensions?.prf?.eval])
          expect(Object.getPrototypeOf(part)).toBeNull();
      }
    } finally {
      for (const name of Object.keys(polluted)) delete (Object.prototype as Record<string, unknown>)[name];
    }
  });

  test('all passkeys of a vault have the salt of the first', async () => {
    const { passkeys } = setup();
    const first = await passkeys.enrol('one', []);
    const second = await setup().passkeys.enrol('two', [asWrap(first)]);
    expect(second.prfSalt).toBe(first.prfSalt);
    expect((await setup().passkeys.enrol('three', [])).prfSalt).not.toBe(first.prfSalt);
  });

  test('a device that already has a passkey of this vault is refused with the reason', async () => {
    const { authenticator, passkeys } = setup();
    const first = await passkeys.enrol('one', []);
    await expect(passkeys.enrol('two', [asWrap(first)])).rejects.toMatchObject({
      code: -32002,
      message: 'This device has a passkey for this wallet already.',
    });
    expect(authenticator.passkeys).toHaveLength(1);
    expect(authenticator.forgotten).toEqual([]);
  });

  test.each([
    ['enables PRF only with an `eval` at creation (Windows Hello)', 'eval', ['create', 'get']],
    ['says nothing until it is asked', 'late', ['create', 'get']],
    ['denies it until it is asked', 'denied', ['create', 'get']],
    ['gives the output at once', 'at once', ['create']],
    ['gives an output at once without a verified person', 'at once, unverified', ['create', 'get']],
  ] as const)('a device that %s is accepted, and opens the wallet again', async (_, prf, prompts) => {
    const { authenticator, passkeys } = setup({ prf });
    const passkey = await passkeys.enrol('x', []);
    expect(authenticator.prompts).toEqual(prompts);
    expect(authenticator.forgotten).toEqual([]);
    const again = await passkeys.ask([asWrap(passkey)]);
    expect(await derive(again)).toBe(await derive(passkey));
  });

  test('an output at once is wiped, whether it is taken or not', async () => {
    for (const [abilities, isTaken] of [
      [{ prf: 'at once' }, true],
      [{ prf: 'at once, unverified' }, false],
    ] as const) {
      const authenticator = createFakeAuthenticator(abilities);
      const outputs: Uint8Array[] = [];
      const results: FakeAuthenticator['results'] = (credential) => {
        const found = authenticator.results(credential);
        const { first } = found.prf?.results ?? {};
        if (first) outputs.push(new Uint8Array(first as ArrayBuffer));
        return found;
      };
      await createPasskeyCeremonies({ now, authenticator: { ...authenticator, results } }).enrol('x', []);
      expect(outputs).toEqual(Array(isTaken ? 1 : 2).fill(new Uint8Array(32)));
    }
  });

  test('a browser that does not tell whether the person was verified at creation is asked again', async () => {
    const authenticator = createFakeAuthenticator({ prf: 'at once' });
    const create: FakeAuthenticator['create'] = async (options) => {
      const created = (await authenticator.create(options)) as PublicKeyCredential;
      Object.assign(created.response, { getAuthenticatorData: undefined });
      return created;
    };
    await createPasskeyCeremonies({ now, authenticator: { ...authenticator, create } }).enrol('x', []);
    expect(authenticator.prompts).toEqual(['create', 'get']);
  });

  test.each([
    ['says that it has no PRF', { prf: 'no' }, ['create', 'get']],
    ['never gives an output', { prf: 'silent' }, ['create', 'get']],
    ['does not verify the person', { verifies: false }, ['create', 'get']],
  ] as const)(
    'where the device %s, the passkey is forgotten and a password advised',
    async (_, abilities, prompts) => {
      const { authenticator, passkeys } = setup(abilities);
      await expect(passkeys.enrol('x', [])).rejects.toMatchObject(noPrf);
      expect(authenticator.prompts).toEqual(prompts);
      expect(authenticator.forgotten).toEqual([authenticator.passkeys[0]?.id]);
    },
  );

  test('cancelling either prompt is 4001, and a passkey that was made is forgotten', async () => {
    for (const [answers, forgotten] of [
      [['NotAllowedError'], 0],
      [['accept', 'NotAllowedError'], 1],
      [['accept', 'AbortError'], 1],
    ] as const) {
      const { authenticator, passkeys } = setup();
      authenticator.answer(...answers);
      await expect(passkeys.enrol('x', [])).rejects.toMatchObject({ code: 4001 });
      expect(authenticator.forgotten).toHaveLength(forgotten);
    }
  });

  test('an address that cannot have passkeys, and a platform without them', async () => {
    const { authenticator, passkeys } = setup();
    authenticator.answer('SecurityError');
    await expect(passkeys.enrol('x', [])).rejects.toMatchObject(noPrf);
    await expect(createPasskeyCeremonies({ now }).enrol('x', [])).rejects.toMatchObject(noPrf);
    vi.stubGlobal('location', undefined);
    await expect(passkeys.enrol('x', [])).rejects.toMatchObject(noPrf);
  });

  test('a password manager that cannot forget a passkey leaves no unhandled error', async () => {
    const authenticator = createFakeAuthenticator({ prf: 'no' });
    for (const forget of [
      undefined,
      () => Promise.reject(new TypeError('no')),
      () => {
        throw new TypeError('no');
      },
    ])
      await expect(
        createPasskeyCeremonies({ authenticator: { ...authenticator, forget }, now }).enrol('x', []),
      ).rejects.toMatchObject(noPrf);
  });
});

describe('ask', () => {
  test('the same passkey gives the same key, and another one another', async () => {
    const { authenticator, passkeys } = setup();
    const passkey = await passkeys.enrol('x', []);
    const other = await setup().passkeys.enrol('y', [asWrap(passkey)]);
    const again = await passkeys.ask([asWrap(other), asWrap(passkey)]);
    expect(authenticator.prompts).toEqual(['create', 'get', 'get']);
    expect(again.credentialId).toBe(passkey.credentialId);
    expect(await derive(again)).toBe(await derive(passkey));
    expect(await derive(again)).not.toBe(await derive(other));
  });

  test('a passkey that was not among those asked for is refused', async () => {
    const { authenticator, passkeys } = setup();
    const passkey = await passkeys.enrol('x', []);
    authenticator.choose('c3RyYW5nZXI');
    await expect(passkeys.ask([asWrap(passkey)])).rejects.toMatchObject({ code: 4100 });
  });

  test('without passkeys no prompt opens', async () => {
    const { authenticator, passkeys } = setup();
    await expect(passkeys.ask([])).rejects.toMatchObject({
      code: 4100,
      message: expect.stringContaining('password'),
    });
    expect(authenticator.prompts).toEqual([]);
  });

  test('the PRF output is wiped, and appears in no error', async () => {
    const { authenticator, passkeys } = setup();
    const passkey = await passkeys.enrol('x', []);
    const outputs: Uint8Array[] = [];
    const recording = createPasskeyCeremonies({
      now,
      authenticator: {
        ...authenticator,
        results(credential) {
          const results = authenticator.results(credential);
          outputs.push(new Uint8Array(results.prf?.results?.first as ArrayBuffer));
          return results;
        },
      },
    });
    await recording.ask([asWrap(passkey)]);
    authenticator.set({ verifies: false });
    const error = await recording.ask([asWrap(passkey)]).catch((reason) => reason);
    expect(error).toMatchObject(noPrf);
    authenticator.set({ verifies: true });
    authenticator.choose('c3RyYW5nZXI');
    const refusal = await recording.ask([asWrap(passkey)]).catch((reason) => reason);
    expect(outputs).toEqual([new Uint8Array(32), new Uint8Array(32), new Uint8Array(32)]);
    expect(everythingIn([error, refusal])).not.toContain(passkey.credentialId);
  });
});
