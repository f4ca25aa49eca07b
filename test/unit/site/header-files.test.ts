import { describe, expect, test } from 'vitest';
import { readConfiguration } from '../../../src/site/configuration.js';
import { fileAt, headerFile } from '../../../src/site/header-files.js';
import { headersOf, type SiteFile } from '../../../src/site/headers.js';
import { siteOptions } from '../../support/wallet-site.js';

const read = (origin: string) => readConfiguration(JSON.stringify(siteOptions(origin)));
const configuration = read('https://wallet.example.com');

/** The headers by path of a `_headers` file. */
function readUnderscore(text: string): Map<string, Record<string, string>> {
  const rules = new Map<string, Record<string, string>>();
  let rule: Record<string, string> = {};
  for (const line of text.trimEnd().split('\n')) {
    const [, name, value] = /^ {2}([\w-]+): (.+)$/.exec(line) ?? [];
    if (name) rule[name] = value as string;
    else {
      expect(rules.has(line)).toBe(false);
      rule = {};
      rules.set(line, rule);
    }
  }
  return rules;
}

describe('_headers', () => {
  const rules = readUnderscore(headerFile('netlify', configuration));

  test('no two rules match one path, because hosts would join their values', () => {
    const patterns = [...rules.keys()].map((path) => path.replace('*', ''));
    expect(patterns).toHaveLength(17);
    for (const path of patterns)
      expect(
        patterns.filter(
          (other) => other.endsWith('/') && other !== '/' && path.startsWith(other) && other !== path,
        ),
      ).toEqual([]);
  });

  test('each path has the headers of its file, and /frame those of /frame.html', () => {
    for (const [path, headers] of rules) {
      const file = fileAt(path.replace('*', 'x.js')) as SiteFile;
      expect(headers).toEqual(headersOf(file, configuration));
    }
    expect(rules.get('/frame')).toEqual(rules.get('/frame.html'));
  });

  test('Cloudflare’s is the same file', () => {
    expect(headerFile('cloudflare', configuration)).toBe(headerFile('netlify', configuration));
  });
});

test('json has the headers by path', () => {
  const byPath = JSON.parse(headerFile('json', configuration)) as Record<string, unknown>;
  expect(byPath['/window.html']).toEqual(headersOf('window', configuration));
  expect(Object.keys(byPath)).toContain('/assets/*');
});

test.each(['nginx', 'caddy'] as const)('%s sends every header of every file, at its host', (format) => {
  const text = headerFile(format, configuration, '/var/www/wallet');
  const files = ['home', 'frame', 'window', 'configuration', 'asset', 'manifest', 'serviceWorker'] as const;
  for (const file of files)
    for (const [name, value] of Object.entries(headersOf(file, configuration)))
      expect(text).toContain(
        // As a header it would be sent beside the one of the file's name.
        format === 'nginx' && name === 'Content-Type' ? `default_type ${value};` : `${name} "${value}"`,
      );
  expect(text).toContain('/var/www/wallet');
  expect(text).toContain('wallet.example.com');
});

test('the files of an app each have their headers, at the root of the site', () => {
  const paths = ['/sw.js', '/release.json', '/manifest.webmanifest', '/icon-192.png', '/icon-512.png'];
  expect([...paths, '/icon-maskable-512.png', '/icon-1.png'].map(fileAt)).toEqual([
    ...['serviceWorker', 'release', 'manifest', 'icon', 'icon', 'icon', undefined],
  ]);
  for (const path of paths) expect(headerFile('nginx', configuration)).toContain(`location = ${path} {`);
});

test('nginx compresses scripts, styles and wallet.json, and speaks HTTP/2', () => {
  const text = headerFile('nginx', configuration);
  expect(text.match(/listen .*443 ssl http2;/g)).toHaveLength(2);
  expect(text).toMatch(/gzip on;\n {2}gzip_types text\/css application\/javascript .*application\/json;/);
});

test('on this machine nginx and Caddy listen there, without certificates', () => {
  const local = read('http://wallet.site.localhost:8080');
  expect(headerFile('nginx', local)).toContain('  listen 127.0.0.1:8080;\n');
  expect(headerFile('nginx', local)).not.toMatch(/ssl|Strict-Transport/);
  expect(headerFile('caddy', local)).toMatch(/^http:\/\/wallet\.site\.localhost:8080 \{\n/);
});

test('a file that is not of the site is nowhere', () => {
  for (const path of ['/nothing', '/frame.html/', '/assets', '/.git/config', '/nginx.conf'])
    expect(fileAt(path)).toBeUndefined();
});
