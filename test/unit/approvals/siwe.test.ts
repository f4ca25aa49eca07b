import { describe, expect, test } from 'vitest';
import { checkSignIn, looksLikeSignIn, parseSignIn } from '../../../src/approvals/siwe.js';

const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const context = { origin: 'https://app.example', chainId: 31, address, now: Date.UTC(2026, 10, 3) };

/** A valid message of `https://app.example` with some of its fields changed; `null` leaves one out. */
function message(changes: Record<string, string | null> = {}): string {
  const fields: Record<string, string | null> = {
    scheme: null,
    domain: 'app.example',
    address,
    statement: 'Sign in to the Example.',
    uri: 'https://app.example/login?next=%2F#top',
    version: '1',
    chainId: '31',
    nonce: '32891756',
    issuedAt: '2026-11-02T16:25:24Z',
    expirationTime: null,
    notBefore: null,
    requestId: null,
    resources: null,
    ...changes,
  };
  const line = (name: string, field: string) => (fields[field] === null ? '' : `\n${name}: ${fields[field]}`);
  return (
    `${fields.scheme === null ? '' : `${fields.scheme}://`}${fields.domain} wants you to sign in with your Ethereum account:\n` +
    `${fields.address}\n\n${fields.statement === null ? '' : `${fields.statement}\n`}` +
    `${line('URI', 'uri')}${line('Version', 'version')}${line('Chain ID', 'chainId')}${line('Nonce', 'nonce')}${line('Issued At', 'issuedAt')}` +
    `${line('Expiration Time', 'expirationTime')}${line('Not Before', 'notBefore')}${line('Request ID', 'requestId')}` +
    `${fields.resources === null ? '' : `\nResources:${fields.resources}`}`
  );
}

