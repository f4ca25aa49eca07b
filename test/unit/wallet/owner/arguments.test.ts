import { describe, expect, test } from 'vitest';
import { readCredential, readName } from '../../../../src/wallet/owner/arguments.js';

describe('readName', () => {
  test('a name of 1 to 40 characters is taken without the spaces around it', () => {
    for (const [given, name] of [
      ['My phone', 'My phone'],
      ['  Ahorros ', 'Ahorros'],
      ['👨‍👩‍👧 family', '👨‍👩‍👧 family'],
      ['名'.repeat(40), '名'.repeat(40)],
    ] as const)
      expect(readName(given, 'label')).toBe(name);
  });

  test('an empty, long or deceptive one is refused without being shown', () => {
    for (const given of [
      '',
      '   ',
      'x'.repeat(41),
      'a\u202eb',
      'a\u0000b',
      'a\nb',
      '\ud800',
      5,
      null,
      undefined,
    ]) {
      let message = '';
      try {
        readName(given, 'label');
      } catch (error) {
        message = (error as Error).message;
      }
      expect(message).toMatch(/^label: expected (1 to 40 characters|a string)$/);
    }
  });
});

test('a credential is a password, or says that it is a passkey itself', () => {
  expect(readCredential('')).toBe('');
  expect(readCredential({ passkey: true, more: 1 })).toEqual({ passkey: true });
  for (const given of [
    {},
    { passkey: 'x' },
    { passkey: false },
    Object.create({ passkey: true }),
    [],
    null,
    5,
  ])
    expect(() => readCredential(given)).toThrow('credential: expected a password or { passkey: true }');
});
