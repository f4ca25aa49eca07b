import { isLoopback } from '../../rpc/loopback.js';
import { readable } from '../../rpc/text.js';

/**
 * An origin, split so that its registrable domain can be emphasised: in `rootstock.io.evil.example` that is
 * `evil.example`.
 */
export interface Site {
  /** Scheme and subdomain. The scheme is left out when it is `https://`. */
  readonly before: string;
  readonly registrable: string;
  /** The port, unless it is the scheme's default. */
  readonly after: string;
  readonly secure: boolean;
  /** Whether a label is internationalised. It is shown in its encoded form (`xn--…`). */
  readonly foreign: boolean;
}

/**
 * Common public suffixes of two labels: country-code second levels, and hosting services that give each user a
 * subdomain. Below them the registrable domain has three labels.
 */
const publicSuffix =
  /(?:^|\.)(?:(?:ac|co|com|edu|gob|gov|gouv|ltd|mil|ne|net|nom|or|org|plc)\.[a-z]{2}|(?:github|gitlab|readthedocs)\.io|(?:netlify|vercel|web|fly|onrender)\.(?:app|dev|com)|(?:pages|workers)\.dev|(?:herokuapp|blogspot|azurewebsites|cloudfront)\.(?:com|net)|eth\.(?:limo|link))$/;

export function readSite(origin: string): Site {
  let url: URL;
  try {
    url = new URL(origin);
  } catch {
    return { before: '', registrable: readable(origin), after: '', secure: false, foreign: false };
  }
  const { hostname, protocol, port } = url;
  const isAddress = /^\[|^[\d.]+$/.test(hostname);
  const labels = hostname.split('.');
  const labelCount = isAddress ? labels.length : publicSuffix.test(labels.slice(-2).join('.')) ? 3 : 2;
  const subdomain = labels.slice(0, -labelCount).join('.');
  return {
    before: `${protocol === 'https:' ? '' : `${protocol}//`}${subdomain === '' ? '' : `${subdomain}.`}`,
    registrable: labels.slice(-labelCount).join('.'),
    after: port === '' ? '' : `:${port}`,
    secure: protocol === 'https:' || isLoopback(hostname),
    foreign: /(?:^|\.)xn--/.test(hostname),
  };
}

/** The origin in one string, for use in a sentence. */
export function siteName(origin: string): string {
  const { before, registrable, after } = readSite(origin);
  return before + registrable + after;
}
