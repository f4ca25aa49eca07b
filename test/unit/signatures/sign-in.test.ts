import { createSiweMessage, parseSiweMessage, validateSiweMessage } from 'viem/siwe';
import { describe, expect, test } from 'vitest';
import { checkSignIn, parseSignIn } from '../../../src/approvals/siwe.js';
import { lowerAddress } from '../../../src/rpc/address.js';
import type { Json } from '../../../src/rpc/message.js';
import { messageFor, readSignIn } from '../../../src/signatures/sign-in.js';
import { owners, values } from '../../support/keys.js';
import { fc } from '../../support/property.js';

/** Messages that the wallet writes: read from what a page gives, written, and read back by two parsers. */

const now = Date.UTC(2026, 10, 3);
const path = 'params[0].capabilities.signInWithEthereum';
const address = owners[0]?.address as `0x${string}`;
const least = { nonce: 'c0ffee123', chainId: '0x1f' };

const read = (given: Json, origin = 'https://app.example') =>
  readSignIn(given, path, { origin, chainIds: [30, 31], now });

const textOf = (characters: string, constraints: { minLength: number; maxLength: number }) =>
  fc.string({ unit: fc.constantFrom(...characters), ...constraints });

const alphanumeric = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const date = fc.date({ min: new Date(0), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true });
const label = textOf('abcxyz09', { minLength: 1, maxLength: 12 });
const origin = fc
  .tuple(
    fc.oneof(
      fc.tuple(
        fc.constant('https'),
        fc.tuple(label, label).map(([a, b]) => `${a}.${b}.example`),
      ),
      fc.tuple(fc.constantFrom('http', 'https'), fc.constant('localhost')),
    ),
    fc.option(fc.integer({ min: 1024, max: 65_535 })),
  )
  .map(([[scheme, host], port]) => `${scheme}://${host}${port === null ? '' : `:${port}`}`);
const tail = fc
  .tuple(label, label, label)
  .chain(([a, b, c]) => fc.constantFrom('', '/', `/${a}/${b}`, `?${a}=${b}`, `#${c}`, `/${a}?b=${b}#${c}`));
const resource = fc.oneof(
  fc.tuple(origin, tail).map(([site, rest]) => site + rest),
  label.map((name) => `ipfs://${name}/`),
  label.map((name) => `urn:example:${name}`),
);

/** Params that are right, with the origin of their page. `null` leaves a field out. */
const valid = fc
  .record({
    origin,
    tail: fc.option(tail),
    givesDomain: fc.boolean(),
    givesScheme: fc.boolean(),
    nonce: textOf(alphanumeric, { minLength: 8, maxLength: 40 }),
    chainId: fc.constantFrom(30, 31),
    statement: fc.option(textOf(`${alphanumeric} -._~:/?#[]@!$&'()*+,;=`, { minLength: 1, maxLength: 80 })),
    issuedAt: fc.option(date),
    expirationTime: fc.option(date),
    notBefore: fc.option(date),
    requestId: fc.option(textOf(`${alphanumeric}-._~!$&'()*+,;=:@`, { minLength: 1, maxLength: 20 })),
    resources: fc.option(fc.array(resource, { minLength: 1, maxLength: 4 })),
  })
  .map(({ origin: site, tail: rest, givesDomain, givesScheme, chainId, ...fields }) => {
    const { host, protocol } = new URL(site);
    const iso = (time: Date | null) => time?.toISOString() ?? null;
    const given = {
      nonce: fields.nonce,
      chainId: `0x${chainId.toString(16)}`,
      ...(givesDomain && { domain: host }),
      ...(givesScheme && { scheme: protocol.slice(0, -1) }),
      ...(rest !== null && { uri: site + rest }),
      statement: fields.statement,
      issuedAt: iso(fields.issuedAt),
      expirationTime: iso(fields.expirationTime),
      notBefore: iso(fields.notBefore),
      requestId: fields.requestId,
      resources: fields.resources,
    };
    return { site, host, scheme: protocol.slice(0, -1), uri: site + (rest ?? ''), chainId, fields, given };
  });

