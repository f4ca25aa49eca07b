import { describe, expect, test } from 'vitest';
import { readSite, siteName } from '../../../../src/ui/pieces/site.js';

describe('readSite', () => {
  test.each([
    ['https://example.com', '', 'example.com', ''],
    ['https://app.example.com', 'app.', 'example.com', ''],
    ['https://rootstock.io.evil.example', 'rootstock.io.', 'evil.example', ''],
    ['https://www.bank.co.uk', 'www.', 'bank.co.uk', ''],
    ['https://shop.example.com.ar', 'shop.', 'example.com.ar', ''],
    ['https://somebody.github.io', '', 'somebody.github.io', ''],
    ['https://a.somebody.vercel.app', 'a.', 'somebody.vercel.app', ''],
    ['https://github.io', '', 'github.io', ''],
    ['http://localhost:5173', 'http://', 'localhost', ':5173'],
    ['http://127.0.0.1:8080', 'http://', '127.0.0.1', ':8080'],
    ['https://[2001:db8::1]:8443', '', '[2001:db8::1]', ':8443'],
    ['null', '', 'null', ''],
  ])('%s', (origin, before, registrable, after) => {
    expect(readSite(origin)).toMatchObject({ before, registrable, after });
    expect(siteName(origin)).toBe(before + registrable + after);
  });

  test.each([
    ['https://example.com', true],
    ['http://example.com', false],
    ['http://localhost', true],
    ['http://127.0.0.1:3000', true],
    ['http://127.0.0.1.evil.example', false],
    ['null', false],
  ])('%s is secure: %s', (origin, secure) => {
    expect(readSite(origin).secure).toBe(secure);
  });

  test('a punycode label is reported as foreign', () => {
    expect(readSite('https://xn--pple-43d.com').foreign).toBe(true);
    expect(readSite('https://login.xn--pple-43d.com').foreign).toBe(true);
    expect(readSite('https://maxn--imal.com').foreign).toBe(false);
  });
});
