import type { SiteConfiguration } from './configuration.js';
import { deniedFeatures, headersOf, ownFeatures, policyOf, type SiteFile } from './headers.js';

/** A header, or a directive of one, that is not as it must be. */
export interface Difference {
  /** The header and its directive, such as `Content-Security-Policy: frame-ancestors`. */
  readonly subject: string;
  readonly problem: 'missing' | 'wrong';
  /** The fault, as a sentence for people. */
  readonly detail: string;
  /** The purpose of the header or the file, as a sentence for people. */
  readonly protects: string;
}

/**
 * Compares the headers that a server sends for a file with those that {@link headersOf} wants. A stricter value passes
 * where the wallet still runs with it.
 *
 * @param isDeployed whether the configuration is the deployment's. Otherwise what depends on it only has to be there.
 */
export function compareHeaders(
  file: SiteFile,
  headers: Headers,
  configuration: SiteConfiguration,
  isDeployed: boolean,
): readonly Difference[] {
  const differences: Difference[] = [];
  for (const [name, value] of Object.entries(headersOf(file, configuration))) {
    const found = headers.get(name);
    if (name === 'Content-Security-Policy') {
      differences.push(...comparePolicies(file, found, configuration, isDeployed));
      continue;
    }
    // A script that has changed has another name.
    if (name === 'Cache-Control' && file === 'asset') continue;
    // Browsers default to `unsafe-none` without the header.
    if (found === null && value === 'unsafe-none') continue;
    const { protects, fault = same } = rules[name] as Rule;
    const problem = found === null ? 'missing' : 'wrong';
    const detail = found === null ? 'it is not sent' : fault(found, value);
    if (detail !== null) differences.push({ subject: name, problem, detail, protects });
  }
  if (headers.has('set-cookie'))
    differences.push({
      subject: 'Set-Cookie',
      problem: 'wrong',
      detail: 'the server sets a cookie',
      protects:
        'The wallet needs none of its server, and other sites of the domain can write the cookies of this one.',
    });
  return differences;
}

interface Rule {
  readonly protects: string;
  /** Describes the fault of a value; `null` for a valid one. Default: {@link same}. */
  readonly fault?: ((found: string, expected: string) => string | null) | undefined;
}

/** The value before its parameters. */
const token = (value: string): string => (value.split(';')[0] as string).trim().toLowerCase();

const same = (found: string, expected: string): string | null =>
  token(found) === token(expected) ? null : `it is "${found}" and must be "${expected}"`;

const rules: Readonly<Record<string, Rule>> = {
  'Cross-Origin-Embedder-Policy': {
    protects:
      'Gives the wallet a process of its own. Without it a dapp with such a policy cannot load the frame, and workers do not start in it.',
  },
  'Cross-Origin-Resource-Policy': {
    protects: 'Keeps other sites from loading the file into their process, where its content could be read.',
  },
  'Cross-Origin-Opener-Policy': {
    protects:
      'The tie to the page that opened a window. Without it nobody can navigate the window; connect.html alone needs it, for dapps of other sites.',
  },
  'Origin-Agent-Cluster': {
    protects: 'Keeps the wallet apart from other pages of the same domain, which could share its process.',
  },
  'Permissions-Policy': {
    protects:
      'Takes camera, location, payment and the like from the wallet’s pages, which need none of them.',
    fault: permissionsFault,
  },
  'Referrer-Policy': {
    protects: 'Tells the services of the networks nothing about the page that asks them.',
    fault: (found, expected) => same((found.split(',').at(-1) as string).trim(), expected),
  },
  'X-Content-Type-Options': {
    protects: 'Keeps the browser from running a file as a script that is none.',
    fault: (found, expected) => same(found.split(',')[0] as string, expected),
  },
  'Strict-Transport-Security': {
    protects: 'Keeps somebody in the network from serving a wallet of their own over http.',
    fault(found) {
      const age = Number(/max-age="?(\d+)/i.exec(found)?.[1] ?? 0);
      return age >= 31_536_000 ? null : `max-age is ${age} seconds, and must be a year (31536000) at least`;
    },
  },
  'Content-Type': { protects: 'Lets browsers read the manifest, by which the wallet is an app.' },
  'Cache-Control': {
    protects: 'A corrected file, and a dapp that was taken off the list, count from the next load.',
    fault: (found) =>
      /\bno-(cache|store)\b|\bmax-age=0\b/i.test(found)
        ? null
        : `it is "${found}", with which an old file stays in use`,
  },
};

/** @param found such as `camera=(), usb=(self "https://x")`: names and lists */
function permissionsFault(found: string): string | null {
  const entries = found.matchAll(/([a-z-]+)\s*=\s*(\([^)]*\)|[^,\s]+)/g);
  const lists = new Map([...entries].map(([, name, list = '']) => [name, list.replace(/\s+/g, ' ')]));
  const open = deniedFeatures.filter((name) => !/^\( ?\)$/.test(lists.get(name) ?? ''));
  if (open.length > 0) return `it must deny, with "=()": ${open.join(', ')}`;
  const other = ownFeatures.filter((name) => !/^(self|\( ?self ?\))$/.test(lists.get(name) ?? ''));
  return other.length > 0 ? `these must be "=(self)": ${other.join(', ')}` : null;
}

