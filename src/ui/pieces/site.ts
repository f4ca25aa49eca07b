import { isLoopback } from '../../rpc/loopback.js';
import { registrableDomain } from '../../rpc/registrable-domain.js';
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

export function readSite(origin: string): Site {
  let url: URL;
  try {
    url = new URL(origin);
  } catch {
    return { before: '', registrable: readable(origin), after: '', secure: false, foreign: false };
  }
  const { hostname, protocol, port } = url;
  const registrable = registrableDomain(hostname);
  const subdomain = hostname.slice(0, -registrable.length);
  return {
    before: `${protocol === 'https:' ? '' : `${protocol}//`}${subdomain}`,
    registrable,
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