describe('parseSignIn', () => {
  test('a sign-in message with every field is parsed', () => {
    expect(
      parseSignIn(
        message({
          scheme: 'https',
          expirationTime: '2026-11-04T00:00:00.5+02:00',
          notBefore: '2026-11-01T00:00:00z',
          requestId: 'a-1',
          resources:
            '\n- ipfs://bafybeiemxf5abjwjbikoz4mc3a3dla6ual3jsgpdr4cjr3oz3evfyavhwq/\n- urn:example:a',
        }),
      ),
    ).toEqual({
      scheme: 'https',
      domain: 'app.example',
      address,
      statement: 'Sign in to the Example.',
      uri: 'https://app.example/login?next=%2F#top',
      version: '1',
      chainId: '31',
      nonce: '32891756',
      issuedAt: '2026-11-02T16:25:24Z',
      expirationTime: '2026-11-04T00:00:00.5+02:00',
      notBefore: '2026-11-01T00:00:00z',
      requestId: 'a-1',
      resources: ['ipfs://bafybeiemxf5abjwjbikoz4mc3a3dla6ual3jsgpdr4cjr3oz3evfyavhwq/', 'urn:example:a'],
    });
  });

  // The example of ERC-4361 itself (CC0).
  test('the example of the ERC', () => {
    expect(
      parseSignIn(`example.com wants you to sign in with your Ethereum account:
0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2

I accept the ExampleOrg Terms of Service: https://example.com/tos

URI: https://example.com/login
Version: 1
Chain ID: 1
Nonce: 32891756
Issued At: 2021-09-30T16:25:24Z
Resources:
- ipfs://bafybeiemxf5abjwjbikoz4mc3a3dla6ual3jsgpdr4cjr3oz3evfyavhwq/
- https://example.com/my-web2-claim.json`),
    ).toMatchObject({ domain: 'example.com', chainId: '1', resources: { length: 2 } });
  });

  test.each<[string, Record<string, string | null>]>([
    ['no statement', { statement: null }],
    ['a port', { domain: 'localhost:3000' }],
    ['an IPv6 host', { domain: '[::1]:3000' }],
    ['an empty request id', { requestId: '' }],
    ['an empty list of resources', { resources: '' }],
    ['a leap second', { issuedAt: '2016-12-31T23:59:60Z' }],
    ['a leap day', { issuedAt: '2024-02-29T00:00:00Z' }],
    ['a uri without an authority', { uri: 'urn:example' }],
  ])('%s', (_, changes) => {
    expect(parseSignIn(message(changes))).not.toBeNull();
  });

  test.each<[string, string]>([
    ['an empty text', ''],
    ['words before it', `Hi!\n${message()}`],
    ['a line behind it', `${message()}\n`],
    ['Windows line ends', message().replaceAll('\n', '\r\n')],
    ['an empty domain', message({ domain: '' })],
    ['a path in the domain', message({ domain: 'app.example/x' })],
    ['a space in the domain', message({ domain: 'app example' })],
    ['letters outside ASCII in the domain', message({ domain: 'аpp.example' })],
    ['a short address', message({ address: address.slice(0, -1) })],
    ['an upper-case prefix', message({ address: address.replace('0x', '0X') })],
    ['two lines of statement', message({ statement: 'a\nb' })],
    ['hidden characters in the statement', message({ statement: 'a\u202eb' })],
    ['an empty statement line', message({ statement: '' })],
    ['version 2', message({ version: '2' })],
    ['a hexadecimal chain id', message({ chainId: '0x1f' })],
    ['a short nonce', message({ nonce: '1234567' })],
    ['a nonce with a hyphen', message({ nonce: '1234-5678' })],
    ['no time of issue', message({ issuedAt: null })],
    ['a time without a zone', message({ issuedAt: '2026-11-02T16:25:24' })],
    ['a 13th month', message({ issuedAt: '2026-13-02T16:25:24Z' })],
    ['the 30th of February', message({ issuedAt: '2026-02-30T16:25:24Z' })],
    ['month zero', message({ issuedAt: '2026-00-10T16:25:24Z' })],
    ['25 o’clock', message({ expirationTime: '2026-11-02T25:00:00Z' })],
    [
      'fields in another order',
      message({ notBefore: '2026-11-02T16:25:24Z\nExpiration Time: 2026-11-02T16:25:24Z' }),
    ],
    ['a relative uri', message({ uri: '/login' })],
    ['a broken escape in the uri', message({ uri: 'https://app.example/%2' })],
    ['a resource that is no uri', message({ resources: '\n- hello' })],
    ['a text without an end', message({ statement: 'a'.repeat(9000) })],
  ])('%s', (_, text) => {
    expect(parseSignIn(text)).toBeNull();
  });

  test('hostile text takes no time', () => {
    const started = performance.now();
    for (const text of ['%41'.repeat(2600), 'a:'.repeat(4000), `${'a@'.repeat(4000)}`, 'a.'.repeat(4090)]) {
      parseSignIn(text);
      parseSignIn(message({ uri: `https://${text}`.slice(0, 7000) }));
      parseSignIn(message({ uri: `https://app.example/${'/a'.repeat(3000)}\\` }));
    }
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});

describe('looksLikeSignIn', () => {
  test('a text with the beginning of a sign-in message looks like one', () => {
    expect(looksLikeSignIn(message())).toBe(true);
    expect(looksLikeSignIn('evil.example  WANTS you to\nsign in with your Ethereum account now')).toBe(true);
    expect(looksLikeSignIn('bank.example wants you to sign in with your')).toBe(true);
    expect(looksLikeSignIn('bank.example wants you to sign in with yours')).toBe(false);
    expect(looksLikeSignIn('Sign in, please.')).toBe(false);
  });
});

describe('checkSignIn', () => {
  const check = (changes: Record<string, string | null> = {}, where: Partial<checkSignIn.Context> = {}) => {
    const signIn = parseSignIn(message(changes));
    if (signIn === null) throw new Error('The test wrote a malformed message.');
    return checkSignIn(signIn, { ...context, ...where });
  };

  test('a sign-in message of this site, chain and account has no problems', () => {
    expect(check()).toEqual([]);
    expect(check({ scheme: 'https', domain: 'APP.example:443', address: address.toLowerCase() })).toEqual([]);
  });

  test.each<[string, Record<string, string>, Partial<checkSignIn.Context>, string, string]>([
    ['siwe-001', { domain: 'evil.example' }, {}, 'domain', 'domain'],
    ['siwe-002', { domain: 'app.example.evil.com' }, {}, 'domain', 'domain'],
    ['a user in front of the domain', { domain: 'app.example@evil.com' }, {}, 'domain', 'domain'],
    ['a user in front of the right domain', { domain: 'evil.com@app.example' }, {}, 'domain', 'domain'],
    ['a subdomain', { domain: 'login.app.example' }, {}, 'domain', 'domain'],
    ['siwe-005', { domain: 'app.example:8443' }, {}, 'domain', 'domain'],
    ['another scheme', { scheme: 'http' }, {}, 'scheme', 'https'],
    ['a page without encryption', {}, { origin: 'http://app.example' }, 'scheme', 'https'],
    ['siwe-008', { chainId: '1' }, {}, 'chain-id', 'Chain ID'],
    ['siwe-009', { expirationTime: '2001-01-01T00:00:00Z' }, {}, 'expired', 'expir'],
    ['siwe-010', { notBefore: '2099-01-01T00:00:00Z' }, {}, 'not-before', 'Not Before'],
    ['siwe-012', {}, { origin: 'https://frame.example' }, 'domain', 'domain'],
    ['another account', { address: `0x${'1'.repeat(40)}` }, {}, 'address', 'address'],
    ['an opaque origin', {}, { origin: 'null' }, 'domain', 'domain'],
  ])('%s', (_, changes, where, rule, words) => {
    const violations = check(changes, where);
    expect(violations.map((violation) => violation.rule)).toEqual([rule]);
    expect(violations[0]?.message).toContain(words);
  });

  test.each([
    'http://localhost:3000',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
    'http://app.localhost:3000',
  ])('a page under development may lack encryption (%s)', (origin) => {
    expect(check({ domain: new URL(origin).host }, { origin })).toEqual([]);
  });

  test('times count to the millisecond and with their zone', () => {
    const expirationTime = '2026-11-03T02:00:00.250+02:00';
    expect(check({ expirationTime }, { now: Date.UTC(2026, 10, 3, 0, 0, 0, 249) })).toEqual([]);
    expect(check({ expirationTime }, { now: Date.UTC(2026, 10, 3, 0, 0, 0, 250) })).toHaveLength(1);
    expect(
      check({ expirationTime: '2026-11-02T22:00:00-02:00' }, { now: Date.UTC(2026, 10, 2, 23, 59) }),
    ).toEqual([]);
  });

  test('a clock a little behind the server may sign', () => {
    const notBefore = '2026-11-03T00:00:00Z';
    expect(check({ notBefore }, { now: Date.UTC(2026, 10, 2, 23, 59) })).toEqual([]);
    expect(check({ notBefore }, { now: Date.UTC(2026, 10, 2, 23, 58) })).toHaveLength(1);
  });
});
