import { expect, test } from 'vitest';
import { createRedactor } from '../../../src/service/redact.js';

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
