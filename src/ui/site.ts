/**
 * Who asks, split for reading: the part that somebody registered stands out, so that
 * `rootstock.io.evil.example` reads as evil.example.
 */
export interface Site {
  /** `https://` is what a person may assume and is left out; any other scheme is shown. */
  readonly before: string;
  readonly registrable: string;
  /** The port, where it is not the scheme's own. */
  readonly after: string;
  readonly secure: boolean;
  /** Has a label with letters outside ASCII, shown in its encoded form (`xn--…`). */
  readonly foreign: boolean;
}

/** Second labels under which the world registers third ones, and hosts that give each user a label. */
const shared =
  /(?:^|\.)(?:(?:ac|co|com|edu|gob|gov|gouv|ltd|mil|ne|net|nom|or|org|plc)\.[a-z]{2}|(?:github|gitlab|readthedocs)\.io|(?:netlify|vercel|web|fly|onrender)\.(?:app|dev|com)|(?:pages|workers)\.dev|(?:herokuapp|blogspot|azurewebsites|cloudfront)\.(?:com|net)|eth\.(?:limo|link))$/;

export function readSite(origin: string): Site {
  let url: URL;
  try {
    url = new URL(origin);
  } catch {
    return { before: '', registrable: origin, after: '', secure: false, foreign: false };
  }
  const { hostname, protocol, port } = url;
  const isAddress = /^\[|^[\d.]+$/.test(hostname);
  const labels = hostname.split('.');
  const kept = isAddress ? labels.length : shared.test(labels.slice(-2).join('.')) ? 3 : 2;
  const subdomain = labels.slice(0, -kept).join('.');
  return {
    before: `${protocol === 'https:' ? '' : `${protocol}//`}${subdomain === '' ? '' : `${subdomain}.`}`,
    registrable: labels.slice(-kept).join('.'),
    after: port === '' ? '' : `:${port}`,
    secure: protocol === 'https:' || /^(?:(?:.*\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname),
    foreign: /(?:^|\.)xn--/.test(hostname),
  };
}

/** The same in one piece, for sentences. */
export function siteName(origin: string): string {
  const { before, registrable, after } = readSite(origin);
  return before + registrable + after;
}
