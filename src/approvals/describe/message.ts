import { hasHidden } from '../../rpc/text.js';
import { checkSignIn, looksLikeSignIn, parseSignIn } from '../siwe.js';
import type { Warning } from '../warning.js';
import { decodeText } from './text.js';

/**
 * What a person should weigh before signing these bytes in the EIP-191 form. Whether a sign-in message for
 * another site is refused outright is the method's policy; here it is a warning.
 */
export function messageWarnings(bytes: Uint8Array, context: checkSignIn.Context): readonly Warning[] {
  const text = decodeText(bytes);
  const hidden = text !== null && hasHidden(text);
  const warnings: Warning[] = [];
  // A hash that happens to read as clean text would have to be searched for (one in 10^13).
  if (bytes.length === 32 && (text === null || hidden)) {
    warnings.push({ code: 'blind-signing', severity: 'danger' });
  } else if (text === null) {
    warnings.push({ code: 'blind-signing', severity: 'caution' });
  } else if (hidden) {
    warnings.push({ code: 'hidden-characters', severity: 'caution' });
  }
  if (text !== null && looksLikeSignIn(text)) warnings.push(...signInWarnings(text, context));
  return warnings;
}

function signInWarnings(text: string, context: checkSignIn.Context): readonly Warning[] {
  const signIn = parseSignIn(text);
  if (signIn === null) return [{ code: 'sign-in-malformed', severity: 'danger' }];
  const codes = {
    domain: 'sign-in-other-site',
    scheme: 'sign-in-other-site',
    expired: 'sign-in-expired',
    'not-before': 'sign-in-expired',
    'chain-id': 'sign-in-malformed',
    address: 'sign-in-malformed',
  } as const;
  return checkSignIn(signIn, context).map(({ rule, message }) =>
    rule === 'domain'
      ? { code: codes[rule], severity: 'danger', detail: signIn.domain }
      : { code: codes[rule], severity: 'danger', detail: message },
  );
}
