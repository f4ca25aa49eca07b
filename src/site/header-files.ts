import type { SiteConfiguration } from './configuration.js';
import { documentPaths, headersOf, type SiteFile } from './headers.js';

/** Formats for the headers of a wallet's site. Netlify and Cloudflare Pages read the same file, `_headers`. */
export const headerFormats = ['nginx', 'netlify', 'cloudflare', 'caddy', 'json'] as const;

export type HeaderFormat = (typeof headerFormats)[number];

/** A file of the site and the paths at which it is found. */
interface Served {
  readonly file: SiteFile;
  readonly paths: readonly string[];
}

const served: readonly Served[] = [
  { file: 'home', paths: documentPaths.home },
  { file: 'frame', paths: documentPaths.frame },
  { file: 'window', paths: documentPaths.window },
  { file: 'connect', paths: documentPaths.connect },
  { file: 'configuration', paths: ['/wallet.json'] },
  { file: 'asset', paths: ['/assets/*'] },
];

/** The file of the site that is found at a path; `undefined` for none, which is answered with 404. */
export function fileAt(path: string): SiteFile | undefined {
  const matches = (pattern: string) =>
    pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
  return served.find(({ paths }) => paths.some(matches))?.file;
}

/**
 * The settings of a web server for a wallet's site, as the text of a file. `netlify` and `cloudflare` are `_headers`; `json`
 * has the headers by path, for any other server.
 *
 * @param folder in which the site lies on the server. Default `/srv/wallet`
 */
export function headerFile(
  format: HeaderFormat,
  configuration: SiteConfiguration,
  folder = '/srv/wallet',
): string {
  const rules = served.map((each) => ({ ...each, headers: headersOf(each.file, configuration) }));
  return writers[format](rules, configuration, folder);
}

interface Rule extends Served {
  readonly headers: Readonly<Record<string, string>>;
}

const writers: Readonly<
  Record<HeaderFormat, (rules: readonly Rule[], site: SiteConfiguration, folder: string) => string>
> = { nginx, netlify: underscoreHeaders, cloudflare: underscoreHeaders, caddy, json };

/** A rule of a location replaces those around it, so each has all its headers. */
function nginx(rules: readonly Rule[], { origin }: SiteConfiguration, folder: string): string {
  const { protocol, hostname, port } = new URL(origin);
  const isLocal = protocol === 'http:';
  const listen = isLocal
    ? [`listen 127.0.0.1:${port || 80};`]
    : [
        // Versions before 1.25 lack the directive `http2`.
        `listen ${port || 443} ssl http2;`,
        `listen [::]:${port || 443} ssl http2;`,
        `ssl_certificate /etc/ssl/${hostname}/fullchain.pem;`,
        `ssl_certificate_key /etc/ssl/${hostname}/privkey.pem;`,
      ];
  const redirect = [
    'server {',
    '  listen 80;',
    '  listen [::]:80;',
    `  server_name ${hostname};`,
    `  return 301 ${origin}$request_uri;`,
    '}',
  ];
  const location = ({ paths, headers }: Rule) =>
    paths.filter(isFile).map((path) => {
      const place = path.endsWith('*') ? `^~ ${path.slice(0, -1)}` : `= ${path}`;
      const file = path === '/' ? '/index.html' : '$uri';
      return [
        `  location ${place} {`,
        `    try_files ${file} =404;`,
        ...Object.entries(headers).map(([name, value]) => `    add_header ${name} "${value}";`),
        '  }',
      ].join('\n');
    });
  return `${[
    '# Inside `http { … }`, for example as a file of /etc/nginx/conf.d.',
    ...(isLocal ? [] : redirect),
    'server {',
    ...listen.map((line) => `  ${line}`),
    `  server_name ${hostname};`,
    `  root "${folder}";`,
    '  charset utf-8;',
    // Static files hold no secrets, so their compressed size reveals none.
    '  gzip on;',
    '  gzip_types text/css application/javascript text/javascript application/json;',
    '  server_tokens off;',
    ...rules.flatMap(location),
    '  location / {',
    '    return 404;',
    '  }',
    '}',
  ].join('\n')}\n`;
}

/** Whether a path is one of these servers: they do not serve `/frame.html` as `/frame`. */
const isFile = (path: string): boolean => /[/*]$|\.\w+$/.test(path);

/** Hosts apply every rule whose path matches, and join the values of a header that is there twice: no rules overlap. */
function underscoreHeaders(rules: readonly Rule[]): string {
  const blocks = rules.flatMap(({ paths, headers }) => {
    const lines = Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`);
    return paths.map((path) => [path, ...lines].join('\n'));
  });
  return `${blocks.join('\n')}\n`;
}

function caddy(rules: readonly Rule[], { origin }: SiteConfiguration, folder: string): string {
  const blocks = rules.flatMap(({ file, paths, headers }) => [
    `\t@${file} path ${paths.filter(isFile).join(' ')}`,
    `\thandle @${file} {`,
    '\t\theader {',
    ...Object.entries(headers).map(([name, value]) => `\t\t\t${name} "${value}"`),
    '\t\t}',
    '\t\tfile_server',
    '\t}',
  ]);
  return `${[
    `${origin} {`,
    `\troot * "${folder}"`,
    ...blocks,
    '\thandle {',
    '\t\trespond 404',
    '\t}',
    '}',
  ].join('\n')}\n`;
}

function json(rules: readonly Rule[]): string {
  const byPath = Object.fromEntries(
    rules.flatMap(({ paths, headers }) => paths.map((path) => [path, headers])),
  );
  return `${JSON.stringify(byPath, null, 2)}\n`;
}
