import { expect, test } from 'vitest';
import { readNewPassword } from '../../../../src/wallet/owner/new-password.js';

test('the message of a new password says which password it is', () => {
  expect(() => readNewPassword('short', 'filePassword')).toThrow('The password of the file is too short');
  expect(() => readNewPassword('short', 'next')).toThrow('The new password is too short');
  expect(() => readNewPassword('short', 'password')).toThrow('The password is too short');
});

test.each(['password', 'Password123', '12345678', 'qwertyuiop', 'aaaaaaaa'])(
  'the new password %s is refused with the reason, and not shown',
  (password) => {
    for (const name of ['password', 'next', 'filePassword'])
      expect(() => readNewPassword(password, name)).toThrow(
        expect.objectContaining({
          code: -32602,
          message: expect.stringMatching(/one that is tried first: choose several words instead\.$/),
        }),
      );
    expect(() => readNewPassword(`${password} of my aunt`, 'next')).not.toThrow();
  },
);