describe('a message that the wallet writes', () => {
  test('has exactly the fields that were given, by our parser', () => {
    fc.assert(
      fc.property(valid, ({ site, host, scheme, uri, chainId, given }) => {
        const message = messageFor(read(given, site), values.$A0);
        const { rights, ...parsed } = parseSignIn(message) ?? {};
        expect(parsed).toEqual({
          ...{ scheme, domain: host, address, uri, version: '1', chainId: String(chainId) },
          nonce: given.nonce,
          statement: given.statement,
          issuedAt: given.issuedAt ?? new Date(now).toISOString(),
          expirationTime: given.expirationTime,
          notBefore: given.notBefore,
          requestId: given.requestId,
          resources: given.resources ?? [],
        });
      }),
      { numRuns: 500 },
    );
  });

  test('breaks none of our rules but those of time', () => {
    fc.assert(
      fc.property(valid, ({ site, chainId, given }) => {
        const message = messageFor(
          read({ ...given, expirationTime: null, notBefore: null }, site),
          values.$A0,
        );
        const signIn = parseSignIn(message);
        expect(signIn && checkSignIn(signIn, { origin: site, chainId, address, now })).toEqual([]);
      }),
    );
  });

  test('is the one that viem writes of the same fields, and viem reads them back', () => {
    fc.assert(
      fc.property(valid, ({ site, host, scheme, uri, chainId, fields, given }) => {
        const message = messageFor(read(given, site), values.$A0);
        const viems = {
          ...({ address, chainId, domain: host, scheme, uri, version: '1', nonce: given.nonce } as const),
          issuedAt: fields.issuedAt ?? new Date(now),
          ...(fields.statement !== null && { statement: fields.statement }),
          ...(fields.expirationTime !== null && { expirationTime: fields.expirationTime }),
          ...(fields.notBefore !== null && { notBefore: fields.notBefore }),
          ...(fields.requestId !== null && { requestId: fields.requestId }),
          ...(fields.resources !== null && { resources: fields.resources }),
        };
        expect(message).toBe(createSiweMessage(viems));
        const parsed = parseSiweMessage(message);
        expect(parsed).toEqual(viems);
        expect(
          validateSiweMessage({
            message: { ...parsed, expirationTime: undefined, notBefore: undefined } as never,
            address,
            domain: host,
            nonce: given.nonce,
            scheme,
          }),
        ).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('has an empty list of resources where one was given, and no empty statement or request', () => {
    const message = messageFor(read({ ...least, resources: [], statement: '', requestId: '' }), values.$A0);
    expect(message.endsWith('\nResources:')).toBe(true);
    expect(parseSignIn(message)).toMatchObject({ statement: null, requestId: null, resources: [] });
  });

  test('names the account by its EIP-55 address, also on chains with checksums of their own', () => {
    const message = messageFor(read({ ...least, chainId: '0x1e' }), values.$A0);
    expect(message).toContain(`\n${address}\n`);
    expect(lowerAddress(address)).toBe(values.$A0);
  });
});

const lies: readonly (readonly [name: string, member: string, value: Json])[] = [
  ['another domain', 'domain', 'bank.example'],
  ['a subdomain', 'domain', 'login.app.example'],
  ['the parent', 'domain', 'example'],
  ['a port', 'domain', 'app.example:8443'],
  ['its default port', 'domain', 'app.example:443'],
  ['a user', 'domain', 'bank.example@app.example'],
  ['the own one as a user', 'domain', 'app.example@bank.example'],
  ['a trailing dot', 'domain', 'app.example.'],
  ['a scheme inside it', 'domain', 'https://app.example'],
  ['a path', 'domain', 'app.example/'],
  ['capitals', 'domain', 'App.example'],
  ['punycode', 'domain', 'xn--app-exmple-w7a.example'],
  ['letters that look alike', 'domain', 'аpp.example'],
  ['a line end', 'domain', 'app.example\n'],
  ['nothing', 'domain', ''],
  ['another scheme', 'scheme', 'http'],
  ['a scheme of an app', 'scheme', 'javascript'],
  ['a colon', 'scheme', 'https:'],
  ['no scheme', 'scheme', ''],
  ['the origin as a prefix', 'uri', 'https://app.example.evil'],
  ['the origin as a user', 'uri', 'https://app.example@evil'],
  ['the origin as a user and a password', 'uri', 'https://app.example:443@evil'],
  ['a user', 'uri', 'https://user@app.example/'],
  ['a password', 'uri', 'https://:secret@app.example/'],
  ['another port', 'uri', 'https://app.example:8443/'],
  ['another scheme', 'uri', 'http://app.example/'],
  ['a scheme without an authority', 'uri', 'https:/app.example'],
  ['a backslash', 'uri', 'https://app.example\\@evil'],
  ['a trailing dot', 'uri', 'https://app.example./'],
  ['a path alone', 'uri', '/login'],
  ['a DID', 'uri', 'did:key:z6Mk'],
  ['a line end', 'uri', 'https://app.example/\nVersion: 2'],
  ['a blank', 'uri', 'https://app.example/a b'],
  ['nothing', 'uri', ''],
];

const mistakes: readonly (readonly [name: string, member: string, value: Json])[] = [
  ['a short nonce', 'nonce', 'c0ffee1'],
  ['a nonce with a sign', 'nonce', 'c0ffee-123'],
  ['a nonce with a line end', 'nonce', 'c0ffee123\n'],
  ['no nonce', 'nonce', null],
  ['a number as a nonce', 'nonce', 123_456_789],
  ['no chain', 'chainId', null],
  ['a decimal chain', 'chainId', '31'],
  ['a number as a chain', 'chainId', 31],
  ['a leading zero', 'chainId', '0x01f'],
  ['another version', 'version', '2'],
  ['a number as a version', 'version', 1],
  ['a statement of two lines', 'statement', 'Sign in.\nURI: https://bank.example'],
  ['a statement with a carriage return', 'statement', 'Sign in.\r'],
  ['a statement that is not ASCII', 'statement', 'Gieße die Blumen.'],
  ['a date', 'issuedAt', '2026-11-03'],
  ['a date that does not exist', 'issuedAt', '2026-02-30T00:00:00Z'],
  ['a time without a zone', 'expirationTime', '2026-11-03T00:00:00'],
  ['a number as a time', 'notBefore', 1_700_000_000],
  ['words as a time', 'notBefore', 'tomorrow'],
  ['a blank in a request', 'requestId', 'a b'],
  ['a line end in a request', 'requestId', 'a\n'],
  ['one resource', 'resources', 'https://app.example'],
  ['an object of resources', 'resources', { 0: 'https://app.example' }],
];

describe('a field that is wrong is refused, and named', () => {
  test.each([...lies, ...mistakes])('%s as %s', (_, member, value) => {
    const refused = () => read({ ...least, [member]: value });
    expect(refused).toThrow(expect.objectContaining({ code: -32602 }));
    expect(refused).toThrow(`${path}.${member}`);
  });

  test('a resource is named by its place', () => {
    for (const wrong of ['no uri', '', 'https://a.example/\n- urn:recap:e30', 5, null])
      expect(() => read({ ...least, resources: ['urn:a:b', wrong] })).toThrow(`${path}.resources[1]`);
  });

  test('a member that no message has is refused, so that a misspelt one is not left out', () => {
    expect(() => read({ ...least, expirationTme: '2026-11-03T00:00:00Z' })).toThrow('expirationTme');
    for (const given of [5, 'x', true, []]) expect(() => read(given)).toThrow(path);
  });

  test('a chain that the wallet does not know is 4902', () => {
    expect(() => read({ ...least, chainId: '0x1' })).toThrow(expect.objectContaining({ code: 4902 }));
  });

  test('a page without an origin has no site to sign in to', () => {
    expect(() => read(least, 'null')).toThrow(expect.objectContaining({ code: -32602 }));
  });

  test('no origin but the own one passes as a domain or begins a URI', () => {
    fc.assert(
      fc.property(origin, origin, tail, (site, other, rest) => {
        fc.pre(site !== other);
        const domain = new URL(other).host;
        if (domain !== new URL(site).host)
          expect(() => read({ ...least, domain }, site)).toThrow(`${path}.domain`);
        expect(() => read({ ...least, uri: other + rest }, site)).toThrow(`${path}.uri`);
        expect(() => read({ ...least, uri: `${site}.evil.example${rest}` }, site)).toThrow(`${path}.uri`);
        expect(() => read({ ...least, uri: `${site}@evil.example${rest}` }, site)).toThrow(`${path}.uri`);
      }),
      { numRuns: 300 },
    );
  });
});
