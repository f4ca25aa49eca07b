import { readFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { manifestOf } from '../../src/site/app-files.js';
import type { SiteConfiguration } from '../../src/site/configuration.js';
import { fileAt } from '../../src/site/header-files.js';
import { headersOf, type SiteFile } from '../../src/site/headers.js';
import { hashOf } from '../../src/site/release.js';

/** A `wallet.json` that is right, as an object. */
export const siteOptions = (origin: string, more: object = {}) => ({
  origin,
  name: 'Example Wallet',
  networks: [{ chainId: 31, url: 'https://rpc.example/planted-key' }],
  allow: ['https://app.example.com', 'https://shop.example.com'],
  ...more,
});

/** The headers of a file of the site, with its content type as a server adds it. */
export const sentHeaders = (path: string, file: SiteFile, configuration: SiteConfiguration) => ({
  ...headersOf(file, configuration),
  ...(types[extname(path)] && { 'Content-Type': types[extname(path)] as string }),
});

/** Content types by the endings of names; a path that ends in a slash is a document. */
const types: Readonly<Record<string, string>> = {
  '': 'text/html; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.css': 'text/css; charset=utf-8',
  '.png': 'image/png',
};

const document =
  '<!doctype html><title>Wallet</title><script type="module" crossorigin src="/assets/a.js"></script>';

/** The contents of a small wallet's site, by path, and what `release.json` has to list of them. */
export async function siteContents(configuration: SiteConfiguration): Promise<Record<string, string>> {
  const listed: Record<string, string> = {
    ...{ '/index.html': document, '/frame.html': document, '/window.html': document },
    ...{ '/connect.html': document, '/assets/a.js': 'void 0;', '/icon-192.png': 'a picture' },
    ...{ '/wallet.json': JSON.stringify(configuration), '/manifest.webmanifest': manifestOf(configuration) },
  };
  const files = Object.entries(listed).map(async ([path, content]) => {
    const headers = headersOf(fileAt(path) as SiteFile, configuration);
    return { path, sha256: await hashOf(content), policy: headers['Content-Security-Policy'] };
  });
  const release = JSON.stringify({ files: await Promise.all(files) });
  return { ...listed, '/': document, '/sw.js': 'void 0;', '/release.json': release };
}

/** Answers a request from the folder of a wallet's site, with the headers that a deployment has. */
export async function answerFromSite(
  folder: string,
  configuration: SiteConfiguration,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', configuration.origin);
  const file = fileAt(pathname);
  const name = pathname === '/' ? 'index.html' : pathname;
  const body = file && (await readFile(join(folder, name)).catch(() => null));
  if (!file || !body) return void response.writeHead(404).end();
  response.writeHead(200, sentHeaders(name, file, configuration));
  response.end(body);
}

/** Answers by the host of the request: several sites at one port. */
export const byHost =
  (sites: Readonly<Record<string, RequestListener>>): RequestListener =>
  (request, response) => {
    const site = sites[(request.headers.host ?? '').replace(/:\d+$/, '')];
    if (site) site(request, response);
    else response.writeHead(404).end();
  };
