import { describe, expect, test } from 'vitest';
import { readTypedData } from '../../../src/keyring/typed-data/typed-data.js';
import { type Form, form, other, owner, third } from './forms.js';
import { rightIn } from './right-in.js';

/** Only an end in the form, in the coming years, or a bound of amount makes a right less than endless. */

const now = 1_795_000_000;
const rightThen = (data: Form) => rightIn(readTypedData(data, 'p', { chainId: 31 }), now);
const read = (fields: string, message: object) =>
  rightThen(form({ Session: `address sessionKey, ${fields}` }, { sessionKey: other, ...message }));
const day = 86_400;

describe('a right without an end', () => {
  test.each([
    ['a beginning', 'uint256 issuedAt', now],
    ['the present', 'uint256 timestamp', now + day],
    ['a date from which it is valid', 'uint256 validFrom', now + day],
    ['a date after which it is valid', 'uint256 validAfter', now + day],
    ['a start', 'uint256 startTime', now + day],
    ['a date of the past', 'uint256 expiry', now - 1],
    ['a date in the next century', 'uint256 expiry', 4_102_444_800],
    ['a date of five digits for the year', 'uint256 expiry', 99_999_999_999],
    ['the end of the signature', 'uint256 sigDeadline', now + day],
    ['the end of the signature, spelt out', 'uint256 signatureExpiry', now + day],
    ['a date of a lender', 'uint256 lenderTime', now + day],
    ['a least amount', 'uint256 minAmount', 5],
    ['an amount of nothing', 'uint256 amount', 0],
    ['a value of nothing', 'uint256 value', 0],
    ['a limit of gas', 'uint256 gasLimit', 5],
    ['a price', 'uint256 price', 5],
  ])('%s', (_, field, value) => {
    const name = field.split(' ')[1] as string;
    expect(read(field, { [name]: value })).toMatchObject({ kind: 'other', endless: true });
  });

  test('one of its two ends is zero', () => {
    expect(read('uint256 deadline, uint256 expiry', { deadline: now + day, expiry: 0 })).toMatchObject({
      endless: true,
    });
  });
});

describe('a right with an end', () => {
  test.each([
    ['uint256 expiry', now + day],
    ['uint48 expiration', now + day],
    ['uint256 expires_at', now + 365 * day],
    ['uint256 deadline', now + day],
    ['uint256 validUntil', now + day],
    ['uint32 validTo', now + day],
    ['uint256 endTime', now + day],
    ['uint256 notAfter', now + day],
    ['uint256 until', now + day],
    ['uint256 amount', 5],
    ['uint256 maxAmount', 5],
    ['uint256 spendLimit', 5],
  ])('%s', (field, value) => {
    const name = field.split(' ')[1] as string;
    expect(read(field, { [name]: value })).toEqual({
      kind: 'other',
      holders: [{ path: 'sessionKey', address: other }],
    });
  });

  test('a beginning beside it changes nothing', () => {
    const right = read('uint256 issuedAt, uint256 expiry', { issuedAt: now, expiry: now + day });
    expect(right).toMatchObject({ kind: 'other', endless: undefined });
  });
});

describe('a sign-in that is no plain one', () => {
  const signIn = (name: string, fields: string, message: object) =>
    rightThen(form({ [name]: fields }, message));
  const didKey = 'did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH';

  test.each([
    ['a key', 'LogIn', 'string sessionKey', { sessionKey: `0x02${'ab'.repeat(32)}` }, 'other'],
    [
      'a key with a scheme',
      'SignIn',
      'string sessionKey',
      { sessionKey: `ed25519:${'A'.repeat(43)}` },
      'other',
    ],
    ['a public key', 'LogIn', 'string pubkey', { pubkey: 'MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrB' }, 'other'],
    ['a short key', 'signIn', 'string apiKey', { apiKey: '0xabc' }, 'unclear'],
    [
      'a delegate',
      'Authentication',
      'string delegate, string scope',
      { delegate: didKey, scope: '*' },
      'other',
    ],
    ['a holder by name', 'LogIn', 'string operator', { operator: 'bob.rsk' }, 'unclear'],
    ['a recipient', 'Login', 'string to', { to: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' }, 'other'],
    ['an amount', 'Login', 'string amount', { amount: '1000' }, 'unclear'],
    ['a scope', 'Login', 'string scope', { scope: 'transfer:*' }, 'unclear'],
    ['a DID in a sentence', 'Login', 'string statement', { statement: `I am ${didKey}` }, 'unclear'],
    [
      'an address of Bitcoin in a sentence',
      'Login',
      'string statement',
      { statement: 'Pay 1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2.' },
      'unclear',
    ],
    [
      'an address as a nonce',
      'Login',
      'string nonce',
      { nonce: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' },
      'unclear',
    ],
    ['another account', 'Login', 'string id', { id: `did:pkh:eip155:30:${third}` }, 'unclear'],
    ['a DID of the web', 'Login', 'string id', { id: 'did:web:a.example' }, 'unclear'],
  ])('%s', (_, name, fields, message, kind) => {
    expect(signIn(name, fields, message)?.kind).toBe(kind);
  });

  test.each([
    ['words', 'string statement, uint256 nonce', { statement: 'Sign in to app.example.', nonce: 5 }],
    [
      'an address of a page, a random nonce and times',
      'string uri, string domain, string nonce, string issuedAt, uint256 expirationTime',
      {
        ...{ uri: 'https://app.example/a-long-path/to/a-page?with=a-query&and=more', domain: 'app.example' },
        ...{ nonce: '9f3c5a7e1b2d4c6f8a0e1d3b5c7f9a1e', issuedAt: '2026-11-26T03:00:00.000Z' },
        expirationTime: now,
      },
    ],
    ['the signer', 'address account, string did', { account: owner, did: `did:pkh:eip155:30:${owner}` }],
    ['a request’s id', 'string requestId', { requestId: '3f0b8c1e-54f4-4d0e-9c3e-2f4b6a7d8c90' }],
  ])('a plain one: %s', (_, fields, message) => {
    expect(signIn('Login', fields, message)).toBeNull();
  });
});
