import { encodeText, normalizeText } from '../../keyring/builtins.js';
import { isCommonPassword } from '../../rpc/common-password.js';
import { invalidParams } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';
import { readText } from './arguments.js';

/** Checks a new password; an old one must still unlock. The message is for the person who chooses the password. */
export function readNewPassword(value: unknown, name: string): string {
  const password = readText(value, name);
  const which = own(titles)[name] ?? 'The password';
  if ([...password.slice(0, 16)].length < 8)
    throw invalidParams(`${which} is too short: choose at least 8 characters.`);
  if (password.length > 1024 || encodeText(password).length > 1024)
    throw invalidParams(`${which} is too long: at most 1,024 bytes.`);
  if (isCommonPassword(normalizeText(password, 'NFKC')))
    throw invalidParams(`${which} is one that is tried first: choose several words instead.`);
  return password;
}

const titles: Readonly<Record<string, string>> = {
  next: 'The new password',
  filePassword: 'The password of the file',
};
