import type { SiteConfiguration } from './configuration.js';

/**
 * Where each document is found. Some hosts serve `frame.html` as `/frame` too, and a document must have its headers
 * wherever it is found.
 */
export const documentPaths = {
  /** The wallet's own page. */
  home: ['/', '/index.html', '/index'],
  /** Inside the pages of dapps. */
  frame: ['/frame.html', '/frame'],
  /** Opened by dapps, and cut off from them. */
  window: ['/window.html', '/window'],
  /** Opened by dapps of other sites, which reach the wallet by that tie alone. */
  connect: ['/connect.html', '/connect'],
} as const;

/** The files that are documents. */
export type SiteDocument = keyof typeof documentPaths;

/**
 * The files of a wallet's site that differ in their headers: its documents, `wallet.json`, the scripts and styles under
 * `assets/`, whose names change with their content, and those by which it is an app.
 */
export type SiteFile =
  | SiteDocument
  | 'configuration'
  | 'asset'
  | 'release'
  | 'manifest'
  | 'icon'
  | 'serviceWorker';

const isDocument = (file: SiteFile): boolean => Object.hasOwn(documentPaths, file);

/** The directives of a Content-Security-Policy with their sources, without any for `'none'`. */
export type ContentPolicy = Readonly<Record<string, readonly string[]>>;

/**
 * The headers that a file of the wallet's site must have. The files for web servers, the servers of the demo and of the
 * tests, and `graft-host check` all get them here.
 *
 * @example
 * headersOf('frame', configuration)['Cross-Origin-Embedder-Policy']; // 'require-corp'
 */
export function headersOf(
  file: SiteFile,
  configuration: SiteConfiguration,
): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': writePolicy(policyOf(file, configuration)),
    // Required for frames in a dapp that sets its own COEP, and for workers of a document that has COEP.
    'Cross-Origin-Embedder-Policy': 'require-corp',
    'Cross-Origin-Resource-Policy': file === 'frame' ? 'same-site' : 'same-origin',
    ...(isDocument(file) && {
      ...(file !== 'frame' && {
        'Cross-Origin-Opener-Policy': file === 'connect' ? 'unsafe-none' : 'same-origin',
      }),
      'Origin-Agent-Cluster': '?1',
      'Permissions-Policy': writePermissions(),
    }),
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    // Browsers ignore it over http, where only this machine is.
    ...(configuration.origin.startsWith('https:') && {
      'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
    }),
    'Cache-Control': file === 'asset' ? 'public, max-age=31536000, immutable' : 'no-cache',
    // Servers know the types of all other files by their names.
    ...(file === 'manifest' && { 'Content-Type': 'application/manifest+json' }),
  };
}

/** The Content-Security-Policy of a file. */
export function policyOf(file: SiteFile, { networks, endpoints, allow }: SiteConfiguration): ContentPolicy {
  if (!isDocument(file))
    return {
      'default-src': [],
      // It fetches the files of a release.
      ...(file === 'serviceWorker' && { 'connect-src': ["'self'"] }),
      'frame-ancestors': [],
    };
  const urls = networks.flatMap(({ url, push = [] }) => [url, push].flat());
  const services = new Set([...urls.map((url) => new URL(url).origin), ...endpoints]);
  return {
    'default-src': [],
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'img-src': ["'self'", 'data:'],
    'connect-src': ["'self'", ...services],
    'worker-src': ["'self'"],
    ...(file === 'home' && { 'manifest-src': ["'self'"] }),
    'base-uri': [],
    'form-action': [],
    'frame-ancestors': file === 'frame' ? allow : [],
    'require-trusted-types-for': ["'script'"],
    // The one of `builtins.ts`, for the URLs of workers.
    'trusted-types': ['graft'],
  };
}

const writePolicy = (policy: ContentPolicy): string =>
  Object.entries(policy)
    .map(([name, sources]) => `${name} ${sources.length > 0 ? sources.join(' ') : "'none'"}`)
    .join('; ');

/** Browser features that the wallet's pages may use: passkeys, and copying an address. */
export const ownFeatures: readonly string[] = [
  'clipboard-write',
  'publickey-credentials-create',
  'publickey-credentials-get',
];

/** Features of browsers that no page of the wallet uses. Those that Chromium does not know would be complained about. */
export const deniedFeatures: readonly string[] = [
  'accelerometer',
  'autoplay',
  'camera',
  'clipboard-read',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'gamepad',
  'geolocation',
  'gyroscope',
  'hid',
  'identity-credentials-get',
  'idle-detection',
  'keyboard-map',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'otp-credentials',
  'payment',
  'picture-in-picture',
  'screen-wake-lock',
  'serial',
  'usb',
  'window-management',
  'xr-spatial-tracking',
];

const writePermissions = (): string =>
  [...ownFeatures.map((name) => `${name}=(self)`), ...deniedFeatures.map((name) => `${name}=()`)].join(', ');
