import { describe, expect, test } from 'vitest';
import { messageWarnings } from '../../../src/approvals/describe/message.js';
import { readRights } from '../../../src/approvals/recap.js';
import { parseSignIn, uriOwner } from '../../../src/approvals/siwe.js';
import { fc } from '../../support/property.js';

const origin = 'https://app.example.com';
const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const encode = (value: unknown) =>
  `urn:recap:${Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')}`;

interface Parts {
  readonly uri?: string;
  readonly resources?: readonly string[];
  readonly statement?: string;
}
const message = ({ uri = `${origin}/login`, resources = [], statement = 'Hello.' }: Parts) =>
  [
    'app.example.com wants you to sign in with your Ethereum account:',
    `${address}\n\n${statement}\n`,
    `URI: ${uri}\nVersion: 1\nChain ID: 31\nNonce: 32891756\nIssued At: 2026-01-02T16:25:24Z`,
    ...(resources.length > 0 ? ['Resources:', ...resources.map((each) => `- ${each}`)] : []),
  ].join('\n');
const warningsOf = (parts: Parts) =>
  messageWarnings(new TextEncoder().encode(message(parts)), {
    origin,
    chainId: 31,
    address,
    now: 1_800_000_000_000,
  });
const codesOf = (parts: Parts) => warningsOf(parts).map(({ code, severity }) => `${code} ${severity}`);

describe('the URI of a sign-in', () => {
  test.each<[string, readonly string[]]>([
    [`${origin}/login`, []],
    [origin, []],
    [`${origin}:443/x?y#z`, []],
    ['https://login.example.com/', ['sign-in-other-uri caution']],
    ['https://app.example.com:8443/', ['sign-in-other-uri caution']],
    ['http://app.example.com/', ['sign-in-other-uri caution']],
    ['https://app.example.org/', ['sign-in-other-uri danger']],
    ['https://app.example.com.evil.example/', ['sign-in-other-uri danger']],
    ['https://app.example.com@evil.example/', ['sign-in-other-uri danger']],
    ['https://user@app.example.com/', ['sign-in-other-uri danger']],
    ['did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK', ['sign-in-other-uri danger']],
    ['urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6', ['sign-in-other-uri danger']],
    ['javascript:alert', ['sign-in-other-uri danger']],
  ])('%s is judged by the page that asks', (uri, codes) => {
    expect(codesOf({ uri })).toEqual(codes);
  });

  test('sites below a public suffix are different ones', () => {
    expect(uriOwner('https://b.github.io/', 'https://a.github.io')).toBe('other');
    expect(uriOwner('https://b.example.co.uk/', 'https://a.example.co.uk')).toBe('same-site');
    expect(uriOwner('http://127.0.0.2/', 'http://127.0.0.1')).toBe('other');
  });
});

describe('the resources of a sign-in', () => {
  /** The example of ERC-5573. */
  const recap = {
    att: {
      'https://example.com/pictures/': { 'crud/delete': [{}], 'crud/update': [{}], 'other/action': [{}] },
      'mailto:username@example.com': {
        'msg/receive': [{ max_count: 5, templates: ['newsletter'] }],
        'msg/send': [{}],
      },
    },
    prf: ['zdj7WjYcnYjB3yyqyGD1zYvEi4hP8sBQNbvZvmPzJ6Q'],
  };

  test('the rights of a ReCap are listed, and a danger', () => {
    const resources = [encode(recap)];
    expect(parseSignIn(message({ resources }))?.rights).toEqual([
      { resource: 'https://example.com/pictures/', action: 'crud/delete' },
      { resource: 'https://example.com/pictures/', action: 'crud/update' },
      { resource: 'https://example.com/pictures/', action: 'other/action' },
      {
        resource: 'mailto:username@example.com',
        action: 'msg/receive',
        limits: '[{"max_count":5,"templates":["newsletter"]}]',
      },
      { resource: 'mailto:username@example.com', action: 'msg/send' },
    ]);
    expect(warningsOf({ resources })).toEqual([
      { code: 'sign-in-rights', severity: 'danger', detail: expect.stringContaining('msg/send') },
    ]);
  });

  test.each([
    ['no JSON', encode('{"att":')],
    ['no rights', encode({ att: {} })],
    ['rights of another form', encode({ att: { a: null } })],
    ['no base64', 'urn:recap:%20'],
    ['upper case', encode(recap).replace('urn:recap', 'URN:ReCap')],
  ])('a ReCap with %s is a danger too', (_, resource) => {
    expect(codesOf({ resources: [resource] })).toEqual(['sign-in-rights danger']);
  });

  test.each<[readonly string[], readonly string[]]>([
    [
      ['https://example.com/terms', 'ipfs://bafybeiemxf5abjwjbikoz4mc3a3dla6ual3jsgpdr4cjr3oz3evfyavhwq/'],
      [],
    ],
    [['urn:example:a'], ['sign-in-resource caution']],
    [['did:key:z6Mk', 'https://example.com/'], ['sign-in-resource caution']],
    [['ucan:abc'], ['sign-in-resource caution']],
    [
      ['urn:example:a', encode(recap)],
      ['sign-in-rights danger', 'sign-in-resource caution'],
    ],
  ])('%j', (resources, codes) => {
    expect(codesOf({ resources })).toEqual(codes);
  });

  test('any resource that is no page and no file has a warning, and no ReCap breaks the reader', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.stringMatching(/^[a-z]{2,8}$/), (json, scheme) => {
        expect(readRights([encode(json)]).length).toBeGreaterThan(0);
        const isPlain = ['http', 'https', 'ipfs', 'ipns'].includes(scheme);
        expect(codesOf({ resources: [`${scheme}:x`] }).length > 0).toBe(!isPlain);
      }),
      { seed: 15, numRuns: 200 },
    );
  });
});

test.each([
  'Hello.\u2028URI: https://bank.example',
  'Hello.\rVersion: 2',
  'Hello.\n\nURI: https://bank.example/',
  'He\u200bllo.',
])('a statement with a hidden line feed or character is no proper sign-in (%j)', (statement) => {
  expect(codesOf({ statement })).toContain('sign-in-malformed danger');
});
