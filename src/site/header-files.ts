import type { SiteConfiguration } from './configuration.js';
import { documentPaths, headersOf, type SiteFile } from './headers.js';

/** Formats for the headers of a wallet's site. Netlify and Cloudflare Pages read the same file, `_headers`. */
export const headerFormats = ['nginx', 'netlify', 'cloudflare', 'caddy', 'json'] as const;

export type HeaderFormat = (typeof headerFormats)[number];

const filePaths: Readonly<Record<SiteFile, readonly string[]>> = {
  ...documentPaths,
  configuration: ['/wallet.json'],
  asset: ['/assets/*'],
  release: ['/release.json'],
  manifest: ['/manifest.webmanifest'],
  icon: ['/icon-192.png', '/icon-512.png', '/icon-maskable-512.png'],
  serviceWorker: ['/sw.js'],
};
const files = Object.entries(filePaths) as [SiteFile, readonly string[]][];

/** The file of the site that is found at a path; `undefined` for none, which is answered with 404. */
export function fileAt(path: string): SiteFile | undefined {
  const matches = (pattern: string) =>
    pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
  return files.find(([, paths]) => paths.some(matches))?.[0];
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
  const rules = files.map(([file, paths]) => ({ file, paths, headers: headersOf(file, configuration) }));
  return writers[format](rules, configuration, folder);
}

interface Rule {
  readonly file: SiteFile;
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

const writers: Readonly<
  Record<HeaderFormat, (rules: readonly Rule[], site: SiteConfiguration, folder: string) => string>
> = { nginx, netlify: underscoreHeaders, cloudflare: underscoreHeaders, caddy, json };

/** A rule of a location replaces those around it, so each has all its headers. */
function nginx(rules: readonly Rule[], { origin }: SiteConfiguration, folder: string): string {
  const { protocol, hostname, port } = new URL(origin);
  const isLocal = protocol === 'http:';
  // Versions before 1.25 lack the directive `http2`.
  const listen = isLocal
    ? `
  listen 127.0.0.1:${port || 80};`
    : `
  listen ${port || 443} ssl http2;
  listen [::]:${port || 443} ssl http2;
  ssl_certificate /etc/ssl/${hostname}/fullchain.pem;
  ssl_certificate_key /etc/ssl/${hostname}/privkey.pem;`;
  const redirect = `
server {
  listen 80;
  listen [::]:80;
  server_name ${hostname};
  return 301 ${origin}$request_uri;
}`;
  const location = ({ paths, headers }: Rule) =>
    paths.filter(isFile).map((path) => {
      const place = path.endsWith('*') ? `^~ ${path.slice(0, -1)}` : `= ${path}`;
      return `
  location ${place} {
    try_files ${path === '/' ? '/index.html' : '$uri'} =404;
${headerLines(headers, nginxLine)}
  }`;
    });
  // Static files hold no secrets, so their compressed size reveals none.
  return `# Inside \`http { … }\`, for example as a file of /etc/nginx/conf.d.${isLocal ? '' : redirect}
server {${listen}
  server_name ${hostname};
  root "${folder}";
  charset utf-8;
  gzip on;
  gzip_types text/css application/javascript text/javascript application/manifest+json application/json;
  server_tokens off;${rules.flatMap(location).join('')}
  location / {
    return 404;
  }
}
`;
}

/** A type that is added as a header would be sent beside the one of the file's name. */
const nginxLine = (name: string, value: string): string =>
  name === 'Content-Type' ? `    types {}\n    default_type ${value};` : `    add_header ${name} "${value}";`;

const headerLines = (headers: Rule['headers'], line: (name: string, value: string) => string): string =>
  Object.entries(headers)
    .map(([name, value]) => line(name, value))
    .join('\n');

/** Whether a path is one of these servers: they do not serve `/frame.html` as `/frame`. */
const isFile = (path: string): boolean => /[/*]$|\.\w+$/.test(path);

/** Hosts apply every rule whose path matches, and join the values of a header that is there twice: no rules overlap. */
function underscoreHeaders(rules: readonly Rule[]): string {
  const blocks = rules.flatMap(({ paths, headers }) => {
    const lines = headerLines(headers, (name, value) => `  ${name}: ${value}`);
    return paths.map((path) => `${path}\n${lines}\n`);
  });
  return blocks.join('');
}

function caddy(rules: readonly Rule[], { origin }: SiteConfiguration, folder: string): string {
  const blocks = rules.map(
    ({ file, paths, headers }) => `
\t@${file} path ${paths.filter(isFile).join(' ')}
\thandle @${file} {
\t\theader {
${headerLines(headers, (name, value) => `\t\t\t${name} "${value}"`)}
\t\t}
\t\tfile_server
\t}`,
  );
  return `${origin} {
\troot * "${folder}"${blocks.join('')}
\thandle {
\t\trespond 404
\t}
}
`;
}

function json(rules: readonly Rule[]): string {
  const entries = rules.flatMap(({ paths, headers }) => paths.map((path) => [path, headers]));
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}
