import { excerpt } from '../rpc/core-errors.js';
import { isLoopback } from '../rpc/loopback.js';
import { registrableDomain } from '../rpc/registrable-domain.js';
import type { SignIn } from './question.js';
import { readRights } from './recap.js';

/** Sign-In with Ethereum (ERC-4361): parses messages, and checks them against the requesting page. */

const octet = '%[\\da-fA-F]{2}';
const plain = "[\\w.~!$&'()*+,;=-]"; //                       unreserved / sub-delims (RFC 3986)
const pchar = `(?:${plain}|[:@]|${octet})`;
const host = `(?:\\[(?:[\\da-fA-F:.]+|[vV][\\da-fA-F]+\\.(?:${plain}|:)+)\\]|(?:${plain}|${octet})*)`;
const authority = `(?:(?:${plain}|:|${octet})*@)?${host}(?::\\d*)?`;
const path = `(?:/${pchar}*)*`;
const uri =
  `[a-zA-Z][a-zA-Z\\d+.-]*:(?://${authority}${path}|/(?:${pchar}+${path})?|${pchar}+${path}|)` +
  `(?:\\?(?:${pchar}|[/?])*)?(?:#(?:${pchar}|[/?])*)?`;
const dateTime = '\\d{4}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?(?:[Zz]|[+-]\\d\\d:\\d\\d)';

const statement = "[\\w.~:/?#[\\]@!$&'()*+,;= -]+";
const nonce = '[a-zA-Z\\d]{8,}';

/** The whole ABNF of ERC-4361. Its groups have the names of the fields of `SignIn`. */
const grammar = [
  `^(?:(?<scheme>[a-zA-Z][a-zA-Z\\d+.-]*)://)?(?<domain>${authority})`,
  ' wants you to sign in with your Ethereum account:\n(?<address>0x[\\da-fA-F]{40})\n\n',
  `(?:(?<statement>${statement})\n)?\n`,
  `URI: (?<uri>${uri})\nVersion: (?<version>1)\nChain ID: (?<chainId>\\d+)\nNonce: (?<nonce>${nonce})\n`,
  `Issued At: (?<issuedAt>${dateTime})`,
  `(?:\nExpiration Time: (?<expirationTime>${dateTime}))?`,
  `(?:\nNot Before: (?<notBefore>${dateTime}))?`,
  `(?:\nRequest ID: (?<requestId>${pchar}*))?`,
  `(?:\nResources:(?<resources>(?:\n- ${uri})*))?$`,
].join('');

/** Characters of a message, longer than real ones: the limit bounds the time of matching. */
const maxLength = 8192;

const follows = (pattern: string) => (text: string) =>
  text.length <= maxLength && new RegExp(`^(?:${pattern})$`).test(text);

/** Whether a text may be a field of a message, for the fields whose rules the grammar alone has. */
export const isSignInField = {
  statement: follows(statement),
  uri: follows(uri),
  nonce: follows(nonce),
  time: (text: string) => follows(dateTime)(text) && readTime(text) !== null,
  requestId: follows(`${pchar}*`),
} as const;

/** The fields of a sign-in message; `null` for a text that does not match the whole grammar. */
export function parseSignIn(text: string): SignIn | null {
  if (text.length > maxLength) return null;
  const groups = new RegExp(grammar).exec(text)?.groups;
  if (groups === undefined || groups.domain === '') return null;
  const times = [groups.issuedAt, groups.expirationTime, groups.notBefore];
  if (times.some((time) => time !== undefined && readTime(time) === null)) return null;
  const resources = (groups.resources ?? '').split('\n- ').slice(1);
  const rights = readRights(resources);
  const required = (name: string) => groups[name] as string;
  const optional = (name: string) => groups[name] ?? null;
  return {
    scheme: optional('scheme'),
    domain: required('domain'),
    address: required('address'),
    statement: optional('statement'),
    uri: required('uri'),
    version: required('version'),
    chainId: required('chainId'),
    nonce: required('nonce'),
    issuedAt: required('issuedAt'),
    expirationTime: optional('expirationTime'),
    notBefore: optional('notBefore'),
    requestId: optional('requestId'),
    resources,
    rights: rights.length > 0 ? rights : undefined,
  };
}