/** The purpose of each directive, as a sentence for people. */
const directives: Readonly<Record<string, string>> = {
  'default-src': 'Blocks everything that the other directives do not name.',
  'script-src': 'Lets only the wallet’s own files run: a foreign script could take the keys.',
  'style-src': 'Lets only the wallet’s own styles change what a person sees.',
  'img-src': 'Blocks images from elsewhere, which could carry secrets away in their addresses.',
  'connect-src': 'Lets the wallet talk to the services of its networks, and to nobody else.',
  'worker-src': 'Lets only the wallet’s own worker see the password.',
  'manifest-src': 'Lets only the wallet’s own manifest say how it is installed as an app.',
  'base-uri': 'Keeps injected markup from moving the wallet’s scripts to another server.',
  'form-action': 'Keeps injected markup from sending a password away.',
  'frame-ancestors':
    'Decides who may show the page in a frame. Any other site could lead people into clicks they do not see.',
  'require-trusted-types-for': 'Makes the browser refuse to turn text into scripts.',
  'trusted-types': 'Lets nothing but the URL of the wallet’s worker through that refusal.',
};

/** Directives that fall back to `default-src` if they are missing. */
const fallsBack = /^(script|style|img|connect|worker|manifest)-src$/;

function comparePolicies(
  file: SiteFile,
  found: string | null,
  configuration: SiteConfiguration,
  isDeployed: boolean,
): readonly Difference[] {
  // Several policies, by several headers or commas: each of them is enforced.
  const policies = (found ?? '').split(',').map((text) => readPolicy(text, configuration.origin));
  const differences: Difference[] = [];
  for (const [name, sources] of Object.entries(policyOf(file, configuration))) {
    const subject = `Content-Security-Policy: ${name}`;
    const protects = directives[name] as string;
    const effective = policies.flatMap((policy) => {
      const found = policy.get(name) ?? (fallsBack.test(name) ? policy.get('default-src') : undefined);
      return found ? [found] : [];
    });
    if (effective.length === 0) {
      differences.push({ subject, problem: 'missing', detail: 'there is no such directive', protects });
      continue;
    }
    const isKnown = isDeployed || !/^(connect-src|frame-ancestors)$/.test(name);
    const wanted = isKnown ? sources.map((source) => source.toLowerCase()) : [];
    const isForeign = (source: string) =>
      isKnown ? !wanted.includes(source) : /^(\*|https?:)$|\/\/\*/.test(source);
    const foreign = effective.map((each) => each.filter(isForeign));
    const narrowest = foreign.reduce((a, b) => (a.length <= b.length ? a : b));
    const blocked = wanted.filter((source) => effective.some((each) => !each.includes(source)));
    const detail =
      narrowest.length > 0
        ? `it allows ${narrowest.join(' ')}, and must not`
        : blocked.length > 0
          ? `it must allow ${blocked.join(' ')}, which the wallet needs`
          : null;
    if (detail !== null) differences.push({ subject, problem: 'wrong', detail, protects });
  }
  return differences;
}

/** One policy as its directives; of one that is there twice, browsers take the first. */
function readPolicy(text: string, origin: string): ReadonlyMap<string, readonly string[]> {
  const policy = new Map<string, readonly string[]>();
  for (const directive of text.split(';')) {
    const [name, ...sources] = directive.trim().toLowerCase().split(/\s+/);
    if (!name || policy.has(name)) continue;
    const allowed = sources.filter((source) => source !== "'none'");
    policy.set(
      name,
      allowed.map((source) => (source === origin ? "'self'" : source)),
    );
  }
  return policy;
}
