import { membersOf } from '../rpc/own-data.js';

/** A file of a release of the wallet's site, as `release.json` lists it. */
export interface ReleaseFile {
  /** Path on the site, such as `/index.html`. */
  readonly path: string;
  /** SHA-256 of its content, 64 hexadecimal digits. */
  readonly sha256: string;
  /** Content-Security-Policy with which the site serves it. */
  readonly policy: string;
}

/** Paths that no release lists: by them a new release reaches people who have the app. */
export const unlistedPaths: readonly string[] = ['/release.json', '/sw.js'];

/** Paths without which the wallet would not work for somebody who has the app. */
const requiredPaths = ['/index.html', '/frame.html', '/window.html', '/connect.html', '/wallet.json'];

/** Maximum files of a release; a wallet's site has some 240. */
const maxFiles = 1_000;
/** Maximum characters of `release.json`. */
const maxLength = 1_000_000;

/**
 * Reads the text of `release.json`. The worker of the site and `graft-host check` read it, both from a server.
 *
 * @returns `null` for a list that no release has
 */
export function readSiteRelease(text: string): readonly ReleaseFile[] | null {
  if (text.length > maxLength) return null;
  let files: unknown;
  try {
    files = membersOf(JSON.parse(text)).files;
  } catch {
    return null;
  }
  if (!Array.isArray(files) || files.length > maxFiles) return null;
  const read = files.map(readFile).filter((file) => file !== null);
  const paths = new Set(read.map(({ path }) => path));
  return paths.size === files.length && requiredPaths.every((path) => paths.has(path)) ? read : null;
}

function readFile(value: unknown): ReleaseFile | null {
  const { path, sha256, policy } = membersOf(value);
  // No segment begins with a dot or is empty: the path leads neither up nor to another origin.
  if (typeof path !== 'string' || !/^(\/[\w-][\w.-]*)+$/.test(path) || unlistedPaths.includes(path))
    return null;
  if (typeof sha256 !== 'string' || !/^[\da-f]{64}$/.test(sha256)) return null;
  return typeof policy === 'string' && policy !== '' ? { path, sha256, policy } : null;
}

/** Whether a response has a policy of the release. A server may add further ones, which can only restrict it more. */
export const hasPolicy = (headers: Headers, policy: string): boolean =>
  (headers.get('content-security-policy') ?? '').split(',').some((each) => each.trim() === policy);

/** The SHA-256 of bytes, or of a text in UTF-8, as 64 hexadecimal digits. */
export async function hashOf(content: string | BufferSource): Promise<string> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