/** The text of a sign-in message, in the order of ERC-4361. Its fields are not checked. */
export function writeSignIn(
  fields: Omit<SignIn, 'rights' | 'resources'> & { readonly resources: readonly string[] | null },
): string {
  const { scheme, domain, address, statement, requestId, resources } = fields;
  const line = (name: string, field: string | null) => (field === null ? '' : `\n${name}: ${field}`);
  return [
    `${scheme === null ? '' : `${scheme}://`}${domain} wants you to sign in with your Ethereum account:\n${address}\n\n`,
    statement === null ? '' : `${statement}\n`,
    line('URI', fields.uri),
    line('Version', fields.version),
    line('Chain ID', fields.chainId),
    line('Nonce', fields.nonce),
    line('Issued At', fields.issuedAt),
    line('Expiration Time', fields.expirationTime),
    line('Not Before', fields.notBefore),
    line('Request ID', requestId),
    resources === null ? '' : `\nResources:${resources.map((resource) => `\n- ${resource}`).join('')}`,
  ].join('');
}

const sentence = /(?<![\p{L}\p{N}])wants\s+you\s+to\s+sign(?:\s+|-)in\s+with\s+your(?![\p{L}\p{N}])/giu;

/** Whether the text claims to be a sign-in message, well-formed or not. */
export const looksLikeSignIn = (text: string): boolean => fold(text).search(sentence) >= 0;

/**
 * The first site other than `origin` that a reader could take for the domain of a sign-in message, or `null`. Malformed
 * messages are searched too, since servers parse more leniently than the grammar.
 */
export function otherSite(text: string, origin: string): string | null {
  const site = readUrl(origin);
  const isForeign = (name: string) =>
    site === null || readUrl(`${site.protocol}//${name}`)?.host !== site.host;
  const folded = fold(text);
  for (const { index } of folded.matchAll(sentence)) {
    const before = folded.slice(Math.max(index - maxLine, 0), index).trimEnd();
    const other = namesIn(before.slice(before.lastIndexOf('\n') + 1)).find(isForeign);
    if (other !== undefined) return other;
  }
  return null;
}

/** Characters before the sentence that are searched for a host. A host has at most 253. */
const maxLine = 1_024;

/** Normalises compatibility forms, blanks and line ends, and drops invisible characters. */
const fold = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n')
    .replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/[^\S\n]+|\u2800/g, ' ');

