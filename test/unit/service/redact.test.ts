import { describe, expect, test, vi } from 'vitest';
import { createRedactor, maxRedacted } from '../../../src/service/redact.js';

const key = 'Key-0123456789';
const redact = createRedactor([
  `https://rpc.example:8443/v2/${key}?token=second-secret`,
  'http://127.0.0.1:1234/',
]);

test.each([
  [`no such app: ${key}`],
  [`POST /v2/${key} failed`],
  [`https://rpc.example:8443/v2/${key}?token=second-secret`],
  [`key ${key.toUpperCase()} is unknown`],
  ['token second-secret expired'],
])('takes the secret out of "%s"', (text) => {
  const clean = redact(text);
  expect(clean).toContain('[redacted]');
  expect(clean.toLowerCase()).not.toContain(key.toLowerCase());
  expect(clean).not.toContain('second-secret');
});

test('takes out the endpoint itself', () => {
  expect(redact('connect http://127.0.0.1:1234/ refused by https://rpc.example:8443')).toBe(
    'connect [redacted] refused by [redacted]',
  );
});

test('leaves other text alone', () => {
  const text = 'revert ERC20: v2 transfer / amount (exceeds) balance';
  expect(redact(text)).toBe(text);
});

test('a key with escapes is found in both spellings', () => {
  const escaped = createRedactor(['https://rpc.example/a%20secret%22key$(.*)']);
  expect(escaped('got a%20secret%22key$(.*) or a secret"key$(.*)')).toBe('got [redacted] or [redacted]');
});

test('a short key is found behind its slash', () => {
  expect(createRedactor(['http://127.0.0.1:1/dev'])('path /dev of a device')).toBe(
    'path [redacted] of a device',
  );
});

describe('the work is bounded, whatever a contract says', () => {
  /** Characters that methods of texts go through meanwhile. */
  function charactersIn(work: () => unknown): number {
    let sum = 0;
    const { replace, match, normalize, toLowerCase } = String.prototype;
    const methods = { replace, match, normalize, toLowerCase };
    const spies = (Object.keys(methods) as (keyof typeof methods)[]).map((name) =>
      vi.spyOn(String.prototype, name).mockImplementation(function (this: string, ...given: never[]) {
        const made = (methods[name] as (...given: never[]) => unknown).apply(this, given);
        sum += this.length + (typeof made === 'string' ? made.length : 0);
        return made as never;
      }),
    );
    try {
      work();
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
    return sum;
  }
  const fill = (text: string, length: number) =>
    text.repeat(Math.ceil(length / text.length)).slice(0, length);
  const texts = {
    ligatures: '\ufdfa',
    'ligatures in escapes': '\\ufdfa',
    'ligatures as numbers': '65018 ',
    'bytes in percent': '%ff%fe',
    'letters in percent': '%41%42',
    letters: 'abcdefghij',
    marks: 'a\u0301',
    base64: 'QWxhZGRpbjpvcGVu',
    entities: '&#x41;&#66;',
    digits: '1 ',
    nested: '%255c%2575%25660064',
  };

  test.each(Object.entries(texts))('the search of %s is bounded', (_, text) => {
    for (const length of [1_000, 4_000, maxRedacted])
      expect(charactersIn(() => redact(fill(text, length)))).toBeLessThan(2 ** 22);
    for (const length of [maxRedacted + 1, 2 ** 19, 2 ** 23]) {
      const long = fill(text, length);
      expect(charactersIn(() => expect(redact(long)).toBe('[too long]'))).toBeLessThan(maxRedacted);
    }
  });

  test('a text that is short only before its ligatures are taken apart is dropped', () => {
    expect(redact('\ufdfa'.repeat(5_000))).toBe('[redacted]');
    expect(redact('\ufdfa'.repeat(1_000))).toBe('\ufdfa'.repeat(1_000));
  });

  test('a text of the longest length is searched as a whole', () => {
    const long = fill('x y, ', maxRedacted);
    expect(redact(long)).toBe(long);
    expect(redact(`${long.slice(key.length)}${key}`)).toContain('[redacted]');
    expect(redact(`${long.slice(40)}${Buffer.from(key).toString('base64')}`)).toBe('[redacted]');
  });
});
