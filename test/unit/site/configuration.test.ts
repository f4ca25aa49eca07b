import { describe, expect, test } from 'vitest';
import { readConfiguration, requireServedAt } from '../../../src/site/configuration.js';
import { siteOptions } from '../../support/wallet-site.js';

const right = siteOptions('https://wallet.example.com');
const read = (more: object) => readConfiguration(JSON.stringify({ ...right, ...more }));

test('a configuration is read with its defaults', () => {
  expect(read({})).toEqual({ ...right, frameMayAsk: [], endpoints: [], look: {} });
  const look = { theme: 'dark', language: 'es' };
  const endpoints = ['https://other.example'];
  expect(read({ look, endpoints })).toMatchObject({ look, endpoints });
  const frameMayAsk = ['https://app.example.com'];
  expect(read({ frameMayAsk })).toMatchObject({ frameMayAsk });
});

test('a byte order mark, which editors on Windows write, is no part of it', () => {
  const text = `\uFEFF${JSON.stringify(right)}`;
  expect(readConfiguration(text)).toEqual(readConfiguration(text.slice(1)));
});

describe('a wrong configuration is refused with the place and the rule', () => {
  test.each([
    [{ allow: undefined }, 'allow is missing'],
    [{ origin: undefined }, 'origin is missing'],
    [
      { alow: [] },
      'there is no member "alow"; it may have origin, name, networks, allow, frameMayAsk, endpoints, look',
    ],
    [{ name: '' }, 'name: expected a text of 1 to 40 characters'],
    [{ name: 'x'.repeat(41) }, 'name: expected a text of 1 to 40 characters'],
    [{ allow: 'https://app.example.com' }, 'allow: expected an array of origins'],
    [{ allow: ['https://*.example.com'] }, 'allow[0]: no wildcards; name each origin'],
    [{ allow: ['*'] }, 'allow[0]: no wildcards; name each origin'],
    [{ allow: ['https://app.example.com/'] }, 'allow[0]: write https://app.example.com, and nothing else'],
    [{ allow: ['https://APP.example.com'] }, 'allow[0]: write https://app.example.com, and nothing else'],
    [
      { allow: ['https://a.example', 'app.example.com'] },
      'allow[1]: expected an origin, such as https://app.example.com (http on this machine only)',
    ],
    [
      { allow: ['http://app.example.com'] },
      'allow[0]: expected an origin, such as https://app.example.com (http on this machine only)',
    ],
    [
      { allow: ['http://127.0.0.1.example.com'] },
      'allow[0]: expected an origin, such as https://app.example.com (http on this machine only)',
    ],
    [
      { allow: ['https://a.example', 'https://localhost'] },
      'allow[1]: https://localhost is on the machine of whoever visits it',
    ],
    [{ allow: ['https://a.example', 'https://a.example'] }, 'allow: https://a.example is there twice'],
    [{ frameMayAsk: ['https://a.example'] }, 'frameMayAsk: https://a.example is not in allow'],
    [{ frameMayAsk: ['https://*.example.com'] }, 'frameMayAsk[0]: no wildcards; name each origin'],
    [{ frameMayAsk: true }, 'frameMayAsk: expected an array of origins'],
    [{ endpoints: ['https://a.example/path'] }, 'endpoints[0]: write https://a.example, and nothing else'],
    [{ networks: [] }, 'networks must be an array of at least one network'],
    [
      { networks: [{ chainId: 31, url: 'http://rpc.example/planted-key' }] },
      'networks[0].url[0] must be an https URL without a user name (http on loopback only)',
    ],
    [{ networks: [{ ...right.networks[0], burst: 0 }] }, 'networks[0].burst must be a number above zero'],
    [{ look: { theme: 'blue' } }, 'look.theme: expected one of auto, light, dark'],
    [{ look: { language: 'de' } }, 'look.language: expected one of en, es, pt'],
    [{ look: { colour: 'red' } }, 'look: there is no member "colour"; it may have theme, language'],
  ])('%j', (more, rule) => {
    expect(() => read(more)).toThrow(
      expect.objectContaining({ code: -32602, message: `wallet.json: ${rule}` }) as Error,
    );
  });

  test('text that is not JSON, by line and column and without a part of it', () => {
    const text = '{\n  "networks": [{ "url": "https://rpc.example/planted-key" }],\n  "name": "x" y\n}';
    expect(() => readConfiguration(text)).toThrow('wallet.json: this is not JSON: line 3, column 15');
    expect(() => readConfiguration('[]')).toThrow('wallet.json: expected an object');
    // The parser tells no place here, only the text around it.
    expect(() => readConfiguration('{ "url": planted-key }')).toThrow(/^wallet.json: this is not JSON$/);
  });
});

test('members that a page adds to every object are not read', () => {
  const prototype = Object.prototype as { endpoints?: unknown };
  prototype.endpoints = ['https://evil.example'];
  try {
    expect(read({}).endpoints).toEqual([]);
  } finally {
    delete prototype.endpoints;
  }
});

test('a wallet that is served at another origin than it says does not start', () => {
  const configuration = read({});
  expect(requireServedAt(configuration, right.origin)).toBe(configuration);
  expect(() => requireServedAt(configuration, 'https://preview--wallet.example.com')).toThrow(
    'origin is https://wallet.example.com, but this page is served at https://preview--wallet.example.com',
  );
});
