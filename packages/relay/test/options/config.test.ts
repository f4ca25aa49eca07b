import { describe, expect, test } from 'vitest';
import { readOptions } from '../../src/options/config.js';

const url = 'https://rpc.example/the-secret-key';
const good = { networks: [{ chainId: 31, url }], origins: ['https://app.example'] };
const jwt = { key: 'a secret of at least thirty-two letters', algorithms: ['HS256'], audience: 'relay' };

/** The message for options that are wrong. */
function message(change: object): string {
  try {
    readOptions({ ...good, ...change });
  } catch (error) {
    expect(error).toMatchObject({ code: -32602 });
    return (error as Error).message;
  }
  return 'accepted';
}
const network = (change: object) => message({ networks: [{ chainId: 31, url, ...change }] });

test('the defaults', () => {
  expect(readOptions(good)).toMatchObject({
    networks: [{ chainId: 31, urls: [url] }],
    origins: new Set(['https://app.example']),
    trustedProxies: 0,
    limits: { messagesPerSecond: 20, messageBurst: 60, readsPerMinute: 30, readBurst: 60, connections: 10 },
    adminToken: undefined,
  });
});

describe('a wrong option is named with its rule', () => {
  test.each<[object, string]>([
    [{ networks: [] }, 'networks must be an array of at least one network'],
    [
      { networks: [good.networks[0], good.networks[0]] },
      'networks[1].chainId must be a chain that is not listed before',
    ],
    [{ origins: undefined }, 'origins must be a list of origins such as https://app.example'],
    [{ origins: [] }, 'origins must be a list'],
    [{ origins: ['https://app.example/'] }, 'origins[0] must be an origin'],
    [{ origins: ['https://app.example/path'] }, 'origins[0] must be an origin'],
    [{ origins: ['https://a.example', 'app.example'] }, 'origins[1] must be an origin'],
    [{ origins: ['https://a.example', '*'] }, 'origins must be "*" alone'],
    [{ origins: ['*'] }, 'only allowed together with jwt (required), or with open: true'],
    [{ origins: ['*'], jwt: { ...jwt, required: false } }, 'only allowed together with jwt (required)'],
    [{ open: 'yes' }, 'open must be true or false'],
    [{ trustedProxies: -1 }, 'trustedProxies must be a whole number from 0 to 10'],
    [{ adminToken: 'short' }, 'adminToken must be 16 to 512 characters'],
    [{ limits: { connections: 0 } }, 'limits.connections must be a whole number above zero'],
    [{ limits: { readsPerMinute: 0 } }, 'limits.readsPerMinute must be a number above zero'],
    [{ limits: { shareOfDay: 2 } }, 'limits.shareOfDay must be a number above 0, at most 1'],
    [{ limits: { conections: 1 } }, 'limits.conections: unknown option (known: messagesPerSecond'],
    [{ methods: { also: ['debug_traceCall'] } }, 'methods.also[0] must be a method that may be relayed'],
    [{ methods: { only: 'eth_call' } }, 'methods.only must be a list of methods'],
    [{ orgins: [] }, 'orgins: unknown option (known: networks, origins'],
    [{ fetch: 'x' }, 'fetch must be a function'],
    [{ jwt: { ...jwt, algorithms: ['none'] } }, 'jwt.algorithms must be a list of HS256, ES256, EdDSA'],
    [{ jwt: { ...jwt, algorithms: ['HS256', 'ES256'] } }, 'jwt.algorithms must be HS256 alone'],
    [{ jwt: { ...jwt, key: 'short' } }, 'jwt.key must be at least 32 characters'],
    [{ jwt: { ...jwt, audience: '' } }, 'jwt.audience must be a text'],
    [{ jwt: { ...jwt, jwks: 'https://x.example' } }, 'jwt must be given with either key or jwks'],
    [{ jwt: { ...jwt, key: undefined, jwks: 'https://x.example' } }, 'jwt.algorithms must be without HS256'],
    [{ jwt: { ...jwt, algorithms: ['ES256'] } }, 'jwt.key must be a public key'],
    [{ jwt: { ...jwt, algorithms: ['ES256'], key: { kty: 'EC', d: 'x' } } }, 'without its private part'],
    [
      { jwt: { algorithms: ['ES256'], audience: 'a', jwks: 'http://x.example' } },
      'jwt.jwks must be an https URL',
    ],
  ])('%o', (change, expected) => {
    expect(message(change)).toContain(expected);
  });

  test.each<[object, string]>([
    [{ chainId: '31' }, 'networks[0].chainId must be a positive whole number'],
    [{ url: 'http://rpc.example/key' }, 'networks[0].url must be an https URL'],
    [{ url: 'https://user:pass@rpc.example' }, 'networks[0].url must be an https URL'],
    [{ url: [url, 'x'] }, 'networks[0].url[1] must be an https URL'],
    [{ url: [] }, 'networks[0].url must be a URL or an array'],
    [{ socket: 'ws://rpc.example' }, 'networks[0].socket must be a wss URL'],
    [{ interval: 999 }, 'networks[0].interval must be 1,000 to 60,000 milliseconds'],
    [{ url: 'http://127.0.0.1:4444/key', interval: 19 }, 'networks[0].interval must be 1,000 to 60,000'],
    [{ requestsPerDay: 0 }, 'networks[0].requestsPerDay must be a number above zero, or null'],
    [{ burst: 0 }, 'networks[0].burst must be a number of at least 1'],
    [{ intervall: 1 }, 'networks[0].intervall: unknown option'],
  ])('a wrong option of a network is named: %o', (change, expected) => {
    expect(network(change)).toContain(expected);
  });

  test('never with a key, a URL or a secret', () => {
    const secrets = [
      network({ url: 'http://rpc.example/the-secret-key' }),
      network({ socket: 'http://rpc.example/the-secret-key' }),
      message({ adminToken: 'the-secret-key' }),
      message({ jwt: { ...jwt, key: 'the-secret-key' } }),
      message({ networks: [{ chainId: 31, url, 'https://rpc.example/the-secret-key': 1 }] }),
    ];
    for (const text of secrets) expect(text).not.toContain('the-secret');
  });
});

test('options that are allowed', () => {
  expect(message({ origins: ['*'], open: true })).toBe('accepted');
  expect(message({ origins: ['*'], jwt })).toBe('accepted');
  expect(message({ origins: ['http://localhost:5173'] })).toBe('accepted');
  expect(message({ methods: { only: ['eth_call'], also: ['trace_block'] } })).toBe('accepted');
  expect(
    network({ url: ['http://127.0.0.1:4444', url], socket: 'ws://localhost:1', requestsPerDay: null }),
  ).toBe('accepted');
});

test('options that a page has put into Object.prototype count for nothing', () => {
  const polluted = Object.create({ open: true, origins: ['*'] });
  expect(() => readOptions(Object.assign(polluted, { networks: good.networks }))).toThrow('origins must be');
});
