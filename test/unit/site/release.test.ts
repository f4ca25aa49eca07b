import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashOf, hasPolicy, type ReleaseFile, readSiteRelease } from '../../../src/site/release.js';

const fileAt = (path: string): ReleaseFile => ({
  path,
  sha256: 'a'.repeat(64),
  policy: "default-src 'none'; frame-ancestors 'none'",
});
const documents = ['/index.html', '/frame.html', '/window.html', '/connect.html', '/wallet.json'].map(fileAt);
const read = (...more: readonly unknown[]) =>
  readSiteRelease(JSON.stringify({ files: [...documents, ...more] }));

test('a list of files is read without its other members', () => {
  const more = fileAt('/assets/kdf-worker-D3_x-1.js');
  expect(read({ ...more, size: 3 })).toEqual([...documents, more]);
  expect(readSiteRelease(JSON.stringify({ built: 'today', files: documents }))).toEqual(documents);
});

test.each([
  ['/assets/../wallet.js'],
  ['/../wallet.js'],
  ['/.git/config'],
  ['//evil.example/a.js'],
  ['https://evil.example/a.js'],
  ['a.js'],
  ['/a%2f..%2fb.js'],
  ['/a\\b.js'],
  ['/a.js?b'],
  ['/a.js#b'],
  ['/a//b.js'],
  ['/a/'],
  ['/'],
  [''],
  ['/sw.js'],
  ['/release.json'],
  ['/index.html'],
  [7],
  [null],
])('a list with the path %j is refused as a whole', (path) => {
  expect(read({ ...fileAt('/a.js'), path })).toBeNull();
});

test.each<[string, unknown]>([
  ['no hash', { path: '/a.js', policy: 'x' }],
  ['a short hash', { ...fileAt('/a.js'), sha256: 'a'.repeat(63) }],
  ['a hash in capitals', { ...fileAt('/a.js'), sha256: 'A'.repeat(64) }],
  ['no policy', { path: '/a.js', sha256: 'a'.repeat(64) }],
  ['an empty policy', { ...fileAt('/a.js'), policy: '' }],
  ['a list as policy', { ...fileAt('/a.js'), policy: ['x'] }],
  ['nothing', null],
  ['a text', '/a.js'],
])('a list with a file that has %s is refused as a whole', (_, file) => {
  expect(read(file)).toBeNull();
});

test.each(['', '{', '<!doctype html>', 'null', '7', '[]', '{}', '{"files":{}}', '{"files":[]}'])(
  'the text %j is no list',
  (text) => {
    expect(readSiteRelease(text)).toBeNull();
  },
);

test('members of prototypes are not read', () => {
  expect(readSiteRelease(`{"__proto__":${JSON.stringify({ files: documents })}}`)).toBeNull();
  const inherited = documents.map((file) => `{"__proto__":${JSON.stringify(file)}}`);
  expect(readSiteRelease(`{"files":[${inherited.join()}]}`)).toBeNull();
  expect(read(fileAt('/__proto__'))).toHaveLength(documents.length + 1);
});

test('a list lacks no document, has each file once, and has up to a thousand', () => {
  for (const { path } of documents)
    expect(
      readSiteRelease(JSON.stringify({ files: documents.filter((file) => file.path !== path) })),
    ).toBeNull();
  const many = (count: number) => Array.from({ length: count }, (_, index) => fileAt(`/assets/${index}.js`));
  expect(read(...many(995))).toHaveLength(1_000);
  expect(read(...many(996))).toBeNull();
  expect(read(...many(10_000))).toBeNull();
  expect(read({ ...fileAt('/a.js'), policy: 'x'.repeat(1_000_000) })).toBeNull();
});

test('a server may add policies beside that of the release, and may not change it', () => {
  const { policy } = fileAt('/a.js');
  const sent = (...values: readonly string[]) =>
    new Headers(values.map((value) => ['content-security-policy', value] as [string, string]));
  expect(hasPolicy(sent(policy), policy)).toBe(true);
  expect(hasPolicy(sent('upgrade-insecure-requests', policy), policy)).toBe(true);
  for (const headers of [sent(), sent(`${policy}; img-src *`), sent(policy.replace("'none'", "'self'"))])
    expect(hasPolicy(headers, policy)).toBe(false);
});

test('a hash is that of the bytes, and a text’s that of its UTF-8', async () => {
  const bytes = new Uint8Array([0, 1, 0xfe, 0xff]);
  expect(await hashOf(bytes)).toBe(createHash('sha256').update(bytes).digest('hex'));
  expect(await hashOf('é')).toBe(createHash('sha256').update('é').digest('hex'));
});