/** The words of a line that could be a host: any word that is alone on its line, else words with a dot or a port. */
function namesIn(line: string): readonly string[] {
  const words = line.split(' ').filter((word) => word !== '');
  const isHost = (part: string) => /[.\u3002]|:\d|^localhost$/i.test(part);
  return words.flatMap((word) => {
    const parts = word
      .replace(/^[a-z][a-z\d+.-]*:\/\//i, '')
      .split(/[^\p{L}\p{N}\p{M}.\u3002:_[\]-]+/u)
      .filter((part) => part !== '');
    return parts.filter((part, index) => isHost(part) || (words.length === 1 && index === 0));
  });
}

export declare namespace checkSignIn {
  interface Context {
    /** The requesting origin, as the browser reports it; for a frame, the frame's own. */
    readonly origin: string;
    readonly chainId: number;
    /** The account that would sign. */
    readonly address: string;
    /** Milliseconds since 1970. */
    readonly now: number;
  }

  interface Violation {
    readonly rule: 'domain' | 'scheme' | 'address' | 'chain-id' | 'expired' | 'not-before';
    /** A sentence for the developer, used as an error message. */
    readonly message: string;
  }
}

/** Milliseconds by which the person's clock may be behind the server's, which writes "Not Before". */
const clockSkew = 60_000;

/**
 * Every rule that the message breaks for this page and account. A chain id other than the active one is reported, but
 * callers only warn of it, because many back ends hard-code one.
 */
export function checkSignIn(signIn: SignIn, context: checkSignIn.Context): readonly checkSignIn.Violation[] {
  const { origin, chainId, address, now } = context;
  const violations: checkSignIn.Violation[] = [];
  const broken = (rule: checkSignIn.Violation['rule'], message: string) => violations.push({ rule, message });
  const site = readUrl(origin);
  const scheme = (signIn.scheme ?? site?.protocol.slice(0, -1) ?? '').toLowerCase();
  const claimed = readUrl(`${scheme}://${signIn.domain}`);
  if (site === null || claimed === null || claimed.host !== site.host || signIn.domain.includes('@')) {
    broken('domain', forOtherSite(signIn.domain, origin));
  }
  if (site !== null && (`${scheme}:` !== site.protocol || !isSecure(site))) {
    broken('scheme', `The sign-in message needs the scheme https; ${origin} asks for ${excerpt(scheme)}.`);
  }
  if (signIn.address.toLowerCase() !== address.toLowerCase()) {
    broken(
      'address',
      `The sign-in message is for the address ${signIn.address}, not for the one that signs.`,
    );
  }
  if (BigInt(signIn.chainId) !== BigInt(chainId)) {
    broken('chain-id', `The sign-in message has Chain ID ${excerpt(signIn.chainId)}; active is ${chainId}.`);
  }
  if (signIn.expirationTime !== null && (readTime(signIn.expirationTime) ?? 0) <= now) {
    broken('expired', `The sign-in message expired at ${signIn.expirationTime}.`);
  }
  if (signIn.notBefore !== null && (readTime(signIn.notBefore) ?? Infinity) > now + clockSkew) {
    broken('not-before', `The sign-in message is not valid yet: Not Before is ${signIn.notBefore}.`);
  }
  return violations;
}

/**
 * The owner of the URI that a sign-in is about: `null` for this origin, else another origin of the same site, or another site.
 */
export function uriOwner(uri: string, origin: string): 'same-site' | 'other' | null {
  const [url, site] = [readUrl(uri), readUrl(origin)];
  if (url === null || site === null || !/^https?:$/.test(url.protocol) || url.username + url.password !== '')
    return 'other';
  if (url.origin === site.origin) return null;
  return registrableDomain(url.hostname) === registrableDomain(site.hostname) ? 'same-site' : 'other';
}

export const forOtherSite = (domain: string, origin: string): string =>
  `The sign-in message is for the domain ${excerpt(domain)}, not for ${origin}.`;

/** Whether the page is served over https, or from this machine, where pages are developed. */
const isSecure = ({ protocol, hostname }: URL): boolean => protocol === 'https:' || isLoopback(hostname);

function readUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** An RFC 3339 time in milliseconds since 1970; `null` for a date or time that does not exist. */
function readTime(text: string): number | null {
  const match = /^(\d+)-(\d+)-(\d+)t(\d+):(\d+):(\d+)(?:\.(\d+))?(?:z|([+-])(\d+):(\d+))$/i.exec(text);
  if (match === null) return null;
  const at = (index: number) => Number(match[index] ?? 0);
  const [year, month, day, hour, minute, second] = [at(1), at(2), at(3), at(4), at(5), at(6)];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!exists || month < 1 || hour > 23 || minute > 59 || second > 60 || at(9) > 23 || at(10) > 59)
    return null;
  const offset = (at(9) * 60 + at(10)) * (match[8] === '-' ? -1 : 1);
  return date.getTime() + ((hour * 60 + minute - offset) * 60 + second + Number(`0.${match[7] ?? 0}`)) * 1000;
}
