import { expect, test } from 'vitest';
import { isCommonPassword } from '../../../src/rpc/common-password.js';
import { fc } from '../../support/property.js';

test.each([
  ...['password', 'Password1', 'P@ssw0rd', 'P@ssw0rd1!', 'pass word', 'contraseña', 'senha123', 'passwort!'],
  ...['12345678', '123456789', '1234567890', '87654321', '11111111', '00000000', '19900101', '0123 4567'],
  ...[
    'qwertyui',
    'qwertyuiop',
    'qwerty123',
    'qwerty12345',
    '1q2w3e4r',
    '1qaz2wsx',
    'zaq12wsx',
    'asdfghjkl',
    'abcdefgh',
  ],
  ...[
    'abcd1234',
    'aaaaaaaa',
    'abcabcabc',
    '12121212',
    'iloveyou',
    'ILoveYou2',
    'sunshine',
    'football',
    'baseball',
  ],
  ...[
    'superman',
    'trustno1',
    'letmein1',
    'welcome1',
    'admin123',
    'changeme',
    'bitcoin21',
    'metamask',
    'mywallet',
    'wallet2024',
  ],
  ...[
    'aa123456',
    'Aa@123456',
    'a12345678',
    '123456789a',
    'qwe12345',
    '98765asd',
    'abc11111',
    '1234567890123',
  ],
  ...[
    'Pass@123',
    'India@123',
    'brasil2024',
    'tequiero',
    'michelle',
    'Jessica1',
    '123mudar',
    '1234qwer',
    '123qweasd',
  ],
  ...['test1234', 'qwerasdfzxcv', '!!!!!!!!', 'passwordpassword'],
])('%s is one of the passwords that are tried first', (password) => {
  expect(isCommonPassword(password.normalize('NFKC'))).toBe(true);
});

test.each([
  ...[
    'correct horse',
    'a password',
    'test password',
    'testpassword',
    'new password',
    'elsewhere',
    'for the file',
  ],
  ...['az-1928374', 'k7 123499871', 'x48151623ab', '48 151623 x'],
  ...['Tr0ub4dor and a horse', 'several words are better', 'password of my own shop', 'x7Kq9wLm', 'hjR4-tz9'],
  ...[
    'password8371920374',
    'manzana verde',
    'correct horse battery',
    'a wallet of mine',
    '481516234299',
    'пароль дома',
  ],
])('%s is not', (password) => {
  expect(isCommonPassword(password.normalize('NFKC'))).toBe(false);
});

test('random passwords of twelve letters and digits are accepted, whatever they are', () => {
  const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789');
  const random = fc.string({ unit: letter, minLength: 12, maxLength: 24 });
  const varied = random.filter((text) => new Set(text.toLowerCase()).size > 8);
  fc.assert(
    fc.property(varied, (text) => !isCommonPassword(text)),
    { seed: 26, numRuns: 500 },
  );
});
