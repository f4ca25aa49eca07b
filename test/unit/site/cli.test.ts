import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfiguration } from '../../../src/site/configuration.js';
import { fileAt, headerFile } from '../../../src/site/header-files.js';
import { selfSigned } from '../../support/certificate.js';
import { programOf } from '../../support/program.js';
import { sentHeaders, siteContents, siteOptions } from '../../support/wallet-site.js';

let folder: string;
const { cert, key } = selfSigned();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'graft-host-'));
  await writeFile(join(folder, 'cert.pem'), cert);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(...args: readonly string[]): Promise<{ code: number; out: string; error: string }> {
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem') };
  const child = spawn(process.execPath, [programOf('src/site/cli.ts'), ...args], { env });
  let out = '';
  let error = '';
  child.stdout.on('data', (part) => (out += part));
  child.stderr.on('data', (part) => (error += part));
  const [code] = (await once(child, 'close')) as [number];
  return { code, out, error };
}

test('graft-host headers prints what a web server needs', async () => {
  const text = JSON.stringify(siteOptions('https://wallet.example.com'));
  const path = join(folder, 'wallet.json');
  await writeFile(path, text);
  const configuration = readConfiguration(text);
  const [printed, refused] = await Promise.all([
    run('headers', path, '--format', 'caddy', '--root', '/var/www'),
    run('headers', path),
  ]);
  expect(printed).toEqual({ code: 0, out: headerFile('caddy', configuration, '/var/www'), error: '' });
  expect(refused.code).toBe(2);
  expect(refused.error).toContain('--format: one of nginx, netlify, cloudflare, caddy, json');
});

test('graft-host check speaks https, wants HSTS there, and says by its exit code what it found', async () => {
  let age = 'max-age=63072000';
  let configuration = readConfiguration(JSON.stringify(siteOptions('https://127.0.0.1')));
  let contents: Record<string, string> = {};
  const server = createServer({ cert, key }, (request, response) => {
    const path = request.url ?? '/';
    const file = fileAt(path);
    const content = contents[path];
    if (!file || content === undefined) return void response.writeHead(404).end();
    const headers = sentHeaders(path, file, configuration);
    response.writeHead(200, { ...headers, 'Strict-Transport-Security': age });
    response.end(content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const site = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  configuration = { ...configuration, origin: site };
  contents = await siteContents(configuration);
  try {
    expect(await run('check', site)).toMatchObject({ code: 0, out: `${site}: nothing is missing.\n` });
    age = 'max-age=3600';
    const { code, out } = await run('check', site, '--json');
    expect(code).toBe(1);
    const { ok, findings } = JSON.parse(out) as {
      ok: boolean;
      findings: { path: string; subject: string }[];
    };
    expect(ok).toBe(false);
    expect(findings.map(({ path, subject }) => `${path} ${subject}`)).toEqual(
      [
        ...[
          '/wallet.json',
          '/',
          '/index.html',
          '/frame.html',
          '/window.html',
          '/connect.html',
          '/assets/a.js',
        ],
        ...['/sw.js', '/release.json', '/icon-192.png', '/manifest.webmanifest'],
      ].map((path) => `${path} Strict-Transport-Security`),
    );
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
