import { own } from '../../rpc/own.js';
import { hasHidden } from '../../rpc/text.js';
import type { SignIn } from '../question.js';
import { unknownResources } from '../recap.js';
import { checkSignIn, otherSite as findOtherSite, looksLikeSignIn, parseSignIn, uriOwner } from '../siwe.js';
import { bySeverity, caution, danger, type Warning } from '../warning.js';
import { decodeLeniently, decodeText, isEncodedHash } from './text.js';

/**
 * Warnings about signing these bytes in the EIP-191 form. A sign-in message for another site is a warning here; the
 * method decides whether to refuse it.
 */
export function messageWarnings(bytes: Uint8Array, context: checkSignIn.Context): readonly Warning[] {
  const text = decodeText(bytes);
  const hidden = text !== null && hasHidden(text);
  const warnings: Warning[] = [];
  // 32 bytes may be a hash, whatever they read as: text can be sought until its bytes are the hash of something.
  if (bytes.length === 32) {
    warnings.push(danger('blind-signing'));
  } else if (text === null || isEncodedHash(text)) {
    warnings.push(caution('blind-signing'));
  } else if (hidden) {
    warnings.push(caution('hidden-characters'));
  }
  return [...warnings, ...signInWarnings(decodeLeniently(bytes), text, context)];
}

const otherSite = (site: string): Warning => danger('sign-in-other-site', site);

/**
 * @param text decoded leniently
 * @param exact the same text, `null` if the bytes are not valid UTF-8
 */
function signInWarnings(
  text: string,
  exact: string | null,
  context: checkSignIn.Context,
): readonly Warning[] {
  if (!looksLikeSignIn(text)) return [];
  const other = findOtherSite(text, context.origin);
  const signIn = exact === null ? null : parseSignIn(exact);
  if (signIn === null) return [...(other === null ? [] : [otherSite(other)]), danger('sign-in-malformed')];
  const warnings = checkSignIn(signIn, context).map(({ rule, message }): Warning => {
    if (rule === 'domain') return otherSite(signIn.domain);
    const { code, severity } = ruleWarnings[rule];
    return { code, severity, detail: rule === 'chain-id' ? signIn.chainId : message };
  });
  warnings.push(...meaningWarnings(signIn, context.origin));
  const isNamed = other === null || warnings.some(({ code }) => code === 'sign-in-other-site');
  return bySeverity(isNamed ? warnings : [otherSite(other), ...warnings]);
}

/** Warnings about what the sign-in is for: the address it names, and the rights that its resources give. */
function meaningWarnings(signIn: SignIn, origin: string): readonly Warning[] {
  const { uri, resources, rights = [] } = signIn;
  const owner = uriOwner(uri, origin);
  const unknown = unknownResources(resources);
  const lines = rights
    .map((right) => own(right))
    .map(
      ({ resource, action, limits }) =>
        `${action} · ${resource}${limits === undefined ? '' : ` · ${limits}`}`,
    );
  return [
    ...(owner === null ? [] : [(owner === 'other' ? danger : caution)('sign-in-other-uri', uri)]),
    ...(lines.length === 0 ? [] : [danger('sign-in-rights', lines.join('; '))]),
    ...(unknown.length === 0 ? [] : [caution('sign-in-resource', unknown.join('; '))]),
  ];
}

const ruleWarnings = {
  scheme: { code: 'sign-in-other-site', severity: 'danger' },
  address: { code: 'sign-in-malformed', severity: 'danger' },
  expired: { code: 'sign-in-expired', severity: 'danger' },
  'not-before': { code: 'sign-in-expired', severity: 'danger' },
  'chain-id': { code: 'sign-in-other-chain', severity: 'caution' },
} as const;

/** Warnings about sign-in messages inside typed data: no server accepts them there, so they may mislead the person. */
export function hiddenSignInWarnings(texts: readonly string[], origin: string): readonly Warning[] {
  const found = texts.filter(looksLikeSignIn);
  if (found.length === 0) return [];
  const other = found.map((text) => findOtherSite(text, origin)).find((site) => site !== null);
  return [other ? otherSite(other) : caution('sign-in-malformed')];
}
